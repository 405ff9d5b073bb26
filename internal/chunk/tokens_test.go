package chunk_test

import (
	"testing"
	"unicode"

	"github.com/memoir-ai/memoir/internal/chunk"
)

// TestTokensAtMostBytes: no text has more tokens than bytes, so that a text of few bytes fits a
// budget without being counted.
func TestTokensAtMostBytes(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if text := string(r); chunk.Tokens(text) > len(text) {
			t.Fatalf("%U: %d tokens in %d bytes", r, chunk.Tokens(text), len(text))
		}
	}
}
