// Package explain holds what is said of an answer on request: the parts of each
// score, how the query was read, and why a passage is not in the answer. Package memoir
// hands it out, in Hit.Explain, Results.Understood and Why.
package explain

// Score shows each part of the score of a hit. With convex fusion that score is
// s + (1-s)·Link.Score plus the changes of the signals, where s is
// Text.Weight·Text.Score + Vector.Weight·Vector.Score. Where Exact.Above is a, and not
// 0, a score t is raised to a + (1-a)·(1+t)/2. Of a hit that was reranked all this is
// Rerank.Score, and the score that the hit has belongs to its new place. The change of
// [SignalDiversity] comes last.
type Score struct {
	Fusion  string
	Text    Part
	Vector  Part
	Link    Link
	Signals []Signal // in the order in which they applied; those that changed nothing are left out
	Exact   Exact
	Rerank  Rerank
}

// Link is what a link to a hit's note gave. The zero value says that no
// passage among the first links there, or that another passage of the note is
// the better answer.
type Link struct {
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

// Rerank is what reranking did to a hit. The zero value says that the hit
// was not among the passages that were reranked.
type Rerank struct {
	Rank  int     // place before, from 1
	Score float64 // before; the hit has the score of the place that it came to
	Raw   float64 // as the reranker gave it; 0 for what it was not asked about, for want of a neighbour to change places with
	// Exact says that the hit holds an identifier of the query or a phrase that
	// stands there in quotes, or that the query is a name of its note. Such hits
	// keep their places, and nothing passes them.
	Exact bool
}

// The names of signals in [Signal].
const (
	SignalSalience  = "salience"  // what the front matter says; the value is the profile's
	SignalDecay     = "decay"     // age; the value is the share of the score that is left
	SignalDate      = "date"      // nearness to a day that the question names
	SignalRecency   = "recency"   // among the newest, for a question that asks for the latest
	SignalSpeaker   = "speaker"   // only an assistant says it; the value is the share of the score that is left
	SignalLog       = "log"       // the log of a day beside what holds; the value is the share of the score that is left
	SignalStatus    = "status"    // what it replaced was found; 1
	SignalDiversity = "diversity" // how alike a passage before it is, the most alike that is
)

// Signal is what one signal did to a score.
type Signal struct {
	Name   string  // one of the constants Signal…
	Value  float64 // how strongly it applied, in [0, 1]
	Change float64 // of the score, in [-1, 1]
}

// Exact says that a hit stands above all that do not have what the query
// names exactly. The zero value says that it has nothing of that.
type Exact struct {
	Phrases int     // how many of the phrases in quotes the passage holds
	Name    bool    // the query is a name of its note, and this the note's best passage
	Above   float64 // score of the best hit with less of it, above which the hit was raised; 0 when it stood there already
}

// Understood is how the text of a query was read (docs/query-language.md).
type Understood struct {
	Text    string   // what words and vectors were asked; "" for a query of filters alone
	Phrases []string // passages that hold them come first
	Filters []string // must and minus words and filters, as typed
	When    []Days   // what dates in plain words name; they filter nothing
}

// Days are days from one to another, both inside, as "2026-03-02".
type Days struct{ From, To string }

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
