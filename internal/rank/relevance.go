package rank

import "math"

// Evidence is what speaks for a chunk as the answer to a query.
type Evidence struct {
	// Share and Cosine are between 0 and 1, 0 where the query was not asked that way.
	Share  float64 // of Reach; by vectors alone, of the query's weight that the chunk holds
	Cosine float64 // on the scale of scores
	// Reach is the highest BM25 that the query could reach, 0 when no chunk holds a
	// word of it. It grows with each word and with how rare the word is.
	Reach float64
	// Chunks is how many chunks the index has: among many, some chunk is near
	// to any query.
	Chunks int
}

// Strength combines words and meaning into one number. It is high when either
// of them is strong.
func (e Evidence) Strength() float64 { return 1 - (1-math.Sqrt(e.Share))*(1-e.Cosine) }

// Shared is how much the words say that the query and the chunk share: the BM25 of
// the chunk, on the scale that the odds use. One rare word of a long question says
// as much as one rare word by itself, and a common word says little.
func (e Evidence) Shared() float64 { return math.Log1p(e.Share * e.Reach) }

// Choice is how many chunks there are to choose from, on the scale that the
// odds use.
func (e Evidence) Choice() float64 { return math.Log(float64(max(e.Chunks, 1))) }

// Odds turn evidence into the chance that a chunk answers the query, by
// logistic regression (docs/design/relevance.md).
type Odds struct {
	Bias, Strength, Choice, Shared float64
	Least                          int // fewer chunks count as that many
	Most                           int // more chunks count as that many
}

// The odds of searches by words and vectors, by words, and by vectors. `go run
// ./internal/eval/relevance` makes their values.
var (
	OddsOfBoth    = Odds{-8.10, 18.34, -0.81, 0, 0, mostPassages}
	OddsOfWords   = Odds{-2.99, 10.85, -1.16, 1.67, leastPassages, mostPassages}
	OddsOfVectors = Odds{-7.19, 15.44, -0.81, 0, 0, mostPassages}
)

// Across is the chance that a passage answers a question in another language. Words say
// nothing then, and all passages are far. lead is how much nearer it is, on the scale of
// scores, than the nearest of those that do not answer is expected to be.
func Across(lead float64) float64 { return logistic(-1.7 + 34*lead) }

// AcrossLowered is the same where what is near to everything was lowered: what is left
// differs less (docs/design/across.md).
func AcrossLowered(lead float64) float64 { return logistic(-2.4 + 39*lead) }

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// leastPassages is the size of the smallest memory that was measured. By words,
// of three chunks, too, one shares a word with a foreign question.
const leastPassages = 10

// mostPassages is from which size on more passages take nothing away. The odds are
// fitted with 2,000 at most. Carried on, they took from right passages among 15,000
// what foreign questions did not gain.
const mostPassages = 4000

// Confident is the lowest relevance at which a hit is taken for an answer.
const Confident = .3

// Relevance returns the chance that a chunk answers the query, between 0 and 1.
func (o Odds) Relevance(e Evidence) float64 {
	e.Chunks = min(max(e.Chunks, o.Least), o.Most)
	return 1 / (1 + math.Exp(-o.Bias-o.Strength*e.Strength()-o.Choice*e.Choice()-o.Shared*e.Shared()))
}
