package vector

import (
	"math"
	"testing"
)

func TestCosine(t *testing.T) {
	inf := float32(math.Inf(1))
	tests := []struct {
		name string
		a, b []float32
		want float64
		ok   bool
	}{
		{"same direction", []float32{1, 2}, []float32{2, 4}, 1, true},
		{"opposite", []float32{1, 0}, []float32{-3, 0}, -1, true},
		{"right angle", []float32{1, 0}, []float32{0, 5}, 0, true},
		{"tiny", []float32{1e-30, 0}, []float32{1e-30, 0}, 1, true},
		{"huge", []float32{math.MaxFloat32, math.MaxFloat32}, []float32{math.MaxFloat32, math.MaxFloat32}, 1, true},
		{"zero query", []float32{0, 0}, []float32{1, 0}, 0, false},
		{"zero vector", []float32{1, 0}, []float32{0, 0}, 0, false},
		{"empty", nil, nil, 0, false},
		{"other length", []float32{1}, []float32{1, 1}, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q, ok := NewQuery(tt.a)
			var got float64
			if ok {
				got, ok = q.Cosine(tt.b)
			}
			if math.Abs(got-tt.want) > 1e-12 || ok != tt.ok {
				t.Errorf("Cosine = %v, %v; want %v, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
	for _, bad := range [][]float32{nil, {1}, {1, inf}, {1, -inf}, {float32(math.NaN()), 0}, {1, 2, 3}} {
		if Check(bad, 2) == nil {
			t.Errorf("Check(%v, 2) = nil, want an error", bad)
		}
	}
	if err := Check([]float32{1, 0}, 2); err != nil {
		t.Errorf("Check = %v, want nil", err)
	}
}
