package rank_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/rank"
)

// More of words or of meaning is more likely an answer, more to choose from less. Of
// fewer than ten passages none is likelier than of ten.
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
		few, ten := rank.Evidence{Share: .3, Cosine: .3, Passages: 3}, rank.Evidence{Share: .3, Cosine: .3, Passages: 10}
		if got, want := odds.Relevance(few), odds.Relevance(ten); got != want {
			t.Errorf("%+v: of three passages %v, of ten %v", odds, got, want)
		}
		if got := odds.Relevance(rank.Evidence{}); got < 0 || got >= rank.Confident {
			t.Errorf("%+v: no evidence is %v", odds, got)
		}
	}
}

// By words, a share of a query of rare words says more than the same share of one of
// common words.
func TestRelevanceOfRareWords(t *testing.T) {
	rare, common := rank.Evidence{Share: .3, Reach: 40, Passages: 1000}, rank.Evidence{Share: .3, Reach: 4, Passages: 1000}
	if a, b := rank.OddsOfWords.Relevance(rare), rank.OddsOfWords.Relevance(common); a <= b {
		t.Errorf("of rare words %v, of common words %v", a, b)
	}
}
