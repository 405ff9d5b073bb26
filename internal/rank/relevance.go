package rank

import "math"

// Evidence is what speaks for a passage as the answer to a query, each between 0 and
// 1; 0 where the query was not asked that way.
type Evidence struct {
	Share  float64 // of the highest BM25 that the query could reach
	Cosine float64 // on the scale of scores
}

// Strength is the evidence as one number: of words and meaning, one that is strong
// is enough.
func (e Evidence) Strength() float64 { return 1 - (1-math.Sqrt(e.Share))*(1-e.Cosine) }

// Odds turn evidence into the chance that a passage answers, by logistic regression
// (docs/design/relevance.md).
type Odds struct{ Bias, Strength float64 }

// The odds of searches by words and vectors, by words, and by vectors. `go run
// ./internal/eval/relevance` makes their values.
var (
	OddsOfBoth    = Odds{-8.30, 11.28}
	OddsOfWords   = Odds{-4.66, 7.71}
	OddsOfVectors = Odds{-3.46, 6.73}
)

// Confident is the relevance from which on a passage is taken for an answer.
const Confident = .3

// Relevance returns the chance that a passage answers, between 0 and 1.
func (o Odds) Relevance(e Evidence) float64 {
	return 1 / (1 + math.Exp(-o.Bias-o.Strength*e.Strength()))
}
