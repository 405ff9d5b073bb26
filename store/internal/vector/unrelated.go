package vector

import "slices"

// SampleSize is how many vectors are compared with each other to learn what the
// cosine of unrelated texts is in a space: some thirty thousand pairs.
const SampleSize = 256

const (
	// minPairs is how many pairs are needed to say something.
	minPairs = 100
	// farthest is the share of pairs that count as unrelated. Notes of one
	// person are about a few things, so that the mean of all pairs lies far
	// above the cosine of texts that have nothing to do with each other.
	farthest = 0.01
)

// A Sampled is a vector with the text and the document that it is of.
type Sampled struct {
	Hash, Document string
	Vector         []float32
}

// Unrelated returns the cosine below which the farthest hundredth of the pairs
// lies, of different texts in different documents: an estimate of what texts
// have that are not related (docs/design/calibration.md). It is not ok when
// there are too few pairs.
func Unrelated(sample []Sampled) (cosine float64, ok bool) {
	var cosines []float64
	for i, a := range sample {
		q, ok := NewQuery(a.Vector)
		if !ok {
			continue
		}
		for _, b := range sample[:i] {
			if a.Document == b.Document || a.Hash == b.Hash {
				continue
			}
			if cosine, ok := q.Cosine(b.Vector); ok {
				cosines = append(cosines, cosine)
			}
		}
	}
	if len(cosines) < minPairs {
		return 0, false
	}
	slices.Sort(cosines)
	return cosines[int(farthest*float64(len(cosines)))], true
}
