package linear

import "math"

// Options of [Fit].
type Options struct {
	// C is the weight of the rows compared with the penalty, which is half the
	// sum of squared weights. The bias is not penalised.
	C float64
	// Weights are those of the rows; nil means 1 each.
	Weights []float64
	// Fixed is how many of the last columns are scaled by Scale instead of their
	// own spread.
	Fixed int
	Scale float64
	// Free is the spread that the other columns are scaled to; 0 counts as 1.
	Free float64
}

// Fit returns the model of logistic regression for rows x with classes y, 0 to
// classes-1. For the fit, columns are centred and scaled to one spread. The
// model takes unscaled columns.
func Fit(x [][]float64, y []int, classes int, o Options) *Model {
	columns := len(x[0])
	mean, spread := Spread(x)
	for i := range columns - o.Fixed {
		if o.Free > 0 {
			spread[i] /= o.Free
		}
	}
	for i := columns - o.Fixed; i < columns; i++ {
		spread[i] = 1 / o.Scale
	}
	z := make([][]float64, len(x))
	for i, row := range x {
		z[i] = make([]float64, columns)
		for j, v := range row {
			z[i][j] = (v - mean[j]) / spread[j]
		}
	}
	rows := classes
	if classes == 2 {
		rows = 1
	}
	p := &problem{z, y, rows, columns, o.C, o.Weights}
	w := minimise(p.loss, make([]float64, rows*(columns+1)))
	m := &Model{}
	for k := range rows {
		own := w[k*(columns+1) : (k+1)*(columns+1)]
		bias := own[columns]
		weights := make([]float64, columns)
		for j := range weights {
			weights[j] = own[j] / spread[j]
			bias -= weights[j] * mean[j]
		}
		m.Weights, m.Bias = append(m.Weights, weights), append(m.Bias, bias)
	}
	return m
}

// Spread returns mean and standard deviation of each column; 1 for a column
// that is always the same.
func Spread(x [][]float64) (mean, spread []float64) {
	mean, spread = make([]float64, len(x[0])), make([]float64, len(x[0]))
	for _, row := range x {
		for j, v := range row {
			mean[j] += v / float64(len(x))
		}
	}
	for _, row := range x {
		for j, v := range row {
			spread[j] += (v - mean[j]) * (v - mean[j]) / float64(len(x))
		}
	}
	for j := range spread {
		if spread[j] = math.Sqrt(spread[j]); spread[j] < 1e-9 {
			spread[j] = 1
		}
	}
	return mean, spread
}

// A problem is what minimise solves. The weights are ordered by class, each
// class with its bias last.
type problem struct {
	x             [][]float64
	y             []int
	rows, columns int
	c             float64
	weights       []float64
}

// loss returns the penalised negative log likelihood of w and writes its
// gradient.
func (p *problem) loss(w, gradient []float64) float64 {
	clear(gradient)
	width := p.columns + 1
	scores := make([]float64, p.rows)
	var sum float64
	for i, x := range p.x {
		weight := p.c
		if p.weights != nil {
			weight *= p.weights[i]
		}
		for k := range scores {
			own := w[k*width : (k+1)*width]
			s := own[p.columns]
			for j, v := range x {
				s += own[j] * v
			}
			scores[k] = s
		}
		sum += weight * p.residuals(scores, p.y[i])
		for k, r := range scores {
			own := gradient[k*width : (k+1)*width]
			r *= weight
			for j, v := range x {
				own[j] += r * v
			}
			own[p.columns] += r
		}
	}
	for k := range p.rows {
		for j := k * width; j < k*width+p.columns; j++ {
			sum += w[j] * w[j] / 2
			gradient[j] += w[j]
		}
	}
	return sum
}

// residuals turns the scores of a row of class y into how far off each
// probability is, and returns the row's loss.
func (p *problem) residuals(scores []float64, y int) float64 {
	if p.rows == 1 {
		s := scores[0]
		scores[0] = Sigmoid(s)
		if y == 1 {
			scores[0]--
			return softplus(-s)
		}
		return softplus(s)
	}
	softmax(scores)
	loss := -math.Log(max(scores[y], 1e-300))
	scores[y]--
	return loss
}

// softplus returns log(1 + e^x).
func softplus(x float64) float64 {
	return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}

const (
	memory     = 12  // steps that the curvature is estimated from
	iterations = 400 // at most
	tolerance  = 1e-4
)

// minimise returns where f is least, by L-BFGS (Liu and Nocedal 1989) with
// halving steps.
func minimise(f func(w, gradient []float64) float64, w []float64) []float64 {
	n := len(w)
	gradient, next, nextGradient := make([]float64, n), make([]float64, n), make([]float64, n)
	value := f(w, gradient)
	var steps, turns [][]float64
	for range iterations {
		if norm(gradient) < tolerance {
			break
		}
		direction := lbfgs(gradient, steps, turns)
		slope := product(direction, gradient)
		size := 1.0
		if len(steps) == 0 {
			size = 1 / norm(gradient)
		}
		for range 40 {
			for j := range next {
				next[j] = w[j] + size*direction[j]
			}
			if v := f(next, nextGradient); v <= value+1e-4*size*slope {
				value = v
				break
			}
			size /= 2
		}
		step, turn := make([]float64, n), make([]float64, n)
		for j := range w {
			step[j], turn[j] = next[j]-w[j], nextGradient[j]-gradient[j]
		}
		if product(step, turn) > 1e-12 {
			steps, turns = append(steps, step), append(turns, turn)
			if len(steps) > memory {
				steps, turns = steps[1:], turns[1:]
			}
		}
		copy(w, next)
		copy(gradient, nextGradient)
		if norm(step) < 1e-9 {
			break
		}
	}
	return w
}

// lbfgs returns the direction to go.
func lbfgs(gradient []float64, steps, turns [][]float64) []float64 {
	q := make([]float64, len(gradient))
	for j, g := range gradient {
		q[j] = -g
	}
	alpha := make([]float64, len(steps))
	for i := len(steps) - 1; i >= 0; i-- {
		alpha[i] = product(steps[i], q) / product(steps[i], turns[i])
		for j := range q {
			q[j] -= alpha[i] * turns[i][j]
		}
	}
	if last := len(steps) - 1; last >= 0 {
		scale := product(steps[last], turns[last]) / product(turns[last], turns[last])
		for j := range q {
			q[j] *= scale
		}
	}
	for i := range steps {
		beta := product(turns[i], q) / product(steps[i], turns[i])
		for j := range q {
			q[j] += (alpha[i] - beta) * steps[i][j]
		}
	}
	return q
}

func product(a, b []float64) float64 {
	var sum float64
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func norm(a []float64) float64 { return math.Sqrt(product(a, a)) }
