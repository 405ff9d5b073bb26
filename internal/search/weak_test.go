package search

import (
	"math"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/rank"
	"github.com/memoir-ai/memoir/tune"
)

// A best match of little BM25 counts less beside vectors, and as before by words alone.
func TestWeakWordsCountLess(t *testing.T) {
	for _, test := range []struct {
		name         string
		vector       []float32
		share, reach float64
		want         float64
	}{
		{"one common word", []float32{1}, .25, 8, .5 * 2 / enoughWords},
		{"enough", []float32{1}, .25, 4 * enoughWords, .5},
		{"a strong match", []float32{1}, .81, 40, .9},
		{"by words alone", nil, .25, 8, .5},
	} {
		s := &search{searcher: &Searcher{cfg: Config{Ranking: tune.Rank{Fusion: string(rank.Convex)}}}, vector: test.vector}
		s.setTextScale([]memoir.Match{{Score: test.share, Reach: test.reach}})
		if got := s.textScore(test.share); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
