package vecmath

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMulPanel(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(5, 1))
		for _, inner := range []int{1, 2, 31, 32, 384} {
			for m := range 40 {
				lda, ldc := inner+m%3, PanelWidth+m%5
				a, panel := random(r, m*lda), random(r, inner*PanelWidth)
				c := make([]float32, m*ldc)
				k.MulPanel(c, ldc, a, lda, m, panel)
				got := make([]float32, 0, m*PanelWidth)
				for i := range m {
					got = append(got, c[i*ldc:i*ldc+PanelWidth]...)
					for _, v := range c[i*ldc+PanelWidth : (i+1)*ldc] {
						if v != 0 {
							t.Fatalf("m=%d k=%d: row %d was written beyond the panel's width", m, inner, i)
						}
					}
				}
				checkNear(t, got, referenceMul(a, lda, m, panel), 2e-5)
			}
		}
	})
}

func referenceMul(a []float32, lda, m int, panel []float32) []float64 {
	var want []float64
	for i := range m {
		for j := range PanelWidth {
			sum := 0.0
			for k := range len(panel) / PanelWidth {
				sum += float64(a[i*lda+k]) * float64(panel[k*PanelWidth+j])
			}
			want = append(want, sum)
		}
	}
	return want
}

// TestMulPanelRowsAreIndependent: a row's product has the same bits alone, at
// any place, and among any number of other rows.
func TestMulPanelRowsAreIndependent(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(6, 1))
		const inner, rows = 100, 40
		a, panel := random(r, rows*inner), random(r, inner*PanelWidth)
		want := make([]float32, rows*PanelWidth)
		for i := range rows {
			k.MulPanel(want[i*PanelWidth:], PanelWidth, a[i*inner:(i+1)*inner], inner, 1, panel)
		}
		for first := range 5 {
			for m := 1; first+m <= rows; m++ {
				got := make([]float32, m*PanelWidth)
				k.MulPanel(got, PanelWidth, a[first*inner:], inner, m, panel)
				if !slices.Equal(got, want[first*PanelWidth:(first+m)*PanelWidth]) {
					t.Fatalf("%d rows from row %d: got other bits than row by row", m, first)
				}
			}
		}
	})
}

// referenceDequant returns weight (output j, input i) of the tiles as out[i][j].
func referenceDequant(tiles []byte) []float32 {
	var out []float32
	for ; len(tiles) > 0; tiles = tiles[TileBytes:] {
		for i := range TileInputs {
			for j := range PanelWidth {
				scale := halfToFloat(binary.LittleEndian.Uint16(tiles[2*j:]))
				nibble := int(tiles[2*PanelWidth+i*PanelWidth/2+j%16]) >> (j / 16 * 4) & 15
				out = append(out, float32(nibble-8)*scale)
			}
		}
	}
	return out
}

func TestDequantPanel(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(7, 1))
		for _, n := range []int{1, 2, 12, 48} {
			tiles := make([]byte, n*TileBytes)
			for i := range tiles {
				tiles[i] = byte(r.Uint32())
			}
			for i := range n {
				for j := range PanelWidth { // finite scales, subnormal ones too
					tiles[i*TileBytes+2*j+1] &^= 0x40 << (j % 2)
					tiles[i*TileBytes+2*j+1] &^= 0x20
				}
			}
			got := make([]float32, n*TileInputs*PanelWidth, n*TileInputs*PanelWidth+1)
			k.DequantPanel(got, tiles)
			if diff := cmp.Diff(referenceDequant(tiles), got); diff != "" {
				t.Fatalf("n=%d (-want +got):\n%s", n, diff)
			}
			if got[:len(got)+1][len(got)] != 0 {
				t.Fatalf("n=%d: written behind the panel", n)
			}
		}
	})
}

func TestHalfToFloat(t *testing.T) {
	for _, test := range []struct {
		half uint16
		want float32
	}{
		{0x0000, 0}, {0x3c00, 1}, {0xc000, -2}, {0x7bff, 65504}, {0x0400, 1.0 / (1 << 14)},
		{0x0001, 1.0 / (1 << 24)}, {0x8001, -1.0 / (1 << 24)}, {0x3555, 0.33325195},
		{0x7c00, float32(math.Inf(1))}, {0xfc00, float32(math.Inf(-1))},
	} {
		if got := halfToFloat(test.half); got != test.want {
			t.Errorf("halfToFloat(%#04x): got %v, want %v", test.half, got, test.want)
		}
	}
	if got := halfToFloat(0x7e00); got == got {
		t.Errorf("halfToFloat(0x7e00): got %v, want NaN", got)
	}
}

func TestTransposePanel(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(8, 1))
		for _, inner := range []int{1, 7, 8, 32, 64} {
			for rows := 1; rows <= PanelWidth; rows++ {
				stride := inner + rows%4
				src := random(r, rows*stride)
				want := make([]float32, inner*PanelWidth)
				for j := range rows {
					for i := range inner {
						want[i*PanelWidth+j] = src[j*stride+i]
					}
				}
				got := random(r, inner*PanelWidth)
				k.TransposePanel(got, src, stride, rows)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%d rows of %d (-want +got):\n%s", rows, inner, diff)
				}
				checkGuard(t, got)
			}
		}
	})
}

// FuzzMatrix multiplies with panels unpacked from arbitrary bytes, NaN and
// infinite scales included, in arbitrary shapes.
func FuzzMatrix(f *testing.F) {
	f.Add([]byte{1, 2, 3}, uint8(13), uint8(1))
	f.Add([]byte("\xff\x7f\x00\x7c"), uint8(5), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, rows, blocks uint8) {
		n, m := 1+int(blocks)%4, int(rows)%64
		tiles := make([]byte, n*TileBytes)
		copy(tiles, data)
		inner := n * TileInputs
		a := make([]float32, m*inner)
		for i := range a {
			a[i] = float32(i%7) - 3
		}
		want := referenceDequant(tiles)
		for _, k := range Available() {
			panel := make([]float32, inner*PanelWidth)
			k.DequantPanel(panel, tiles)
			if !slices.EqualFunc(want, panel, func(x, y float32) bool { return x == y || x != x && y != y }) {
				t.Fatalf("%s: the tiles unpack to other values than in plain Go", k)
			}
			c := make([]float32, m*PanelWidth+1)
			k.MulPanel(c, PanelWidth, a, inner, m, panel)
			if c[m*PanelWidth] != 0 {
				t.Fatalf("%s: %d rows of %d wrote behind the product", k, m, inner)
			}
		}
	})
}
