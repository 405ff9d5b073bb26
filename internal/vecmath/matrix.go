package vecmath

import "unsafe"

// A Q4 tile holds the weights of 32 inputs and the 32 outputs of a panel: 32
// half-precision scales (little-endian, one per output), then for each input 16
// bytes, byte j with the weight of output j in the low nibble and of output
// j+16 in the high one. A weight is (nibble - 8) * scale.
const (
	// TileInputs is the number of inputs that a tile covers.
	TileInputs = 32
	// TileBytes is the size of a tile.
	TileBytes = 2*PanelWidth + TileInputs*PanelWidth/2
)

// MulPanel multiplies m rows of a with a panel: c[i][j] = sum over k of
// a[i][k] * panel[k][j], for the 32 columns j of the panel. K is
// len(panel)/[PanelWidth], at least 1. Row i of a starts at i*lda, row i of c at
// i*ldc. c must not overlap a or the panel.
func (k *Kernels) MulPanel(c []float32, ldc int, a []float32, lda, m int, panel []float32) {
	inner := len(panel) / PanelWidth
	must(inner > 0 && inner*PanelWidth == len(panel), "MulPanel with a panel of %d values", len(panel))
	must(m >= 0 && lda >= inner && ldc >= PanelWidth, "MulPanel of %d rows with strides %d and %d", m, lda, ldc)
	if m == 0 {
		return
	}
	must(len(a) >= (m-1)*lda+inner, "MulPanel of %d rows of %d with %d values", m, inner, len(a))
	must(len(c) >= (m-1)*ldc+PanelWidth, "MulPanel of %d rows into %d values", m, len(c))
	for i := 0; i < m; {
		t := &k.tiles[pickTile(len(k.tiles), func(i int) int { return k.tiles[i].rows }, m, m-i)]
		// The last tile may repeat rows of the tile before it. They get the same bits.
		first := min(i, m-t.rows)
		t.mul(inner, &a[first*lda], 4*lda, &panel[0], &c[first*ldc], 4*ldc)
		i = first + t.rows
	}
}

// pickTile returns which of n tiles, the tallest first, takes the last left
// rows of m: the smallest that covers them all without reaching before the
// first row, else the largest that they fill.
func pickTile(n int, rows func(i int) int, m, left int) int {
	filled, covering := -1, -1
	for i := range n {
		if h := rows(i); h >= left && h <= m {
			covering = i
		} else if h <= left && filled < 0 {
			filled = i
		}
	}
	if covering >= 0 {
		return covering
	}
	return filled
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

// DequantPanel unpacks the Q4 tiles of one panel, in the order of their inputs,
// into dst, [K][32] values. The values are exact.
func (k *Kernels) DequantPanel(dst []float32, tiles []byte) {
	n := len(tiles) / TileBytes
	must(n > 0 && n*TileBytes == len(tiles), "DequantPanel of %d bytes", len(tiles))
	must(len(dst) == n*TileInputs*PanelWidth, "DequantPanel of %d tiles into %d values", n, len(dst))
	k.dequant(&dst[0], &tiles[0], n)
}

// TransposePanel writes rows of src, at most 32, as the columns of a panel: dst
// is [K][32] values, dst[i][j] = src[j*stride+i]. Columns without a row are 0.
func (k *Kernels) TransposePanel(dst, src []float32, stride, rows int) {
	inner := len(dst) / PanelWidth
	must(inner > 0 && inner*PanelWidth == len(dst), "TransposePanel into %d values", len(dst))
	must(rows > 0 && rows <= PanelWidth && stride >= inner, "TransposePanel of %d rows, %d apart", rows, stride)
	must(len(src) >= (rows-1)*stride+inner, "TransposePanel of %d rows of %d with %d values", rows, inner, len(src))
	j := 0
	if k.transpose8 != nil && inner%8 == 0 {
		for ; j+8 <= rows; j += 8 {
			k.transpose8(&dst[j], &src[j*stride], 4*stride, inner)
		}
	}
	for ; j < rows; j++ {
		for i, v := range src[j*stride : j*stride+inner] {
			dst[i*PanelWidth+j] = v
		}
	}
	if rows < PanelWidth {
		for i := range inner {
			clear(dst[i*PanelWidth+rows : (i+1)*PanelWidth])
		}
	}
}
