package rank_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/rank"
)

// More of words or of meaning is more likely an answer, more to choose from less.
func TestRelevance(t *testing.T) {
	for _, odds := range []rank.Odds{rank.OddsOfBoth, rank.OddsOfWords, rank.OddsOfVectors} {
		base := odds.Relevance(rank.Evidence{Share: .3, Cosine: .3, Passages: 1000})
		for name, e := range map[string]rank.Evidence{
			"words": {Share: .4, Cosine: .3, Passages: 1000}, "meaning": {Share: .3, Cosine: .4, Passages: 1000}, "fewer": {Share: .3, Cosine: .3, Passages: 100},
		} {
			if got := odds.Relevance(e); got <= base || got > 1 {
				t.Errorf("%+v, more %s: %v, not above %v", odds, name, got, base)
			}
		}
		if got := odds.Relevance(rank.Evidence{}); got < 0 || got >= rank.Confident {
			t.Errorf("%+v: no evidence is %v", odds, got)
		}
	}
}
