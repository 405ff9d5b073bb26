package rank

import "math"

// Evidence is what speaks for a chunk as the answer to a query.
type Evidence struct {
	// Share and Cosine are between 0 and 1, 0 where the query was not asked that way.
	Share  float64 // of the highest BM25 that the query could reach
	Cosine float64 // on the scale of scores
	// Passages is how many chunks the index has: among many, some chunk is near
	// to any query.
	Passages int
}

// Strength combines words and meaning into one number. It is high when either
// of them is strong.
func (e Evidence) Strength() float64 { return 1 - (1-math.Sqrt(e.Share))*(1-e.Cosine) }

// Choice is how many chunks there are to choose from, on the scale that the
// odds use.
func (e Evidence) Choice() float64 { return math.Log(float64(max(e.Passages, 1))) }

// Odds turn evidence into the chance that a chunk answers the query, by
// logistic regression (docs/design/relevance.md).
type Odds struct{ Bias, Strength, Choice float64 }

// The odds of searches by words and vectors, by words, and by vectors. `go run
// ./internal/eval/relevance` makes their values.
var (
	OddsOfBoth    = Odds{-6.79, 16.15, -0.73}
	OddsOfWords   = Odds{-3.04, 12.82, -0.60}
	OddsOfVectors = Odds{-4.33, 13.08, -0.36}
)

// Confident is the lowest relevance at which a hit is taken for an answer.
const Confident = .3

// Relevance returns the chance that a chunk answers the query, between 0 and 1.
func (o Odds) Relevance(e Evidence) float64 {
	return 1 / (1 + math.Exp(-o.Bias-o.Strength*e.Strength()-o.Choice*e.Choice()))
}
