package vecmath

import (
	"math"
	"unsafe"
)

// generic returns the routines in plain Go. Each loop is written only once. A
// compiler might compile two copies differently, and then rows would not go
// through the same instructions.
func generic() *Kernels {
	return &Kernels{
		name:       "generic",
		lanes:      1,
		dot:        dotGeneric,
		max:        maxGeneric,
		add:        addGeneric,
		scale:      scaleGeneric,
		expSum:     expSumGeneric,
		biasGELU:   biasGELUGeneric,
		addSum:     addSumGeneric,
		sumSquares: sumSquaresGeneric,
		scaleShift: scaleShiftGeneric,
		dequant:    dequantGeneric,
		tiles:      []tile{{1, tile1Generic}},
		dots:       dotsGeneric,
		hamming:    hammingGeneric,
		readSum:    readSumGeneric,
	}
}

func dotGeneric(a, b *float32, n int) float32 {
	x, y := unsafe.Slice(a, n), unsafe.Slice(b, n)
	var s0, s1, s2, s3 float32
	for len(x) >= 4 && len(y) >= 4 {
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s0 += v * y[i]
	}
	return (s0 + s1) + (s2 + s3)
}

func maxGeneric(x *float32, n int) float32 {
	highest := *x
	for _, v := range unsafe.Slice(x, n) {
		highest = max(highest, v)
	}
	return highest
}

func addGeneric(x, y *float32, n int) {
	to := unsafe.Slice(x, n)
	for i, v := range unsafe.Slice(y, n) {
		to[i] += v
	}
}

func scaleGeneric(x *float32, n int, factor float32) {
	to := unsafe.Slice(x, n)
	for i := range to {
		to[i] *= factor
	}
}

func expSumGeneric(x *float32, n int, max, scale float32) (sum float32) {
	to := unsafe.Slice(x, n)
	for i, v := range to {
		to[i] = exp(scale * (v - max))
		sum += to[i]
	}
	return sum
}

func biasGELUGeneric(x, b *float32, n int) {
	to := unsafe.Slice(x, n)
	for i, v := range unsafe.Slice(b, n) {
		to[i] = gelu(to[i] + v)
	}
}

func addSumGeneric(x, r, b *float32, n int) (sum float32) {
	to, residual, bias := unsafe.Slice(x, n), unsafe.Slice(r, n), unsafe.Slice(b, n)
	for i := range to {
		to[i] += residual[i] + bias[i]
		sum += to[i]
	}
	return sum
}

func sumSquaresGeneric(x *float32, n int, mean float32) (sum float32) {
	for _, v := range unsafe.Slice(x, n) {
		sum += (v - mean) * (v - mean)
	}
	return sum
}

func scaleShiftGeneric(x, gamma, beta *float32, n int, mean, inverse float32) {
	to, g, b := unsafe.Slice(x, n), unsafe.Slice(gamma, n), unsafe.Slice(beta, n)
	for i, v := range to {
		to[i] = (v-mean)*inverse*g[i] + b[i]
	}
}

// tile1Generic multiplies one row, eight columns at a time, because the sums of
// eight columns stay in registers.
func tile1Generic(k int, a *float32, _ int, panel *float32, c *float32, _ int) {
	row := unsafe.Slice(a, k)
	values := unsafe.Slice(panel, k*PanelWidth)
	out := unsafe.Slice(c, PanelWidth)
	for j := 0; j < PanelWidth; j += 8 {
		var s [8]float32
		s0, s1, s2, s3, s4, s5, s6, s7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
		for i, v := range row {
			p := (*[8]float32)(values[i*PanelWidth+j:])
			s0 += v * p[0]
			s1 += v * p[1]
			s2 += v * p[2]
			s3 += v * p[3]
			s4 += v * p[4]
			s5 += v * p[5]
			s6 += v * p[6]
			s7 += v * p[7]
		}
		*(*[8]float32)(out[j:]) = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
	}
}

func dequantGeneric(dst *float32, tiles *byte, n int) {
	out := unsafe.Slice(dst, n*TileInputs*PanelWidth)
	in := unsafe.Slice(tiles, n*TileBytes)
	var scales [PanelWidth]float32
	for ; len(in) > 0; in = in[TileBytes:] {
		for j := range scales {
			scales[j] = halfToFloat(uint16(in[2*j]) | uint16(in[2*j+1])<<8)
		}
		weights := in[2*PanelWidth : TileBytes]
		for ; len(weights) > 0; weights = weights[PanelWidth/2:] {
			row := out[:PanelWidth]
			for j, b := range weights[:PanelWidth/2] {
				row[j] = float32(int(b&15)-8) * scales[j]
				row[j+PanelWidth/2] = float32(int(b>>4)-8) * scales[j+PanelWidth/2]
			}
			out = out[PanelWidth:]
		}
	}
}

// halfToFloat converts an IEEE 754 half-precision number, exactly.
func halfToFloat(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch exponent {
	case 0:
		v := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(sign | math.Float32bits(v))
	case 31:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// exp returns e^x for x <= 0, 0 below -87, and NaN for NaN. Range reduction and polynomial
// are those of Cephes' expf (S. Moshier).
func exp(x float32) float32 {
	if x < -87 {
		return 0
	}
	if x != x {
		return x
	}
	// Adding 128 keeps the argument positive, where conversion rounds down.
	n := int32(x*math.Log2E+128.5) - 128
	r := x - float32(n)*0.693359375 + float32(n)*2.12194440e-4
	p := float32(1.9875691500e-4)
	p = p*r + 1.3981999507e-3
	p = p*r + 8.3334519073e-3
	p = p*r + 4.1665795894e-2
	p = p*r + 1.6666665459e-1
	p = p*r + 5.0000001201e-1
	p = p*r*r + r + 1
	return math.Float32frombits(uint32(int32(math.Float32bits(p)) + n<<23))
}

// gelu returns x * (1 + erf(x/√2)) / 2. Half the erf is x·P(x²)/Q(x²) on
// |x| <= 5.5, fitted by iteratively reweighted least squares on Chebyshev nodes
// to within 8e-9.
func gelu(x float32) float32 {
	x = max(x, -5.5)
	c := min(x, 5.5)
	t := c * c
	p := float32(2.2749450323544806e-08)
	p = p*t + 6.3520005824102554e-06
	p = p*t + 0.00016881883493624628
	p = p*t + 0.004677218850702047
	p = p*t + 0.03385205194354057
	p = p*t + 0.398942232131958
	q := float32(1.1974976814599358e-06)
	q = q*t + 7.364492921624333e-05
	q = q*t + 0.0018844067817553878
	q = q*t + 0.02864551730453968
	q = q*t + 0.25152042508125305
	q = q*t + 1
	return x * (c*(p/q) + 0.5)
}
