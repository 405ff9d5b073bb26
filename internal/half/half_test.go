package half

import (
	"math"
	"math/rand/v2"
	"testing"
)

// widen is the definition of half precision.
func widen(h uint16) float64 {
	sign := 1 - 2*float64(h>>15)
	exponent, fraction := int(h>>10&0x1f), float64(h&0x3ff)/1024
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -14)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1+fraction, exponent-15)
}

func TestFloat32(t *testing.T) {
	for h := range 1 << 16 {
		got, want := float64(Float32(uint16(h))), widen(uint16(h))
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%#04x: got %g, want %g", h, got, want)
		}
		if back := Round(float32(want)); back != uint16(h) && !math.IsNaN(want) {
			t.Fatalf("%g: got %#04x, want %#04x", want, back, h)
		}
	}
}

// TestRound looks for a neighbour that is nearer, or as near and even.
func TestRound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := []float32{0, 65504, 65519, 65520, 1e9, 1.0 / (1 << 24), 1.0 / (1 << 25), 1.5 / (1 << 24), 6.1e-5, math.MaxFloat32}
	for range 100_000 {
		values = append(values, float32(math.Ldexp(r.Float64(), r.IntN(44)-27)))
	}
	for h := range uint16(0x7bff) {
		values = append(values, float32(widen(h)+widen(h+1))/2)
	}
	for _, v := range values {
		got := Round(v)
		if Round(-v) != got|0x8000 {
			t.Fatalf("%g and its negative differ", v)
		}
		distance := func(h uint16) float64 {
			if h == 0x7c00 { // infinity stands where the next number would
				return math.Abs(65536 - float64(v))
			}
			return math.Abs(widen(h) - float64(v))
		}
		for _, other := range []uint16{got - 1, got + 1} {
			if other > 0x7c00 || got == 0x7c00 && v >= 65536 {
				continue
			}
			if d := distance(other); d < distance(got) || d == distance(got) && got%2 == 1 {
				t.Fatalf("%g: got %#04x (%g), but %#04x (%g) is nearer", v, got, widen(got), other, widen(other))
			}
		}
	}
	if got := Round(float32(math.NaN())); !math.IsNaN(widen(got)) {
		t.Errorf("NaN: got %g", widen(got))
	}
}
