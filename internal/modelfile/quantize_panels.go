package modelfile

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/memoir-ai/memoir/internal/half"
)

// The bits that a number can have in a model file.
var (
	linearBits = map[int]Kind{4: KindQ4Panels, 8: KindQ8Panels, 16: KindF16Panels, 32: KindF32Panels}
	tableBits  = map[int]Kind{2: KindQ2Rows, 4: KindQ4Rows, 8: KindQ8Rows, 16: KindF16, 32: KindF32}
)

// Weights adds the weights of a linear layer with n outputs and k inputs, in 4,
// 8, 16 or 32 bits each. A row holds the weights of one output.
func (w *Writer) Weights(name string, n, k, bits int, weights []float32) {
	kind, ok := linearBits[bits]
	size, err := kind.size(uint32(n), uint32(k))
	if !ok || err != nil || n < 1 || k < 1 || len(weights) != n*k {
		w.fail("section %q: %d weights cannot be %d x %d of %d bits", name, len(weights), n, k, bits)
		return
	}
	if kind == KindQ4Panels {
		blocks, err := quantizeQ4(weights)
		if err != nil {
			w.fail("section %q: %w", name, err)
			return
		}
		w.Linear(name, n, k, blocks)
		return
	}
	data := make([]byte, 0, size)
	for p := 0; p < n; p += panelRows {
		if data, err = appendPanel(data, kind, weights[p*k:(p+panelRows)*k]); err != nil {
			w.fail("section %q: %w", name, err)
			return
		}
	}
	w.add(name, kind, n, k, data)
}

// Table adds a table of rows x cols in 2, 4, 8, 16 or 32 bits a number. With 2
// bits, the first rows have 4 (see [KindQ2Rows]).
func (w *Writer) Table(name string, rows, cols, bits int, values []float32) {
	kind, ok := tableBits[bits]
	_, err := kind.size(uint32(rows), uint32(cols))
	if !ok || err != nil || rows < 1 || cols < 1 || len(values) != rows*cols {
		w.fail("section %q: %d numbers cannot be %d x %d of %d bits", name, len(values), rows, cols, bits)
		return
	}
	switch kind {
	case KindF32:
		w.Float32s(name, rows, cols, values)
	case KindF16:
		w.Float16s(name, rows, cols, values)
	case KindQ8Rows:
		data, err := quantizeQ8(values)
		if err != nil {
			w.fail("section %q: %w", name, err)
			return
		}
		w.add(name, kind, rows, cols, data)
	case KindQ4Rows:
		w.tableQ4(name, rows, cols, values)
	case KindQ2Rows:
		w.EmbeddingQ2(name, rows, cols, func(i int, dst []float32) { copy(dst, values[i*cols:][:cols]) })
		head := min(headRows, rows)
		w.tableQ4(name+headSuffix, head, cols, values[:head*cols])
	}
}

func (w *Writer) tableQ4(name string, rows, cols int, values []float32) {
	blocks, err := quantizeQ4(values)
	if err != nil {
		w.fail("section %q: %w", name, err)
		return
	}
	w.EmbeddingQ4(name, rows, cols, blocks)
}

// appendPanel appends 32 outputs, given one after the other, as the panel of a
// [Linear].
func appendPanel(data []byte, kind Kind, weights []float32) ([]byte, error) {
	if i := firstInfinite(weights); i >= 0 {
		return nil, fmt.Errorf("it holds the number %g", weights[i])
	}
	k := len(weights) / panelRows
	if kind == KindQ8Panels {
		for first := 0; first < k; first += tile8Inputs {
			data = appendTile8(data, weights[first:], k)
		}
		return data, nil
	}
	for i := range k {
		for n := range panelRows {
			v := weights[n*k+i]
			if kind == KindF32Panels {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
				continue
			}
			h := half.Round(v)
			if !finite(half.Float32(h)) {
				return nil, fmt.Errorf("the number %g does not fit half precision", v)
			}
			data = binary.LittleEndian.AppendUint16(data, h)
		}
	}
	return data, nil
}

// appendTile8 appends a tile of bytes: 128 inputs of 32 outputs, which lie
// stride apart. The unit of an output is the 127th part of its largest weight.
func appendTile8(data []byte, weights []float32, stride int) []byte {
	at := len(data)
	data = append(data, make([]byte, tile8Bytes)...)
	columns, codes := data[at:][:columns8Bytes], data[at+columns8Bytes:]
	for n := range panelRows {
		row := weights[n*stride:][:tile8Inputs]
		scale := largest(row) / math.MaxInt8
		sum := 0
		for i, v := range row {
			code := nearest(v, scale, math.MaxInt8)
			codes[i/group8*group8*panelRows+n*group8+i%group8] = byte(code)
			sum += code
		}
		binary.LittleEndian.PutUint32(columns[4*n:], math.Float32bits(scale))
		binary.LittleEndian.PutUint32(columns[4*(panelRows+n):], math.Float32bits(float32(sum)*scale))
	}
	return data
}

// quantizeQ8 stores numbers in the layout of [KindQ8Rows].
func quantizeQ8(values []float32) ([]byte, error) {
	out := make([]byte, 0, len(values)/blockSize*block8Bytes)
	for ; len(values) >= blockSize; values = values[blockSize:] {
		block := values[:blockSize]
		scaled := half.Round(largest(block) / math.MaxInt8)
		scale := half.Float32(scaled)
		if firstInfinite(block) >= 0 || !finite(scale) {
			return nil, fmt.Errorf("it holds a number that is not finite or too large: %g", block)
		}
		out = binary.LittleEndian.AppendUint16(out, scaled)
		for _, v := range block {
			out = append(out, byte(nearest(v, scale, math.MaxInt8)))
		}
	}
	return out, nil
}

// quantizeQ4 stores numbers in the layout of [KindQ4Rows]. It tries several
// scales near the one that maps the largest number of a block to the end of the
// range. It takes the one with the least square error.
func quantizeQ4(values []float32) ([]byte, error) {
	out := make([]byte, 0, len(values)/blockSize*blockBytes)
	for ; len(values) >= blockSize; values = values[blockSize:] {
		block := values[:blockSize]
		if firstInfinite(block) >= 0 || !finite(half.Float32(half.Round(largest(block)))) {
			return nil, fmt.Errorf("it holds a number that is not finite or too large: %g", block)
		}
		scaled := bestScale4(block)
		scale := half.Float32(scaled)
		out = binary.LittleEndian.AppendUint16(out, scaled)
		for j := range blockSize / 2 {
			out = append(out, code4(block[j], scale)|code4(block[j+blockSize/2], scale)<<4)
		}
	}
	return out, nil
}

// bestScale4 returns the half-precision scale with the least square error.
func bestScale4(block []float32) uint16 {
	var peak float32
	for _, v := range block {
		if abs(v) > abs(peak) {
			peak = v
		}
	}
	best, least := half.Round(peak/-8), math.Inf(1)
	for step := range 16 {
		// The end of the range is tried at 6.5 to 9.5 scales. Products are rounded
		// before they are added: a processor that does both in one step would
		// otherwise write another file.
		scaled := half.Round(peak / -(6.5 + float32(0.2*float32(step))))
		scale := half.Float32(scaled)
		var sum float64
		for _, v := range block {
			d := float64(v) - float64((float32(code4(v, scale))-8)*scale)
			sum += float64(d * d)
		}
		if sum < least {
			best, least = scaled, sum
		}
	}
	return best
}

// code4 returns the nibble nearest to v.
func code4(v, scale float32) byte { return byte(nearest(v, scale, 7) + 8) }

// nearest returns the multiple of scale that is nearest to v, between -most and
// most. The range of 4 bits reaches one further down.
func nearest(v, scale float32, most int) int {
	if scale == 0 {
		return 0
	}
	least := -most
	if most < math.MaxInt8 {
		least--
	}
	return int(max(float64(least), min(float64(most), math.RoundToEven(float64(v/scale)))))
}

// largest returns the largest magnitude.
func largest(values []float32) (most float32) {
	for _, v := range values {
		most = max(most, abs(v))
	}
	return most
}

func abs(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

// firstInfinite returns the place of the first number that is infinite or NaN.
// It returns -1 if all are finite.
func firstInfinite(values []float32) int {
	for i, v := range values {
		if !finite(v) {
			return i
		}
	}
	return -1
}
