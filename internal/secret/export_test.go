package secret

import (
	"strings"
	"testing"
)

// FindWithout returns what Find would find with fewer rules: only labels that occur in
// one of the other texts, and, if shapes is set, only shapes that do. It measures the
// rules on a text that they were not written for.
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

// BenchmarkLoad measures what the first text costs more than later ones.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		load(func(string, string) bool { return true })
	}
}
