package memoir

import (
	"slices"

	"github.com/memoir-ai/memoir/internal/analyze"
)

// Mode says which lists a search uses.
type Mode string

// The modes. Hybrid is the default.
const (
	ModeHybrid Mode = "hybrid" // words and vectors
	ModeText   Mode = "text"   // words only
	ModeVector Mode = "vector" // vectors only
)

// A Query is what a caller asks. Its text must not be empty.
type Query struct {
	// Text holds words, phrases in quotes, must and minus words, filters and
	// dates (docs/query-language.md). Whatever is none of the others counts as
	// words.
	Text    string
	Literal bool // take all of Text as words, for example a message that nobody wrote as a query
	// Limit is how many notes the hits should come from, at most 1000. 0 means
	// 6, or as many as a budget holds. The answer has the best passages until
	// they come from that many notes, but no more than PassagesPerNote times as
	// many hits. A larger limit only appends hits.
	Limit    int
	Mode     Mode    // "" means ModeHybrid
	MinScore float64 // leave out hits that score below this before reranking; 0 leaves none out
	// Path narrows the answer as the filter path: in Text does, to notes whose
	// path contains it; "" leaves the answer as it is.
	Path string
	// Since narrows the answer as the filter since: in Text does, to what is of
	// that day or later: "2026-03-02", "2026-03", "yesterday". A time of RFC 3339
	// means its day. "" leaves the answer as it is.
	Since  string
	Filter Filter
	// Hidden is what the caller may not see. It is left out as by Filter.Without,
	// and words count and score as if the index did not have it: no answer says
	// whether it holds a word. A store whose views are no [Scorer] lists all visible
	// chunks for each such query.
	Hidden  []Filter
	Explain bool // fill Hit.Explain, Results.Terms and Results.Understood
	// MaxTokens and MaxChars are the budget of the answer: they bound all its
	// snippets together, in estimated tokens of a multilingual model and in
	// characters. 0 is no bound. Hits are shown in order of score, and the last
	// one is cut round its match. A larger budget appends hits or lengthens the
	// last snippet. With a budget, Limit 0 means as many hits as fit, from at
	// most 50 notes. Lines that a better hit shows are not shown again, and a
	// small passage is shown with its neighbours from the same section.
	MaxTokens, MaxChars int
	// Brief is for an answer without a budget that somebody reads, or pays for
	// by the character. Passages are shown whole until they add up to 1,500
	// characters. After that each note that was not shown yet has its best
	// passage shown in a line or two. When no hit is confident there are at most
	// three hits.
	Brief bool
	// NoSync answers from the index as it is, without looking for changed files.
	NoSync bool
}

// The bounds of an answer.
const (
	DefaultLimit       = 6    // notes, when a query sets no limit
	DefaultBudgetLimit = 50   // notes at most, when a query sets a budget and no limit
	MaxLimit           = 1000 // notes at most that a query may ask for
	PassagesPerNote    = 2    // hits at most for each note asked for (docs/design/answers.md)
	MaxInside          = 2048 // chunks at most in which the text of a phrase is looked for
)

// A Filter restricts a search before its limit applies. A chunk passes when it
// meets every field that is set; the zero value lets every chunk pass. An empty
// list counts as a field that is not set: use [NoChunk] to let nothing pass.
// Strings are valid UTF-8.
type Filter struct {
	// Scope picks one of several memories that are searched as one; "" is all of
	// them. Stores ignore it.
	Scope  Scope
	Kinds  []Kind  // the document is of one of these; empty: any kind
	Labels []Label // the chunk bears all of these
	Prefix string  // the document's id begins with this; "": any document
	// Paths are parts of the document's path, which is a slash followed by its
	// id. The path must contain all of them. ASCII letters match in either case.
	Paths []string
	// Names are names of the document ([IndexedDocument]). It must bear all of
	// them.
	Names []string
	// From and To are the first and the last day that [ChunkMeta.Date] may have,
	// both inclusive, as "2026-03-02". "" leaves that end open. When either is
	// set, a chunk without a date does not pass.
	From, To string
	Phrases  []Phrase  // the chunk holds all of these
	Chunks   []ChunkID // only these chunks; empty: every chunk
	Without  []Filter  // a chunk that passes any of these is left out
}

// NoChunk returns a filter that no chunk passes.
func NoChunk() Filter { return Filter{Without: []Filter{{}}} }

// AnyOf returns a filter that a chunk passes when it passes at least one of the
// given filters.
func AnyOf(filters ...Filter) Filter { return Filter{Without: []Filter{{Without: filters}}} }

// A Phrase is a run of terms that stand one after the other in one field of a
// chunk. Every chunk holds a phrase without terms.
type Phrase struct {
	Terms  []string
	Fields []Field // one of them; none: any
	// Text, when it is not "", is another way to hold the phrase: [Phrase.In]
	// says whether a chunk contains it. A chunk that contains Text also holds
	// the terms Inside, of which there is at least one, one after the other in
	// one field. When more than [MaxInside] chunks hold those terms, Text is not
	// looked for.
	Text   string
	Inside []string
}

// In reports whether the title, a heading or the lines of a chunk contain the
// phrase's text. Either end of the text may lie within a number, or within a
// word of a script that is written without spaces.
func (p Phrase) In(c *Chunk) bool {
	holds := func(text string) bool { return analyze.Holds(analyze.Wording(text), p.Text) }
	return p.Text != "" && (holds(c.Text) || holds(c.Title) || slices.ContainsFunc(c.Heading, holds))
}
