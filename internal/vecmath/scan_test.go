package vecmath

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// scanCounts are numbers of rows: none, whole groups of what is compared at a
// time, and what is left of them.
var scanCounts = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 37}

// TestDotsInt8 compares every implementation with plain integers. Rows begin at
// any byte, and the last ends where memory ends.
func TestDotsInt8(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(21, 1))
		for _, n := range []int{64, 128, 192, 384, 448, 768, 1024, 4096} {
			for i, count := range scanCounts {
				stride, first := n+i%3*r.IntN(100), r.IntN(70)
				rows := randomBytes(r, first+max(count-1, 0)*stride+n)[first:]
				query := randomQuery(r, n)
				got, want := make([]int32, count, count+8), make([]int32, count)
				for i := range want {
					for j, q := range query {
						want[i] += int32(q) * (int32(rows[i*stride+j]) - 128)
					}
				}
				k.DotsInt8(got, query, rows[:len(rows):len(rows)], stride)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%d rows of %d, stride %d (-want +got):\n%s", count, n, stride, diff)
				}
				if beyond := got[count:cap(got)]; slices.Max(beyond) != 0 || slices.Min(beyond) != 0 {
					t.Fatalf("%d rows of %d: values behind the results were written", count, n)
				}
			}
		}
	})
}

// TestDotsInt8Extremes: sums that 16 bits, or a product that saturates, would
// not hold, up to the longest query.
func TestDotsInt8Extremes(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		for _, n := range []int{64, 4096, maxScan} {
			for _, q := range []int8{-128, -1, 0, 1, 127} {
				for _, b := range []byte{0, 1, 127, 128, 255} {
					query, rows := slices.Repeat([]int8{q}, n), slices.Repeat([]byte{b}, 5*n)
					got, want := make([]int32, 5), slices.Repeat([]int32{int32(n) * int32(q) * (int32(b) - 128)}, 5)
					k.DotsInt8(got, query, rows, n)
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("%d times %d * %d (-want +got):\n%s", n, q, b, diff)
					}
				}
			}
		}
	})
}

// TestDotsInt8Padding: where the query is 0, rows may hold anything.
func TestDotsInt8Padding(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(22, 1))
		const n, used, count = 128, 100, 6
		query, rows := randomQuery(r, n), randomBytes(r, count*n)
		clear(query[used:])
		want, got := make([]int32, count), make([]int32, count)
		k.DotsInt8(want, query, rows, n)
		for i := range rows {
			if i%n >= used {
				rows[i] = byte(r.Uint32())
			}
		}
		k.DotsInt8(got, query, rows, n)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestDotsRight(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		if !k.dotsRight() {
			t.Error("the routine does not give the known sums")
		}
		wrong := *k
		wrong.dots = func(dst *int32, query *int8, rows *byte, stride, n, count int) {
			k.dots(dst, query, rows, stride, n, count)
			*dst++
		}
		if wrong.dotsRight() {
			t.Error("a wrong sum was not seen")
		}
	})
}

func TestHamming(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(23, 1))
		for words := 1; words <= 64; words++ {
			for _, count := range scanCounts {
				query, rows := randomWords(r, words), randomWords(r, words*count)
				got, want := make([]int32, count, count+8), make([]int32, count)
				for i, v := range rows {
					want[i/words] += int32(bits.OnesCount64(v ^ query[i%words]))
				}
				k.Hamming(got, query, rows)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%d rows of %d words (-want +got):\n%s", count, words, diff)
				}
				if beyond := got[count:cap(got)]; slices.Max(beyond) != 0 || slices.Min(beyond) != 0 {
					t.Fatalf("%d rows of %d words: values behind the results were written", count, words)
				}
			}
		}
	})
}

// TestHammingOfLongRows: the sums are wider than the 16 bits that a long row
// would fill.
func TestHammingOfLongRows(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		const words, count = 1<<14 + 3, 5
		rows := slices.Repeat([]uint64{math.MaxUint64}, words*count)
		got, want := make([]int32, count), slices.Repeat([]int32{64 * words}, count)
		k.Hamming(got, make([]uint64, words), rows)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestReadSum(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(24, 1))
		for n := 0; n <= 1024; n += 64 {
			p := randomBytes(r, n+1)[1:]
			want := uint64(0)
			for i := 0; i < n; i += 8 {
				want += binary.LittleEndian.Uint64(p[i:])
			}
			if got := k.ReadSum(p); got != want {
				t.Errorf("%d bytes: got %x, want %x", n, got, want)
			}
		}
	})
}

func TestQuantizeVector(t *testing.T) {
	const least, greatest = math.SmallestNonzeroFloat32, math.MaxFloat32
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, test := range []struct {
		name  string
		v     []float32
		scale float32
		want  []int8
	}{
		{"nothing", nil, 0, []int8{0, 0}},
		{"zeros", []float32{0, float32(math.Copysign(0, -1))}, 0, []int8{0, 0, 0}},
		{"both ends", []float32{-127, 127, 0, 1}, 1, []int8{-127, 127, 0, 1, 0, 0}},
		{"ties to even", []float32{254, 1, 3, 5, -1, -3, -5}, 2, []int8{127, 0, 2, 2, 0, -2, -2}},
		{"next to ties", []float32{254, .99999, 1.0001, -1.0001}, 2, []int8{127, 0, 1, -1}},
		{"the largest", []float32{greatest, -greatest, greatest / 2}, greatest / 127, []int8{127, -127, 64}},
		{"the least", []float32{least, -least, 0}, 0, []int8{0, 0, 0}},
		{"small", []float32{1.27e-36, -1.27e-36, 1e-38}, 1.27e-36 / 127, []int8{127, -127, 1}},
		{"infinite", []float32{1, inf, -inf}, inf, []int8{0, 0, 0}},
		{"not a number", []float32{1, nan, inf}, nan, []int8{0, 0, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			row, query := slices.Repeat([]byte{7}, len(test.want)), slices.Repeat([]int8{7}, len(test.want))
			for which, scale := range map[string]float32{
				"QuantizeVector": QuantizeVector(row, test.v),
				"QuantizeQuery":  QuantizeQuery(query, test.v),
			} {
				if scale != test.scale && (scale == scale || test.scale == test.scale) {
					t.Errorf("%s: got scale %v, want %v", which, scale, test.scale)
				}
			}
			if diff := cmp.Diff(test.want, query); diff != "" {
				t.Errorf("QuantizeQuery (-want +got):\n%s", diff)
			}
			got := make([]int8, len(row))
			for i, b := range row {
				got[i] = int8(int(b) - 128)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("QuantizeVector, less 128 (-want +got):\n%s", diff)
			}
		})
	}
}

// TestQuantizeVectorIsTheSameEverywhere: a fused multiply-add would round some
// of so many values to other bytes.
func TestQuantizeVectorIsTheSameEverywhere(t *testing.T) {
	v := random(rand.New(rand.NewPCG(25, 1)), 1<<20)
	row := make([]byte, len(v))
	QuantizeVector(row, v)
	if got, want := crc32.ChecksumIEEE(row), uint32(0x7a0ca8b9); got != want {
		t.Errorf("got checksum %#x, want %#x", got, want)
	}
}

// FuzzQuantizeVector: whatever the values, a query and a row agree, and where
// all are finite, what they stand for lies within half a step of them.
func FuzzQuantizeVector(f *testing.F) {
	f.Add([]byte("\x00\x00\x80\x3f\x00\x00\x00\xc0\xff\xff\x7f\x7f"))
	f.Add([]byte("\x00\x00\xc0\x7f\x01\x00\x00\x00"))
	f.Add([]byte("\x00\x00\x80\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		v := make([]float32, len(data)/4)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
		row, query := make([]byte, len(v)), make([]int8, len(v))
		scale := QuantizeVector(row, v)
		if other := QuantizeQuery(query, v); other != scale && (other == other || scale == scale) {
			t.Fatalf("got scales %v and %v", scale, other)
		}
		for i, x := range v {
			if int(query[i]) != int(row[i])-128 || query[i] == -128 {
				t.Fatalf("%v: got %d of a query, %d of a row", x, query[i], row[i])
			}
			far := math.Abs(float64(x) - float64(scale)*float64(query[i]))
			if scale > 1e-36 && scale <= math.MaxFloat32 && !(far <= .50002*float64(scale)) {
				t.Fatalf("%v: got %d with scale %v", x, query[i], scale)
			}
		}
	})
}

func TestScanWrongLengthsPanic(t *testing.T) {
	k := generic()
	for name, call := range map[string]func(){
		"DotsInt8 empty query":  func() { k.DotsInt8(make([]int32, 1), nil, make([]byte, 64), 64) },
		"DotsInt8 query":        func() { k.DotsInt8(make([]int32, 1), make([]int8, 63), make([]byte, 64), 64) },
		"DotsInt8 long query":   func() { k.DotsInt8(nil, make([]int8, maxScan+64), nil, maxScan+64) },
		"DotsInt8 stride":       func() { k.DotsInt8(make([]int32, 2), make([]int8, 64), make([]byte, 128), 63) },
		"DotsInt8 rows":         func() { k.DotsInt8(make([]int32, 2), make([]int8, 64), make([]byte, 127), 64) },
		"DotsInt8 no rows":      func() { k.DotsInt8(make([]int32, 1), make([]int8, 64), nil, 64) },
		"DotsInt8 far stride":   func() { k.DotsInt8(make([]int32, 2), make([]int8, 64), make([]byte, 128), math.MaxInt) },
		"Hamming empty query":   func() { k.Hamming(make([]int32, 1), nil, make([]uint64, 1)) },
		"Hamming rows":          func() { k.Hamming(make([]int32, 2), make([]uint64, 3), make([]uint64, 5)) },
		"ReadSum":               func() { k.ReadSum(make([]byte, 65)) },
		"QuantizeVector of two": func() { QuantizeVector(make([]byte, 1), make([]float32, 2)) },
		"QuantizeQuery of two":  func() { QuantizeQuery(make([]int8, 1), make([]float32, 2)) },
	} {
		t.Run(name, func(t *testing.T) { wantPanic(t, call) })
	}
}

// randomBytes returns n bytes, many of them at the ends of their range.
func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
		if r.IntN(4) == 0 {
			b[i] = []byte{0, 1, 127, 128, 129, 255}[r.IntN(6)]
		}
	}
	return b
}

func randomQuery(r *rand.Rand, n int) []int8 {
	q := make([]int8, n)
	for i, b := range randomBytes(r, n) {
		q[i] = int8(b)
	}
	return q
}

func randomWords(r *rand.Rand, n int) []uint64 {
	w := make([]uint64, n)
	for i := range w {
		w[i] = r.Uint64()
	}
	return w
}
