package vecmath

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// eachKernels runs a test once for every implementation of this machine.
func eachKernels(t *testing.T, f func(t *testing.T, k *Kernels)) {
	for _, k := range Available() {
		t.Run(k.String(), func(t *testing.T) { f(t, k) })
	}
}

// random returns n values between -1 and 1, with guard values behind the
// slice's length that a routine must neither read nor write.
func random(r *rand.Rand, n int) []float32 {
	x := make([]float32, n+64)
	for i := range x {
		x[i] = float32(math.NaN())
	}
	for i := range n {
		x[i] = 2*r.Float32() - 1
	}
	return x[:n]
}

// checkGuard fails when the values behind x were written.
func checkGuard(t *testing.T, x []float32) {
	t.Helper()
	for _, v := range x[len(x):cap(x)] {
		if v == v {
			t.Fatalf("a value behind the slice of %d was written", len(x))
		}
	}
}

// checkNear compares values with a float64 reference, relative to max(1, |want|).
func checkNear(t *testing.T, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d values, want %d", len(got), len(want))
	}
	for i, w := range want {
		if diff := math.Abs(float64(got[i]) - w); !(diff <= tolerance*max(1, math.Abs(w))) {
			t.Fatalf("value %d of %d: got %v, want %v", i, len(want), got[i], w)
		}
	}
}

var lengths = []int{1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 384, 1536}

func TestAvailable(t *testing.T) {
	all := Available()
	if got := all[len(all)-1].String(); got != "generic" {
		t.Errorf("the last implementation: got %s, want generic", got)
	}
	for _, k := range all {
		got, err := choose(k.String())
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != k.String() {
			t.Errorf("choose(%q): got %s", k, got)
		}
	}
	if got, _ := choose(""); got.String() != all[0].String() {
		t.Errorf("choose without a name: got %s, want %s", got, all[0])
	}
	if _, err := choose("avx1024"); err == nil || !strings.Contains(err.Error(), "generic") {
		t.Errorf("choose of an unknown name: got %v, want an error that lists the known ones", err)
	}
}

func TestDot(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(1, 1))
		for _, n := range append([]int{0}, lengths...) {
			a, b := random(r, n), random(r, n)
			want := 0.0
			for i := range a {
				want += float64(a[i]) * float64(b[i])
			}
			checkNear(t, []float32{k.Dot(a, b)}, []float64{want}, 2e-6)
		}
	})
}

func TestAddAndScale(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(2, 1))
		for _, n := range append([]int{0}, lengths...) {
			x, y := random(r, n), random(r, n)
			want := make([]float32, n)
			for i := range x {
				want[i] = (x[i] + y[i]) * 0.37
			}
			k.Add(x, y)
			k.Scale(x, 0.37)
			if diff := cmp.Diff(want, x); diff != "" {
				t.Fatalf("n=%d (-want +got):\n%s", n, diff)
			}
			checkGuard(t, x)
		}
	})
}

func TestSoftmaxExp(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(3, 1))
		for _, n := range lengths {
			for _, spread := range []float32{0, 1, 30, 1000} {
				x := random(r, n)
				for i := range x {
					x[i] *= spread
				}
				want, sum := referenceSoftmaxExp(x, 0.25)
				got := k.SoftmaxExp(x, 0.25)
				checkNear(t, x, want, 1e-6)
				checkNear(t, []float32{got}, []float64{sum}, 3e-6)
				checkGuard(t, x)
			}
		}
	})
}

func referenceSoftmaxExp(x []float32, scale float64) (want []float64, sum float64) {
	highest := float64(slices.Max(x))
	for _, v := range x {
		e := math.Exp(scale * (float64(v) - highest))
		want = append(want, e)
		sum += e
	}
	return want, sum
}

func TestSoftmaxExpPadding(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		for _, n := range lengths {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(math.Inf(-1))
			}
			x[n/2] = -3
			want := make([]float32, n)
			want[n/2] = 1
			if got := k.SoftmaxExp(x, 2); got != 1 {
				t.Errorf("n=%d: got sum %v, want 1", n, got)
			}
			if diff := cmp.Diff(want, x); diff != "" {
				t.Errorf("n=%d (-want +got):\n%s", n, diff)
			}
		}
	})
}

func TestBiasGELU(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		var x []float32
		var want []float64
		for v := -8.0; v <= 8; v += 1.0 / 512 {
			x = append(x, float32(v)-0.5)
			want = append(want, v*0.5*math.Erfc(-v/math.Sqrt2))
		}
		for _, v := range []float64{-1e30, -1000, 1000, 1e30} {
			x = append(x, float32(v))
			want = append(want, max(float64(float32(v))+0.5, 0))
		}
		bias := make([]float32, len(x))
		for i := range bias {
			bias[i] = 0.5
		}
		in := slices.Clone(x)
		k.BiasGELU(x, bias)
		for i, w := range want {
			if !(math.Abs(float64(x[i])-w) <= 3e-7*max(1, math.Abs(float64(in[i])))) {
				t.Errorf("GELU(%v): got %v, want %v", in[i]+0.5, x[i], w)
			}
		}
	})
}

func TestAddLayerNorm(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(4, 1))
		for _, n := range lengths[1:] {
			// A mean far from 0 is where a one-pass variance loses its digits.
			for _, shift := range []float32{0, 100} {
				x, residual, bias, gamma, beta := random(r, n), random(r, n), random(r, n), random(r, n), random(r, n)
				for i := range x {
					x[i] += shift
				}
				want := referenceLayerNorm(x, residual, bias, gamma, beta, 1e-12)
				k.AddLayerNorm(x, residual, bias, gamma, beta, 1e-12)
				tolerance := 2e-6
				if shift > 0 {
					tolerance = 1e-3 // float32 holds 100 + v to 4e-6, and few values may lie close together
				}
				checkNear(t, x, want, tolerance)
				checkGuard(t, x)
			}
		}
	})
}

func referenceLayerNorm(x, residual, bias, gamma, beta []float32, eps float64) []float64 {
	v := make([]float64, len(x))
	var mean, variance float64
	for i := range v {
		v[i] = float64(x[i]) + float64(residual[i]) + float64(bias[i])
		mean += v[i] / float64(len(v))
	}
	for _, u := range v {
		variance += (u - mean) * (u - mean) / float64(len(v))
	}
	for i, u := range v {
		v[i] = (u-mean)/math.Sqrt(variance+eps)*float64(gamma[i]) + float64(beta[i])
	}
	return v
}

// TestAddLayerNormOfEqualValues: no variance gives beta, never NaN.
func TestAddLayerNormOfEqualValues(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *Kernels) {
		x, zero, beta := make([]float32, 40), make([]float32, 40), make([]float32, 40)
		for i := range x {
			x[i], beta[i] = 0.5, float32(i)
		}
		k.AddLayerNorm(x, zero, zero, x, beta, 1e-12)
		if diff := cmp.Diff(beta, x); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestNaNStays: a value that is not a number must reach the result of its row,
// so that damaged weights are noticed.
func TestNaNStays(t *testing.T) {
	nan := float32(math.NaN())
	eachKernels(t, func(t *testing.T, k *Kernels) {
		for _, n := range lengths {
			zero := make([]float32, n)
			for name, f := range map[string]func(x []float32) float32{
				"Dot":          func(x []float32) float32 { return k.Dot(x, x) },
				"SoftmaxExp":   func(x []float32) float32 { return k.SoftmaxExp(x, 1) },
				"BiasGELU":     func(x []float32) float32 { k.BiasGELU(x, zero); return x[n/2] },
				"AddLayerNorm": func(x []float32) float32 { k.AddLayerNorm(x, zero, zero, zero, zero, 0); return x[0] },
			} {
				x := make([]float32, n)
				x[n/2] = nan
				if got := f(x); got == got {
					t.Errorf("%s of %d values: got %v, want NaN", name, n, got)
				}
			}
		}
	})
}

func TestWrongLengthsPanic(t *testing.T) {
	k := generic()
	f := func(n int) []float32 { return make([]float32, n) }
	for name, call := range map[string]func(){
		"Dot":                  func() { k.Dot(f(3), f(4)) },
		"Add":                  func() { k.Add(f(3), f(4)) },
		"SoftmaxExp empty":     func() { k.SoftmaxExp(nil, 1) },
		"BiasGELU":             func() { k.BiasGELU(f(3), f(4)) },
		"AddLayerNorm":         func() { k.AddLayerNorm(f(8), f(8), f(8), f(8), f(7), 0) },
		"MulPanel panel":       func() { k.MulPanel(f(32), 32, f(1), 1, 1, f(33)) },
		"MulPanel empty panel": func() { k.MulPanel(f(32), 32, f(1), 1, 1, nil) },
		"MulPanel a":           func() { k.MulPanel(f(64), 32, f(3), 2, 2, f(64)) },
		"MulPanel c":           func() { k.MulPanel(f(63), 32, f(4), 2, 2, f(64)) },
		"MulPanel lda":         func() { k.MulPanel(f(64), 32, f(4), 1, 2, f(64)) },
		"MulPanel ldc":         func() { k.MulPanel(f(64), 31, f(4), 2, 2, f(64)) },
		"MulPanel rows":        func() { k.MulPanel(f(64), 32, f(4), 2, -1, f(64)) },
		"DequantPanel bytes":   func() { k.DequantPanel(f(1024), make([]byte, TileBytes-1)) },
		"DequantPanel values":  func() { k.DequantPanel(f(1023), make([]byte, TileBytes)) },
		"TransposePanel rows":  func() { k.TransposePanel(f(32), f(33), 1, 33) },
		"TransposePanel src":   func() { k.TransposePanel(f(64), f(3), 2, 2) },
	} {
		t.Run(name, func(t *testing.T) { wantPanic(t, call) })
	}
}

// wantPanic fails when the call does not panic with a message of this package.
func wantPanic(t *testing.T, call func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "vecmath: ") {
			t.Errorf("got %s, want a panic of this package", got)
		}
	}()
	call()
}

// FuzzVectors compares every implementation with plain Go on arbitrary bits:
// they may differ in the last bits of finite results, never crash, and never
// write behind the slice.
func FuzzVectors(f *testing.F) {
	f.Add([]byte("\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x80\x7f\x00\x00\xc0\x7f"))
	f.Add(make([]byte, 400))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := len(data) / 4
		if n == 0 {
			return
		}
		in := make([]float32, n)
		for i := range in {
			in[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
		for _, k := range Available() {
			x := append(slices.Clone(in), 42)[:n]
			k.Dot(x, x)
			k.BiasGELU(x, in)
			k.AddLayerNorm(x, in, in, in, in, 1e-12)
			k.Add(x, in)
			sum := k.SoftmaxExp(x, 0.5)
			k.Scale(x, 1/sum)
			if x[:n+1][n] != 42 {
				t.Fatalf("%s wrote behind %d values", k, n)
			}
		}
	})
}
