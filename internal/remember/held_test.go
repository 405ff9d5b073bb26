package remember

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/entry"
)

// TestHeldOfAWholeText: what an entry has of a question is the same as where all words of
// the entry are analysed.
func TestHeldOfAWholeText(t *testing.T) {
	words := strings.Fields(`the went goes children child's Mirela Mirela's MIRELA pump pumps pumping blue-green valve_17 v1.2.3 17 555-0100
		2026-03-02 March 2 of harbour harbours don't isn't flies dying die user@example.org https://example.org/a/b? 水泵 阀门。 放在 北京的 水 泵 母 ﬁle Ärger ärger
		東京 カメラ の を café x y I's "quoted" (pump) [pump](memory/pump.md) getUserName HTTPServer #tag 三月二日 12:30 50% ключи мост`)
	r := rand.New(rand.NewPCG(5, 6))
	text := func(n int) string {
		var b strings.Builder
		for range 1 + r.IntN(n) {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteString([]string{" ", " ", " ", "\n", ", ", "\u3000", ""}[r.IntN(7)])
		}
		return b.String()
	}
	every := 0
	for range 20_000 {
		question, e := text(3), &known{Entry: entry.Entry{Text: text(12)}}
		var asked terms
		for _, t := range analyze.Query(question) {
			if t.Weight >= 1 || t.Kind == analyze.Character {
				asked = append(asked, hashed(t.Text))
			}
		}
		asked = asked.distinct()
		has := allTerms(e.Text).holds(asked)
		want := has > 0 && has == len(asked)
		if got := heldBy(question, []*known{e})(e).every; got != want {
			t.Fatalf("%q has all words of %q: %v, and want %v", e.Text, question, got, want)
		}
		if want {
			every++
		}
	}
	if every < 100 {
		t.Errorf("only %d entries had all words of their question", every)
	}
}
