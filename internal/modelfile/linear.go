package modelfile

import (
	"encoding/binary"
	"math"

	"github.com/memoir-ai/memoir/internal/half"
)

// Linear is the weight matrix of a linear layer, y = x Wᵀ + b. Weights are
// ordered by panel of 32 outputs; what a panel looks like depends on Kind:
//
//   - [KindQ4Panels]: a tile for each block of 32 inputs, so that the tile of
//     panel p and block b starts at byte (p x K/32 + b) x 576: the half-precision
//     scales of its 32 outputs, then for each of its 32 inputs 16 bytes, of
//     which byte j holds output j in its low and output j+16 in its high
//     nibble. A weight is (nibble-8) x scale.
//   - [KindQ8Panels]: a tile of 4352 bytes for each block of 128 inputs:
//     single-precision scales of the 32 outputs, the sums of their weights in
//     the block, then the weights as signed bytes, four inputs side by side:
//     that from input k of the block to output n is byte 128(k/4) + 4n + k%4. A
//     weight is byte x scale.
//   - [KindF32Panels], [KindF16Panels]: input by input the weights to the 32
//     outputs.
//
// Tiles of bytes and panels of single precision begin at multiples of 64 bytes in the
// file and are what a matrix product reads, as they are.
type Linear struct {
	Kind Kind
	N    int    // outputs, a multiple of 32
	K    int    // inputs, a multiple of 32
	Data []byte // N/32 panels; must not be changed
}

// panelKinds are the kinds that the weights of a linear layer may have.
var panelKinds = []Kind{KindQ4Panels, KindQ8Panels, KindF16Panels, KindF32Panels}

// Linear returns the weight matrix called name, in place.
func (f *File) Linear(name string) (Linear, error) {
	s, err := f.section(name, panelKinds...)
	if err != nil {
		return Linear{}, err
	}
	return Linear{Kind: s.kind, N: s.rows, K: s.cols, Data: s.data}, nil
}

// Stored returns the bytes of panel p, which holds outputs 32p to 32p+31.
func (l Linear) Stored(p int) []byte {
	size := len(l.Data) / (l.N / panelRows)
	return l.Data[p*size:][:size:size]
}

// Panel returns the weights of outputs 32p to 32p+31, input by input: number
// 32k+n is the weight from input k to output 32p+n. They are written to buffer,
// which has room for 32 x K numbers. Where the file holds them in just this
// form, and the processor can read them there, they are returned in place. The
// caller must not change them. Faster code is compared with Panel.
func (l Linear) Panel(p int, buffer []float32) []float32 {
	buffer, data := buffer[:panelRows*l.K], l.Stored(p)
	switch l.Kind {
	case KindQ4Panels:
		for b := range l.K / blockSize {
			decodeTile(buffer[b*blockSize*panelRows:], data[b*tileBytes:][:tileBytes])
		}
	case KindQ8Panels:
		for b := range l.K / tile8Inputs {
			decodeTile8(buffer[b*tile8Inputs*panelRows:], data[b*tile8Bytes:][:tile8Bytes])
		}
	case KindF16Panels:
		half.Decode(buffer, data)
	case KindF32Panels:
		return float32s(data)
	}
	return buffer
}

// decodeTile writes a tile of 4-bit weights, 32 inputs of 32 outputs.
func decodeTile(dst []float32, tile []byte) {
	var scales [panelRows]float32
	half.Decode(scales[:], tile)
	for k := range blockSize {
		nibbles := tile[2*panelRows+k*panelRows/2:][:panelRows/2]
		row := dst[k*panelRows:][:panelRows]
		for j, two := range nibbles {
			row[j] = float32(int(two&15)-8) * scales[j]
			row[j+panelRows/2] = float32(int(two>>4)-8) * scales[j+panelRows/2]
		}
	}
}

// decodeTile8 writes a tile of 8-bit weights, 128 inputs of 32 outputs.
func decodeTile8(dst []float32, data []byte) {
	var scales [panelRows]float32
	for n := range scales {
		scales[n] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*n:]))
	}
	const group = group8 * panelRows
	for codes := data[columns8Bytes:]; len(codes) >= group; codes, dst = codes[group:], dst[group:] {
		c, d := (*[group]byte)(codes), (*[group]float32)(dst)
		for n, scale := range scales {
			d[n] = float32(int8(c[group8*n])) * scale
			d[n+panelRows] = float32(int8(c[group8*n+1])) * scale
			d[n+2*panelRows] = float32(int8(c[group8*n+2])) * scale
			d[n+3*panelRows] = float32(int8(c[group8*n+3])) * scale
		}
	}
}
