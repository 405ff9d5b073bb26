package eval_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/eval"
)

// scores makes a score of each hit@1; its rank is 1 or 2.
func scores(hits ...float64) []eval.QuestionScore {
	var out []eval.QuestionScore
	for i, h := range hits {
		out = append(out, eval.QuestionScore{ID: string(rune('a' + i)), Values: map[string]float64{"hit@1": h}, Rank: 2 - int(h)})
	}
	return out
}

func TestIntervals(t *testing.T) {
	var half []float64
	for i := range 400 {
		half = append(half, float64(i%2))
	}
	got := eval.Intervals(scores(half...))["hit@1"]
	// The interval of a share: 1.96 standard errors of sqrt(.5*.5/400) each way.
	if want := .049; math.Abs(.5-got.Low-want) > .006 || math.Abs(got.High-.5-want) > .006 {
		t.Errorf("got %v, want .5 ± %v", got, want)
	}
	if again := eval.Intervals(scores(half...))["hit@1"]; again != got {
		t.Errorf("the same scores gave %v, then %v", got, again)
	}
	if diff := cmp.Diff(eval.Intervals(scores(1)), map[string]eval.Interval{"hit@1": {1, 1}}); diff != "" {
		t.Errorf("one question (-got +want):\n%s", diff)
	}
	if got := eval.Intervals(nil); len(got) != 0 {
		t.Errorf("no question: got %v", got)
	}
}

// A paired interval does not widen with what makes questions hard.
func TestCompare(t *testing.T) {
	before, after := scores(1, 0, 1, 0, 1, 0), scores(1, 0, 1, 0, 1, 0)
	got := eval.Compare(before, after)
	want := eval.Comparison{Difference: map[string]float64{"hit@1": 0}, Intervals: map[string]eval.Interval{"hit@1": {0, 0}}}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("no change (-got +want):\n%s", diff)
	}
	after = scores(1, 1, 1, 0, 0, 1)
	after[3].Rank = 0
	got = eval.Compare(before, after)
	want.Changed = []eval.Change{{"b", 2, 1}, {"d", 2, 0}, {"e", 1, 2}, {"f", 2, 1}}
	if diff := cmp.Diff(got.Changed, want.Changed); diff != "" {
		t.Errorf("changes (-got +want):\n%s", diff)
	}
	if d := got.Difference["hit@1"]; math.Abs(d-1./6) > 1e-12 {
		t.Errorf("difference %v, want 1/6", d)
	}
	if i := got.Intervals["hit@1"]; i.Low >= 0 || i.High <= 1./6 {
		t.Errorf("interval %v, want one round 1/6 that holds 0", i)
	}
	var gains []float64
	for _, c := range got.Changed {
		gains = append(gains, c.Gain())
	}
	if diff := cmp.Diff(gains, []float64{.5, -.5, -.5, .5}); diff != "" {
		t.Errorf("gains (-got +want):\n%s", diff)
	}
}
