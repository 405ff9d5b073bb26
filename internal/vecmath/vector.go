package vecmath

import "math"

// Dot returns the dot product of two vectors of equal length; 0 when they are
// empty.
func (k *Kernels) Dot(a, b []float32) float32 {
	must(len(a) == len(b), "Dot of %d and %d values", len(a), len(b))
	n := k.whole(len(a))
	var sum float32
	if n > 0 {
		sum = k.dot(&a[0], &b[0], n)
	}
	for i := n; i < len(a); i++ {
		sum += a[i] * b[i]
	}
	return sum
}

// Add adds y to x, a vector of the same length.
func (k *Kernels) Add(x, y []float32) {
	must(len(x) == len(y), "Add of %d and %d values", len(x), len(y))
	n := k.whole(len(x))
	if n > 0 {
		k.add(&x[0], &y[0], n)
	}
	for i := n; i < len(x); i++ {
		x[i] += y[i]
	}
}

// Scale multiplies x by a factor.
func (k *Kernels) Scale(x []float32, factor float32) {
	n := k.whole(len(x))
	if n > 0 {
		k.scale(&x[0], n, factor)
	}
	for i := n; i < len(x); i++ {
		x[i] *= factor
	}
}

// SoftmaxExp replaces every value of x by exp(scale * (value - max)), max being
// the largest of them, and returns the sum: a softmax but for the division. A
// result below e^-87 is 0, so that -Inf pads a row. Scale must be positive, x
// not empty.
func (k *Kernels) SoftmaxExp(x []float32, scale float32) (sum float32) {
	must(len(x) > 0, "SoftmaxExp of no values")
	n := k.whole(len(x))
	highest := x[len(x)-1]
	if n > 0 {
		highest = k.max(&x[0], n)
	}
	for _, v := range x[n:] {
		highest = max(highest, v)
	}
	if n > 0 {
		sum = k.expSum(&x[0], n, highest, scale)
	}
	for i := n; i < len(x); i++ {
		x[i] = exp(scale * (x[i] - highest))
		sum += x[i]
	}
	return sum
}

// BiasGELU replaces x by GELU(x + bias), the exact form with erf (Hendrycks and
// Gimpel, arXiv 1606.08415): within 3e-7 of it relative to max(1, |x|).
func (k *Kernels) BiasGELU(x, bias []float32) {
	must(len(x) == len(bias), "BiasGELU of %d and %d values", len(x), len(bias))
	n := k.whole(len(x))
	if n > 0 {
		k.biasGELU(&x[0], &bias[0], n)
	}
	for i := n; i < len(x); i++ {
		x[i] = gelu(x[i] + bias[i])
	}
}

// AddLayerNorm replaces x by LayerNorm(x + residual + bias) * gamma + beta (Ba
// et al., arXiv 1607.06450). The variance is summed about the mean, in a second
// pass. All vectors have the same length, not 0.
func (k *Kernels) AddLayerNorm(x, residual, bias, gamma, beta []float32, eps float32) {
	must(len(x) > 0 && len(residual) == len(x) && len(bias) == len(x) && len(gamma) == len(x) && len(beta) == len(x),
		"AddLayerNorm of %d, %d, %d, %d and %d values", len(x), len(residual), len(bias), len(gamma), len(beta))
	n := k.whole(len(x))
	var sum float32
	if n > 0 {
		sum = k.addSum(&x[0], &residual[0], &bias[0], n)
	}
	for i := n; i < len(x); i++ {
		x[i] += residual[i] + bias[i]
		sum += x[i]
	}
	mean := sum / float32(len(x))
	var squares float32
	if n > 0 {
		squares = k.sumSquares(&x[0], n, mean)
	}
	for _, v := range x[n:] {
		squares += (v - mean) * (v - mean)
	}
	variance := float64(squares) / float64(len(x))
	inverse := float32(1 / math.Sqrt(variance+float64(eps)))
	if n > 0 {
		k.scaleShift(&x[0], &gamma[0], &beta[0], n, mean, inverse)
	}
	for i := n; i < len(x); i++ {
		x[i] = (x[i]-mean)*inverse*gamma[i] + beta[i]
	}
}

// whole returns how many of n values fill whole vectors.
func (k *Kernels) whole(n int) int { return n - n%k.lanes }
