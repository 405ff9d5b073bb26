package memoir

import (
	"time"

	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/rank"
)

// Results is an answer.
type Results struct {
	Query    string
	Hits     []Hit // ordered by score, then by document and line
	Mode     Mode  // what was used: less than what was asked for when Degraded says so
	Space    Space // of the vectors, zero when none were used
	Degraded []Degradation
	Reason   string // why there are no hits; "" when there are some
	Nothing  string // that no hit is confident, for people; "" when one is, or when there are none
	Terms    []Term // what the words were analysed into, then what feedback added; only with Query.Explain
	// Understood is how the text was read; only with Query.Explain.
	Understood *explain.Understood
	Took       time.Duration
	// Tokens estimates the tokens of all snippets together. Truncated says that
	// hits were left out or a snippet cut to stay within the query's budget.
	Tokens    int
	Truncated bool
	// Threshold is the score below which hits were left out: Query.MinScore, or
	// more with tune.Signals.AdaptiveThreshold.
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
	// Relevance is the chance that the hit answers the query, in [0, 1]; 1 of a query
	// of filters alone.
	Relevance float64
	// Snippet is the lines round the best match, from the beginning of a sentence on where
	// there is one; the whole chunk when it is short; "" when a better hit shows its lines,
	// or in a brief answer something of its note.
	Snippet    string
	Highlights []Span // where the query's words stand in the snippet
	// SnippetStart and SnippetEnd are the lines that the snippet shows, the first
	// from 1 and the last inclusive; 0 when it shows none.
	SnippetStart, SnippetEnd int
	// AlsoIn holds the passages with the same words, best first, ten at most. They
	// are no hits of their own.
	AlsoIn  []Chunk
	Explain *explain.Score
}

// Confident reports whether the hit can be taken for an answer: its relevance is .3
// at least.
func (h *Hit) Confident() bool { return h.Relevance >= rank.Confident }

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

// Why says why a passage is or is not among the hits of a query.
type Why struct {
	Query   string
	Mode    Mode // what was searched, as in [Results]
	Doc     DocID
	Line    int // that was asked about; 0 is the best passage of the document
	Verdict explain.Verdict
	Reason  string // the verdict in a sentence
	// Rank is the passage's place in the order of all that were found, from 1;
	// 0 when it has none. Found counts them; beyond some thousands neither is known.
	Rank, Found int
	Limit       int  // notes that were asked for
	Passage     *Hit // the passage with its scores explained; nil when it has none
	Last        *Hit // the last hit of the answer; nil when there is none
	// Missing are the query's words that the passage, with its title, headings
	// and date, does not hold.
	Missing  []explain.MissingWord
	Vector   explain.VectorState
	Try      []explain.Remedy // what would find it, the simplest first; empty for a hit
	Degraded []Degradation
}

// SyncStats says what a sync did.
type SyncStats struct {
	Scanned int       // documents that the sources have
	Added   int       // indexed for the first time
	Changed int       // indexed again
	Removed int       // no longer in a source
	Skipped []Skipped // files that are not indexed, with the reason
	// Warnings are of documents that were indexed now, and of which something does
	// not count for being broken or beyond a limit.
	Warnings []Warning
}

// Skipped is a file that is not indexed.
type Skipped struct {
	ID     DocID
	Reason string
}

// Warning says what of a document that is indexed does not count.
type Warning struct {
	ID     DocID
	Reason string
}

// Progress is told how far a long run is; done never shrinks. It is called
// from one goroutine at a time and must not block.
type Progress func(done, total int)

// EmbedStats says what EmbedPending did.
type EmbedStats struct {
	Embedded int // distinct texts that have a vector now
	Copied   int // of them, those whose vector was found elsewhere
	Failed   int // texts that the embedder could not take; they are tried again after a pause
	Underway int // texts that are in a job of the provider; a later call takes their vectors
}

// A Status says what the index holds and how far it is.
type Status struct {
	StoreStats
	Space Space // of the engine's embedder, zero without one
	// Answering is the space whose vectors answer searches: Space, or the one
	// before it while Space is not complete. It is zero while there are none.
	Answering Space
	Types     map[string]int // documents by the type that their front matter or their shelf gives; nil when none has one
	Degraded  []Degradation  // what cannot take part in an answer now
	// What the sources list, as far as they could be: documents, those of them that are
	// not indexed yet, those that changed since or are gone, and what is left out.
	Listed, Unindexed, Changed int
	Skipped                    []Skipped
}

// Excerpt is some lines of a document, as its source has them now.
type Excerpt struct {
	Scope      Scope // as [ChunkID] has it
	ID         DocID
	StartLine  int // 1-based; 0 when the document is empty
	EndLine    int // 1-based, inclusive
	TotalLines int
	Text       string // the lines with their line ends
}

// Finding is a secret in a document, or in what is kept beside the documents: a
// password, a key, a card.
type Finding struct {
	ID DocID // "" in the query log
	// In is where it stands, other than in the document as it is; the zero value is
	// there. Change is the id of the change of [InHistory].
	In     Place
	Change string
	Line   int    // 1-based, where it begins; 0 in the history
	Kind   string // "password", "token", …; docs/design/secrets.md has them all
	// Preview is the line, or what stands round the secret in a long one, with
	// every secret replaced by a mark such as "[secret: password]".
	Preview string
}

// A Place is what is looked through for secrets besides documents.
type Place string

// The places.
const (
	InHistory Place = "history" // the copies for undo
	InQueries Place = "queries" // the query log
)

// ScanStats says what a scan for secrets did.
type ScanStats struct {
	Scanned int       // documents that were looked through
	Skipped []Skipped // files that were not, with the reason
}
