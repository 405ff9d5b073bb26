package rank

import "math"

// BM25 ranks chunks by the terms that they hold (Robertson and Zaragoza, "The
// Probabilistic Relevance Framework: BM25 and Beyond", 2009), with counts
// weighted by field as in BM25F and the score of the whole document mixed in.
// The inverse document frequency is the variant that never turns negative,
// ln(1 + (N-n+.5)/(n+.5)), so a term that most chunks hold still counts.
type BM25 struct {
	K1     float64 // saturation of repeated terms
	B      float64 // how much length counts, 0 to 1
	Parent float64 // weight of the document's own score, 0 to 1; the chunk's is 1-Parent
}

// DefaultBM25 holds the values chosen by measurement; docs/quality.md has the figures.
var DefaultBM25 = BM25{K1: 0.9, B: 0.75, Parent: 0.4}

// FieldWeights says how much one occurrence in each field of a chunk counts, in
// the order of memoir's fields: title, heading path, date, body. They are multiples of 1/4, so that sums of
// them are exact and do not depend on the order of the occurrences.
var FieldWeights = [4]float64{1, 1.25, 1, 1}

// damp returns the number that a count is compared with, in a text of the given
// length.
func (p BM25) damp(length, average float64) float64 {
	norm := 1.0
	if average > 0 {
		norm = 1 - p.B + p.B*length/average
	}
	return p.K1 * norm
}

// InverseFrequency returns the weight of a term that n of total texts hold; it is above 0.
func InverseFrequency(n, total int) float64 {
	return math.Log(1 + (float64(max(total-n, 0))+.5)/(float64(n)+.5))
}
