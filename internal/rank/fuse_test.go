package rank_test

import (
	"math"
	"testing"

	"github.com/memoir-ai/memoir/internal/rank"
)

func TestFusion(t *testing.T) {
	w := rank.Weights{Text: .25, Vector: .75}
	both := rank.Candidate{Text: .8, Vector: .4, TextRank: 1, VectorRank: 3}
	textOnly := rank.Candidate{Text: .8, Vector: .4, TextRank: 1}
	for _, c := range []struct {
		name   string
		fusion rank.Fusion
		in     rank.Candidate
		want   float64
	}{
		{"convex", rank.Convex, both, .25*.8 + .75*.4},
		{"convex takes a score from outside the list", rank.Convex, textOnly, .25*.8 + .75*.4},
		{"weighted sum", rank.WeightedSum, both, .25*.8 + .75*.4},
		{"weighted sum gives nothing outside the list", rank.WeightedSum, textOnly, .25 * .8},
		{"rrf", rank.RRF, both, .25 + .75*61/63},
		{"rrf of one list", rank.RRF, textOnly, .25},
		{"rrf first in both", rank.RRF, rank.Candidate{TextRank: 1, VectorRank: 1}, 1},
	} {
		if got := c.fusion.Score(w, c.in); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestNormalize(t *testing.T) {
	for _, c := range []struct{ in, want rank.Weights }{
		{rank.Weights{Text: 3, Vector: 1}, rank.Weights{Text: .75, Vector: .25}},
		{rank.Weights{}, rank.Weights{Text: .5, Vector: .5}},
		{rank.Weights{Text: -1, Vector: 2}, rank.Weights{Text: .5, Vector: .5}},
		{rank.Weights{Text: math.NaN(), Vector: 1}, rank.Weights{Text: .5, Vector: .5}},
		{rank.Weights{Text: 1}, rank.Weights{Text: 1}},
	} {
		if got := c.in.Normalize(); got != c.want {
			t.Errorf("Normalize(%v): got %v, want %v", c.in, got, c.want)
		}
	}
}
