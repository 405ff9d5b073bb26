// Package tune holds what can be set of an engine's parts: how text is cut, how the
// lists are ranked and reranked, what counts beside them, and how many vectors are
// kept. The zero value of each type is the default.
package tune

import "time"

// Signals say what counts beside the two lists and links. The zero value is what measurement chose (docs/design/signals.md): notes near to a day that
// the question names rise, and the newest when it asks for the latest, and what
// only an assistant says falls; all else is off.
type Signals struct {
	// DateWeight is how much a note gains whose day is near to one that the
	// question names, 0 to 1; 0 means [DefaultDateWeight], negative none.
	DateWeight float64
	// DateWindowDays is how far from the day named a note still gains; 0 means
	// [DefaultDateWindowDays].
	DateWindowDays int
	// RecencyWeight is how much the newest of the first passages gains when the
	// question asks for the latest, 0 to 1; 0 means [DefaultRecencyWeight], negative none.
	RecencyWeight float64
	// AssistantWeight is how much a passage counts that only an assistant says,
	// in a talk with a user, beside others, above 0 to 1; 0 means
	// [DefaultAssistantWeight]. Where the question asks for what the assistant
	// said, it counts in full.
	AssistantWeight float64
	Decay           Decay
	// Salience says how front matter counts: "" and "off" not at all,
	// "openclaw" as its importance does, "seed" as a mean of relevance,
	// importance, reinforcement and access.
	Salience string
	MMR      MMR
	// FeedbackWeight is the share that words of the first passages have in a
	// second search by words (pseudo-relevance feedback), 0 to less than 1; 0 is
	// no second search.
	FeedbackWeight float64
	// AdaptiveThreshold leaves out hits below this share of the usual best
	// score, the median of the engine's last 64 searches; 0 to 1, 0 leaves none
	// out. The answer to a query then depends on those before.
	AdaptiveThreshold float64
}

// Decay lets scores fall with age. Documents without a date, MEMORY.md and
// USER.md do not age, and nothing does for a question that names a day or
// an identifier or holds a phrase in quotes.
type Decay struct {
	Enabled bool
	// HalfLifeDays is the age at which a note has lost half of what it can
	// lose; 0 means [DefaultHalfLifeDays], negative never.
	HalfLifeDays float64
	// SessionHalfLifeDays is that of sessions; 0 means HalfLifeDays, negative never.
	SessionHalfLifeDays float64
	// Floor is the share of its score that the oldest keeps, below 1; 0 means
	// [DefaultDecayFloor], negative none.
	Floor float64
}

// MMR makes room for passages that say something else (maximal marginal
// relevance). The score of a passage is lowered by how much of its words one
// before it has. A larger limit then only appends up to 50 hits.
type MMR struct {
	Enabled bool
	// Lambda is how little that counts, above 0 to 1, where 1 changes nothing;
	// 0 means [DefaultMMRLambda].
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

// The profiles of Signals.Salience.
const (
	SalienceOff      = "off"
	SalienceOpenClaw = "openclaw"
	SalienceSeed     = "seed"
)

// Chunks says how documents are cut into chunks.
type Chunks struct {
	MaxTokens     int // estimated tokens of one chunk; 0 means 180
	OverlapTokens int // shared with the chunk before; 0 means 40, negative none
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
	// TextWeight and VectorWeight are scaled to the sum of 1. Both 0 means
	// [DefaultTextWeight] and [DefaultVectorWeight].
	TextWeight, VectorWeight float64
	// CandidateMultiplier is how many candidates each list gives for one hit
	// asked for, at first; 0 means [DefaultCandidateMultiplier]. Convex fusion takes
	// at least 32, and more until the answer is sure; the others at least 200.
	CandidateMultiplier int
	// LinkWeight is how much of its score a passage among the first gives to
	// the notes that it links to, 0 to 1, with convex fusion; 0 means
	// [DefaultLinkWeight], negative none.
	LinkWeight float64
	// Signals are what counts beside the lists and links.
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

// Rerank says what a reranker is asked, and how long it may take.
type Rerank struct {
	// Top is how many of the first passages are reranked, whatever the limit of a
	// search; 0 means [DefaultRerankTop], at most [MaxRerankTop].
	Top int
	// Timeout bounds a call; after it the order stays. 0 means [DefaultRerankTimeout].
	Timeout time.Duration
}

// The defaults and bounds of [Rerank] (docs/design/rerank.md).
const (
	DefaultRerankTop     = 25
	MaxRerankTop         = 200
	DefaultRerankTimeout = 2 * time.Second
)

// Cache bounds the vectors that are kept for texts that come back. A
// vector that a chunk uses, in the space that serves or in the one that is
// embedded, is never removed; of the others the least recently used go first.
type Cache struct {
	MaxEntries int           // vectors in all, used or not; 0: no limit
	MaxAge     time.Duration // since a vector was used last, to the day; 0: no limit
}
