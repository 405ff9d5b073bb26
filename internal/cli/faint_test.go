package cli_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/cli"
)

// TestFaint: behind a passage that is likely to answer, those without a single dot have no
// text; where none is likely, and before one that is, all have theirs.
func TestFaint(t *testing.T) {
	for _, c := range []struct {
		relevance []float64
		shown     []bool
	}{
		{[]float64{.9, .3, .09, .1, 0}, []bool{true, true, false, true, false}},
		{[]float64{.2, .09, 0}, []bool{true, true, true}},
		{[]float64{.05, .9, .05}, []bool{true, true, false}},
		{nil, nil},
	} {
		var hits []memoir.Hit
		for _, r := range c.relevance {
			hits = append(hits, memoir.Hit{Relevance: r, Snippet: "text", Highlights: []memoir.Span{{End: 1}}})
		}
		cli.LeaveFaint(hits)
		var shown []bool
		for _, h := range hits {
			shown = append(shown, h.Snippet != "")
			if h.Snippet == "" && len(h.Highlights) > 0 {
				t.Errorf("%v: marks in no text", c.relevance)
			}
		}
		if diff := cmp.Diff(c.shown, shown); diff != "" {
			t.Errorf("%v: want -, got +:\n%s", c.relevance, diff)
		}
	}
}
