package modelfile

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/memoir-ai/memoir/internal/half"
)

// Bytes returns the bytes of a section that holds no numbers, in place.
func (f *File) Bytes(name string) ([]byte, error) {
	s, err := f.section(name, KindBytes)
	if err != nil {
		return nil, err
	}
	return s.data, nil
}

// Float32s returns the tensor called name, row by row. Single precision is
// returned in place where the processor can read it there. Anything else is
// decoded into a new slice. The caller must not change it.
func (f *File) Float32s(name string) ([]float32, error) {
	s, err := f.section(name, KindF32, KindF16)
	if err != nil {
		return nil, err
	}
	if s.kind == KindF16 {
		out := make([]float32, len(s.data)/2)
		half.Decode(out, s.data)
		return out, nil
	}
	return float32s(s.data), nil
}

// Embedding is a table of vectors, one a row. It is safe for concurrent use.
type Embedding struct {
	Rows int // vectors
	Dim  int // numbers in a vector

	kind   Kind
	data   []byte    // the rows as stored
	means  []float32 // KindQ2Rows: of the columns
	scales []byte    // KindQ2Rows: halves, one a row
	first  int       // KindQ2Rows: how many of the first rows head holds
	head   []byte    // those rows in KindQ4Rows
}

// headSuffix is added to the name of an embedding in 2 bits. The section of
// that name holds the first rows in 4 bits: markers, punctuation and the most
// common pieces, which lose most by rounding.
const headSuffix = ".head"

// Embedding returns the table called name, in place.
func (f *File) Embedding(name string) (Embedding, error) {
	s, err := f.section(name, tableKinds...)
	if err != nil {
		return Embedding{}, err
	}
	e := Embedding{Rows: s.rows, Dim: s.cols, kind: s.kind, data: s.data}
	if s.kind == KindQ2Rows {
		e.means = float32s(s.data[:4*s.cols])
		e.scales = s.data[4*s.cols:][:2*s.rows]
		e.data = s.data[4*s.cols+2*s.rows:]
		if h, err := f.section(name+headSuffix, KindQ4Rows); err == nil {
			if h.cols != s.cols || h.rows > s.rows {
				return Embedding{}, fmt.Errorf("%w: section %q of %d x %d is no head of %d x %d", ErrDamaged, name+headSuffix, h.rows, h.cols, s.rows, s.cols)
			}
			e.first, e.head = h.rows, h.data
		}
	}
	return e, nil
}

// tableKinds are the kinds that a table of vectors may have.
var tableKinds = []Kind{KindF32, KindF16, KindQ8Rows, KindQ4Rows, KindQ2Rows}

// Kind tells how the numbers are stored.
func (e Embedding) Kind() Kind { return e.kind }

// Row writes vector i to dst, which has room for Dim numbers. It panics if i is
// not a row.
func (e Embedding) Row(i int, dst []float32) {
	if i < 0 || i >= e.Rows {
		panic(fmt.Sprintf("modelfile: row %d of an embedding of %d", i, e.Rows))
	}
	dst = dst[:e.Dim]
	stride := len(e.data) / e.Rows
	row := e.data[i*stride:][:stride]
	switch e.kind {
	case KindF32:
		for c := range dst {
			dst[c] = math.Float32frombits(binary.LittleEndian.Uint32(row[4*c:]))
		}
	case KindF16:
		half.Decode(dst, row)
	case KindQ8Rows:
		decodeQ8(dst, row)
	case KindQ4Rows:
		decodeQ4(dst, row)
	case KindQ2Rows:
		if i < e.first {
			stride := len(e.head) / e.first
			decodeQ4(dst, e.head[i*stride:][:stride])
			return
		}
		decodeQ2(dst, row, e.means, half.Float32(binary.LittleEndian.Uint16(e.scales[2*i:])))
	}
}

func decodeQ4(dst []float32, blocks []byte) {
	for len(dst) >= blockSize && len(blocks) >= blockBytes {
		scale := half.Float32(binary.LittleEndian.Uint16(blocks))
		for j, two := range blocks[2:blockBytes] {
			dst[j] = float32(int(two&15)-8) * scale
			dst[j+blockSize/2] = float32(int(two>>4)-8) * scale
		}
		dst, blocks = dst[blockSize:], blocks[blockBytes:]
	}
}

func decodeQ8(dst []float32, blocks []byte) {
	for len(dst) >= blockSize && len(blocks) >= block8Bytes {
		scale := half.Float32(binary.LittleEndian.Uint16(blocks))
		for j, code := range blocks[2:block8Bytes] {
			dst[j] = float32(int8(code)) * scale
		}
		dst, blocks = dst[blockSize:], blocks[block8Bytes:]
	}
}

// The levels, and the borders between them, with which four levels describe a
// standard normal distribution best.
const (
	innerLevel = 0.4528
	outerLevel = 1.51
	border     = 0.9816
)

func decodeQ2(dst []float32, codes []byte, means []float32, scale float32) {
	levels := [4]float32{-outerLevel * scale, -innerLevel * scale, innerLevel * scale, outerLevel * scale}
	for i, four := range codes {
		d, m := dst[4*i:][:4], means[4*i:][:4]
		d[0] = m[0] + levels[four&3]
		d[1] = m[1] + levels[four>>2&3]
		d[2] = m[2] + levels[four>>4&3]
		d[3] = m[3] + levels[four>>6]
	}
}

// float32s returns data as single-precision numbers: a view where the
// processor's byte order and the alignment allow, a decoded copy otherwise.
func float32s(data []byte) []float32 {
	n := len(data) / 4
	if n == 0 {
		return nil
	}
	p := unsafe.Pointer(unsafe.SliceData(data))
	if littleEndian() && uintptr(p)%unsafe.Alignof(float32(0)) == 0 {
		return unsafe.Slice((*float32)(p), n)
	}
	out := make([]float32, n)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return out
}

func littleEndian() bool {
	return binary.NativeEndian.Uint16([]byte{1, 0}) == 1
}
