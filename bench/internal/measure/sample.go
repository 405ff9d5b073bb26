package measure

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// Median returns the middle of the values, NaN for none.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Percentile returns the least of the values that at least p in 100 of
// them do not exceed (nearest rank). Without values it returns NaN.
func Percentile(values []float64, p float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return sorted[min(max(int(math.Ceil(p/100*float64(n)))-1, 0), n-1)]
}

// A Method is one way to answer the questions of a comparison.
type Method struct {
	Name string
	// Ask answers a question. n counts the questions of all rounds, from 0.
	Ask func(ctx context.Context, n int) error
}

// Samples are what the questions took with a method, in milliseconds.
type Samples struct {
	Name  string
	First float64     // wall time of the first question of all, which is not counted again
	Wall  [][]float64 // by round and question
	CPU   [][]float64 // of the whole process; 0 where the system does not tell
}

// Compare asks each method the questions in every round. The methods take
// turns, so that other work of the machine disturbs them alike. Before the
// first round each is asked question 0 once.
func Compare(ctx context.Context, rounds, questions int, methods ...Method) ([]*Samples, error) {
	all := make([]*Samples, len(methods))
	for i, m := range methods {
		wall, _, err := m.time(ctx, 0)
		if err != nil {
			return nil, err
		}
		all[i] = &Samples{Name: m.Name, First: wall}
	}
	for r := range rounds {
		for i, m := range methods {
			walls, cpus := make([]float64, questions), make([]float64, questions)
			for q := range questions {
				var err error
				if walls[q], cpus[q], err = m.time(ctx, r*questions+q); err != nil {
					return nil, err
				}
			}
			all[i].Wall, all[i].CPU = append(all[i].Wall, walls), append(all[i].CPU, cpus)
		}
	}
	return all, nil
}

func (m Method) time(ctx context.Context, n int) (wall, cpu float64, err error) {
	used, start := CPUTime(), time.Now()
	if err := m.Ask(ctx, n); err != nil {
		return 0, 0, fmt.Errorf("%s, question %d: %w", m.Name, n, err)
	}
	wall = Milliseconds(time.Since(start))
	return wall, Milliseconds(CPUTime() - used), nil
}

// Milliseconds returns a time as a number.
func Milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// P50 returns the median wall time of all questions.
func (s *Samples) P50() float64 { return Median(slices.Concat(s.Wall...)) }

// P99 returns the wall time that 99 in 100 questions do not exceed.
func (s *Samples) P99() float64 { return Percentile(slices.Concat(s.Wall...), 99) }

// CPU50 returns the median processor time of all questions.
func (s *Samples) CPU50() float64 { return Median(slices.Concat(s.CPU...)) }

// CPU99 returns the processor time that 99 in 100 questions do not exceed.
func (s *Samples) CPU99() float64 { return Percentile(slices.Concat(s.CPU...), 99) }

// WallRatio returns how many times as long the reference takes. It is the
// median of the rounds.
func (s *Samples) WallRatio(reference *Samples) float64 { return ratio(s.Wall, reference.Wall) }

// CPURatio is [Samples.WallRatio] of processor time; NaN where that is not known.
func (s *Samples) CPURatio(reference *Samples) float64 { return ratio(s.CPU, reference.CPU) }

func ratio(own, reference [][]float64) float64 {
	rounds := make([]float64, len(own))
	for i := range own {
		rounds[i] = Median(reference[i]) / Median(own[i])
	}
	return Median(rounds)
}
