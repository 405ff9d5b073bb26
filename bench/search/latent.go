package main

import (
	"math"
	"math/rand/v2"
	"sync"
)

// The vectors have the shape of real ones: 64 directions whose weights follow a
// power law, points round centres, noise in every direction, and a mean that is
// not zero. Each has length 1.
const (
	latentDimensions = 64
	latentCentres    = 2000
	latentSpread     = 0.7  // within a cluster, centres having 1
	latentNoise      = 0.25 // of the length
	latentMean       = 0.5  // of the length
	latentDecay      = 0.7  // exponent of the power law
)

// latent makes vectors. The same seed and number give the same vector.
type latent struct {
	seed       uint64
	dimensions int
	mean       []float32
	directions [latentDimensions][]float32 // scaled by their weight
	centres    [latentCentres][latentDimensions]float32
}

func newLatent(seed uint64, dimensions int) *latent {
	r := rand.New(rand.NewPCG(seed, 1<<63))
	l := &latent{seed: seed, dimensions: dimensions, mean: make([]float32, dimensions)}
	each := 1 / math.Sqrt(float64(dimensions)) // of the length of a vector, in one dimension
	for i := range l.mean {
		l.mean[i] = float32(latentMean * each * r.NormFloat64())
	}
	var total float64
	for k := range l.directions {
		total += math.Pow(float64(k+1), -2*latentDecay)
	}
	for k := range l.directions {
		weight := math.Pow(float64(k+1), -latentDecay) / math.Sqrt(total)
		l.directions[k] = make([]float32, dimensions)
		for i := range l.directions[k] {
			l.directions[k][i] = float32(weight * each * r.NormFloat64())
		}
	}
	for c := range l.centres {
		for k := range l.centres[c] {
			l.centres[c][k] = float32(r.NormFloat64())
		}
	}
	return l
}

// vector returns vector n.
func (l *latent) vector(n uint64) []float32 {
	r := rand.New(rand.NewPCG(l.seed, n))
	v := make([]float32, l.dimensions)
	copy(v, l.mean)
	noise := latentNoise / math.Sqrt(float64(l.dimensions))
	for i := range v {
		v[i] += float32(noise * r.NormFloat64())
	}
	centre := &l.centres[r.IntN(latentCentres)]
	for k, direction := range l.directions {
		weight := centre[k] + float32(latentSpread*r.NormFloat64())
		for i, x := range direction {
			v[i] += weight * x
		}
	}
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(squares))
	}
	return v
}

// batch returns vectors from one number to before another.
func (l *latent) batch(from, to int) [][]float32 {
	out := make([][]float32, to-from)
	var all sync.WaitGroup
	const goroutines = 2
	for g := range goroutines {
		all.Go(func() {
			for i := g; i < len(out); i += goroutines {
				out[i] = l.vector(uint64(from + i))
			}
		})
	}
	all.Wait()
	return out
}

// questions returns vectors that no batch has.
func (l *latent) questions(n int) [][]float32 {
	const from = 1 << 40
	return l.batch(from, from+n)
}
