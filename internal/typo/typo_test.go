package typo_test

import (
	"slices"
	"testing"

	"github.com/memoir-ai/memoir/internal/typo"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "潮水", 2},
		{"receipt", "reciept", 2},
		{"kitten", "sitting", 3},
		{"数据库", "数据", 1},
		{"same", "same", 0},
		{"\xff", "a", 1},
	} {
		if got, back := typo.Distance(c.a, c.b), typo.Distance(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%q and %q: got %d, and %d the other way, want %d", c.a, c.b, got, back, c.want)
		}
	}
}

func TestNear(t *testing.T) {
	names := []string{"MEMORY.md", "memory/2026-03-02.md", "log/2026-03-02.md", "日记/三月.md"}
	for _, c := range []struct {
		wanted string
		want   []string
	}{
		{"memry", []string{"MEMORY.md"}},
		{`old\2026-03-02.md`, []string{"memory/2026-03-02.md", "log/2026-03-02.md"}},
		{"memory/2026-03-03.md", []string{"memory/2026-03-02.md"}},
		{"日记/三月", []string{"日记/三月.md"}},
		{"nothing.md", nil},
		{"", nil},
	} {
		got := typo.Near(c.wanted, 2, func(yield func(path, name string) bool) {
			for _, name := range names {
				if !yield(name, name) {
					return
				}
			}
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.wanted, got, c.want)
		}
	}
}
