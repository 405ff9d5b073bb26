package search

import (
	"math"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/rank"
	"github.com/memoir-ai/memoir/tune"
)

// A best match of little BM25 counts less beside vectors. By words alone, and
// with an identifier, it counts as it is.
func TestWeakWordsCountLess(t *testing.T) {
	for _, test := range []struct {
		name         string
		vector       []float32
		terms        []analyze.Term
		share, reach float64
		want         float64
	}{
		{"one common word", []float32{1}, nil, .25, 8, .25},
		{"words that are nearly enough", []float32{1}, nil, .09, 50, .3 * 4.5 / enoughWords},
		{"enough", []float32{1}, nil, .25, 4 * enoughWords, .5},
		{"a strong match", []float32{1}, nil, .81, 40, .9},
		{"an identifier", []float32{1}, []analyze.Term{{Kind: analyze.Identifier}}, .25, 8, .5},
		{"by words alone", nil, nil, .25, 8, .5},
	} {
		s := &search{searcher: &Searcher{cfg: Config{Ranking: tune.Rank{Fusion: string(rank.Convex)}}}, vector: test.vector, terms: test.terms}
		s.setTextScale([]memoir.Match{{Score: test.share, Reach: test.reach}})
		if got := s.textScore(test.share); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
