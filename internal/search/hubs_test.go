package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/memoir-ai/memoir"
)

// TestHubs: how near a chunk is to what others have in common is known until its words
// change, and no more is kept than there is room for.
func TestHubs(t *testing.T) {
	at := func(doc string, digest uint64, score float64) memoir.Match {
		return memoir.Match{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: memoir.DocID(doc)}, Digest: digest}, Score: score}
	}
	c := &common{others: .7}
	if unknown := c.lower([]memoir.Match{at("a.md", 1, 0), at("b.md", 1, 0)}); len(unknown) != 2 {
		t.Fatal(unknown)
	}
	c.learn([]memoir.Match{at("a.md", 1, .8), at("b.md", 1, .6)})
	matches := []memoir.Match{at("a.md", 1, .9), at("b.md", 1, .9), at("a.md", 2, .9)}
	if unknown := c.lower(matches); len(unknown) != 1 || unknown[0] != 2 || matches[0].Score > .9-.07 || matches[1].Score != .9 || matches[2].Score != .9 {
		t.Errorf("%v, %v", unknown, matches)
	}
	for i := range mostHubs {
		c.learn([]memoir.Match{at(fmt.Sprint(i), 1, .8)})
	}
	if len(c.hubs) > mostHubs {
		t.Errorf("%d are kept", len(c.hubs))
	}
}

func TestFirstOf(t *testing.T) {
	var matches []memoir.Match
	for _, score := range []float64{.2, .9, .4, .9, .1, .7} {
		matches = append(matches, memoir.Match{Score: score})
	}
	for n, want := range map[int][]float64{1: {.9}, 3: {.9, .9, .7}, 9: {.9, .9, .7, .4, .2, .1}} {
		var got []float64
		for _, m := range firstOf(matches, n) {
			got = append(got, m.Score)
		}
		if !slices.Equal(got, want) {
			t.Errorf("of %d: %v, want %v", n, got, want)
		}
	}
}
