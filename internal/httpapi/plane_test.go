package httpapi

import (
	"math"
	"testing"
)

func TestPlane(t *testing.T) {
	// Points of a plane in five dimensions, wider in one direction than in the other.
	var vectors [][]float64
	var want [][2]float64
	for i := -3; i <= 3; i++ {
		for j := -1; j <= 1; j++ {
			x, y := float64(i), float64(j)
			vectors = append(vectors, []float64{x + 7, y, -x, 2, y - 1})
			want = append(want, [2]float64{x / 3, y})
		}
	}
	got := plane(vectors)
	for axis := range 2 {
		sign := 1.0
		if got[len(got)-1][axis] < 0 {
			sign = -1
		}
		for i := range got {
			if math.Abs(got[i][axis]*sign-want[i][axis]) > 1e-6 {
				t.Fatalf("point %d is %v, want %v", i, got[i], want[i])
			}
		}
	}
	if plane(nil) != nil || plane([][]float64{{1}, {2}}) != nil {
		t.Error("two points have a plane")
	}
	for _, same := range [][][]float64{{{1, 1}, {1, 1}, {1, 1}}, {{0, 0}, {0, 0}, {0, 0}}, {{1}, {2}, {3}}} {
		for _, p := range plane(same) {
			if math.IsNaN(p[0]) || math.IsNaN(p[1]) || math.Abs(p[0]) > 1 || math.Abs(p[1]) > 1 {
				t.Errorf("plane(%v) has %v", same, p)
			}
		}
	}
}
