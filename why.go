package memoir

// Verdict says where a passage was lost on the way into an answer.
type Verdict string

// The verdicts, in the order in which they are looked for.
const (
	VerdictHit          Verdict = "hit"           // it is in the answer
	VerdictAbsent       Verdict = "absent"        // no source has the document
	VerdictSkipped      Verdict = "skipped"       // the source does not give it: ignored, too large, a link, …
	VerdictUnsynced     Verdict = "unsynced"      // the index does not have it yet as it is
	VerdictNoPassage    Verdict = "no-passage"    // the line belongs to no passage
	VerdictFiltered     Verdict = "filtered"      // the filter leaves it out
	VerdictUnmatched    Verdict = "unmatched"     // neither words nor vectors find it
	VerdictBelowMinimum Verdict = "below-minimum" // its score is lower than the minimum
	VerdictBelowLimit   Verdict = "below-limit"   // enough others are better
)

// VectorState says whether a passage can be found by meaning.
type VectorState string

// The states of a passage's vector.
const (
	VectorReady   VectorState = "ready"
	VectorPending VectorState = "pending" // not computed yet
	VectorNone    VectorState = "none"    // it says too little to have one: a rule, a placeholder, the header of a session
	VectorFailed  VectorState = "failed"  // the provider could not take the text
	VectorUnused  VectorState = ""        // the query was not searched by vectors
)

// Why says why a passage is or is not among the hits of a query.
type Why struct {
	Query   string
	Mode    Mode // what was searched, as in [Results]
	Doc     DocID
	Line    int // that was asked about; 0 is the best passage of the document
	Verdict Verdict
	Reason  string // the verdict in a sentence
	// Rank is the passage's place in the order of all that were found, from 1;
	// 0 when it has none. Found counts them; beyond some thousands neither is known.
	Rank, Found int
	Limit       int  // notes that were asked for
	Passage     *Hit // the passage with its scores explained; nil when it has none
	Last        *Hit // the last hit of the answer; nil when there is none
	// Missing are the query's words that the passage, with its title, headings
	// and date, does not hold.
	Missing  []MissingWord
	Vector   VectorState
	Try      []Remedy // what would find it, the simplest first; empty for a hit
	Degraded []Degradation
}

// MissingWord is a word of the query that a passage does not hold.
type MissingWord struct {
	Word string
	Near []string // words that it holds and that are spelled much like it, nearest first
}

// Remedy is something that would bring a passage into the answer.
type Remedy struct {
	Action string // a command, a flag or a step, for people
	Rank   int    // the place that the passage then has, as tried; 0: not tried
}
