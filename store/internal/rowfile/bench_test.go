package rowfile_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/vecmath"
	"github.com/memoir-ai/memoir/store/internal/rowfile"
)

// BenchmarkBest finds the nearest 100 rows, in turns with a plain read of as
// many bytes as they have, and reports how many times as long it takes
// (medians). MEMOIR_BENCH_CHUNKS adds a number of rows.
func BenchmarkBest(b *testing.B) {
	counts := []int{6_600, 100_000}
	if n, err := strconv.Atoi(os.Getenv("MEMOIR_BENCH_CHUNKS")); err == nil {
		counts = append(counts, n)
	}
	kernels := vecmath.Available()[0]
	for _, count := range counts {
		for _, values := range []int{384, 768} {
			b.Run(fmt.Sprintf("rows=%d/values=%d", count, values), func(b *testing.B) {
				s := randomSet(b, count, values)
				v := make([]float32, values)
				for i := range v {
					v[i] = float32(i%7) - 3
				}
				q, _ := s.NewQuery(kernels, v)
				plain := make([]byte, count*values/64*64)
				for i := range plain {
					plain[i] = byte(i)
				}
				var scans, reads []float64
				for b.Loop() {
					start := time.Now()
					s.Best(q, 100, float32(math.Inf(-1)), func(int64) bool { return true })
					middle := time.Now()
					kernels.ReadSum(plain)
					scans, reads = append(scans, float64(middle.Sub(start))), append(reads, float64(time.Since(middle)))
				}
				slices.Sort(scans)
				slices.Sort(reads)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(scans[len(scans)/2]/1e6, "ms")
				b.ReportMetric(scans[len(scans)/2]/reads[len(reads)/2], "x-read")
			})
		}
	}
}

func randomSet(b *testing.B, count, values int) *rowfile.Set {
	r := rand.New(rand.NewPCG(6, 6))
	noise := make([]float32, 1<<16)
	for i := range noise {
		noise[i] = float32(r.NormFloat64())
	}
	key, path := rowfile.Key{Dimensions: values}, filepath.Join(b.TempDir(), "rows")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	to := rowfile.NewBuilder(key, 0, func(block []byte) error {
		_, err := f.Write(block)
		return err
	})
	for i := range count {
		if err := to.Add(int64(i+1), int64(i+1), noise[r.IntN(len(noise)-values):][:values]); err != nil {
			b.Fatal(err)
		}
	}
	if err := errors.Join(to.Close(int64(count)), f.Close()); err != nil {
		b.Fatal(err)
	}
	s, err := rowfile.Open(path, key, false)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}
