package vecmath

// archKernels returns what this processor supports: NEON is part of arm64.
func archKernels() []*Kernels { return []*Kernels{neon()} }

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
