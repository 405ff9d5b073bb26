package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/wire"
)

const searchDescription = `Search the user's long-term memory: notes kept across sessions, found by word and by meaning in any language.
Use it before answering about earlier work, decisions, dates, people, preferences or todos, and before saying that you do not know.
Ask a plain question or give key words and exact names; "a phrase" in quotes, -word, +word, tag:x, path:x, since:2026-01 and until:2026-02 narrow it. Each passage has a citation (path and lines) to quote; read more around it with memory_get.`

// The values of the argument corpus.
const (
	corpusMemory   = "memory"
	corpusSessions = "sessions"
	corpusAll      = "all"
)

const maxResults = 50

// maxTokens keeps the passages of a bounded answer within maxAnswer.
const maxTokens = 3000

func searchTool(backend Backend, defaults memoir.Query, complete func(string) string) tool {
	defaults.Limit = min(cmp.Or(defaults.Limit, memoir.DefaultLimit), maxResults)
	defaults.Mode = cmp.Or(defaults.Mode, memoir.ModeHybrid)
	input := objectSchema(
		textProperty("query", "what you want to know, as a question or as key words"),
		numberProperty("maxResults", "integer", 1, maxResults, float64(defaults.Limit), "how many passages to return at most"),
		optionalProperty("maxTokens", 1, maxTokens, "how many tokens the passages may have together (estimated); without maxResults as many passages as fit"),
		numberProperty("minScore", "number", 0, 1, defaults.MinScore, "leave out passages that score lower"),
		enumProperty("mode", "hybrid searches by word and by meaning, text by word only, vector by meaning only",
			string(defaults.Mode), string(memoir.ModeHybrid), string(memoir.ModeText), string(memoir.ModeVector)),
		textProperty("path", "only notes whose path begins so, for example memory/2026-03 or memory/projects/"),
		enumProperty("corpus", "memory: notes only; sessions: transcripts only; all: both",
			corpusAll, corpusMemory, corpusAll, corpusSessions),
	)
	return newTool("memory_search", "Search memory", searchDescription, input, complete,
		func(ctx context.Context, args arguments) (wire.Answer, string, error) {
			res, err := backend.Search(ctx, query(args, defaults))
			if err != nil {
				return wire.Answer{}, "", err
			}
			answer := wire.NewAnswer(res)
			for i := range answer.Results {
				answer.Results[i].Highlights = nil // a model needs no marks, and pays for them
			}
			for i, d := range answer.Degraded {
				answer.Degraded[i].Action = complete(d.Action)
			}
			return answer, answerText(answer), nil
		})
}

// query returns the query of a call. The arguments left out are the defaults.
func query(args arguments, defaults memoir.Query) memoir.Query {
	q := memoir.Query{
		Text:     args.text("query"),
		Limit:    args.whole("maxResults"),
		Mode:     cmp.Or(memoir.Mode(args.text("mode")), defaults.Mode),
		MinScore: defaults.MinScore,
		Filter:   memoir.Filter{Prefix: documentPath(args.text("path"))},
	}
	if q.MaxTokens = args.whole("maxTokens"); q.Limit == 0 && q.MaxTokens == 0 {
		q.Limit = defaults.Limit
	}
	if args["minScore"] != nil {
		q.MinScore = args.real("minScore")
	}
	switch args.text("corpus") {
	case corpusMemory:
		q.Filter.Kinds = []memoir.Kind{memoir.KindNote}
	case corpusSessions:
		q.Filter.Kinds = []memoir.Kind{memoir.KindSession}
	}
	return q
}

// documentPath brings a path that a model wrote into the form of a [memoir.DocID].
func documentPath(path string) string {
	return norm.NFC.String(strings.TrimPrefix(strings.TrimSpace(path), "./"))
}

// maxAnswer is how long the passages of an answer may become, in characters;
// passages that no longer fit are named without their text.
const maxAnswer = 16_000

// answerText writes an answer for a model: numbered passages, each with its
// citation, then what the answer lacks.
func answerText(a wire.Answer) string {
	var b strings.Builder
	if len(a.Results) == 0 {
		fmt.Fprintf(&b, "Nothing found for %q: %s.\n", cut(a.Query, maxEcho), cmp.Or(uncontrolled(cut(a.Reason, maxReason)), "no reason is known"))
	} else {
		fmt.Fprintf(&b, "%d found for %q, best first:\n", len(a.Results), cut(a.Query, maxEcho))
	}
	writeResults(&b, a.Results)
	if a.Truncated {
		b.WriteString("\nMore was found than maxTokens leaves room for.\n")
	}
	for _, d := range a.Degraded {
		fmt.Fprintf(&b, "\nNote: %s did not fully take part: %s. Next step: %s\n", d.Part, uncontrolled(cut(d.Reason, maxReason)), uncontrolled(cut(d.Action, maxReason)))
	}
	return b.String()
}

// writeResults writes the passages with their snippets while there is room; room
// is kept for the citations of those behind, as far as they fit at all.
func writeResults(b *strings.Builder, results []wire.Result) {
	short := make([]string, len(results))
	kept := 0 // characters of the short entries from the current one on
	for i, r := range results {
		short[i] = resultText(i+1, r, false)
		kept += utf8.RuneCountInString(short[i])
	}
	room := maxAnswer
	for i, r := range results {
		kept -= utf8.RuneCountInString(short[i])
		entry := resultText(i+1, r, true)
		if utf8.RuneCountInString(entry)+kept > room {
			entry = short[i]
		}
		if room -= utf8.RuneCountInString(entry); room < 0 {
			fmt.Fprintf(b, "\n%d more do not fit here; ask for fewer or narrow the path.\n", len(results)-i)
			return
		}
		b.WriteString(entry)
	}
}

// maxReason bounds what an answer says of one missing part, in characters.
const maxReason = 400

func resultText(number int, r wire.Result, withSnippet bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%d. %s", number, uncontrolled(r.Citation))
	if heading := strings.Join(r.Heading, " > "); heading != "" {
		fmt.Fprintf(&b, " | %s", uncontrolled(cut(heading, maxHeading)))
	}
	if r.Date != "" {
		fmt.Fprintf(&b, " | %s", r.Date)
	}
	fmt.Fprintf(&b, " | score %.2f", r.Score)
	if len(r.AlsoIn) > 0 {
		fmt.Fprintf(&b, " | also in %s", uncontrolled(cut(strings.Join(r.AlsoIn, ", "), maxHeading)))
	}
	b.WriteByte('\n')
	if !withSnippet {
		b.WriteString("   (read it with memory_get)\n")
		return b.String()
	}
	if r.Snippet == "" {
		b.WriteString("   (its lines are shown above)\n")
	}
	for line := range strings.Lines(strings.Trim(r.Snippet, "\r\n")) {
		// Indented, so that a note cannot pass for a line of the answer.
		b.WriteString("   " + strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.String()
}

// maxHeading bounds a heading path in an answer, and the citations of passages
// with the same words, in characters.
const maxHeading = 200

// nextStep is what a model can do about an error that came without a hint;
// command is what a person would run, "" when there is nothing.
func nextStep(err error, command string) string {
	switch {
	case errors.Is(err, memoir.ErrInvalid):
		return "correct the arguments and call the tool again"
	case errors.Is(err, memoir.ErrNotFound):
		return "find the path with memory_search"
	case errors.Is(err, context.DeadlineExceeded):
		return "call the tool again in a moment"
	case command == "":
		command = "memoir index"
	}
	return "tell the user to run: " + command
}
