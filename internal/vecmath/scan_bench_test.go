package vecmath

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
	"unsafe"
)

// scanBatch is how many rows a scan compares at a time.
const scanBatch = 512

// benchScan runs scan, which compares a query with rows of so many values and
// bytes, over a matrix beyond the caches for every implementation, in turns with
// a plain read of the same bytes. It reports the medians of both and of how many
// times as long the scan takes. MEMOIR_BENCH_CHUNKS adds a number of rows.
func benchScan(b *testing.B, bytes func(values int) int, scan func(k *Kernels, rows []byte, values, count int)) {
	counts := []int{100_000}
	if n, err := strconv.Atoi(os.Getenv("MEMOIR_BENCH_CHUNKS")); err == nil {
		counts = append(counts, n)
	}
	for _, count := range counts {
		for _, values := range []int{384, 768} {
			b.Run(fmt.Sprintf("rows=%d/values=%d", count, values), func(b *testing.B) {
				rows := scanMatrix(count * bytes(values))
				plain := Available()[0]
				benchKernels(b, func(b *testing.B, k *Kernels) {
					var scans, reads, ratios []float64
					for b.Loop() {
						start := time.Now()
						scan(k, rows, values, count)
						middle := time.Now()
						plain.ReadSum(rows[:len(rows)/64*64])
						end := time.Now()
						scans = append(scans, float64(len(rows))/float64(middle.Sub(start)))
						reads = append(reads, float64(len(rows))/float64(end.Sub(middle)))
						ratios = append(ratios, float64(middle.Sub(start))/float64(end.Sub(middle)))
					}
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(median(scans), "GB/s")
					b.ReportMetric(median(reads), "read-GB/s")
					b.ReportMetric(median(ratios), "x-read")
				})
			})
		}
	}
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// scanMatrix returns so many bytes, a multiple of 8, of random bits.
func scanMatrix(n int) []byte {
	words := make([]uint64, n/8)
	r := rand.NewPCG(31, 1)
	for i := range words {
		words[i] = r.Uint64()
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n)
}

func BenchmarkDotsInt8(b *testing.B) {
	query, dst := randomQuery(rand.New(rand.NewPCG(32, 1)), 768), make([]int32, scanBatch)
	benchScan(b, func(values int) int { return values }, func(k *Kernels, rows []byte, values, count int) {
		for first := 0; first < count; first += scanBatch {
			k.DotsInt8(dst[:min(scanBatch, count-first)], query[:values], rows[first*values:], values)
		}
	})
}

func BenchmarkHamming(b *testing.B) {
	query, dst := randomWords(rand.New(rand.NewPCG(33, 1)), 768/64), make([]int32, scanBatch)
	benchScan(b, func(values int) int { return values / 8 }, func(k *Kernels, rows []byte, values, count int) {
		words, all := values/64, unsafe.Slice((*uint64)(unsafe.Pointer(&rows[0])), len(rows)/8)
		for first := 0; first < count; first += scanBatch {
			k.Hamming(dst[:min(scanBatch, count-first)], query[:words], all[first*words:])
		}
	})
}

func BenchmarkQuantizeVector(b *testing.B) {
	v, row := random(rand.New(rand.NewPCG(34, 1)), 384), make([]byte, 384)
	b.SetBytes(4 * int64(len(v)))
	for b.Loop() {
		QuantizeVector(row, v)
	}
}
