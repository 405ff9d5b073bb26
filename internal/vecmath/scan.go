package vecmath

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"unsafe"
)

// ScanStep divides the number of bytes that [Kernels.DotsInt8] multiplies of each
// row.
const ScanStep = 64

// maxScan keeps the sums of DotsInt8 within 32 bits.
const maxScan = 1 << 16

// DotsInt8 multiplies a query with len(dst) rows of 8 bits, as [QuantizeQuery]
// and [QuantizeVector] make them:
//
//	dst[i] = sum over j of query[j] * (rows[i*stride+j] - 128)
//
// The sums are exact, on every machine the same. The query has a multiple of
// [ScanStep] values, at most 65536; where it is padded, with zeros, the padding
// of the rows may hold anything. The stride is at least as long; rows may begin
// anywhere in memory. The scheduler cannot interrupt a goroutine within a call,
// so pass a few hundred rows at a time: they take microseconds.
func (k *Kernels) DotsInt8(dst []int32, query []int8, rows []byte, stride int) {
	n, count := len(query), len(dst)
	must(n > 0 && n%ScanStep == 0 && n <= maxScan && stride >= n, "DotsInt8 of %d values with stride %d", n, stride)
	if count == 0 {
		return
	}
	must(count-1 <= (len(rows)-n)/stride && n <= len(rows), "DotsInt8 of %d rows of %d with %d bytes", count, stride, len(rows))
	k.dots(&dst[0], &query[0], &rows[0], stride, n, count)
}

// Hamming counts the bits in which each of len(dst) rows differs from a query.
// Row i is the len(query) words from i*len(query) on, at least one.
func (k *Kernels) Hamming(dst []int32, query, rows []uint64) {
	words, count := len(query), len(dst)
	must(words > 0 && count <= len(rows)/words, "Hamming of %d rows of %d words with %d words", count, words, len(rows))
	if count > 0 {
		k.hamming(&dst[0], &query[0], &rows[0], words, count)
	}
}

// ReadSum adds up bytes as little-endian words of 64 bits. Their number is a
// multiple of 64. It does hardly more than read the bytes, so benchmarks compare
// a scan of the same bytes with it.
func (k *Kernels) ReadSum(p []byte) uint64 {
	must(len(p)%64 == 0, "ReadSum of %d bytes", len(p))
	if len(p) == 0 {
		return 0
	}
	return k.readSum(&p[0], len(p))
}

// QuantizeVector rounds a vector to 8 bits about zero: v[i] is about
// scale * (dst[i] - 128), within half of the scale; the scale is the largest
// magnitude divided by 127. What dst has beyond len(v) is filled with 128,
// which stands for 0. The result is the same on every machine.
//
// A vector of zeros, or of magnitudes below 4e-37, gives zeros and the scale 0;
// one with a value that is not finite gives zeros and a scale that is not finite.
func QuantizeVector(dst []byte, v []float32) (scale float32) {
	must(len(dst) >= len(v), "QuantizeVector of %d values into %d bytes", len(v), len(dst))
	scale, factor := symmetric(v)
	if factor == 0 {
		v = nil
	}
	for i, x := range v {
		dst[i] = byte(round(x, factor) + 128)
	}
	for i := len(v); i < len(dst); i++ {
		dst[i] = 128
	}
	return scale
}

// QuantizeQuery is [QuantizeVector] without the offset: v[i] is about
// scale * dst[i], and dst is filled up with 0.
func QuantizeQuery(dst []int8, v []float32) (scale float32) {
	must(len(dst) >= len(v), "QuantizeQuery of %d values into %d", len(v), len(dst))
	scale, factor := symmetric(v)
	if factor == 0 {
		v = nil
	}
	for i, x := range v {
		dst[i] = int8(round(x, factor))
	}
	clear(dst[len(v):])
	return scale
}

// symmetric returns the scale of a vector and the factor that its values are
// multiplied by before they are rounded. The factor is 0 if they cannot be
// rounded.
func symmetric(v []float32) (scale, factor float32) {
	const magnitude = 1<<31 - 1
	var largest uint32 // compared as integers: NaN is the largest of all
	for _, x := range v {
		largest = max(largest, math.Float32bits(x)&magnitude)
	}
	highest := math.Float32frombits(largest)
	if highest-highest != 0 {
		return highest, 0
	}
	factor = math.MaxInt8 / highest
	if factor > math.MaxFloat32 {
		return 0, 0
	}
	return highest / math.MaxInt8, factor
}

// round returns x times the factor, a number of a few hundred at most, rounded
// to even: added to 1.5 * 2^23 it has no room for a fraction. The conversions
// forbid a fused multiply-add, which some processors have.
func round(x, factor float32) int32 {
	const whole = 3 << 22
	sum := float32(x*factor) + whole
	return int32(math.Float32bits(sum) - math.Float32bits(whole))
}

// dotsRight compares the products of some numbers with those of plain Go.
func (k *Kernels) dotsRight() bool {
	const n, count = 2 * ScanStep, 5
	var query [n]int8
	var rows [n * count]byte
	for i := range query {
		query[i] = int8(i*37 + i>>4)
	}
	for i := range rows {
		rows[i] = byte(i*101 + i>>7)
	}
	got, want := make([]int32, count), make([]int32, count)
	k.dots(&got[0], &query[0], &rows[0], n, n, count)
	dotsGeneric(&want[0], &query[0], &rows[0], n, n, count)
	return slices.Equal(got, want)
}

func dotsGeneric(dst *int32, query *int8, rows *byte, stride, n, count int) {
	q := unsafe.Slice(query, n)
	bytes := unsafe.Slice(rows, (count-1)*stride+n)
	out := unsafe.Slice(dst, count)
	for i := range out {
		x, y := q, bytes[i*stride:][:n]
		var s0, s1, s2, s3 int32
		for len(x) >= 4 && len(y) >= 4 {
			s0 += int32(x[0]) * (int32(y[0]) - 128)
			s1 += int32(x[1]) * (int32(y[1]) - 128)
			s2 += int32(x[2]) * (int32(y[2]) - 128)
			s3 += int32(x[3]) * (int32(y[3]) - 128)
			x, y = x[4:], y[4:]
		}
		out[i] = s0 + s1 + s2 + s3
	}
}

func hammingGeneric(dst *int32, query, rows *uint64, words, count int) {
	q, all := unsafe.Slice(query, words), unsafe.Slice(rows, words*count)
	out := unsafe.Slice(dst, count)
	for i := range out {
		n := 0
		for j, v := range all[i*words:][:words] {
			n += bits.OnesCount64(v ^ q[j])
		}
		out[i] = int32(n)
	}
}

func readSumGeneric(p *byte, n int) (sum uint64) {
	for b := unsafe.Slice(p, n); len(b) >= 32; b = b[32:] {
		sum += binary.LittleEndian.Uint64(b) + binary.LittleEndian.Uint64(b[8:]) +
			binary.LittleEndian.Uint64(b[16:]) + binary.LittleEndian.Uint64(b[24:])
	}
	return sum
}
