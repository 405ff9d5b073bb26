package linear_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/eval/linear"
)

// points returns rows whose class shows in the first columns and not in the last.
func points(seed uint64, n, classes int) (x [][]float64, y []int) {
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		k := i % classes
		row := []float64{r.NormFloat64(), 5 + 100*r.NormFloat64(), r.NormFloat64(), 7}
		row[0] += 3 * float64(k)
		if k == 1 {
			row[1] += 400
		}
		x, y = append(x, row), append(y, k)
	}
	return x, y
}

func TestFit(t *testing.T) {
	for _, classes := range []int{2, 3} {
		x, y := points(1, 300, classes)
		m := linear.Fit(x, y, classes, linear.Options{C: 1})
		tests, want := points(2, 300, classes)
		right := 0
		for i, row := range tests {
			p := m.Probabilities(row)
			sum, best := 0.0, 0
			for k := range p {
				sum += p[k]
				if p[k] > p[best] {
					best = k
				}
			}
			if len(p) != classes || math.Abs(sum-1) > 1e-9 {
				t.Fatalf("%d classes: the probabilities %v do not add up", classes, p)
			}
			if best == want[i] {
				right++
			}
		}
		if right < 270 {
			t.Errorf("%d classes: got %d of 300 right", classes, right)
		}
	}
}

// The slope of the penalised loss is zero at the fit: the residuals of each
// class cancel out, weighted, and a row of weight 0 does not count.
func TestFitIsTheMinimum(t *testing.T) {
	x, y := points(3, 90, 3)
	weights := make([]float64, len(x))
	for i := range weights {
		weights[i] = float64(i % 2)
	}
	m := linear.Fit(x, y, 3, linear.Options{C: .5, Weights: weights})
	for k := range 3 {
		off := 0.0
		for i, row := range x {
			p := m.Probabilities(row)[k]
			if y[i] == k {
				p--
			}
			off += weights[i] * p
		}
		if math.Abs(off) > 1e-3 {
			t.Errorf("class %d: the residuals add up to %v", k, off)
		}
	}
}

func TestFitIsDeterministic(t *testing.T) {
	x, y := points(4, 120, 3)
	a, b := linear.File{}, linear.File{}
	for _, f := range []linear.File{a, b} {
		f.PutModel("m", linear.Fit(x, y, 3, linear.Options{C: .1}))
		f.PutProjection("p", linear.Project(x, y, 3, 2))
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two fits of the same rows differ")
	}
}

// The components of a projection are uncorrelated and tell the classes apart.
func TestProject(t *testing.T) {
	x, y := points(5, 300, 3)
	p := linear.Project(x, y, 3, 2)
	var z [][]float64
	for _, row := range x {
		z = append(z, p.Apply(row))
	}
	mean, spread := linear.Spread(z)
	corr := 0.0
	for _, row := range z {
		corr += (row[0] - mean[0]) * (row[1] - mean[1]) / spread[0] / spread[1] / float64(len(z))
	}
	if math.Abs(corr) > 1e-6 || math.Abs(mean[0]) > 1e-9 {
		t.Errorf("got correlation %v, mean %v; want 0", corr, mean[0])
	}
	m := linear.Fit(z, y, 3, linear.Options{C: 1})
	right := 0
	for i, row := range z {
		if q := m.Probabilities(row); q[y[i]] > .5 {
			right++
		}
	}
	if right < 270 {
		t.Errorf("got %d of 300 right on two components", right)
	}
}

func TestFile(t *testing.T) {
	want := linear.File{"a": {{1, 2, .5}, {3, 4, -.25}}, "none": {}, "p": {{0, 1}}}
	file := want.Bytes()
	got, err := linear.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	m, err := got.Model("a", 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{3.5, 6.75}, m.Scores([]float64{1, 1})); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
	if _, err := got.Model("a", 3); err == nil {
		t.Error("a model for other columns: got no error")
	}
	if _, err := got.Model("missing", 3); err == nil {
		t.Error("a missing model: got no error")
	}
	for n := range file {
		if f, err := linear.Parse(file[:n]); err == nil && len(f) == len(want) {
			t.Errorf("%d of %d bytes: got no error", n, len(file))
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(linear.File{"a": {{1, 2}}, "b": {{3}}}.Bytes())
	f.Add([]byte("LINEAR01\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := linear.Parse(b)
		if err != nil {
			return
		}
		if _, err := linear.Parse(file.Bytes()); err != nil {
			t.Errorf("what was read cannot be read again: %v", err)
		}
	})
}
