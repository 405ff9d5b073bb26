package search

import (
	"fmt"
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
	hubs, unknown := c.known([]memoir.Match{at("a.md", 1, 0), at("b.md", 1, 0)})
	if len(hubs) != 0 || len(unknown) != 2 {
		t.Fatalf("%v, %v", hubs, unknown)
	}
	c.learn([]memoir.Match{at("a.md", 1, .75), at("b.md", 1, .6)}, hubs)
	if hubs, unknown = c.known([]memoir.Match{at("a.md", 1, 0), at("b.md", 1, 0), at("a.md", 2, 0)}); len(unknown) != 1 ||
		hubs[memoir.ChunkID{Doc: "a.md"}] < .049 || hubs[memoir.ChunkID{Doc: "b.md"}] != 0 {
		t.Errorf("%v, %v", hubs, unknown)
	}
	for i := range mostHubs {
		c.learn([]memoir.Match{at(fmt.Sprint(i), 1, .8)}, hubs)
	}
	if len(c.hubs) > mostHubs {
		t.Errorf("%d are kept", len(c.hubs))
	}
}
