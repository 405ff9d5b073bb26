// Package vector compares embedding vectors. All stores measure with it, so
// that they agree to the last bit on what is nearest.
package vector

import (
	"fmt"
	"math"
)

// Check reports what makes v unfit for a space of that many dimensions: another
// length, or a value that is not finite.
func Check(v []float32, dimensions int) error {
	if len(v) != dimensions {
		return fmt.Errorf("vector of %d values for a space of %d dimensions", len(v), dimensions)
	}
	for i, x := range v {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("value %d of the vector is %v", i, x)
		}
	}
	return nil
}

// Norm returns the Euclidean length of v; 0 for an empty vector.
func Norm(v []float32) float64 { return math.Sqrt(Squares(v)) }

// Squares returns the sum of the squares of v.
func Squares(v []float32) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return sum
}

// A Query measures vectors against a given one. It is safe for concurrent use.
type Query struct {
	values []float32
	norm   float64
}

// NewQuery returns a Query for v, which must not change afterwards. ok is false
// when v is zero: a zero vector has no direction and matches nothing.
func NewQuery(v []float32) (q Query, ok bool) {
	q = Query{values: v, norm: Norm(v)}
	return q, q.norm > 0
}

// Cosine returns the cosine of the angle to v, in [-1, 1]. ok is false when v
// is zero or has another length.
func (q Query) Cosine(v []float32) (cosine float64, ok bool) {
	return q.CosineOf(v, Squares(v))
}

// CosineOf is [Query.Cosine] for a vector with that sum of [Squares].
func (q Query) CosineOf(v []float32, squares float64) (cosine float64, ok bool) {
	if len(v) != len(q.values) || squares == 0 {
		return 0, false
	}
	var dot float64
	for i, x := range v {
		dot += float64(x) * float64(q.values[i])
	}
	return min(1, max(-1, dot/(q.norm*math.Sqrt(squares)))), true
}
