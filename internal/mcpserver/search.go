package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"
	"golang.org/x/text/unicode/norm"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/wire"
)

const searchDescription = `Search the user's long-term memory, by word and meaning, in any language. Use it before answering about earlier work, decisions, dates, people, preferences or todos, and before saying that you do not know.
"a phrase", -word, +word, tag:x, path:x, since:2026-01, until:2026-02 narrow it. Quote the citation of what you use.`

const maxResults = 50

// maxTokens keeps the passages of an answer with a budget within maxAnswer.
const maxTokens = 3000

func searchTool(reader Reader, defaults memoir.Query, complete func(string) string) tool {
	defaults.Limit = min(cmp.Or(defaults.Limit, memoir.DefaultLimit), maxResults)
	defaults.Mode = cmp.Or(defaults.Mode, memoir.ModeHybrid)
	input := objectSchema(
		textProperty("query", "a question or words"),
		numberProperty("maxResults", "integer", 1, maxResults, fmt.Sprintf("1 to %d notes, else %d", maxResults, defaults.Limit)),
		numberProperty("maxTokens", "integer", 1, maxTokens, fmt.Sprintf("1 to %d", maxTokens)),
		numberProperty("minScore", "number", 0, 1, "0 to 1, of score, not relevance"),
		enumProperty("mode", "", string(memoir.ModeHybrid), string(memoir.ModeText), string(memoir.ModeVector)),
		textProperty("path", "part of it, as memory/2026-03"),
		enumProperty("corpus", "", wire.AllSources, memoir.KindNote.Origin(), memoir.KindSession.Origin(), memoir.KindCollection.Origin()),
	)
	return newTool("memory_search", searchDescription, input, complete,
		func(ctx context.Context, args arguments) (wire.Found, string, error) {
			res, err := reader.Search(ctx, query(args, defaults))
			if err != nil {
				return wire.Found{}, "", err
			}
			for i, d := range res.Degraded {
				res.Degraded[i].Action = complete(d.Action)
			}
			text, found := Answer(res)
			return found, text, nil
		})
}

// query returns the query of a call. Missing arguments have their defaults.
func query(args arguments, defaults memoir.Query) memoir.Query {
	q := memoir.Query{
		Text:     args.text("query"),
		Limit:    args.whole("maxResults"),
		Mode:     cmp.Or(memoir.Mode(args.text("mode")), defaults.Mode),
		MinScore: defaults.MinScore,
		Path:     strings.TrimSpace(args.text("path")),
	}
	q.Brief = q.Limit == 0
	if q.MaxTokens = args.whole("maxTokens"); q.Limit == 0 && q.MaxTokens == 0 {
		q.Limit = defaults.Limit
	}
	if args["minScore"] != nil {
		q.MinScore = args.real("minScore")
	}
	q.Filter.Kinds, _ = wire.KindsOf(args.text("corpus")) // which is one of its values
	return q
}

// documentPath brings a path that a model wrote into the form of a [memoir.DocID].
func documentPath(path string) string {
	return norm.NFC.String(strings.TrimPrefix(strings.TrimSpace(path), "./"))
}

// maxAnswer is how many characters the passages of an answer may have together.
// Passages that do not fit are named without their text.
const maxAnswer = 16_000

// readIt stands for a passage that does not fit.
const readIt = "(read it with memory_get)"

// Answer returns what a model is given of an answer, as a text and as structured
// content; agents show it one of the two. The content has no title that the file name
// says, because each member of it is longer than in the text.
func Answer(res memoir.Results) (string, wire.Found) {
	found := newFound(res)
	text := foundText(res.Query, found)
	for i := range found.Results {
		p := &found.Results[i]
		if title, headings, _ := strings.Cut(p.Title, wire.Below); saysWords(path.Base(p.Path), title) {
			p.Title = headings
		}
	}
	return text, found
}

// saysWords reports whether a text holds the words of another, in their order and without
// others between them. Marks and the case of letters do not count.
func saysWords(text, of string) bool {
	words := func(s string) string {
		return " " + strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) }), " ") + " "
	}
	return strings.Contains(words(text), words(of))
}

// newFound makes of an answer what a model is given. Of passages that do not fit, the
// citations stay while there is room for them.
func newFound(res memoir.Results) wire.Found {
	found := wire.NewFound(res)
	if strings.HasSuffix(found.Reason, fmt.Sprintf("the minimum score is %.2f", res.Threshold)) {
		found.Reason += "; call again with a lower minScore, or 0 for none"
	}
	size := func(p *wire.Passage) int { // characters in the text, including what stands round the lines and before each
		return utf8.RuneCountInString(p.Citation) + utf8.RuneCountInString(p.Title) + utf8.RuneCountInString(p.Snippet) + 3*strings.Count(p.Snippet, "\n") + 30 + len(p.Date) + len(p.Status) + 3*len(p.Scope)
	}
	short := 0 // characters of this and the later passages without their text
	for i := range found.Results {
		p := &found.Results[i]
		p.Title, p.Snippet = wire.Cut(p.Title, wire.MaxTitle), cleaned(p.Snippet)
		short += size(p) - utf8.RuneCountInString(p.Snippet) + len(readIt)
	}
	room := maxAnswer
	for i := range found.Results {
		p := &found.Results[i]
		short -= size(p) - utf8.RuneCountInString(p.Snippet) + len(readIt)
		if size(p)+short > room {
			p.Snippet = readIt
		}
		if room -= size(p); room < 0 {
			found.Left = len(found.Results) - i
			found.Results = found.Results[:i]
			break
		}
	}
	return found
}

// foundText writes an answer for a model: what is missing in it, then numbered
// notes, each with the citation of its best passage, and below that the other
// passages without the path.
func foundText(query string, f wire.Found) string {
	var b strings.Builder
	if query = wire.Cut(query, maxEcho); len(f.Results) == 0 {
		fmt.Fprintf(&b, "Nothing found for %q: %s.\n", query, cmp.Or(uncontrolled(wire.Cut(f.Reason, maxReason)), "no reason is known"))
	}
	notes := wire.ByNote(f.Results, func(p wire.Passage) string { return p.Name() })
	if len(notes) > 0 {
		fmt.Fprintf(&b, "%s in %s found for %q, in the order of the search:\n", english.Plural(len(f.Results), "passage", ""), english.Plural(len(notes), "note", ""), query)
	}
	if f.Nothing != "" {
		fmt.Fprintf(&b, "Note: %s. Read them and judge for yourself.\n", f.Nothing)
	}
	for _, d := range f.Degraded {
		fmt.Fprintf(&b, "Note: %s did not fully take part: %s. Next step: %s\n", d.Part, uncontrolled(wire.Cut(d.Reason, maxReason)), uncontrolled(wire.Cut(d.Action, maxReason)))
	}
	for i, passages := range notes {
		fmt.Fprintf(&b, "\n%d. %s", i+1, uncontrolled(passages[0].Citation))
		if passages[0].Scope != "" {
			b.WriteString(" | the project's notes")
		}
		passageText(&b, passages[0], passages[0].Date)
		for j, p := range passages[1:] {
			day := p.Date
			if day == passages[j].Date {
				day = ""
			}
			fmt.Fprintf(&b, "and %s", uncontrolled(strings.TrimPrefix(p.Citation, p.Name())))
			passageText(&b, p, day)
		}
	}
	if f.Left > 0 {
		fmt.Fprintf(&b, "\n%d more do not fit here; ask for fewer or narrow the path.\n", f.Left)
	}
	if f.Truncated {
		b.WriteString("\nMore was found than maxTokens leaves room for.\n")
	}
	return b.String()
}

// passageText writes what follows the citation of a passage, and the text below
// it.
func passageText(b *strings.Builder, p wire.Passage, date string) {
	for _, part := range []string{uncontrolled(p.Title), date} {
		if part != "" {
			b.WriteString(" | " + part)
		}
	}
	fmt.Fprintf(b, " | relevance %.2f", p.Relevance)
	if p.Status != "" {
		b.WriteString(" | " + uncontrolled(p.Status))
	}
	b.WriteByte('\n')
	indented(b, p.Snippet)
}

// maxReason is how many characters an answer says of one missing part.
const maxReason = 400

// nextStep returns what a model can do about an error without a hint. command
// is what a person would run or do, or "".
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
	case !strings.HasPrefix(command, "memoir "):
		return "tell the user: " + command
	}
	return "tell the user to run: " + command
}
