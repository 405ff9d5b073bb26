// Package explain holds what memoir says of an answer on request: the parts of
// each score, how the query was read, and why a passage is not in the answer.
// Package memoir returns these in Hit.Explain, Results.Understood and Why.
package explain

// Score shows the parts of a hit's score. With convex fusion the score is s +
// (1-s)·Link.Score, plus the changes of the signals, where s is
// Text.Weight·Text.Score + Vector.Weight·Vector.Score. If a = Exact.Above is
// not 0, a score t is then raised to a + (1-a)·(1+t)/2. The change of
// [SignalDiversity] comes last. For a hit that was reranked all this gives
// Rerank.Score; its final score is that of its new place.
type Score struct {
	Fusion  string
	Text    Part
	Vector  Part
	Reach   float64 // the highest BM25 that the query could reach, of which Text.Raw is a share; 0 when no passage holds a word of it
	Held    float64 // by vectors alone, the share of the query's weight of which the chunk holds the words; rare ones weigh more
	Least   float64 // the relevance that it has at least for what it holds exactly; 0 for nothing such
	Most    float64 // the relevance that it has at most for what it lacks; 1 for nothing such
	Link    Link
	Signals []Signal // in the order in which they applied; signals that changed nothing are left out
	Exact   Exact
	Rerank  Rerank
}

// Link is what a hit gained because a link leads to its note. The zero value
// says that none of the first passages links there, or that another passage of
// the note is the better answer.
type Link struct {
	From  string  // citation of the passage that links to the note
	Score float64 // in [0, 1]
}

// Part is what one of the two lists contributed.
type Part struct {
	Rank   int     // place in the list, from 1; 0 when the list did not return the chunk
	Raw    float64 // cosine for vectors, share of the highest BM25 for words
	Score  float64 // Raw on the scale of scores
	Weight float64
}

// Rerank is what reranking did to a hit. The zero value says that the hit was
// not among the reranked passages.
type Rerank struct {
	Rank  int     // place before, from 1
	Score float64 // before; the final score is that of the new place
	Raw   float64 // as the reranker gave it; 0 when it was not asked, because no neighbour could change places with the hit
	// Exact says that the hit holds an identifier or a quoted phrase of the
	// query, or that the query is a name of its note. Such hits keep their
	// places, and no other hit passes them.
	Exact bool
}

// The names of the signals in [Signal].
const (
	SignalSalience  = "salience"  // what the front matter says; the value is that of the profile
	SignalDecay     = "decay"     // age; the value is the share of the score that remains
	SignalDate      = "date"      // nearness to a day that the question names
	SignalForm      = "form"      // it holds a day or a number that the question writes in another way
	SignalRecency   = "recency"   // one of the newest or oldest, for a question that asks for the latest, the last or the first
	SignalSpeaker   = "speaker"   // only an assistant says it; the value is the share of the score that remains
	SignalMeaning   = "meaning"   // the nearest in meaning by far, raised to the third place; the value is its vector score
	SignalScrap     = "scrap"     // it says nothing, and stands behind passages that answer; the value is 1
	SignalLog       = "log"       // the log of a day beside a note of what holds; the value is the share of the score that remains
	SignalStatus    = "status"    // it replaced something that was found; the value is 1
	SignalUpdate    = "update"    // it may update the passage behind it, or be updated by that before; the value is 1
	SignalDiversity = "diversity" // similarity to an earlier passage, the largest there is
)

// Signal is what one signal did to a score.
type Signal struct {
	Name   string  // one of the constants Signal…
	Value  float64 // how strongly it applied, in [0, 1]
	Change float64 // of the score, in [-1, 1]
}

// Exact says that a hit holds something that the query names exactly, and so
// stands above all hits that do not. The zero value says that it holds nothing
// of the kind.
type Exact struct {
	Phrases int     // how many quoted phrases of the query the passage holds
	Name    bool    // the query is a name of the note, and this is its best passage
	Above   float64 // score of the best hit that holds less of it, above which this hit was raised; 0 when this hit was already higher
}

// Understood is how the text of a query was read (docs/query-language.md).
type Understood struct {
	Text    string   // what was searched by words and vectors; "" when the query has only filters
	Phrases []string // phrases; passages that hold them come first
	Filters []string // must and minus words and filters, as typed
	When    []Days   // dates in plain words; they filter nothing
}

// Days are a range of days, both inclusive, as "2026-03-02".
type Days struct{ From, To string }

// Verdict says why a passage is in an answer, or where it was lost on the way.
type Verdict string

// The verdicts, in the order in which they are checked.
const (
	VerdictHit          Verdict = "hit"           // it is in the answer
	VerdictAbsent       Verdict = "absent"        // no source has the document
	VerdictSkipped      Verdict = "skipped"       // the source skips the document: ignored, too large, a link, …
	VerdictUnsynced     Verdict = "unsynced"      // the index does not have the current document yet
	VerdictNoPassage    Verdict = "no-passage"    // the line is in no passage
	VerdictFiltered     Verdict = "filtered"      // a filter leaves it out
	VerdictUnmatched    Verdict = "unmatched"     // neither words nor vectors find it
	VerdictBelowMinimum Verdict = "below-minimum" // its score is lower than the minimum
	VerdictBelowLimit   Verdict = "below-limit"   // enough others score higher
)

// VectorState says whether a passage can be found by meaning.
type VectorState string

// The states of a passage's vector.
const (
	VectorReady   VectorState = "ready"
	VectorPending VectorState = "pending" // not computed yet
	VectorNone    VectorState = "none"    // the passage says too little to have one: a rule, a placeholder, the header of a session
	VectorFailed  VectorState = "failed"  // the provider could not take the text
	VectorUnused  VectorState = ""        // the query was not searched by vectors
)

// MissingWord is a word of the query that a passage does not hold, in a script
// without blanks a stretch of characters.
type MissingWord struct {
	Word string
	Near []string // words of the passage that are spelled much like it, nearest first
}

// Remedy is something that would bring the passage into the answer.
type Remedy struct {
	Action string // a command, a flag or a step, for people
	Rank   int    // the place that the passage would then have, as tried out; 0: not tried
}
