package rank_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/rank"
)

// More of words or of meaning is more likely an answer, more to choose from less.
func TestRelevance(t *testing.T) {
	for _, odds := range []rank.Odds{rank.OddsOfBoth, rank.OddsOfWords, rank.OddsOfVectors} {
		base := odds.Relevance(rank.Evidence{Share: .3, Cosine: .3, Chunks: 1000})
		for name, e := range map[string]rank.Evidence{
			"words": {Share: .4, Cosine: .3, Chunks: 1000}, "meaning": {Share: .3, Cosine: .4, Chunks: 1000}, "fewer": {Share: .3, Cosine: .3, Chunks: 100},
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

// By words, a share of a query of rare words says more than the same share of one of
// common words, and fewer than ten passages are as many as ten.
func TestRelevanceOfRareWords(t *testing.T) {
	rare, common := rank.Evidence{Share: .3, Reach: 40, Chunks: 1000}, rank.Evidence{Share: .3, Reach: 4, Chunks: 1000}
	if a, b := rank.OddsOfWords.Relevance(rare), rank.OddsOfWords.Relevance(common); a <= b {
		t.Errorf("of rare words %v, of common words %v", a, b)
	}
	few, ten := rank.Evidence{Share: .3, Reach: 4, Chunks: 3}, rank.Evidence{Share: .3, Reach: 4, Chunks: 10}
	if a, b := rank.OddsOfWords.Relevance(few), rank.OddsOfWords.Relevance(ten); a != b {
		t.Errorf("of three passages %v, of ten %v", a, b)
	}
}

// A right passage does not get less likely without end as the notes grow.
func TestRelevanceAmongMany(t *testing.T) {
	for _, odds := range []rank.Odds{rank.OddsOfBoth, rank.OddsOfWords, rank.OddsOfVectors} {
		of := func(chunks int) float64 {
			return odds.Relevance(rank.Evidence{Share: .4, Cosine: .2, Reach: 100, Chunks: chunks})
		}
		if of(100_000) != of(4000) || of(400) <= of(4000) {
			t.Errorf("%+v: among 400, 4,000 and 100,000: %v, %v, %v", odds, of(400), of(4000), of(100_000))
		}
	}
}
