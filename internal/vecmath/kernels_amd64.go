package vecmath

import "golang.org/x/sys/cpu"

// archKernels returns what this processor and its operating system support.
func archKernels() []*Kernels {
	var found []*Kernels
	haveAVX2 := cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C
	haveAVX512 := haveAVX2 && cpu.X86.HasAVX512F
	haveVNNI := haveAVX512 && cpu.X86.HasAVX512VNNI && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL
	if haveVNNI && amxGranted() {
		tiles := append([]int8Tile{{32, 64, int8TileAMX}}, avx512VNNITiles()...)
		found = appendIfRight(found, withInt8(avx512(), "amx", tiles, dotsAVX512VNNI))
	}
	if haveVNNI {
		found = append(found, withInt8(avx512(), "avx512vnni", avx512VNNITiles(), dotsAVX512VNNI))
	}
	if haveAVX512 {
		found = append(found, avx512())
	}
	if haveAVX2 && cpu.X86.HasAVXVNNI {
		found = appendIfRight(found, withInt8(avx2(), "avxvnni", avxVNNITiles(), dotsAVXVNNI))
	}
	if haveAVX2 {
		found = append(found, avx2())
	}
	return found
}

// withInt8 adds routines over 8-bit values to those over float32.
func withInt8(k *Kernels, name string, tiles []int8Tile, dots func(*int32, *int8, *byte, int, int, int)) *Kernels {
	k.name, k.dots = name, dots
	k.int8 = &int8Set{
		bounds:    boundsAVX2,
		round:     roundAVX2,
		columnMax: columnMaxAVX2,
		pack:      packAVX2,
		scaleMax:  scaleMaxAVX2,
		packTiles: packTilesAVX2,
		tiles:     tiles,
	}
	if k.lanes == 16 { // with VNNI, as every caller has it
		k.int8.packTiles = packTilesAVX512VNNI
	}
	return k
}

func avx512VNNITiles() []int8Tile {
	return []int8Tile{
		{12, 4, int8Tile12AVX512VNNI},
		{8, 4, int8Tile8AVX512VNNI},
		{4, 4, int8Tile4AVX512VNNI},
		{2, 4, int8Tile2AVX512VNNI},
		{1, 4, int8Tile1AVX512VNNI},
	}
}

func avxVNNITiles() []int8Tile {
	return []int8Tile{
		{6, 4, int8Halves(int8Tile6AVXVNNI)},
		{4, 4, int8Halves(int8Tile4AVXVNNI)},
		{2, 4, int8Halves(int8Tile2AVXVNNI)},
		{1, 4, int8Halves(int8Tile1AVXVNNI)},
	}
}

func avx512() *Kernels {
	hamming := hammingAVX2
	if cpu.X86.HasAVX512VPOPCNTDQ {
		hamming = hammingAVX512
	}
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
		dots:    dotsAVX2,
		hamming: hamming,
		readSum: readSumAVX2,
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
		dots:    dotsAVX2,
		hamming: hammingAVX2,
		readSum: readSumAVX2,
	}
}

// int8TileAMX lends the routine memory for its sums.
func int8TileAMX(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int) {
	var sums [32 * PanelWidth]int32
	int8Tile32AMX(k, a, lda, scales, panel, columns, c, ldc, start, lds, &sums[0])
}

// appendIfRight appends routines that give right results in a trial. Their
// instructions are written as bytes, which no assembler has checked.
func appendIfRight(found []*Kernels, k *Kernels) []*Kernels {
	if !k.int8.right() || !k.dotsRight() {
		return found
	}
	return append(found, k)
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

//go:noescape
func boundsAVX2(x *float32, n int) (low, high, zero float32)

//go:noescape
func roundAVX2(dst *byte, x *float32, n int, low, inverse float32)

//go:noescape
func columnMaxAVX2(dst, panel *float32, k int)

//go:noescape
func packAVX2(dst *int8, panel *float32, k int, factors *float32, sums *int32)

//go:noescape
func int8Tile12AVX512VNNI(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int)

//go:noescape
func int8Tile8AVX512VNNI(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int)

//go:noescape
func int8Tile4AVX512VNNI(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int)

//go:noescape
func int8Tile2AVX512VNNI(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int)

//go:noescape
func int8Tile1AVX512VNNI(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int)

//go:noescape
func int8Tile6AVXVNNI(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int)

//go:noescape
func int8Tile4AVXVNNI(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int)

//go:noescape
func int8Tile2AVXVNNI(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int)

//go:noescape
func int8Tile1AVXVNNI(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int)

//go:noescape
func int8Tile32AMX(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int, sums *int32)

//go:noescape
func scaleMaxAVX2(dst *float32, tiles *byte, n int)

//go:noescape
func packTilesAVX2(dst *int8, tiles *byte, n int, factors *float32, sums *int32)

//go:noescape
func packTilesAVX512VNNI(dst *int8, tiles *byte, n int, factors *float32, sums *int32)

//go:noescape
func dotsAVX512VNNI(dst *int32, query *int8, rows *byte, stride, n, count int)

//go:noescape
func dotsAVXVNNI(dst *int32, query *int8, rows *byte, stride, n, count int)

//go:noescape
func dotsAVX2(dst *int32, query *int8, rows *byte, stride, n, count int)

//go:noescape
func hammingAVX512(dst *int32, query, rows *uint64, words, count int)

//go:noescape
func hammingAVX2(dst *int32, query, rows *uint64, words, count int)

//go:noescape
func readSumAVX2(p *byte, n int) uint64
