package modelfile

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/memoir-ai/memoir/internal/half"
)

// panels rearranges rows of 4-bit blocks into the tiles of [Linear].
func panels(n, k int, rows []byte) []byte {
	blocks := k / blockSize
	out := make([]byte, n/panelRows*blocks*tileBytes)
	for row := range n {
		p, lane := row/panelRows, row%panelRows
		shift := 4 * (lane / (panelRows / 2))
		for b := range blocks {
			block := rows[(row*blocks+b)*blockBytes:][:blockBytes]
			tile := out[(p*blocks+b)*tileBytes:][:tileBytes]
			copy(tile[2*lane:], block[:2])
			codes := tile[2*panelRows+lane%(panelRows/2):]
			for j, two := range block[2:] {
				codes[j*panelRows/2] |= two & 15 << shift
				codes[(j+blockSize/2)*panelRows/2] |= two >> 4 << shift
			}
		}
	}
	return out
}

// quantizeQ2 stores a table in the layout of [KindQ2Rows]. The column means are
// subtracted from each row. What remains is measured in the standard deviation
// of that row.
//
// Every product is rounded before it is added to anything. A processor that
// does both in one step would otherwise write another file.
func quantizeQ2(rows, cols int, row func(i int, dst []float32)) ([]byte, error) {
	if rows < 1 || cols < 1 || rows > maxDimension || cols > maxDimension || cols%codesPerByte2 != 0 {
		return nil, fmt.Errorf("a table of %d x %d cannot be stored in 2 bits", rows, cols)
	}
	buf := make([]float32, cols)
	sums := make([]float64, cols)
	for i := range rows {
		row(i, buf)
		for c, v := range buf {
			if !finite(v) {
				return nil, fmt.Errorf("row %d holds the number %g", i, v)
			}
			sums[c] += float64(v)
		}
	}
	stride := cols / codesPerByte2
	out := make([]byte, 4*cols+2*rows+rows*stride)
	means := make([]float32, cols)
	for c := range means {
		means[c] = float32(sums[c] / float64(rows))
		binary.LittleEndian.PutUint32(out[4*c:], math.Float32bits(means[c]))
	}
	scales, codes := out[4*cols:], out[4*cols+2*rows:]
	for i := range rows {
		row(i, buf)
		for c := range buf {
			buf[c] -= means[c]
		}
		scaled := half.Round(deviation(buf))
		scale := half.Float32(scaled)
		if !finite(scale) {
			return nil, fmt.Errorf("row %d is too wide for a half-precision scale", i)
		}
		binary.LittleEndian.PutUint16(scales[2*i:], scaled)
		encodeQ2(codes[i*stride:][:stride], buf, scale)
	}
	return out, nil
}

// deviation returns the standard deviation of values about their own mean.
func deviation(values []float32) float32 {
	var sum float64
	for _, v := range values {
		sum += float64(v)
	}
	mean := sum / float64(len(values))
	var squares float64
	for _, v := range values {
		d := float64(v) - mean
		squares += float64(d * d)
	}
	return float32(math.Sqrt(squares / float64(len(values))))
}

// encodeQ2 writes the nearest level of each value, in units of scale.
func encodeQ2(codes []byte, values []float32, scale float32) {
	limit := border * scale
	for i, v := range values {
		var code byte
		switch {
		case v >= limit:
			code = 3
		case v >= 0:
			code = 2
		case v >= -limit:
			code = 1
		}
		codes[i/codesPerByte2] |= code << (2 * (i % codesPerByte2))
	}
}
