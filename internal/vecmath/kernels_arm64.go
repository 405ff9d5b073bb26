package vecmath

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// archKernels returns what this processor supports: NEON is part of arm64, the
// products of bytes are not (FEAT_DotProd). Every Mac has them, which macOS
// tells from version 13 on.
func archKernels() []*Kernels {
	if cpu.ARM64.HasASIMDDP || runtime.GOOS == "darwin" {
		return []*Kernels{neonDot(), neon()}
	}
	return []*Kernels{neon()}
}

// neonDot returns the routines of [neon] and those over 8-bit values.
func neonDot() *Kernels {
	k := neon()
	k.name, k.dots = "neondot", dotsSDOT
	k.int8 = &int8Set{
		signed:    true,
		bounds:    boundsNEON,
		round:     roundNEON,
		columnMax: columnMaxNEON,
		pack:      packNEON,
		scaleMax:  scaleMaxNEON,
		packTiles: packTilesNEON,
		tiles: []int8Tile{
			{6, 16, int8Halves(int8Tile6SDOT)},
			{4, 16, int8Halves(int8Tile4SDOT)},
			{2, 16, int8Tile2SDOT},
			{1, 16, int8Tile1SDOT},
		},
	}
	return k
}

func neon() *Kernels {
	return &Kernels{
		name:       "neon",
		lanes:      4,
		dot:        dotNEON,
		max:        maxNEON,
		add:        addNEON,
		scale:      scaleNEON,
		expSum:     expSumNEON,
		biasGELU:   biasGELUNEON,
		addSum:     addSumNEON,
		sumSquares: sumSquaresNEON,
		scaleShift: scaleShiftNEON,
		dequant:    dequantNEON,
		transpose8: transpose8NEON,
		tiles: []tile{
			{6, halves(tile6NEON)},
			{4, halves(tile4NEON)},
			{2, tile2NEON},
			{1, tile1NEON},
		},
		dots:    dotsNEON,
		hamming: hammingNEON,
		readSum: readSumNEON,
	}
}

//go:noescape
func dotNEON(a, b *float32, n int) float32

//go:noescape
func maxNEON(x *float32, n int) float32

//go:noescape
func addNEON(x, y *float32, n int)

//go:noescape
func scaleNEON(x *float32, n int, factor float32)

//go:noescape
func expSumNEON(x *float32, n int, max, scale float32) (sum float32)

//go:noescape
func biasGELUNEON(x, b *float32, n int)

//go:noescape
func addSumNEON(x, r, b *float32, n int) (sum float32)

//go:noescape
func sumSquaresNEON(x *float32, n int, mean float32) (sum float32)

//go:noescape
func scaleShiftNEON(x, gamma, beta *float32, n int, mean, inverse float32)

//go:noescape
func dequantNEON(dst *float32, tiles *byte, n int)

//go:noescape
func transpose8NEON(dst, src *float32, stride, n int)

//go:noescape
func tile6NEON(k int, a *float32, lda int, panel *float32, c *float32, ldc int)

//go:noescape
func tile4NEON(k int, a *float32, lda int, panel *float32, c *float32, ldc int)

//go:noescape
func tile2NEON(k int, a *float32, lda int, panel *float32, c *float32, ldc int)

//go:noescape
func tile1NEON(k int, a *float32, lda int, panel *float32, c *float32, ldc int)

//go:noescape
func boundsNEON(x *float32, n int) (low, high, zero float32)

//go:noescape
func roundNEON(dst *byte, x *float32, n int, low, inverse float32)

//go:noescape
func columnMaxNEON(dst, panel *float32, k int)

//go:noescape
func packNEON(dst *int8, panel *float32, k int, factors *float32, sums *int32)

//go:noescape
func scaleMaxNEON(dst *float32, tiles *byte, n int)

//go:noescape
func packTilesNEON(dst *int8, tiles *byte, n int, factors *float32, sums *int32)

//go:noescape
func int8Tile6SDOT(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int)

//go:noescape
func int8Tile4SDOT(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int)

//go:noescape
func int8Tile2SDOT(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int)

//go:noescape
func int8Tile1SDOT(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int)

//go:noescape
func dotsSDOT(dst *int32, query *int8, rows *byte, stride, n, count int)

//go:noescape
func dotsNEON(dst *int32, query *int8, rows *byte, stride, n, count int)

//go:noescape
func hammingNEON(dst *int32, query, rows *uint64, words, count int)

//go:noescape
func readSumNEON(p *byte, n int) uint64
