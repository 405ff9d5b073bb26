// Package wire holds the JSON that memoir shows to the outside: one shape for
// the command line, HTTP and MCP. Field names are OpenClaw's where it has one,
// so that what was built on its memory_search keeps working.
package wire

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// Answer is the answer to a search.
type Answer struct {
	Query    string     `json:"query" jsonschema:"the query as it was searched"`
	Results  []Result   `json:"results" jsonschema:"passages, by score, the highest first"`
	Mode     string     `json:"mode" jsonschema:"what was searched: hybrid, text or vector"`
	Provider string     `json:"provider" jsonschema:"embedding provider, empty when no vectors were used"`
	Model    string     `json:"model" jsonschema:"embedding model, empty when no vectors were used"`
	Degraded []Degraded `json:"degraded" jsonschema:"what could not take part and what to do about it; empty when all did"`
	Reason   string     `json:"reason,omitempty" jsonschema:"why there are no results"`
	Nothing  string     `json:"nothing,omitempty" jsonschema:"that no result is confident"`
	Terms    []Term     `json:"terms,omitempty" jsonschema:"what the words were analysed into"` // only with an explanation
	// Only with an explanation.
	Understood *Understood `json:"understood,omitempty" jsonschema:"how the query was read"`
	Tokens     int         `json:"tokens" jsonschema:"estimated tokens of all snippets together"`
	Truncated  bool        `json:"truncated,omitempty" jsonschema:"passages were left out, or the last snippet cut, to stay within the budget"`
	Threshold  float64     `json:"threshold,omitempty" jsonschema:"score below which passages were left out"`
	TookMs     int64       `json:"tookMs"` // milliseconds that the search took
}

// Understood is how a query was read.
type Understood struct {
	Text    string   `json:"text" jsonschema:"what words and vectors were asked; empty for filters alone"`
	Phrases []string `json:"phrases,omitempty" jsonschema:"passages that hold them come first"`
	Filters []string `json:"filters,omitempty" jsonschema:"must and minus words and filters"`
	When    []Days   `json:"when,omitempty" jsonschema:"what dates in plain words name; they filter nothing"`
}

// Days are days from one to another, both inside.
type Days struct {
	From string `json:"from"` // first day, YYYY-MM-DD
	To   string `json:"to"`   // last day, inclusive
}

// Result is one passage of an answer.
type Result struct {
	Scope     string  `json:"scope,omitempty" jsonschema:"user or project: whose memory it is of, where two answer as one"`
	Path      string  `json:"path" jsonschema:"file below the workspace; pass it to memory_get"`
	StartLine int     `json:"startLine" jsonschema:"first line, counted from 1"`
	EndLine   int     `json:"endLine" jsonschema:"last line, inclusive"`
	Score     float64 `json:"score" jsonschema:"what orders the results, between 0 and 1"`
	Relevance float64 `json:"relevance" jsonschema:"the chance that the passage answers, between 0 and 1"`
	Confident bool    `json:"confident" jsonschema:"the relevance is 0.3 at least"`
	// 0 to 1: what words say; 0 when no word matched or words were not searched.
	TextScore float64 `json:"textScore"`
	// 0 to 1: what vectors say; 0 when unrelated or vectors were not searched.
	VectorScore float64 `json:"vectorScore"`
	// The lines round the best match, the whole chunk when it is short; empty
	// when a better result shows its lines.
	Snippet          string   `json:"snippet"`
	SnippetStartLine int      `json:"snippetStartLine" jsonschema:"first line that the snippet shows"` // 0 when the snippet is empty
	SnippetEndLine   int      `json:"snippetEndLine" jsonschema:"last line that the snippet shows"`    // 0 when the snippet is empty
	Highlights       []Range  `json:"highlights,omitempty" jsonschema:"where the words of the query stand in the snippet"`
	AlsoIn           []string `json:"alsoIn,omitempty" jsonschema:"citations of passages with the same words"`
	Source           string   `json:"source" jsonschema:"memory or sessions"`
	Citation         string   `json:"citation" jsonschema:"path and lines, to quote as the source"`
	Heading          []string `json:"heading" jsonschema:"headings above the passage, from the top"`
	Title            string   `json:"title,omitempty"` // of the note: its front matter's, or its first heading of level 1
	Date             string   `json:"date,omitempty" jsonschema:"day the note is about, YYYY-MM-DD"`
	Type             string   `json:"type,omitempty" jsonschema:"what kind of note it is: preference, decision, journal, …"`
	Status           string   `json:"status" jsonschema:"active, or superseded: something else holds in its place"`
	SupersededBy     string   `json:"supersededBy,omitempty" jsonschema:"id of the entry that holds in its place"`
	SupersededOn     string   `json:"supersededOn,omitempty" jsonschema:"day from which it no longer holds, YYYY-MM-DD"`
	Successor        string   `json:"successor,omitempty" jsonschema:"citation of what holds in its place"`
	Later            string   `json:"later,omitempty" jsonschema:"citation of a newer passage that may update it"`
	Earlier          string   `json:"earlier,omitempty" jsonschema:"citation of an older passage that it may update"`
	Explain          *Explain `json:"explain,omitempty"` // how the score came about; only with an explanation
}

// Degraded names a part that did not take part.
type Degraded struct {
	Part   string `json:"part"`             // words, vectors, names, documents, rerank, sync, index, notes, summaries or project
	Reason string `json:"reason"`           // for people
	Action string `json:"action"`           // the next command or step
	Slight bool   `json:"slight,omitempty"` // so little is missing that the answer can hardly change; texts, and what models are given, leave it out
}

// Term is a weighted term of the query.
type Term struct {
	Text   string  `json:"text"`   // as the index has it: folded, stemmed
	Weight float64 `json:"weight"` // how much it counts; 1 is an ordinary word
}

// Explain shows the parts of a score.
type Explain struct {
	Fusion string `json:"fusion"` // convex, weighted-sum or rrf; empty when filters alone were asked
	Text   Part   `json:"text"`   // what words say
	Vector Part   `json:"vector"` // what vectors say
	Link   *Link  `json:"link,omitempty" jsonschema:"the link to the note that raised the score"`
	// In the order in which they applied.
	Signals []Signal `json:"signals,omitempty" jsonschema:"what changed the score beside words, vectors and links"`
	Exact   *Exact   `json:"exact,omitempty" jsonschema:"what the query names exactly and the passage has"`
	// Only of a chunk that was among the first.
	Rerank *Rerank `json:"rerank,omitempty" jsonschema:"what reranking did to the passage"`
}

// Exact says what of the query a passage has exactly.
type Exact struct {
	Phrases int     `json:"phrases,omitempty" jsonschema:"how many of the phrases in quotes"`
	Name    bool    `json:"name,omitempty" jsonschema:"the query is a name of the note"`
	Above   float64 `json:"above" jsonschema:"score of the best passage with less of it"`
}

// Rerank is what reranking did to a passage.
type Rerank struct {
	Rank  int     `json:"rank" jsonschema:"place before, from 1"`
	Score float64 `json:"score" jsonschema:"score before"`
	Raw   float64 `json:"raw" jsonschema:"what the reranker gave it"`
	Exact bool    `json:"exact,omitempty" jsonschema:"it holds what the query names exactly, and the reranker was not asked about it"`
}

// Signal is what one signal did to a score.
type Signal struct {
	Name   string  `json:"name" jsonschema:"meaning, salience, decay, scrap, speaker, date, form, log, status, recency or diversity"`
	Value  float64 `json:"value" jsonschema:"how strongly it applied, 0 to 1"`
	Change float64 `json:"change" jsonschema:"what it added to the score"`
}

// Link is what a link from another passage gave.
type Link struct {
	From  string  `json:"from" jsonschema:"citation of the passage that links to the note"`
	Score float64 `json:"score"` // what the link gave, 0 to 1
}

// Part is what one list said of a passage.
type Part struct {
	Rank   int     `json:"rank"`   // place in its list, from 1; 0 when the list does not have the chunk
	Raw    float64 `json:"raw"`    // of words the share of the highest possible BM25, of vectors the cosine
	Score  float64 `json:"score"`  // raw on the scale of scores, 0 to 1
	Weight float64 `json:"weight"` // share of the score that the list decides, 0 to 1
}

// NewAnswer returns the JSON form of results. Its slices are never nil.
func NewAnswer(res memoir.Results) Answer {
	a := Answer{
		Query: res.Query, Results: make([]Result, 0, len(res.Hits)), Mode: string(res.Mode),
		Provider: res.Space.Provider, Model: res.Space.Model,
		Degraded: []Degraded{}, Reason: res.Reason, Nothing: res.Nothing, Threshold: res.Threshold,
		Tokens: res.Tokens, Truncated: res.Truncated, TookMs: res.Took.Milliseconds(),
	}
	for _, h := range res.Hits {
		a.Results = append(a.Results, newResult(h))
	}
	for _, d := range res.Degraded {
		a.Degraded = append(a.Degraded, Degraded(d))
	}
	if u := res.Understood; u != nil {
		a.Understood = &Understood{Text: u.Text, Phrases: u.Phrases, Filters: u.Filters}
		for _, d := range u.When {
			a.Understood.When = append(a.Understood.When, Days(d))
		}
	}
	for _, t := range res.Terms {
		a.Terms = append(a.Terms, Term{Text: t.Text, Weight: t.Weight})
	}
	return a
}

func newResult(h memoir.Hit) Result {
	r := Result{
		Scope: string(h.Scope), Path: string(h.Doc), StartLine: h.StartLine, EndLine: h.EndLine,
		Score: h.Score, Relevance: h.Relevance, Confident: h.Confident(), TextScore: h.TextScore, VectorScore: h.VectorScore,
		Snippet: h.Snippet, SnippetStartLine: h.SnippetStart, SnippetEndLine: h.SnippetEnd,
		Highlights: ranges(h.Snippet, h.Highlights), Source: h.Kind.Origin(), Citation: h.Citation(),
		Heading: append([]string{}, h.Heading...), Title: h.Title, Date: h.Date,
		Type: h.Labels.Value(memoir.KeyType), Status: "active", Later: h.Later, Earlier: h.Earlier,
	}
	if h.Labels.Has(memoir.LabelSuperseded) {
		r.Status, r.SupersededBy = string(memoir.LabelSuperseded), h.Labels.Value(memoir.KeyBy)
		r.SupersededOn, r.Successor = h.Labels.Value(memoir.KeyUntil), h.Successor
	}
	for _, c := range h.AlsoIn {
		r.AlsoIn = append(r.AlsoIn, c.Citation())
	}
	if x := h.Explain; x != nil {
		r.Explain = &Explain{Fusion: x.Fusion, Text: Part(x.Text), Vector: Part(x.Vector)}
		if x.Link != (explain.Link{}) {
			r.Explain.Link = &Link{x.Link.From, x.Link.Score}
		}
		for _, p := range x.Signals {
			r.Explain.Signals = append(r.Explain.Signals, Signal(p))
		}
		if x.Exact != (explain.Exact{}) {
			r.Explain.Exact = new(Exact(x.Exact))
		}
		if x.Rerank != (explain.Rerank{}) {
			r.Explain.Rerank = new(Rerank(x.Rerank))
		}
	}
	return r
}

// Range is a half-open range of characters, Unicode code points from 0.
type Range struct {
	Start int `json:"start"` // the first character
	End   int `json:"end"`   // the one behind the last
}

// ranges turns ranges of bytes into ranges of characters. The ranges must be in order.
func ranges(text string, spans []memoir.Span) []Range {
	out := make([]Range, 0, len(spans))
	at, chars := 0, 0
	count := func(to int) int {
		chars += utf8.RuneCountInString(text[at:to])
		at = to
		return chars
	}
	for _, s := range spans {
		start := count(s.Start)
		out = append(out, Range{start, count(s.End)})
	}
	return out
}

// Excerpt is some lines of a document.
type Excerpt struct {
	Scope      string `json:"scope,omitempty"` // user or project, where two memories answer as one
	Path       string `json:"path"`            // of the note, below the workspace
	From       int    `json:"from" jsonschema:"first line returned, counted from 1"`
	Lines      int    `json:"lines" jsonschema:"number of lines returned"`
	TotalLines int    `json:"totalLines" jsonschema:"lines of the whole document"`
	Text       string `json:"text"` // the lines with their ends
	Truncated  bool   `json:"truncated,omitempty" jsonschema:"more lines follow; ask again from nextFrom"`
	NextFrom   int    `json:"nextFrom,omitempty"` // the line to ask for next
}

// NewExcerpt returns the JSON form of an excerpt.
func NewExcerpt(x memoir.Excerpt) Excerpt {
	e := Excerpt{Scope: string(x.Scope), Path: string(x.ID), From: x.StartLine, TotalLines: x.TotalLines, Text: x.Text}
	if x.StartLine > 0 {
		e.Lines = x.EndLine - x.StartLine + 1
	}
	return e
}

// Index is what an index run did.
type Index struct {
	Workspace      string    `json:"workspace"`      // absolute path
	Documents      int       `json:"documents"`      // in the index now
	Chunks         int       `json:"chunks"`         // in the index now
	Added          int       `json:"added"`          // notes that were indexed for the first time
	Changed        int       `json:"changed"`        // notes that were indexed again
	Removed        int       `json:"removed"`        // notes that are gone
	Skipped        []Skipped `json:"skipped"`        // files that are not indexed
	Warnings       []Warning `json:"warnings"`       // of notes that were indexed now
	PendingVectors int       `json:"pendingVectors"` // texts that have no vector yet
	FailedVectors  int       `json:"failedVectors"`  // texts that the provider could not take
	TookMs         int64     `json:"tookMs"`         // milliseconds that the run took
}

// NewIndex returns the JSON of a run over a workspace: what it did, without what is in the
// index now.
func NewIndex(workspace string, stats memoir.SyncStats, took time.Duration) Index {
	x := Index{
		Workspace: workspace, Added: stats.Added, Changed: stats.Changed, Removed: stats.Removed,
		Skipped: []Skipped{}, Warnings: []Warning{}, TookMs: took.Milliseconds(),
	}
	for _, f := range stats.Skipped {
		x.Skipped = append(x.Skipped, Skipped{Path: string(f.ID), Reason: f.Reason})
	}
	for _, w := range stats.Warnings {
		x.Warnings = append(x.Warnings, Warning{Path: string(w.ID), Reason: w.Reason})
	}
	return x
}

// Skipped is a file that is not indexed.
type Skipped struct {
	Path   string `json:"path"`   // below the workspace
	Reason string `json:"reason"` // for people
}

// Warning says what of a note that is indexed does not count.
type Warning struct {
	Path   string `json:"path"`   // below the workspace
	Reason string `json:"reason"` // what does not count and why, for people
}

// Failure is the answer when there is none.
type Failure struct {
	Error Problem `json:"error"` // what went wrong
}

// Problem is a message with the next command.
type Problem struct {
	Message string `json:"message"` // for people; programs go by the exit code
	Action  string `json:"action"`  // the next command or step; empty when none is known
}

// NewFailure returns the JSON form of an error.
func NewFailure(err error) Failure {
	action := memoir.Hint(err)
	if action == "" {
		switch {
		case Disk(err) != "":
			action = Disk(err)
		case errors.Is(err, memoir.ErrCorrupt):
			action = "memoir rebuild"
		case errors.Is(err, memoir.ErrInvalid):
			action = "memoir help"
		}
	}
	return Failure{Problem{Message: err.Error(), Action: action}}
}

// Disk returns the next step where a disk is full or cannot be written to; "": neither is so.
func Disk(err error) string {
	switch {
	case syserr.DiskFull(err):
		return syserr.MakeRoom
	case syserr.Refused(err):
		return syserr.LetWrite
	}
	return ""
}

// WithoutKind returns the message of an error for who has the kind of the error by an exit
// code or a status: a sentence does not end in "invalid argument".
func WithoutKind(message string) string {
	if said, ends := strings.CutSuffix(message, ": "+memoir.ErrInvalid.Error()); ends && strings.Contains(said, " ") {
		return said
	}
	return message
}

// Cut shortens a text to limit characters and says so with an ellipsis.
func Cut(s string, limit int) string {
	n := 0
	for i := range s {
		if n == limit {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
