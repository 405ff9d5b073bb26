// Package tune holds the options of an engine's parts: how text is cut, how the
// lists are ranked and reranked, which signals count besides them, and how many
// vectors are kept. The zero value of each type is the default. Where 0 says
// something else than the default, the option is a pointer: nil is the default,
// and new(0.0) is 0.
package tune

import "time"

// Signals are what counts besides the two lists and links. The zero value is
// what measurement chose (docs/design/signals.md). Notes near a day that the
// question names rise, and so do the newest ones when it asks for the latest.
// What only an assistant says falls. All else is off.
type Signals struct {
	// DateWeight is how much a note gains whose day is near one that the
	// question names, from 0, nothing, to 1. nil means [DefaultDateWeight].
	DateWeight *float64
	// DateWindowDays is how far from the named day a note still gains. 0 means
	// [DefaultDateWindowDays].
	DateWindowDays int
	// RecencyWeight is how much the newest of the first candidates gains when
	// the question asks for the latest, from 0, nothing, to 1. nil means
	// [DefaultRecencyWeight].
	RecencyWeight *float64
	// AssistantWeight is the share of its score that a chunk keeps when only an
	// assistant says it in a talk with a user, above 0 and up to 1. 0 means
	// [DefaultAssistantWeight]. When the question asks what the assistant said,
	// such a chunk counts in full.
	AssistantWeight float64
	Decay           Decay
	// Salience says how front matter counts. "" and "off": not at all.
	// "openclaw": by its importance. "seed": as a mean of relevance, importance,
	// reinforcement and access.
	Salience string
	MMR      MMR
	// FeedbackWeight is the share that words of the first chunks have in a
	// second search by words (pseudo-relevance feedback), from 0 to less than 1.
	// 0 means that there is no second search.
	FeedbackWeight float64
	// AdaptiveThreshold leaves out hits that score below this share of the usual
	// best score, which is the median of the engine's last 64 searches. It goes
	// from 0 to 1; 0 leaves none out. With it, the answer to a query depends on
	// earlier queries.
	AdaptiveThreshold float64
}

// Decay lets scores fall with age. Documents without a date do not age, nor do
// MEMORY.md and USER.md. Nothing ages for a question that names a day or an
// identifier or holds a phrase in quotes.
type Decay struct {
	Enabled bool
	// HalfLifeDays is the age at which a note has lost half of what it can lose.
	// 0 means that notes do not age, nil [DefaultHalfLifeDays].
	HalfLifeDays *float64
	// SessionHalfLifeDays is the same for sessions. 0 means that sessions do not
	// age, nil HalfLifeDays.
	SessionHalfLifeDays *float64
	// Floor is the share of its score that the oldest document keeps, from 0,
	// nothing, to less than 1. nil means [DefaultDecayFloor].
	Floor *float64
}

// MMR makes room for chunks that say something else (maximal marginal
// relevance). It lowers the score of a chunk by the share of its words that an
// earlier one has. A larger limit then only appends hits up to 50.
type MMR struct {
	Enabled bool
	// Lambda says how little that counts, above 0 and up to 1, where 1 changes
	// nothing. 0 means [DefaultMMRLambda].
	Lambda float64
}

// The defaults of [Signals].
const (
	DefaultDateWeight      = 1
	DefaultDateWindowDays  = 30
	DefaultRecencyWeight   = 1
	DefaultAssistantWeight = 0.7
	DefaultHalfLifeDays    = 30
	DefaultDecayFloor      = 0.5
	DefaultMMRLambda       = 0.7
)

// The values of Signals.Salience.
const (
	SalienceOff      = "off"
	SalienceOpenClaw = "openclaw"
	SalienceSeed     = "seed"
)

// Chunks says how documents are cut into chunks.
type Chunks struct {
	// MaxTokens is how many estimated tokens a chunk has at most, 16 or more. 0
	// means [DefaultMaxTokens].
	MaxTokens int
	// OverlapTokens is how many of them a chunk shares with the one before it,
	// from 0 to less than MaxTokens. nil means [DefaultOverlapTokens], or a quarter
	// of MaxTokens where that is less.
	OverlapTokens *int
}

// The defaults of [Chunks], chosen by measurement (docs/design/chunking.md).
const (
	DefaultMaxTokens     = 180
	DefaultOverlapTokens = 40
)

// Rank says how the two ranked lists become one.
type Rank struct {
	// Fusion is "convex", "weighted-sum" (OpenClaw's) or "rrf"; "" means [DefaultFusion].
	Fusion string
	// TextWeight and VectorWeight are scaled to a sum of 1. When both are 0 they
	// are [DefaultTextWeight] and [DefaultVectorWeight].
	TextWeight, VectorWeight float64
	// CandidateMultiplier is how many candidates each list gives at first for
	// each hit asked for. 0 means [DefaultCandidateMultiplier]. Convex fusion
	// takes at least 32 candidates, and more until the answer is certain. The
	// other fusions take at least 200.
	CandidateMultiplier int
	// LinkWeight is the share of its score that each of the first chunks gives
	// to the notes that it links to, from 0, nothing, to 1, with convex fusion. nil
	// means [DefaultLinkWeight].
	LinkWeight *float64
	// Signals are what counts besides the lists and links.
	Signals Signals
}

// The defaults of [Rank], chosen by measurement (docs/design/fusion.md).
const (
	DefaultFusion              = "convex"
	DefaultTextWeight          = 0.45
	DefaultVectorWeight        = 0.55
	DefaultCandidateMultiplier = 4
	DefaultLinkWeight          = 0.75
)

// Rerank says what a reranker is given, and how long it may take.
type Rerank struct {
	// Top is how many of the first passages are reranked, whatever the limit of
	// a search, at most [MaxRerankTop]. 0 means [DefaultRerankTop].
	Top int
	// Timeout bounds a call. When it passes, the order stays as it was. 0 means
	// [DefaultRerankTimeout].
	Timeout time.Duration
}

// The defaults and bounds of [Rerank] (docs/design/rerank.md).
const (
	DefaultRerankTop     = 25
	MaxRerankTop         = 200
	DefaultRerankTimeout = 2 * time.Second
)

// Cache bounds the vectors that are kept for texts that may come back. A vector
// that a chunk uses is never removed, in the space that serves or in the one
// that is being embedded. Of the others the least recently used go first.
type Cache struct {
	MaxEntries int           // vectors in all, used or not; 0: no limit
	MaxAge     time.Duration // since the vector was last used, to the day; 0: no limit
}
