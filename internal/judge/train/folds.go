package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/memoir-ai/memoir/internal/judge/linear"
)

const (
	foldCount = 10
	repeats   = 5
)

// folds deals cases out, each label and group evenly.
func folds(cases []*Case, seed, k int) []int {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	kinds := map[string][]int{}
	var names []string
	for i, c := range cases {
		kind := c.Label + c.group()
		if kinds[kind] == nil {
			names = append(names, kind)
		}
		kinds[kind] = append(kinds[kind], i)
	}
	slices.Sort(names)
	of, next := make([]int, len(cases)), 0
	for _, name := range names {
		these := kinds[name]
		r.Shuffle(len(these), func(a, b int) { these[a], these[b] = these[b], these[a] })
		for _, i := range these {
			of[i] = next % k
			next++
		}
	}
	return of
}

// wilson prints a share with its 95 % interval.
func wilson(k, n float64) string {
	if n == 0 {
		return "-"
	}
	const z = 1.96
	p := k / n
	d := 1 + z*z/n
	c, h := (p+z*z/2/n)/d, z*math.Sqrt(p*(1-p)/n+z*z/4/n/n)/d
	return fmt.Sprintf("%.3f [%.2f,%.2f]", p, max(0, c-h), min(1, c+h))
}

// threshold returns the lowest score at which what lies at or above it should be
// right with the given precision; 2 if there is none. A curve through the scores
// says how right each is (Platt 1999): counting alone, one text more or less
// would move a threshold far.
func threshold(scores []float64, right []bool, precision float64) float64 {
	var x [][]float64
	var y []int
	seen := [2]bool{}
	for i, s := range scores {
		k := 0
		if right[i] {
			k = 1
		}
		seen[k] = true
		x, y = append(x, []float64{logit(s)}), append(y, k)
	}
	if !seen[0] || !seen[1] {
		return 2
	}
	curve := linear.Fit(x, y, 2, linear.Options{C: 10})
	order := slices.Clone(scores)
	slices.SortFunc(order, func(a, b float64) int { return cmp.Compare(b, a) })
	found, hits := 2.0, 0.0
	for n, s := range order {
		hits += curve.Probabilities([]float64{logit(s)})[1]
		if hits/float64(n+1) >= precision {
			found = s
		}
	}
	return found
}

func logit(p float64) float64 {
	p = min(max(p, 1e-4), 1-1e-4)
	return math.Log(p / (1 - p))
}
