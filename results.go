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
	Mode     Mode  // the lists that were used; fewer than asked for when Degraded says so
	Space    Space // space of the vectors; zero when none were used
	Degraded []Degradation
	Reason   string // why there are no hits; "" when there are some
	Nothing  string // says for people that no hit is confident; "" when one is, or when there are no hits
	Terms    []Term // the terms of the text, then those that feedback added; only with Query.Explain
	// Understood says how the text was read. It is set only with Query.Explain.
	Understood *explain.Understood
	Took       time.Duration
	// Tokens estimates the tokens of all snippets together. Truncated says that
	// hits were left out, or a snippet was cut, to stay within the budget.
	Tokens    int
	Truncated bool
	// Threshold is the score below which hits were left out: Query.MinScore, or
	// a higher one that tune.Signals.AdaptiveThreshold chose.
	Threshold float64
}

// A Degradation says that a part was missing when the answer was made.
type Degradation struct {
	// Part is what was missing: "words", "vectors", "names" (of notes), "documents", "rerank",
	// "sync" or "index"; of a status also "notes" or "summaries"; "project" is the project's
	// memory beside the user's.
	Part   string
	Reason string // for people
	Action string // for people: the next command or step
	// Slight says that so little is missing that the answer can hardly change.
	// People and models need not be told of it.
	Slight bool
}

// A Hit is an entry of the answer. Its Text and lines leave out entries of a list at both
// ends that a better hit shows.
type Hit struct {
	Chunk
	Score       float64 // in [0, 1], in steps of a millionth
	TextScore   float64 // in [0, 1]; 0 when no word matched or words were not searched
	VectorScore float64 // in [0, 1]; 0 when unrelated or vectors were not searched
	// Relevance is the chance that the hit answers the query, in [0, 1]. It is 1
	// when the query has only filters.
	Relevance float64
	// Snippet is the lines round the best match, starting at a sentence where
	// possible. A short chunk is shown whole. It is "" when a better hit already
	// shows these lines, or, in a brief answer, another part of the note.
	Snippet    string
	Highlights []Span // where the snippet holds words of the query
	// SnippetStart and SnippetEnd are the first and the last line that the
	// snippet shows, 1-based and inclusive. Both are 0 when there is no snippet.
	SnippetStart, SnippetEnd int
	// Successor is the citation of what holds in the place of a superseded hit. It is "" of
	// other hits, and where no note has that any more.
	Successor string
	// Later is the citation of a newer passage that may update the hit, and Earlier that of an
	// older one that the hit may update. Each is "" when there is none.
	Later, Earlier string
	// AlsoIn holds other passages with the same words, best first, at most ten.
	// They are not hits themselves.
	AlsoIn  []Chunk
	Explain *explain.Score
}

// Confident reports whether the hit can be taken for an answer: whether its
// relevance is at least 0.3.
func (h *Hit) Confident() bool { return h.Relevance >= rank.Confident }

// Citation returns where the hit stands, including the neighbours that its
// snippet shows.
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
	Line    int // the line that was asked about; 0 asks for the best passage of the document
	Verdict explain.Verdict
	Reason  string // the verdict in a sentence
	// Rank is the place of the passage among all that were found, from 1; 0 when
	// it has none. Found is how many were found. When there are more than some
	// thousands, neither is known.
	Rank, Found int
	Limit       int  // how many notes were asked for
	Passage     *Hit // the passage with its scores explained; nil when it has none
	Last        *Hit // the last hit of the answer; nil when there is none
	// Missing are the words of the query that the passage does not hold, even in
	// its title, headings or date.
	Missing  []explain.MissingWord
	Vector   explain.VectorState
	Try      []explain.Remedy // what would bring the passage into the answer, the simplest first; empty for a hit
	Degraded []Degradation
}

// SyncStats says what a sync did.
type SyncStats struct {
	Scanned int       // documents that the sources have
	Added   int       // indexed for the first time
	Changed int       // indexed again
	Removed int       // no longer in a source
	Skipped []Skipped // files that are not indexed, and why
	// Warnings name what does not count in documents that this sync indexed,
	// because it is broken or exceeds a limit.
	Warnings []Warning
}

// Skipped is a file that is not indexed.
type Skipped struct {
	ID     DocID
	Reason string
}

// Warning says what in an indexed document does not count.
type Warning struct {
	ID     DocID
	Reason string
}

// Progress is told how far a long run is. done never decreases. It is called
// from one goroutine at a time and must not block.
type Progress func(done, total int)

// EmbedStats says what EmbedPending did.
type EmbedStats struct {
	Embedded int // distinct texts that have a vector now
	Copied   int // how many of these vectors were found elsewhere, not computed
	Failed   int // texts that the embedder could not take; they are tried again after a pause
	Underway int // texts that are in a job of the provider; a later call collects their vectors
}

// A Status says what the index holds and how complete it is.
type Status struct {
	StoreStats
	Space Space // space of the engine's embedder; zero without an embedder
	// Answering is the space whose vectors answer searches: Space, or the
	// previous space until Space is complete. It is zero while there are no
	// vectors.
	Answering Space
	Types     map[string]int // documents by their type, from front matter or shelf; nil when none has a type
	Degraded  []Degradation  // parts that cannot take part in an answer now
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
	Text       string // the lines, with their line ends
}
