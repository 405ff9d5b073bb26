package search

import (
	"math"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/rank"
	"github.com/memoir-ai/memoir/tune"
)

// Words of which the best match has little BM25 weigh less beside vectors. By words alone,
// and with an identifier, they weigh what they do.
func TestWeakWordsWeighLess(t *testing.T) {
	for _, test := range []struct {
		name         string
		vector       []float32
		terms        []analyze.Term
		share, reach float64
		want         float64 // of the weight of vectors
	}{
		{"one common word", []float32{1}, nil, .25, 8, 2. / enoughWords},
		{"enough", []float32{1}, nil, .25, 4 * enoughWords, 1},
		{"a strong match", []float32{1}, nil, .81, 40, 1},
		{"an identifier", []float32{1}, []analyze.Term{{Kind: analyze.Identifier}}, .25, 8, 1},
		{"by words alone", nil, nil, .25, 8, 1},
	} {
		even := rank.Weights{Text: .5, Vector: .5}
		s := &search{searcher: &Searcher{cfg: Config{Ranking: tune.Rank{Fusion: string(rank.Convex)}}}, vector: test.vector, terms: test.terms, weights: even, code: even}
		for range 2 { // further words have another best match
			s.textScale = 0
			s.setTextScale([]memoir.Match{{Score: test.share, Reach: test.reach}})
		}
		for _, w := range []rank.Weights{s.weights, s.code} {
			if math.Abs(w.Text-test.want*w.Vector) > 1e-9 || math.Abs(w.Text+w.Vector-1) > 1e-9 {
				t.Errorf("%s: %v, want %v of the weight of vectors", test.name, w, test.want)
			}
		}
	}
}
