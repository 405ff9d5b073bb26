package memoir

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Mode says which lists a search uses.
type Mode string

// The modes. Hybrid is the default.
const (
	ModeHybrid Mode = "hybrid" // words and vectors
	ModeText   Mode = "text"   // words only
	ModeVector Mode = "vector" // vectors only
)

// A Query is what a caller asks. Any text is allowed but none at all.
type Query struct {
	// Text is words, phrases in quotes, must and minus words, filters and dates
	// (docs/query-language.md). What is none of these is words.
	Text     string
	Literal  bool    // Text is words alone, such as a message that nobody wrote as a query
	Limit    int     // hits wanted; 0 means 6, or what a budget holds; at most 1000
	Mode     Mode    // "" means ModeHybrid
	MinScore float64 // hits below are left out, by their score before reranking; 0 leaves none out
	Filter   Filter
	Explain  bool // fill Hit.Explain, Results.Terms and Results.Understood
	// MaxTokens and MaxChars bound the snippets of an answer together, in
	// estimated tokens of a multilingual model and in characters; 0 is no bound.
	// Hits are shown by score; the last is cut round its match. A larger bound
	// appends hits or lengthens the last snippet. With a bound, Limit 0 means as many hits as
	// fit, at most 50; lines that a better hit shows are not shown again, and a
	// small passage is shown with its neighbours of the same section.
	MaxTokens, MaxChars int
	// NoSync answers from the index as it is.
	NoSync bool
}

// DefaultLimit is how many hits a query gets that does not say.
const DefaultLimit = 6

// DefaultBudgetLimit is the most hits that a query gets that bounds its answer
// with MaxTokens or MaxChars and not with Limit.
const DefaultBudgetLimit = 50

const maxLimit = 1000

// limited reports whether the answer has to stay within a budget.
func (q Query) limited() bool { return q.MaxTokens > 0 || q.MaxChars > 0 }

// withDefaults returns the query as it is carried out, over documents of some
// kinds, or what is wrong with it.
func (q Query) withDefaults(kinds []Kind) (Query, error) {
	q.Text = strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(q.Text, "\x00", " "), " "))
	if q.Limit == 0 && q.limited() {
		q.Limit = DefaultBudgetLimit
	}
	q.Limit = cmp.Or(q.Limit, DefaultLimit)
	if q.Mode == "" {
		q.Mode = ModeHybrid
	}
	switch {
	case q.Text == "":
		return q, WithHint(fmt.Errorf("the query is empty: %w", ErrInvalid), `memoir search "what you want to know"`)
	case q.Limit < 1 || q.Limit > maxLimit:
		return q, fmt.Errorf("limit %d is not between 1 and %d: %w", q.Limit, maxLimit, ErrInvalid)
	case q.MaxTokens < 0 || q.MaxChars < 0:
		return q, fmt.Errorf("the budget must be at least one token or one character: %w", ErrInvalid)
	case !(q.MinScore >= 0 && q.MinScore <= 1):
		return q, fmt.Errorf("minimum score %v is not between 0 and 1: %w", q.MinScore, ErrInvalid)
	case q.Mode != ModeHybrid && q.Mode != ModeText && q.Mode != ModeVector:
		return q, fmt.Errorf("mode %q is not one of hybrid, text, vector: %w", q.Mode, ErrInvalid)
	}
	return q, q.Filter.validate(kinds)
}

// Results is an answer.
type Results struct {
	Query    string
	Hits     []Hit // ordered by score, then by document and line
	Mode     Mode  // what was used: less than what was asked for when Degraded says so
	Space    Space // of the vectors, zero when none were used
	Degraded []Degradation
	Reason   string // why there are no hits; "" when there are some
	Terms    []Term // what the words were analysed into, then what feedback added; only with Query.Explain
	// Understood is how the text was read; only with Query.Explain.
	Understood *Understood
	Took       time.Duration
	// Tokens estimates the tokens of all snippets together. Truncated says that
	// hits were left out or a snippet cut to stay within the query's budget.
	Tokens    int
	Truncated bool
	// Threshold is the score below which hits were left out: Query.MinScore, or
	// more with SignalOptions.AdaptiveThreshold.
	Threshold float64
}

// A Degradation says that a part did not take part in an answer.
type Degradation struct {
	Part   string // "words", "vectors", "rerank", "sync" or "index"
	Reason string
	Action string // the next command or step
}

// A Hit is an entry of the answer.
type Hit struct {
	Chunk
	Score       float64 // in [0, 1], in steps of a millionth
	TextScore   float64 // in [0, 1]; 0 when no word matched or words were not searched
	VectorScore float64 // in [0, 1]; 0 when unrelated or vectors were not searched
	Snippet     string  // the lines round the best match; the whole chunk when it is short; "" when a better hit shows its lines
	Highlights  []Span  // where the query's words stand in the snippet
	// SnippetStart and SnippetEnd are the lines that the snippet shows, the first
	// from 1 and the last inclusive; 0 when it shows none.
	SnippetStart, SnippetEnd int
	// AlsoIn holds the passages with the same words, best first, ten at most. They
	// are no hits of their own.
	AlsoIn  []Chunk
	Explain *Explain
}

// Citation returns where the hit stands, the neighbours that its snippet shows
// included.
func (h *Hit) Citation() string {
	c := h.Chunk
	if h.SnippetStart > 0 {
		c.StartLine, c.EndLine = min(c.StartLine, h.SnippetStart), max(c.EndLine, h.SnippetEnd)
	}
	return c.Citation()
}

// Span is a half-open range of bytes.
type Span struct{ Start, End int }

// Explain shows each part of a hit's score:
// for convex fusion, Score = s + (1-s)·Link.Score plus the changes of the
// signals, where s = Text.Weight·Text.Score + Vector.Weight·Vector.Score. Where
// Exact.Above is not 0, a, this score, t, is raised to a + (1-a)·(1+t)/2. Of a hit
// that was reranked this is Rerank.Score, and Score belongs to its new place; the
// change of [SignalDiversity] comes after that.
type Explain struct {
	Fusion  string
	Text    Part
	Vector  Part
	Link    LinkPart
	Signals []SignalPart // in the order in which they applied; those that changed nothing are left out
	Exact   ExactPart
	Rerank  RerankPart
}

// LinkPart is what a link to a hit's note gave. The zero value says that no
// passage among the first links there, or that another passage of the note is
// the better answer.
type LinkPart struct {
	From  string  // citation of the passage that links to the note
	Score float64 // in [0, 1]
}

// Part is what one list said.
type Part struct {
	Rank   int     // in its list, from 1; 0 when the list did not return the chunk
	Raw    float64 // cosine for vectors, share of the highest BM25 for words
	Score  float64 // Raw on the scale of scores
	Weight float64
}
