// Package linear holds linear models: it fits them, stores them in a file, and
// applies them to rows of numbers. Fitting is deterministic.
package linear

import (
	"fmt"
	"math"
)

// A Model gives each of its classes a probability. The zero Model is none.
type Model struct {
	// Weights has a row for each class and a column for each number of an input;
	// a model of two classes has one row, for the second.
	Weights [][]float64
	Bias    []float64
}

// Scores returns the score of each class for x, which must be as long as a row
// of Weights. Sums are the same on all machines.
func (m *Model) Scores(x []float64) []float64 {
	scores := make([]float64, len(m.Weights))
	for k, w := range m.Weights {
		if len(w) != len(x) {
			panic(fmt.Sprintf("linear: %d numbers for %d weights", len(x), len(w)))
		}
		sum := m.Bias[k]
		for i, v := range x {
			sum += float64(w[i] * v) // no fused multiplication
		}
		scores[k] = sum
	}
	return scores
}

// Probabilities returns the probability of each class. For a model of two
// classes it returns both.
func (m *Model) Probabilities(x []float64) []float64 {
	scores := m.Scores(x)
	if len(scores) == 1 {
		p := Sigmoid(scores[0])
		return []float64{1 - p, p}
	}
	softmax(scores)
	return scores
}

// Sigmoid returns 1 / (1 + e^-x).
func Sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// softmax turns scores into probabilities, in place.
func softmax(scores []float64) {
	top := math.Inf(-1)
	for _, s := range scores {
		top = max(top, s)
	}
	var sum float64
	for k, s := range scores {
		scores[k] = math.Exp(s - top)
		sum += scores[k]
	}
	for k := range scores {
		scores[k] /= sum
	}
}
