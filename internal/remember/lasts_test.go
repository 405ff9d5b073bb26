package remember_test

import (
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/remember"
)

// TestLasts: what happens again and again, and on which host something is, stands on a shelf,
// where a change of it marks it; what happened on some days does not go there for it.
func TestLasts(t *testing.T) {
	type counts struct{ lasts, shelf, events, eventShelf int }
	samples := map[string]*counts{"1": {}, "2": {}, "3": {}, "4": {}}
	for _, f := range fields(t, filepath.Join("testdata", "lasts.tsv"), 4) {
		b := newBench(t, nil, withModel(t))
		out, err := b.keeper.Remember(t.Context(), remember.Request{Text: f[3]})
		if err != nil {
			t.Fatal(err)
		}
		c, shelf := samples[f[0]], out.Outcome == remember.Added && out.Type != layout.Journal
		switch {
		case f[2] == "lasts":
			c.lasts++
			if shelf {
				c.shelf++
			} else {
				t.Logf("%s: %q: %s %s", f[0], f[3], out.Outcome, out.Type)
			}
		case shelf:
			c.eventShelf++
			t.Logf("%s: event on a shelf: %q: %s", f[0], f[3], out.Type)
			fallthrough
		default:
			c.events++
		}
	}
	for sample, c := range samples {
		t.Logf("sample %s: %+v", sample, *c)
		if c.shelf < c.lasts*8/10 || c.eventShelf*8 > c.events {
			t.Errorf("sample %s: %+v", sample, *c)
		}
	}
}
