package search

import (
	"math"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/rank"
	"github.com/memoir-ai/memoir/tune"
)

// Words of which the best match has little BM25 weigh less beside vectors, where the query
// is a question in prose.
func TestWeakWordsWeighLess(t *testing.T) {
	form := map[memoir.ChunkID]float64{{Doc: "a.md"}: formWeight}
	for _, test := range []struct {
		name         string
		prose        bool
		filled       float64
		forms        map[memoir.ChunkID]float64
		share, reach float64
		want         float64 // of the weight of vectors
	}{
		{"one common word", true, 1, nil, .25, 8, 2. / enoughWords},
		{"enough", true, 1, nil, .25, 4 * enoughWords, 1},
		{"a strong match", true, 1, nil, .81, 40, 1},
		{"a number that the notes write in another way", true, 1, form, .25, 8, 1},
		{"vectors are still computed", true, .5, nil, .25, 8, 1},
		{"a few words, an identifier, or words alone", false, 1, nil, .25, 8, 1},
	} {
		even := rank.Weights{Text: .5, Vector: .5}
		s := &search{searcher: &Searcher{cfg: Config{Ranking: tune.Rank{Fusion: string(rank.Convex)}}}, prose: test.prose, filled: test.filled, forms: test.forms, weights: even, code: even}
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
