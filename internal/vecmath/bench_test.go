package vecmath

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchKernels runs a benchmark for every implementation of this machine.
func benchKernels(b *testing.B, f func(b *testing.B, k *Kernels)) {
	for _, k := range Available() {
		b.Run("cpu="+k.String(), func(b *testing.B) { f(b, k) })
	}
}

// BenchmarkMulPanel multiplies the shapes of an encoder with 384 dimensions.
func BenchmarkMulPanel(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 1))
	for _, size := range []struct{ m, k int }{{16, 384}, {250, 32}, {250, 384}, {512, 384}, {250, 1536}} {
		b.Run(fmt.Sprintf("m=%d/k=%d", size.m, size.k), func(b *testing.B) {
			benchKernels(b, func(b *testing.B, k *Kernels) {
				a, panel := random(r, size.m*size.k), random(r, size.k*PanelWidth)
				c := make([]float32, size.m*PanelWidth)
				for b.Loop() {
					k.MulPanel(c, PanelWidth, a, size.k, size.m, panel)
				}
				flop := 2 * float64(size.m) * float64(size.k) * PanelWidth * float64(b.N)
				b.ReportMetric(flop/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		})
	}
}

func BenchmarkDequantPanel(b *testing.B) {
	const n = 12 // 384 inputs
	benchKernels(b, func(b *testing.B, k *Kernels) {
		tiles, panel := make([]byte, n*TileBytes), make([]float32, n*TileInputs*PanelWidth)
		b.SetBytes(4 * int64(len(panel)))
		for b.Loop() {
			k.DequantPanel(panel, tiles)
		}
	})
}

// BenchmarkQuantizeTiles rounds the weights of 32 outputs to 8 bits, which is half of
// the time of a short question.
func BenchmarkQuantizeTiles(b *testing.B) {
	const n = 12 // 384 inputs
	r := rand.New(rand.NewPCG(17, 1))
	benchKernels(b, func(b *testing.B, k *Kernels) {
		if !k.HasInt8(n * TileInputs) {
			b.Skip("this implementation has no products of bytes")
		}
		tiles := make([]byte, n*TileBytes)
		for i := range tiles {
			tiles[i] = byte(r.Uint32()) & 0x3f
		}
		panel := Int8Panel{make([]int8, n*TileInputs*PanelWidth), make([]float32, Int8Columns)}
		b.SetBytes(int64(len(panel.Weights)))
		for b.Loop() {
			k.QuantizeTiles(panel, tiles)
		}
	})
}

// BenchmarkVectors runs each routine over one row of the size the encoder uses.
func BenchmarkVectors(b *testing.B) {
	r := rand.New(rand.NewPCG(10, 1))
	x, y, z := random(r, 1536), random(r, 1536), random(r, 1536)
	for _, test := range []struct {
		name string
		run  func(k *Kernels)
	}{
		{"Dot/n=384", func(k *Kernels) { k.Dot(x[:384], y[:384]) }},
		{"SoftmaxExp/n=256", func(k *Kernels) { copy(x, z[:256]); k.SoftmaxExp(x[:256], 0.2) }},
		{"BiasGELU/n=1536", func(k *Kernels) { copy(x, z); k.BiasGELU(x, y) }},
		{"AddLayerNorm/n=384", func(k *Kernels) { k.AddLayerNorm(x[:384], y[:384], y[:384], z[:384], z[:384], 1e-12) }},
		{"TransposePanel/k=32", func(k *Kernels) { k.TransposePanel(x[:1024], z[:1024], 32, 32) }},
	} {
		b.Run(test.name, func(b *testing.B) {
			benchKernels(b, func(b *testing.B, k *Kernels) {
				for b.Loop() {
					test.run(k)
				}
			})
		})
	}
}
