package rank

import "math"

// Evidence is what speaks for a passage as the answer to a query.
type Evidence struct {
	// Share and Cosine are between 0 and 1, 0 where the query was not asked that way.
	Share  float64 // of the highest BM25 that the query could reach
	Cosine float64 // on the scale of scores
	// Passages is how many there are to choose from: of many, one is near to any query.
	Passages int
}

// Strength is what the words and the meaning say as one number: one that is strong
// is enough.
func (e Evidence) Strength() float64 { return 1 - (1-math.Sqrt(e.Share))*(1-e.Cosine) }

// Choice is how much there is to choose from, on a scale on which chance grows.
func (e Evidence) Choice() float64 { return math.Log(float64(max(e.Passages, 1))) }

// Odds turn evidence into the chance that a passage answers, by logistic regression
// (docs/design/relevance.md).
type Odds struct{ Bias, Strength, Choice float64 }

// The odds of searches by words and vectors, by words, and by vectors. `go run
// ./internal/eval/relevance` makes their values.
var (
	OddsOfBoth    = Odds{-6.79, 16.15, -0.73}
	OddsOfWords   = Odds{-3.04, 12.82, -0.60}
	OddsOfVectors = Odds{-4.33, 13.08, -0.36}
)

// Confident is the relevance from which on a passage is taken for an answer.
const Confident = .3

// Relevance returns the chance that a passage answers, between 0 and 1.
func (o Odds) Relevance(e Evidence) float64 {
	return 1 / (1 + math.Exp(-o.Bias-o.Strength*e.Strength()-o.Choice*e.Choice()))
}
