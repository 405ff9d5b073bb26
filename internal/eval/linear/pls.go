package linear

import "math"

// A Projection maps rows to a few numbers.
type Projection struct {
	Weights [][]float64 // a row for each number that comes out
	Bias    []float64
}

// Apply returns the numbers for x.
func (p *Projection) Apply(x []float64) []float64 {
	m := Model{Weights: p.Weights, Bias: p.Bias}
	return m.Scores(x)
}

// Project returns the projection by partial least squares (Wold 1975, NIPALS)
// of rows x with classes y: the directions in which the rows differ most with
// their classes.
func Project(x [][]float64, y []int, classes, components int) *Projection {
	n, columns := len(x), len(x[0])
	mean, spread := Spread(x)
	z := make([][]float64, n)
	for i, row := range x {
		z[i] = make([]float64, columns)
		for j, v := range row {
			z[i][j] = (v - mean[j]) / spread[j]
		}
	}
	t := indicators(y, classes)
	var loads, ways [][]float64
	for range components {
		w := direction(z, t)
		score := make([]float64, n)
		var squares float64
		for i := range z {
			score[i] = product(z[i], w)
			squares += score[i] * score[i]
		}
		if squares == 0 {
			break
		}
		load := columnsBy(z, score, squares)
		loadY := columnsBy(t, score, squares)
		for i, s := range score {
			for j := range z[i] {
				z[i][j] -= s * load[j]
			}
			for k := range t[i] {
				t[i][k] -= s * loadY[k]
			}
		}
		// The direction must be in terms of the rows as given, not of what
		// earlier components have left of them.
		way := append([]float64(nil), w...)
		for c, before := range ways {
			back := product(loads[c], w)
			for j := range way {
				way[j] -= back * before[j]
			}
		}
		loads, ways = append(loads, load), append(ways, way)
	}
	p := &Projection{}
	for _, way := range ways {
		weights, bias := make([]float64, columns), 0.0
		for j := range way {
			weights[j] = way[j] / spread[j]
			bias -= weights[j] * mean[j]
		}
		p.Weights, p.Bias = append(p.Weights, weights), append(p.Bias, bias)
	}
	return p
}

// indicators returns a row for each class number, 1 in its column, centred and
// brought to one spread.
func indicators(y []int, classes int) [][]float64 {
	t := make([][]float64, len(y))
	for i, k := range y {
		t[i] = make([]float64, classes)
		t[i][k] = 1
	}
	mean, spread := Spread(t)
	for i := range t {
		for k := range t[i] {
			t[i][k] = (t[i][k] - mean[k]) / spread[k]
		}
	}
	return t
}

// direction returns the unit vector w for which x·w varies most with t: the
// first left singular vector of xᵀt, by power iteration.
func direction(x, t [][]float64) []float64 {
	u := make([]float64, len(x))
	for i := range t {
		u[i] = t[i][0] + t[i][len(t[i])-1]*1e-3
	}
	var w []float64
	for range 200 {
		next := columnsBy(x, u, 1)
		length := norm(next)
		if length == 0 {
			return next
		}
		change := 0.0
		for j := range next {
			next[j] /= length
			if w != nil {
				change += math.Abs(next[j] - w[j])
			}
		}
		if w != nil && change < 1e-8 {
			return next
		}
		w = next
		score := make([]float64, len(x))
		for i := range x {
			score[i] = product(x[i], w)
		}
		q := columnsBy(t, score, 1)
		for i := range t {
			u[i] = product(t[i], q)
		}
	}
	return w
}

// columnsBy returns the product of each column with u, divided by by.
func columnsBy(x [][]float64, u []float64, by float64) []float64 {
	sums := make([]float64, len(x[0]))
	for i, row := range x {
		for j, v := range row {
			sums[j] += u[i] * v / by
		}
	}
	return sums
}
