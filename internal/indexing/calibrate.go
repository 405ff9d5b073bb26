package indexing

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/memoir-ai/memoir"
)

// adopt measures the calibration of a space when that is due. If mayTakeOver is
// set, it also lets a complete space take over.
func (x *Indexer) adopt(ctx context.Context, space memoir.Space, mayTakeOver bool) error {
	stats, err := x.store.Stats(ctx, space)
	if err != nil {
		return err
	}
	facts := memoir.SpaceFacts{
		Calibration: stats.Calibration, Measured: stats.Measured,
		TakesOver: mayTakeOver && stats.Complete() && stats.Serving != space,
	}
	changed := facts.TakesOver
	if stats.Measure() {
		cosine, ok, err := x.unrelated(ctx, space)
		if err != nil {
			return fmt.Errorf("calibrate: %w", err)
		}
		if ok {
			facts.Calibration, facts.Measured, changed = memoir.Calibration{Unrelated: cosine}, stats.Texts-stats.Failed, true
		}
	}
	if !changed {
		return nil
	}
	return x.store.PutSpace(ctx, space, facts)
}

func (x *Indexer) unrelated(ctx context.Context, space memoir.Space) (cosine float64, ok bool, err error) {
	var sample []memoir.SampledVector
	err = x.store.View(ctx, func(v memoir.View) (err error) {
		sample, err = v.Sample(ctx, space, sampleSize)
		return err
	})
	if err == nil {
		cosine, ok = unrelated(sample)
	}
	return cosine, ok, err
}

const (
	// sampleSize is how many vectors are compared with each other to learn the
	// cosine of unrelated texts in a space. They make some thirty thousand
	// pairs.
	sampleSize = 256
	// minPairs is how many pairs a measurement needs.
	minPairs = 100
	// farthest is the share of pairs that count as unrelated. The notes of one
	// person are about a few subjects, so the mean cosine of all pairs lies far
	// above that of unrelated texts.
	farthest = 0.01
)

// unrelated estimates the cosine of unrelated texts
// (docs/design/calibration.md). It compares different texts of different
// documents and returns the cosine below which the farthest hundredth of the
// pairs lies. ok is false when there are too few pairs.
func unrelated(sample []memoir.SampledVector) (cosine float64, ok bool) {
	norms := make([]float64, len(sample))
	for i, s := range sample {
		norms[i] = math.Sqrt(dot(s.Vector, s.Vector))
	}
	var cosines []float64
	for i, a := range sample {
		for j, b := range sample[:i] {
			if a.Doc != b.Doc && a.Hash != b.Hash {
				cosines = append(cosines, min(1, max(-1, dot(b.Vector, a.Vector)/(norms[i]*norms[j]))))
			}
		}
	}
	if len(cosines) < minPairs {
		return 0, false
	}
	slices.Sort(cosines)
	return cosines[int(farthest*float64(len(cosines)))], true
}

func dot(a, b []float32) (sum float64) {
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}
