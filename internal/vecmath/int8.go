package vecmath

import (
	"math"
	"unsafe"
)

// Int8Group is how many inputs of a row are multiplied at a time. The length of
// rows and panels of 8 bits is a multiple of it.
const Int8Group = 4

// An Int8Panel is a panel whose values are rounded to 8 bits, each column with
// a scale of its own.
type Int8Panel struct {
	// Weights are [K/4][32][4]: column j of row k is at 128*(k/4) + 4*j + k%4,
	// and stands for its value times Columns[j].
	Weights []int8
	// Columns are [4][32]: the scales of the 32 columns, the sums of the values of
	// each, as rounded, and two rows that rounding works in, so that it takes no
	// memory of its own.
	Columns []float32
}

// Int8Columns is the length of [Int8Panel.Columns].
const Int8Columns = 4 * PanelWidth

// An Int8Row says what the bytes of a quantised row stand for: byte q stands for
// about Scale*q + Offset.
type Int8Row struct{ Scale, Offset float32 }

// int8Step divides the number of values of every row.
const int8Step = 32

// An int8Set is the routines over 8-bit values of one implementation.
type int8Set struct {
	// signed says that the bytes of a row count as -128 to 127. If it is false,
	// they count as 0 to 255.
	signed bool
	// bounds returns the least and the largest of n values and 0, and the sum
	// of the values times 0: NaN when one of them is not finite.
	bounds func(x *float32, n int) (low, high, zero float32)
	// round writes n values as (x - low) * inverse, rounded to even, less 128
	// where the bytes are signed.
	round func(dst *byte, x *float32, n int, low, inverse float32)
	// columnMax writes the largest magnitudes of the 32 columns of k rows; a
	// value that is not finite counts as the largest of all.
	columnMax func(dst, panel *float32, k int)
	// pack writes a panel of k rows, each column times its factor, rounded, and
	// adds up the columns.
	pack func(dst *int8, panel *float32, k int, factors *float32, sums *int32)
	// scaleMax writes the largest magnitudes of the scales of 32 outputs over n
	// Q4 tiles, as columnMax does.
	scaleMax func(dst *float32, tiles *byte, n int)
	// packTiles writes n Q4 tiles as pack does; a factor is what a column's
	// scales are multiplied with, times 2048.
	packTiles func(dst *int8, tiles *byte, n int, factors *float32, sums *int32)
	// tiles multiply some rows with a panel, most rows first, one row last.
	tiles []int8Tile
}

// An int8Tile multiplies a fixed number of rows of k bytes with a panel and adds
// rows to start with, which may be those of c. Strides are in bytes.
type int8Tile struct {
	rows int
	step int // k is a multiple of it
	mul  int8Mul
}

type int8Mul func(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int)

// HasInt8 reports whether there are routines over 8-bit values for rows of k
// values. Only a processor that multiplies bytes faster than float32 has them.
func (k *Kernels) HasInt8(inner int) bool {
	return k.int8 != nil && inner > 0 && inner%int8Step == 0
}

// QuantizePanel rounds a panel, [K][32] values, to 8 bits and writes it to to.
// The Weights of to have as many values as the panel. A column with a value that is not
// finite gets a scale that is not finite.
func (k *Kernels) QuantizePanel(to Int8Panel, panel []float32) {
	inner := len(panel) / PanelWidth
	must(k.HasInt8(inner) && inner*PanelWidth == len(panel), "QuantizePanel of %d values", len(panel))
	must(len(to.Weights) == len(panel) && len(to.Columns) == Int8Columns, "QuantizePanel into %d values, %d columns", len(to.Weights), len(to.Columns))
	k.int8.columnMax(&to.Columns[0], &panel[0], inner)
	factors, sums := to.work()
	k.int8.pack(&to.Weights[0], &panel[0], inner, &factors[0], &sums[0])
	to.sum(sums)
}

// QuantizeTiles rounds the Q4 tiles of one panel, in the order of their inputs,
// to 8 bits. The result is that of DequantPanel and then QuantizePanel, except
// for the last bit of some weights. It is several times as fast as doing both.
func (k *Kernels) QuantizeTiles(to Int8Panel, tiles []byte) {
	n := len(tiles) / TileBytes
	must(k.HasInt8(n*TileInputs) && n*TileBytes == len(tiles), "QuantizeTiles of %d bytes", len(tiles))
	must(len(to.Weights) == n*TileInputs*PanelWidth && len(to.Columns) == Int8Columns, "QuantizeTiles into %d values, %d columns", len(to.Weights), len(to.Columns))
	k.int8.scaleMax(&to.Columns[0], &tiles[0], n)
	for j := range PanelWidth {
		to.Columns[j] *= 8 // the largest magnitude of a nibble's value
	}
	factors, sums := to.work()
	for j := range factors {
		factors[j] *= 1 << 11
	}
	k.int8.packTiles(&to.Weights[0], &tiles[0], n, &factors[0], &sums[0])
	to.sum(sums)
}

// work turns the columns' largest magnitudes into their scales. It returns the
// factors that the columns are multiplied by before they are rounded, and sums of 0.
func (p Int8Panel) work() (factors *[PanelWidth]float32, sums *[PanelWidth]int32) {
	scales := (*[PanelWidth]float32)(p.Columns)
	sums = (*[PanelWidth]int32)(unsafe.Pointer(&p.Columns[2*PanelWidth]))
	factors = (*[PanelWidth]float32)(p.Columns[3*PanelWidth:])
	*factors, *sums = [PanelWidth]float32{}, [PanelWidth]int32{}
	for j, highest := range scales {
		scales[j] = highest / math.MaxInt8
		if scales[j] > 0 && !math.IsInf(float64(highest), 0) {
			factors[j] = 1 / scales[j]
		}
	}
	return factors, sums
}

// sum takes the sums of the columns' weights.
func (p Int8Panel) sum(sums *[PanelWidth]int32) {
	for j, sum := range sums {
		p.Columns[PanelWidth+j] = float32(sum) * p.Columns[j]
	}
}

// QuantizeRow rounds a row to 8 bits between its least and its largest value.
// A row with a value that is not finite gets an Offset that is NaN.
func (k *Kernels) QuantizeRow(dst []byte, x []float32) Int8Row {
	must(k.HasInt8(len(x)) && len(dst) == len(x), "QuantizeRow of %d values into %d bytes", len(x), len(dst))
	low, high, zero := k.int8.bounds(&x[0], len(x))
	row := Int8Row{Scale: (high - low) / math.MaxUint8, Offset: low + zero}
	inverse := math.MaxUint8 / (high - low)
	if !(inverse <= math.MaxFloat32) { // a row of zeros, or next to it
		inverse = 0
	}
	k.int8.round(&dst[0], &x[0], len(x), low, inverse)
	if k.int8.signed {
		row.Offset += 128 * row.Scale
	}
	return row
}

// zeros are what a product starts with; nothing writes to them.
var zeros [PanelWidth]float32

// MulPanelInt8 multiplies quantised rows with a quantised panel:
// c[i][j] = sum over k of a[i][k] * panel[k][j] for the values that the bytes
// stand for. The sums are exact; only the result is rounded to float32. Row i
// of a starts at i*lda and is described by rows[i], row i of c starts at i*ldc.
func (k *Kernels) MulPanelInt8(c []float32, ldc int, a []byte, lda int, rows []Int8Row, panel Int8Panel) {
	k.checkInt8(c, ldc, a, lda, rows, panel)
	tiles, m := k.int8Tiles(panel), len(rows)
	for i := 0; i < m; {
		t := &tiles[pickTile(len(tiles), func(i int) int { return tiles[i].rows }, m, m-i)]
		// The last tile may repeat rows of the tile before it. They get the same bits.
		first := min(i, m-t.rows)
		t.mul(panel.inner(), &a[first*lda], lda, &rows[first], &panel.Weights[0], &panel.Columns[0], &c[first*ldc], 4*ldc, &zeros[0], 0)
		i = first + t.rows
	}
}

// AddMulPanelInt8 is like MulPanelInt8, but adds the products to c. It serves
// rows and panels that are quantised in parts.
func (k *Kernels) AddMulPanelInt8(c []float32, ldc int, a []byte, lda int, rows []Int8Row, panel Int8Panel) {
	k.checkInt8(c, ldc, a, lda, rows, panel)
	tiles, m := k.int8Tiles(panel), len(rows)
	for i := 0; i < m; {
		t := &tiles[0]
		for t.rows > m-i {
			tiles = tiles[1:]
			t = &tiles[0]
		}
		t.mul(panel.inner(), &a[i*lda], lda, &rows[i], &panel.Weights[0], &panel.Columns[0], &c[i*ldc], 4*ldc, &c[i*ldc], 4*ldc)
		i += t.rows
	}
}

func (p Int8Panel) inner() int { return len(p.Weights) / PanelWidth }

// int8Tiles returns the tiles that take a panel.
func (k *Kernels) int8Tiles(panel Int8Panel) []int8Tile {
	tiles := k.int8.tiles
	for panel.inner()%tiles[0].step != 0 {
		tiles = tiles[1:]
	}
	return tiles
}

func (k *Kernels) checkInt8(c []float32, ldc int, a []byte, lda int, rows []Int8Row, panel Int8Panel) {
	inner, m := panel.inner(), len(rows)
	must(k.HasInt8(inner) && inner*PanelWidth == len(panel.Weights) && len(panel.Columns) == Int8Columns,
		"MulPanelInt8 with a panel of %d values, %d columns", len(panel.Weights), len(panel.Columns))
	must(lda >= inner && ldc >= PanelWidth, "MulPanelInt8 with strides %d and %d", lda, ldc)
	if m > 0 {
		must(len(a) >= (m-1)*lda+inner, "MulPanelInt8 of %d rows of %d with %d bytes", m, inner, len(a))
		must(len(c) >= (m-1)*ldc+PanelWidth, "MulPanelInt8 of %d rows into %d values", m, len(c))
	}
}

// right tries every tile on numbers whose products are known.
func (s *int8Set) right() bool {
	const inner = 128
	weights := make([]int8, inner*PanelWidth)
	for i := range weights {
		weights[i] = int8(i*37 + i>>8)
	}
	columns := make([]float32, Int8Columns)
	for j := range PanelWidth {
		columns[j] = 1
	}
	for _, t := range s.tiles {
		a, rows := make([]byte, t.rows*inner), make([]Int8Row, t.rows)
		for i := range a {
			a[i] = byte(i*101 + i>>7)
		}
		for i := range rows {
			rows[i].Scale = 1
		}
		c := make([]float32, t.rows*PanelWidth)
		start := func(i int) int { return i * 3 }
		for i := range c {
			c[i] = float32(start(i))
		}
		t.mul(inner, &a[0], inner, &rows[0], &weights[0], &columns[0], &c[0], 4*PanelWidth, &c[0], 4*PanelWidth)
		for i := range c {
			if int(c[i])-start(i) != s.product(a[i/PanelWidth*inner:][:inner], weights, i%PanelWidth) {
				return false
			}
		}
	}
	return true
}

// product multiplies a row with a column in plain Go.
func (s *int8Set) product(a []byte, weights []int8, column int) int {
	sum := 0
	for i, b := range a {
		v := int(b)
		if s.signed {
			v = int(int8(b))
		}
		sum += v * int(weights[i/Int8Group*Int8Group*PanelWidth+Int8Group*column+i%Int8Group])
	}
	return sum
}

// int8Halves is [halves] for bytes.
func int8Halves(mul int8Mul) int8Mul {
	const half = PanelWidth / 2
	return func(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int) {
		mul(k, a, lda, scales, panel, columns, c, ldc, start, lds)
		mul(k, a, lda, scales, &unsafe.Slice(panel, PanelWidth*Int8Group)[half*Int8Group],
			&unsafe.Slice(columns, Int8Columns)[half], &unsafe.Slice(c, PanelWidth)[half], ldc,
			&unsafe.Slice(start, PanelWidth)[half], lds)
	}
}
