// Package half converts IEEE 754 half-precision numbers, in plain Go and exactly.
package half

import (
	"encoding/binary"
	"math"
)

// Float32 widens an IEEE 754 half-precision number; every one has an exact
// single-precision equal.
func Float32(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exponent := uint32(h>>10) & 0x1f
	fraction := uint32(h & 0x3ff)
	switch exponent {
	case 0:
		v := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
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
	for i := range dst {
		dst[i] = Float32(binary.LittleEndian.Uint16(data[2*i:]))
	}
}
