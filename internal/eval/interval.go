package eval

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// IntervalMetrics returns the metrics that intervals are computed for.
func IntervalMetrics() []string {
	return []string{"hit@1", "hit@5", fmt.Sprintf("shown@%d", ShownLimit), "recall@10", "ndcg@10", fmt.Sprintf("evidence@%d", EvidenceBudget)}
}

// An Interval is where a mean lies with a confidence of 95 in 100.
type Interval struct{ Low, High float64 }

// Intervals returns the 95% interval of the mean of each of [IntervalMetrics]
// that a score has. It is the percentile bootstrap over questions (Efron,
// "Bootstrap Methods: Another Look at the Jackknife", 1979), with a fixed seed:
// the same scores in the same order give the same intervals.
func Intervals(scores []QuestionScore) map[string]Interval {
	out := map[string]Interval{}
	for _, name := range IntervalMetrics() {
		var values []float64
		for _, s := range scores {
			if v, ok := s.Values[name]; ok {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			out[name] = bootstrap(values)
		}
	}
	return out
}

// resamples is how often a mean is drawn anew: enough for the 25th and the
// 975th thousandth to stay where they are to a few thousandths.
const resamples = 2000

// bootstrap returns the 95% interval of the mean of the values, at least one.
func bootstrap(values []float64) Interval {
	rng := rand.New(rand.NewPCG(1979, 1))
	means := make([]float64, resamples)
	for i := range means {
		var sum float64
		for range values {
			sum += values[rng.IntN(len(values))]
		}
		means[i] = sum / float64(len(values))
	}
	slices.Sort(means)
	return Interval{means[resamples*25/1000], means[resamples-1-resamples*25/1000]}
}

// A Comparison is what changed from one run of a set's questions to another.
type Comparison struct {
	Difference map[string]float64  // mean of after - before, of each metric that both runs have
	Intervals  map[string]Interval // of the difference, paired by question; see [Intervals]
	Changed    []Change            // questions whose first relevant document has another rank, in their order
}

// A Change is a question whose first relevant document has another rank.
type Change struct {
	ID            string
	Before, After int // from 1; 0 means not found
}

// Gain returns by how much the reciprocal rank grew, in [-1, 1].
func (c Change) Gain() float64 { return reciprocal(c.After) - reciprocal(c.Before) }

func reciprocal(rank int) float64 {
	if rank == 0 {
		return 0
	}
	return 1 / float64(rank)
}

// Compare compares two runs that asked the same questions in the same order.
// The bootstrap is paired: it draws questions, each with the difference that it
// made, so that what makes a question hard in both runs does not count.
func Compare(before, after []QuestionScore) Comparison {
	differences := make([]QuestionScore, len(before))
	c := Comparison{}
	for i, b := range before {
		a := after[i]
		d := map[string]float64{}
		for name, v := range b.Values {
			if w, ok := a.Values[name]; ok {
				d[name] = w - v
			}
		}
		differences[i] = QuestionScore{Values: d}
		if a.Rank != b.Rank {
			c.Changed = append(c.Changed, Change{b.ID, b.Rank, a.Rank})
		}
	}
	c.Difference, c.Intervals = Summarize(differences).Metrics, Intervals(differences)
	return c
}
