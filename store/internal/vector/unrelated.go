package vector

// SampleSize is how many vectors are compared with each other to learn what the
// cosine of unrelated texts is in a space: some thirty thousand pairs.
const SampleSize = 256

// minPairs is how many pairs a mean needs to say something.
const minPairs = 100

// A Sampled is a vector with the text and the document that it is of.
type Sampled struct {
	Hash, Document string
	Vector         []float32
}

// Unrelated returns the mean cosine of vectors of different texts in different
// documents. It is not ok when there are too few of them.
func Unrelated(sample []Sampled) (mean float64, ok bool) {
	var sum float64
	pairs := 0
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
				sum += cosine
				pairs++
			}
		}
	}
	if pairs < minPairs {
		return 0, false
	}
	return sum / float64(pairs), true
}
