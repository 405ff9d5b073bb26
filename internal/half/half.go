// Package half converts IEEE 754 half-precision numbers, in plain Go and exactly.
package half

import "math"

// Float32 widens a half-precision number; every one has an exact
// single-precision equal.
func Float32(h uint16) float32 {
	bits := uint32(h&0x7fff) << 13
	if h&0x7c00 == 0x7c00 {
		bits |= 0x7f800000
	} else {
		// The product moves the exponent, and makes normal what was not.
		bits = math.Float32bits(math.Float32frombits(bits) * (1 << (127 - 15)))
	}
	return math.Float32frombits(bits | uint32(h&0x8000)<<16)
}

// Round rounds to the nearest half-precision number, ties to even.
// What is too large becomes infinite; NaN stays NaN.
func Round(v float32) uint16 {
	bits := math.Float32bits(v)
	sign := uint16(bits >> 16 & 0x8000)
	bits &= 0x7fffffff
	switch {
	case bits > 0x7f800000:
		return sign | 0x7e00
	case bits >= 0x477ff000: // 65520 and more round to infinity
		return sign | 0x7c00
	case bits < 0x38800000: // below the smallest normal number, 2^-14
		scaled := math.RoundToEven(float64(math.Float32frombits(bits)) * (1 << 24))
		return sign | uint16(scaled)
	}
	// Adding just under half of the last place, plus its own bit, rounds to even.
	bits += 0xfff + bits>>13&1
	return sign | uint16((bits-(127-15)<<23)>>13)
}

// Fits reports whether half precision holds every value exactly.
func Fits(values []float32) bool {
	for _, v := range values {
		if Float32(Round(v)) != v {
			return false
		}
	}
	return true
}

// Decode widens the little-endian numbers in data, as many as dst takes.
func Decode(dst []float32, data []byte) {
	data = data[:2*len(dst)]
	for i := range dst {
		dst[i] = Float32(uint16(data[2*i]) | uint16(data[2*i+1])<<8)
	}
}
