package rank_test

import (
	stdcmp "cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir/internal/rank"
)

func TestCurves(t *testing.T) {
	for _, test := range []struct {
		name      string
		got, want float64
	}{
		{"raise nothing", rank.Raise(0, 1), 0}, {"raise one", rank.Raise(1, 1), 1}, {"raise a half", rank.Raise(.5, 1), .75}, {"no gain", rank.Raise(.3, 0), .3},
		{"inside", rank.Proximity(0, 14), 1}, {"half the window", rank.Proximity(7, 14), .5}, {"beyond", rank.Proximity(15, 14), 0},
		{"today", rank.Decay(0, 30, .2), 1}, {"half-life", rank.Decay(30, 30, 0), .5}, {"half-life above a floor", rank.Decay(30, 30, .5), .75},
		{"ages", rank.Decay(1e6, 30, .35), .35}, {"future", rank.Decay(-5, 30, 0), 1},
		{"never", rank.Frequency(0), 0}, {"ten times", rank.Frequency(10), 1}, {"often", rank.Frequency(math.MaxInt), 1}, {"less than never", rank.Frequency(-1), 0},
	} {
		if math.Abs(test.got-test.want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", test.name, test.got, test.want)
		}
	}
}

// What is higher stays higher, by whatever gain up to 1.
func TestRaiseKeepsTheOrder(t *testing.T) {
	for gain := 0.0; gain <= 1; gain += .25 {
		last := -1.0
		for s := 0.0; s <= 1; s += .01 {
			got := rank.Raise(s, gain)
			if got <= last || got < s || got > s*(1+gain)+1e-12 || got > 1+1e-12 {
				t.Fatalf("raise %v by %v: got %v after %v", s, gain, got, last)
			}
			last = got
		}
	}
}

func TestDiversify(t *testing.T) {
	like := map[[2]int]float64{{0, 1}: 1, {0, 2}: .5, {1, 2}: .5, {2, 3}: 1}
	similarity := func(i, j int) float64 { return like[[2]int{min(i, j), max(i, j)}] }
	taken, scores := rank.Diversify([]float64{1, .9, .8, .5}, .5, 9, similarity)
	if diff := cmp.Diff(taken, []int{0, 2, 1, 3}); diff != "" {
		t.Errorf("order (-got +want):\n%s", diff)
	}
	if diff := cmp.Diff(scores, []float64{1, .6, .45, .25}, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("scores (-got +want):\n%s", diff)
	}
	if taken, _ := rank.Diversify(nil, .5, 3, similarity); len(taken) != 0 {
		t.Errorf("of nothing: got %v", taken)
	}
}

// Looking only where it may matter gives what looking everywhere gives.
func TestDiversifyIsGreedy(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		n := 1 + rng.IntN(40)
		scores, sim := make([]float64, n), make([]float64, n*n)
		for i := range scores {
			scores[i] = math.Round(rng.Float64()*20) / 20
		}
		for i := range sim {
			sim[i] = math.Round(rng.Float64()*4) / 4
		}
		slices.SortFunc(scores, descending)
		similarity := func(i, j int) float64 { return sim[min(i, j)*n+max(i, j)] }
		lambda := rng.Float64()
		got, values := rank.Diversify(scores, lambda, n, similarity)
		if diff := cmp.Diff(got, greedy(scores, lambda, similarity)); diff != "" {
			t.Fatalf("(-got +want):\n%s", diff)
		}
		if !slices.IsSortedFunc(values, descending) {
			t.Fatalf("scores do not descend: %v", values)
		}
	}
}

func descending(a, b float64) int { return stdcmp.Compare(b, a) }

func greedy(scores []float64, lambda float64, similarity func(i, j int) float64) []int {
	var taken []int
	for len(taken) < len(scores) {
		best, value := -1, 0.0
		for i, s := range scores {
			if slices.Contains(taken, i) {
				continue
			}
			least := s
			for _, j := range taken {
				least = min(least, s*(1-(1-lambda)*similarity(i, j)))
			}
			if best < 0 || least > value {
				best, value = i, least
			}
		}
		taken = append(taken, best)
	}
	return taken
}

func TestJaccard(t *testing.T) {
	set := func(words ...string) map[string]bool {
		m := map[string]bool{}
		for _, w := range words {
			m[w] = true
		}
		return m
	}
	for _, test := range []struct {
		a, b map[string]bool
		want float64
	}{{set(), set(), 0}, {set("a"), set("a"), 1}, {set("a", "b"), set("b", "c"), 1. / 3}, {set("a"), nil, 0}, {set("茶", "a"), set("茶"), .5}} {
		if got := rank.Jaccard(test.a, test.b); got != test.want {
			t.Errorf("%v, %v: got %v, want %v", test.a, test.b, got, test.want)
		}
	}
}
