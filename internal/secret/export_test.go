package secret

import (
	"strings"
	"testing"
)

// FindWithout returns what Find would with those labels alone, and with those
// shapes if they are asked for, that occur in one of the other texts: how rules
// do on a text that they were not written for.
func FindWithout(t *testing.T, others []string, shapes bool, text string) []Span {
	t.Helper()
	r := load(func(list, term string) bool {
		if list == "shapes" && !shapes {
			return true
		}
		if text, _, ok := strings.Cut(term, "+"); ok {
			term = text
		}
		term = fold(term)
		for _, o := range others {
			if strings.Contains(o, term) {
				return true
			}
		}
		return false
	})
	return r.find(text)
}

// Fold is fold, for tests.
func Fold(text string) string { return fold(text) }

// BenchmarkLoad is what the first text costs more than the others.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		load(func(string, string) bool { return true })
	}
}
