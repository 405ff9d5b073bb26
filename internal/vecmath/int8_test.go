package vecmath

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// eachInt8 runs a test for every implementation that multiplies bytes.
func eachInt8(t *testing.T, f func(t *testing.T, k *Kernels)) {
	for _, k := range Available() {
		if k.HasInt8(64) {
			t.Run(k.String(), func(t *testing.T) { f(t, k) })
		}
	}
}

func quantizePanel(k *Kernels, panel []float32) Int8Panel {
	p := Int8Panel{Weights: make([]int8, len(panel)), Columns: make([]float32, Int8Columns)}
	k.QuantizePanel(p, panel)
	return p
}

// TestQuantizePanel compares with plain Go; every number is exact.
func TestQuantizePanel(t *testing.T) {
	eachInt8(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(11, 1))
		for _, inner := range []int{32, 64, 384} {
			panel := random(r, inner*PanelWidth)
			for i := range inner {
				panel[i*PanelWidth+7] = 0 // a column of nothing
			}
			got := quantizePanel(k, panel)
			want := Int8Panel{make([]int8, len(panel)), make([]float32, Int8Columns)}
			for j := range PanelWidth {
				var highest float32
				for i := range inner {
					highest = max(highest, float32(math.Abs(float64(panel[i*PanelWidth+j]))))
				}
				var factor float32
				want.Columns[j] = highest / 127
				if highest > 0 {
					factor = 1 / want.Columns[j]
				}
				sum := 0
				for i := range inner {
					v := int8(math.RoundToEven(float64(panel[i*PanelWidth+j] * factor)))
					want.Weights[i/4*128+4*j+i%4] = v
					sum += int(v)
				}
				want.Columns[PanelWidth+j] = float32(sum) * want.Columns[j]
			}
			clear(got.Columns[2*PanelWidth:]) // what it worked in
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("k=%d (-want +got):\n%s", inner, diff)
			}
		}
	})
}

// TestInt8Right: routines that compute anything else are refused.
func TestInt8Right(t *testing.T) {
	eachInt8(t, func(t *testing.T, k *Kernels) {
		if !k.int8.right() {
			t.Error("the routines do not give the known products")
		}
		wrong := *k.int8
		wrong.tiles = slices.Clone(wrong.tiles)
		last := &wrong.tiles[len(wrong.tiles)-1]
		mul := last.mul
		last.mul = func(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int) {
			mul(k, a, lda, scales, panel, columns, c, ldc, start, lds)
			*c++
		}
		if wrong.right() {
			t.Error("a wrong product was not seen")
		}
	})
}

// TestQuantizeTiles compares with plain Go; every number is exact.
func TestQuantizeTiles(t *testing.T) {
	eachInt8(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(16, 1))
		for _, n := range []int{1, 2, 12, 48} {
			tiles := make([]byte, n*TileBytes)
			for i := range tiles {
				tiles[i] = byte(r.Uint32())
				if j := i % TileBytes; j < 2*PanelWidth && j%2 == 1 {
					tiles[i] &= 0xbf // scales below 2, of both signs
				}
			}
			got := Int8Panel{make([]int8, n*TileInputs*PanelWidth), make([]float32, Int8Columns)}
			k.QuantizeTiles(got, tiles)
			clear(got.Columns[2*PanelWidth:]) // what it worked in
			if diff := cmp.Diff(referenceTiles(tiles), got); diff != "" {
				t.Fatalf("n=%d (-want +got):\n%s", n, diff)
			}
		}
	})
}

func referenceTiles(tiles []byte) Int8Panel {
	values := referenceDequant(tiles)
	want := Int8Panel{make([]int8, len(values)), make([]float32, Int8Columns)}
	for j := range PanelWidth {
		scale := func(tile int) float32 {
			return halfToFloat(binary.LittleEndian.Uint16(tiles[tile*TileBytes+2*j:]))
		}
		var highest float32
		for tile := range len(tiles) / TileBytes {
			highest = max(highest, 8*float32(math.Abs(float64(scale(tile)))))
		}
		want.Columns[j] = highest / 127
		factor := 1 / want.Columns[j] * 2048
		sum := 0
		for i := range len(values) / PanelWidth {
			s := scale(i / TileInputs)
			nibble := int(math.Round(float64(values[i*PanelWidth+j] / s)))
			v := (16*nibble*int(math.RoundToEven(float64(s*factor))) + 1<<14) >> 15
			want.Weights[i/4*128+4*j+i%4] = int8(v)
			sum += v
		}
		want.Columns[PanelWidth+j] = float32(sum) * want.Columns[j]
	}
	return want
}

func TestQuantizeRow(t *testing.T) {
	eachInt8(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(12, 1))
		positive, constant := random(r, 96), make([]float32, 96)
		for i := range positive {
			positive[i], constant[i] = 5+positive[i], 3
		}
		for name, x := range map[string][]float32{
			"random": random(r, 384), "positive": positive, "constant": constant, "zero": make([]float32, 64),
			"tiny": slices.Repeat([]float32{1e-45, -1e-45}, 32), "huge": slices.Repeat([]float32{1e38, -1e38}, 32),
		} {
			q := make([]byte, len(x))
			row := k.QuantizeRow(q, x)
			low, high := min(0, slices.Min(x)), max(0, slices.Max(x))
			for i, v := range x {
				got := row.Scale*k.byteValue(q[i]) + row.Offset
				if far := math.Abs(float64(got - v)); !(far <= float64(high-low)/254+1e-44) {
					t.Fatalf("%s: value %d: got %v, want %v", name, i, got, v)
				}
			}
		}
	})
}

// byteValue returns what a byte of a row counts.
func (k *Kernels) byteValue(b byte) float32 {
	if k.int8.signed {
		return float32(int8(b))
	}
	return float32(b)
}

func TestMulPanelInt8(t *testing.T) {
	eachInt8(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(13, 1))
		for _, inner := range []int{32, 64, 384, 1536} {
			panel := quantizePanel(k, random(r, inner*PanelWidth))
			for m := range 30 {
				lda, ldc := inner+m%3*5, PanelWidth+m%5
				a, rows := make([]byte, m*lda), make([]Int8Row, m)
				for i := range rows {
					rows[i] = k.QuantizeRow(a[i*lda:i*lda+inner], random(r, inner))
				}
				c := make([]float32, m*ldc)
				k.MulPanelInt8(c, ldc, a, lda, rows, panel)
				for i, row := range rows {
					checkInt8Row(t, k, c[i*ldc:i*ldc+PanelWidth], a[i*lda:i*lda+inner], row, panel)
					if slices.ContainsFunc(c[i*ldc+PanelWidth:(i+1)*ldc], func(v float32) bool { return v != 0 }) {
						t.Fatalf("m=%d k=%d: row %d was written beyond the panel's width", m, inner, i)
					}
				}
			}
		}
	})
}

// TestAddMulPanelInt8: products of parts add up.
func TestAddMulPanelInt8(t *testing.T) {
	eachInt8(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(17, 1))
		const inner = 96
		for m := range 40 {
			got, want := make([]float32, m*PanelWidth), make([]float64, m*PanelWidth)
			for range 3 {
				panel := quantizePanel(k, random(r, inner*PanelWidth))
				a, rows, product := make([]byte, m*inner), make([]Int8Row, m), make([]float32, m*PanelWidth)
				for i := range rows {
					rows[i] = k.QuantizeRow(a[i*inner:(i+1)*inner], random(r, inner))
				}
				k.AddMulPanelInt8(got, PanelWidth, a, inner, rows, panel)
				k.MulPanelInt8(product, PanelWidth, a, inner, rows, panel)
				for i, v := range product {
					want[i] += float64(v)
				}
			}
			checkNear(t, got, want, 3e-5)
		}
	})
}

// checkInt8Row compares a row of a product with plain Go. The sums are exact;
// the last steps are rounded.
func checkInt8Row(t *testing.T, k *Kernels, got []float32, a []byte, row Int8Row, panel Int8Panel) {
	t.Helper()
	for j, v := range got {
		sum := k.int8.product(a, panel.Weights, j)
		scaled := float64(row.Scale) * float64(sum) * float64(panel.Columns[j])
		offset := float64(row.Offset) * float64(panel.Columns[PanelWidth+j])
		if far := math.Abs(float64(v) - scaled - offset); !(far <= 4e-7*(math.Abs(scaled)+math.Abs(offset))) {
			t.Fatalf("k=%d column %d: got %v, want %v", len(a), j, v, scaled+offset)
		}
	}
}

// TestMulPanelInt8RowsAreIndependent is [TestMulPanelRowsAreIndependent] for bytes.
func TestMulPanelInt8RowsAreIndependent(t *testing.T) {
	eachInt8(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(14, 1))
		const inner, count = 96, 40
		panel := quantizePanel(k, random(r, inner*PanelWidth))
		a, rows := make([]byte, count*inner), make([]Int8Row, count)
		want := make([]float32, count*PanelWidth)
		for i := range rows {
			rows[i] = k.QuantizeRow(a[i*inner:(i+1)*inner], random(r, inner))
			k.MulPanelInt8(want[i*PanelWidth:], PanelWidth, a[i*inner:], inner, rows[i:i+1], panel)
		}
		for first := range 5 {
			for m := 1; first+m <= count; m++ {
				got := make([]float32, m*PanelWidth)
				k.MulPanelInt8(got, PanelWidth, a[first*inner:], inner, rows[first:first+m], panel)
				if !slices.Equal(got, want[first*PanelWidth:(first+m)*PanelWidth]) {
					t.Fatalf("%d rows from row %d: got other bits than row by row", m, first)
				}
			}
		}
	})
}

// TestInt8NotFinite: a value that is not finite, of a row or of a column,
// reaches every product that it is part of.
func TestInt8NotFinite(t *testing.T) {
	eachInt8(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(15, 1))
		const inner = 64
		for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
			for _, at := range []int{0, 17, 63} {
				x, values := random(r, 2*inner), random(r, inner*PanelWidth)
				x[at], values[at*PanelWidth+5] = bad, bad
				panel, a := quantizePanel(k, values), make([]byte, 2*inner)
				rows := []Int8Row{k.QuantizeRow(a[:inner], x[:inner]), k.QuantizeRow(a[inner:], x[inner:])}
				c := make([]float32, 2*PanelWidth)
				k.MulPanelInt8(c, PanelWidth, a, inner, rows, panel)
				for i, v := range c {
					finite := v-v == 0
					if want := i >= PanelWidth && i%PanelWidth != 5; finite != want {
						t.Fatalf("%v at %d: row %d column %d: got %v", bad, at, i/PanelWidth, i%PanelWidth, v)
					}
				}
			}
		}
	})
}
