package analyze

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestFoldASCII: folding in one pass gives the same as the general way.
func TestFoldASCII(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 15))
	for range 20_000 {
		b := make([]byte, rng.IntN(24))
		for i := range b {
			b[i] = byte(rng.IntN(0x80))
			if rng.IntN(2) == 0 {
				b[i] = " \tAz-_'.\n"[rng.IntN(9)]
			}
		}
		text := string(b)
		got, ok := foldASCII(text)
		if want := strings.Join(strings.Fields(fold(text).text), " "); ok && got != want {
			t.Fatalf("%q folded in one pass is %q, want %q", text, got, want)
		}
	}
	if _, ok := foldASCII("café"); ok {
		t.Error("an accent was taken for ASCII")
	}
	if got, ok := foldASCII("  The\r\n Harbour\t\n"); !ok || got != "the harbour" {
		t.Errorf("got %q, %v", got, ok)
	}
}
