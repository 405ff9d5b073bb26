package remember

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/entry"
)

// TestNearlyAll: the pairs are those that a comparison of each with each finds.
func TestNearlyAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 4))
	words := strings.Fields("harbour supplier boiler tiles monday street violin teacher bakery sailor permit museum garden bridge lantern ferry")
	found := 0
	for range 200 {
		var all []*known
		for range 2 + rng.IntN(40) {
			var text []string
			for range 1 + rng.IntN(9) {
				text = append(text, words[min(rng.IntN(len(words)), rng.IntN(len(words)))])
			}
			all = append(all, &known{Entry: entry.Entry{Text: strings.Join(text, " ")}})
		}
		got := map[[2]*known]int{}
		nearlyAll(all, func(a, b *known) { got[[2]*known{b, a}]++ })
		for i, a := range all {
			for _, b := range all[i+1:] {
				want := 0
				if common(a.terms(), b.terms()) >= minAlike {
					want = 1
				}
				if got[[2]*known{a, b}] != want {
					t.Fatalf("%q and %q: got %d, want %d", a.Text, b.Text, got[[2]*known{a, b}], want)
				}
				found += want
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d pairs were there to be found", found)
	}
}
