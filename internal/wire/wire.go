// Package wire holds the JSON that memoir shows to the outside: one shape for
// the command line, HTTP and MCP. Field names are OpenClaw's where it has one,
// so that what was built on its memory_search keeps working.
package wire

import (
	"errors"
	"time"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
)

// Answer is the answer to a search.
type Answer struct {
	Query    string     `json:"query" jsonschema:"the query as it was searched"`
	Results  []Result   `json:"results" jsonschema:"passages, best first"`
	Mode     string     `json:"mode" jsonschema:"what was searched: hybrid, text or vector"`
	Provider string     `json:"provider" jsonschema:"embedding provider, empty when no vectors were used"`
	Model    string     `json:"model" jsonschema:"embedding model, empty when no vectors were used"`
	Degraded []Degraded `json:"degraded" jsonschema:"what could not take part and what to do about it; empty when all did"`
	Reason   string     `json:"reason,omitempty" jsonschema:"why there are no results"`
	Terms    []Term     `json:"terms,omitempty" jsonschema:"what the words were analysed into"`
	// Understood is how the query was read; nil without an explanation.
	Understood *Understood `json:"understood,omitempty" jsonschema:"how the query was read"`
	Tokens     int         `json:"tokens" jsonschema:"estimated tokens of all snippets together"`
	// Truncated says that the budget of the query ended the answer.
	Truncated bool `json:"truncated,omitempty" jsonschema:"passages were left out, or the last snippet cut, to stay within the budget"`
	// Threshold is the score below which passages were left out; 0: none were.
	Threshold float64 `json:"threshold,omitempty" jsonschema:"score below which passages were left out"`
	TookMs    int64   `json:"tookMs"`
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
	From string `json:"from"`
	To   string `json:"to"`
}

// Result is one passage of an answer.
type Result struct {
	Path        string  `json:"path" jsonschema:"file below the workspace; pass it to memory_get"`
	StartLine   int     `json:"startLine" jsonschema:"first line, counted from 1"`
	EndLine     int     `json:"endLine" jsonschema:"last line, inclusive"`
	Score       float64 `json:"score" jsonschema:"relevance between 0 and 1"`
	TextScore   float64 `json:"textScore"`
	VectorScore float64 `json:"vectorScore"`
	Snippet     string  `json:"snippet"`
	// The lines that the snippet shows; 0 when it is empty.
	SnippetStartLine int      `json:"snippetStartLine" jsonschema:"first line that the snippet shows"`
	SnippetEndLine   int      `json:"snippetEndLine" jsonschema:"last line that the snippet shows"`
	Highlights       []Range  `json:"highlights,omitempty" jsonschema:"where the words of the query stand in the snippet"`
	AlsoIn           []string `json:"alsoIn,omitempty" jsonschema:"citations of passages with the same words"`
	Source           string   `json:"source" jsonschema:"memory or sessions"`
	Citation         string   `json:"citation" jsonschema:"path and lines, to quote as the source"`
	Heading          []string `json:"heading" jsonschema:"headings above the passage, from the top"`
	Title            string   `json:"title,omitempty"`
	Date             string   `json:"date,omitempty" jsonschema:"day the note is about, YYYY-MM-DD"`
	Explain          *Explain `json:"explain,omitempty"`
}

// Degraded names a part that did not take part.
type Degraded struct {
	Part   string `json:"part"`
	Reason string `json:"reason"`
	Action string `json:"action"`
}

// Term is a weighted term of the query.
type Term struct {
	Text   string  `json:"text"`
	Weight float64 `json:"weight"`
}

// Explain shows the parts of a score.
type Explain struct {
	Fusion string `json:"fusion"`
	Text   Part   `json:"text"`
	Vector Part   `json:"vector"`
	Link   *Link  `json:"link,omitempty" jsonschema:"the link to the note that raised the score"`
	// Signals are in the order in which they applied.
	Signals []Signal `json:"signals,omitempty" jsonschema:"what changed the score beside words, vectors and links"`
	// Exact is what the query names exactly and the passage has; nil without that.
	Exact *Exact `json:"exact,omitempty" jsonschema:"what the query names exactly and the passage has"`
	// Rerank is what reranking did; nil for what was not among the first passages.
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
	Name   string  `json:"name" jsonschema:"salience, decay, speaker, date, recency or diversity"`
	Value  float64 `json:"value" jsonschema:"how strongly it applied, 0 to 1"`
	Change float64 `json:"change" jsonschema:"what it added to the score"`
}

// Link is what a link from another passage gave.
type Link struct {
	From  string  `json:"from" jsonschema:"citation of the passage that links to the note"`
	Score float64 `json:"score"`
}

// Part is what one list said of a passage.
type Part struct {
	Rank   int     `json:"rank"`
	Raw    float64 `json:"raw"`
	Score  float64 `json:"score"`
	Weight float64 `json:"weight"`
}

// NewAnswer returns the JSON form of results. Slices are never nil.
func NewAnswer(res memoir.Results) Answer {
	a := Answer{
		Query: res.Query, Results: make([]Result, 0, len(res.Hits)), Mode: string(res.Mode),
		Provider: res.Space.Provider, Model: res.Space.Model,
		Degraded: []Degraded{}, Reason: res.Reason, Threshold: res.Threshold,
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
		Path: string(h.Doc), StartLine: h.StartLine, EndLine: h.EndLine,
		Score: h.Score, TextScore: h.TextScore, VectorScore: h.VectorScore,
		Snippet: h.Snippet, SnippetStartLine: h.SnippetStart, SnippetEndLine: h.SnippetEnd,
		Highlights: ranges(h.Snippet, h.Highlights), Source: h.Kind.Origin(), Citation: h.Citation(),
		Heading: append([]string{}, h.Heading...), Title: h.Title, Date: h.Date,
	}
	for _, c := range h.AlsoIn {
		r.AlsoIn = append(r.AlsoIn, c.Citation())
	}
	if x := h.Explain; x != nil {
		r.Explain = &Explain{Fusion: x.Fusion, Text: Part(x.Text), Vector: Part(x.Vector)}
		if x.Link != (memoir.LinkPart{}) {
			r.Explain.Link = &Link{x.Link.From, x.Link.Score}
		}
		for _, p := range x.Signals {
			r.Explain.Signals = append(r.Explain.Signals, Signal(p))
		}
		if x.Exact != (memoir.ExactPart{}) {
			r.Explain.Exact = new(Exact(x.Exact))
		}
		if x.Rerank != (memoir.RerankPart{}) {
			r.Explain.Rerank = new(Rerank(x.Rerank))
		}
	}
	return r
}

// Range is a half-open range of characters, Unicode code points from 0.
type Range struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// ranges turns ranges of bytes into ranges of characters; they are in order.
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
	Path       string `json:"path"`
	From       int    `json:"from" jsonschema:"first line returned, counted from 1"`
	Lines      int    `json:"lines" jsonschema:"number of lines returned"`
	TotalLines int    `json:"totalLines" jsonschema:"lines of the whole document"`
	Text       string `json:"text"`
	Truncated  bool   `json:"truncated,omitempty" jsonschema:"more lines follow; ask again from nextFrom"`
	NextFrom   int    `json:"nextFrom,omitempty"`
}

// NewExcerpt returns the JSON form of an excerpt.
func NewExcerpt(x memoir.Excerpt) Excerpt {
	e := Excerpt{Path: string(x.ID), From: x.StartLine, TotalLines: x.TotalLines, Text: x.Text}
	if x.StartLine > 0 {
		e.Lines = x.EndLine - x.StartLine + 1
	}
	return e
}

// Index is what an index run did.
type Index struct {
	Workspace      string    `json:"workspace"`
	Documents      int       `json:"documents"`
	Chunks         int       `json:"chunks"`
	Added          int       `json:"added"`
	Changed        int       `json:"changed"`
	Removed        int       `json:"removed"`
	Skipped        []Skipped `json:"skipped"`
	Warnings       []Warning `json:"warnings"` // of what was indexed now
	PendingVectors int       `json:"pendingVectors"`
	FailedVectors  int       `json:"failedVectors"` // texts that the provider could not take
	TookMs         int64     `json:"tookMs"`
}

// Status is the state of an index.
type Status struct {
	Workspace string `json:"workspace"`
	Index     string `json:"index"` // absolute path
	Documents int    `json:"documents"`
	Chunks    int    `json:"chunks"`
	Bytes     int64  `json:"bytes"`    // on disk
	Provider  string `json:"provider"` // that is configured, empty without one
	Model     string `json:"model"`
	// ProviderReason says why it is this provider: the end of a sentence that
	// begins with "because".
	ProviderReason string `json:"providerReason,omitempty"`
	Kernels        string `json:"kernels"` // that the model inside runs on
	// Distinct texts: with a vector of the model, without one, and those that
	// the provider could not take.
	Vectors        int `json:"vectors"`
	PendingVectors int `json:"pendingVectors"`
	FailedVectors  int `json:"failedVectors"`
	// Answering is the model whose vectors answer searches: the one before it
	// while the configured one is not complete, empty while there are none.
	Answering Model      `json:"answering"`
	Rerank    *Reranker  `json:"rerank,omitempty"`
	LastWrite string     `json:"lastWrite,omitempty"` // RFC 3339, in UTC
	Degraded  []Degraded `json:"degraded"`
}

// Model names an embedding model and who offers it.
type Model struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
}

// Reranker says who orders the first passages of an answer anew.
type Reranker struct {
	Provider string `json:"provider"`
	Model    string `json:"model"` // empty when it is the provider's own
	Top      int    `json:"top"`   // how many passages
}

// NewStatus returns the JSON form of a status; the caller adds what only it
// knows. Degraded is never nil.
func NewStatus(st memoir.Status) Status {
	s := Status{
		Documents: st.Documents, Chunks: st.Chunks, Provider: st.Space.Provider, Model: st.Space.Model,
		PendingVectors: st.Pending, FailedVectors: st.Failed, Degraded: []Degraded{},
		Answering: Model{st.Answering.Provider, st.Answering.Model},
	}
	if st.Space != (memoir.Space{}) {
		s.Vectors = st.Texts - st.Pending - st.Failed
	}
	if !st.Written.IsZero() {
		s.LastWrite = st.Written.Format(time.RFC3339)
	}
	for _, d := range st.Degraded {
		s.Degraded = append(s.Degraded, Degraded(d))
	}
	return s
}

// Skipped is a file that is not indexed.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Warning says what of a note that is indexed does not count.
type Warning struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Failure is the answer when there is none.
type Failure struct {
	Error Problem `json:"error"`
}

// Problem is a message with the next command.
type Problem struct {
	Message string `json:"message"`
	Action  string `json:"action"`
}

// NewFailure returns the JSON form of an error.
func NewFailure(err error) Failure {
	action := memoir.Hint(err)
	if action == "" {
		switch {
		case errors.Is(err, memoir.ErrCorrupt):
			action = "memoir rebuild"
		case errors.Is(err, memoir.ErrInvalid):
			action = "memoir help"
		}
	}
	return Failure{Problem{Message: err.Error(), Action: action}}
}
