package vecmath

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate go run ./asmgen

// archKernels returns what this processor and its operating system support.
func archKernels() []*Kernels {
	var found []*Kernels
	haveAVX2 := cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C
	if haveAVX2 && cpu.X86.HasAVX512F {
		found = append(found, avx512())
	}
	if haveAVX2 {
		found = append(found, avx2())
	}
	return found
}

func avx512() *Kernels {
	return &Kernels{
		name:       "avx512",
		lanes:      16,
		dot:        dotAVX512,
		max:        maxAVX512,
		add:        addAVX512,
		scale:      scaleAVX512,
		expSum:     expSumAVX512,
		biasGELU:   biasGELUAVX512,
		addSum:     addSumAVX512,
		sumSquares: sumSquaresAVX512,
		scaleShift: scaleShiftAVX512,
		dequant:    dequantAVX512,
		transpose8: transpose8AVX2,
		tiles: []tile{
			{12, tile12AVX512},
			{8, tile8AVX512},
			{4, tile4AVX512},
			{2, tile2AVX512},
			{1, tile1AVX512},
		},
	}
}

func avx2() *Kernels {
	return &Kernels{
		name:       "avx2",
		lanes:      8,
		dot:        dotAVX2,
		max:        maxAVX2,
		add:        addAVX2,
		scale:      scaleAVX2,
		expSum:     expSumAVX2,
		biasGELU:   biasGELUAVX2,
		addSum:     addSumAVX2,
		sumSquares: sumSquaresAVX2,
		scaleShift: scaleShiftAVX2,
		dequant:    dequantAVX2,
		transpose8: transpose8AVX2,
		tiles: []tile{
			{6, halves(tile6AVX2)},
			{4, halves(tile4AVX2)},
			{2, halves(tile2AVX2)},
			{1, halves(tile1AVX2)},
		},
	}
}

// halves makes a tile of a routine that covers 16 columns: it runs on the left
// and the right half of the panel.
func halves(mul func(k int, a *float32, lda int, panel *float32, c *float32, ldc int)) func(int, *float32, int, *float32, *float32, int) {
	const half = PanelWidth / 2
	return func(k int, a *float32, lda int, panel *float32, c *float32, ldc int) {
		mul(k, a, lda, panel, c, ldc)
		mul(k, a, lda, &unsafe.Slice(panel, PanelWidth)[half], &unsafe.Slice(c, PanelWidth)[half], ldc)
	}
}

//go:noescape
func dotAVX512(a, b *float32, n int) float32

//go:noescape
func maxAVX512(x *float32, n int) float32

//go:noescape
func addAVX512(x, y *float32, n int)

//go:noescape
func scaleAVX512(x *float32, n int, factor float32)

//go:noescape
func expSumAVX512(x *float32, n int, max, scale float32) (sum float32)

//go:noescape
func biasGELUAVX512(x, b *float32, n int)

//go:noescape
func addSumAVX512(x, r, b *float32, n int) (sum float32)

//go:noescape
func sumSquaresAVX512(x *float32, n int, mean float32) (sum float32)

//go:noescape
func scaleShiftAVX512(x, gamma, beta *float32, n int, mean, inverse float32)

//go:noescape
func dequantAVX512(dst *float32, tiles *byte, n int)

//go:noescape
func tile12AVX512(k int, a *float32, lda int, panel *float32, c *float32, ldc int)

//go:noescape
func tile8AVX512(k int, a *float32, lda int, panel *float32, c *float32, ldc int)

//go:noescape
func tile4AVX512(k int, a *float32, lda int, panel *float32, c *float32, ldc int)

//go:noescape
func tile2AVX512(k int, a *float32, lda int, panel *float32, c *float32, ldc int)

//go:noescape
func tile1AVX512(k int, a *float32, lda int, panel *float32, c *float32, ldc int)

//go:noescape
func dotAVX2(a, b *float32, n int) float32

//go:noescape
func maxAVX2(x *float32, n int) float32

//go:noescape
func addAVX2(x, y *float32, n int)

//go:noescape
func scaleAVX2(x *float32, n int, factor float32)

//go:noescape
func expSumAVX2(x *float32, n int, max, scale float32) (sum float32)

//go:noescape
func biasGELUAVX2(x, b *float32, n int)

//go:noescape
func addSumAVX2(x, r, b *float32, n int) (sum float32)

//go:noescape
func sumSquaresAVX2(x *float32, n int, mean float32) (sum float32)

//go:noescape
func scaleShiftAVX2(x, gamma, beta *float32, n int, mean, inverse float32)

//go:noescape
func dequantAVX2(dst *float32, tiles *byte, n int)

//go:noescape
func tile6AVX2(k int, a *float32, lda int, panel *float32, c *float32, ldc int)

//go:noescape
func tile4AVX2(k int, a *float32, lda int, panel *float32, c *float32, ldc int)

//go:noescape
func tile2AVX2(k int, a *float32, lda int, panel *float32, c *float32, ldc int)

//go:noescape
func tile1AVX2(k int, a *float32, lda int, panel *float32, c *float32, ldc int)

//go:noescape
func transpose8AVX2(dst, src *float32, stride, n int)
