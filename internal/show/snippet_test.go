package show

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/analyze"
)

// TestPlainWords: all terms of a plain word begin with the letter that is said,
// whatever its ending.
func TestPlainWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	endings := []string{"", "s", "ies", "ied", "ying", "ational", "fulness", "ization", "ly", "ement", "eed", "iveness", "."}
	for range 20_000 {
		word := make([]byte, 1+r.IntN(7))
		for i := range word {
			word[i] = "aeiouysdtlnrbcfghjkmpqvwxz"[r.IntN(26)]
		}
		text := string(word) + endings[r.IntN(len(endings))]
		if r.IntN(4) == 0 {
			text = strings.ToUpper(text[:1]) + text[1:]
		}
		first, ok := plain(text)
		if !ok {
			t.Fatalf("%q is not plain", text)
		}
		for _, term := range analyze.Document(nil, text) {
			if term[0] != first {
				t.Fatalf("%q has the term %q, which does not begin with %q", text, term, first)
			}
		}
	}
	for _, word := range []string{"", ".", "memorySearch", "(word", "it's", "v1", "DB", "数据", "naïve", "word\xff", "@home"} {
		if _, ok := plain(word); ok {
			t.Errorf("%q is taken for plain", word)
		}
	}
}
