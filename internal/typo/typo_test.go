package typo_test

import (
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
