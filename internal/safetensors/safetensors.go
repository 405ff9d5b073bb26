// Package safetensors reads the file in which models are published on the hub
// (https://github.com/huggingface/safetensors): a header in JSON that names each
// tensor's type, shape and place, and then the numbers. Tensors are read one at
// a time.
//
// A file comes from a stranger: whatever the header says is checked before any
// memory is taken for it.
package safetensors

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/memoir-ai/memoir/internal/half"
)

const (
	maxHeader  = 16 << 20 // bytes; a header of a hundred layers has a few hundred thousand
	maxTensors = 1 << 16
	maxRank    = 8
	chunkBytes = 1 << 20 // what is read at a time
)

// File is an opened file. It is safe for concurrent use.
type File struct {
	r       io.ReaderAt
	data    int64 // where the tensors begin
	tensors map[string]Tensor
}

// Tensor says what a file holds under a name.
type Tensor struct {
	Type  string // such as "F32", "F16", "BF16", "I64"
	Shape []int  // none for a single number

	start, end int64 // bytes behind the header
}

// Values returns how many numbers the tensor has.
func (t Tensor) Values() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// sizes is the length of a number in bytes.
var sizes = map[string]int64{
	"BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2,
	"U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8,
}

// Open reads the header of a file of size bytes. The error says what is wrong:
// tensors that overlap, leave a gap or reach beyond the file, whose shape does
// not fit their length, or whose type the format does not know.
func Open(r io.ReaderAt, size int64) (*File, error) {
	var prefix [8]byte
	if size < int64(len(prefix)) {
		return nil, fmt.Errorf("%d bytes are too few for a header", size)
	}
	if _, err := r.ReadAt(prefix[:], 0); err != nil {
		return nil, fmt.Errorf("read the header's length: %w", err)
	}
	length := binary.LittleEndian.Uint64(prefix[:])
	if length > maxHeader || int64(length) > size-int64(len(prefix)) {
		return nil, fmt.Errorf("a header of %d bytes does not fit: the file has %d, and at most %d are read", length, size, maxHeader)
	}
	header := make([]byte, length)
	if _, err := r.ReadAt(header, int64(len(prefix))); err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	f := &File{r: r, data: int64(len(prefix)) + int64(length), tensors: make(map[string]Tensor)}
	if err := f.parse(header, size-f.data); err != nil {
		return nil, err
	}
	return f, nil
}

// entry is what the header says of a tensor.
type entry struct {
	Type    string  `json:"dtype"`
	Shape   []int64 `json:"shape"`
	Offsets []int64 `json:"data_offsets"`
}

// parse reads the header of a file with so many bytes of tensors.
func (f *File) parse(header []byte, size int64) error {
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(header, &entries); err != nil {
		return fmt.Errorf("the header is no JSON object: %w", err)
	}
	delete(entries, "__metadata__")
	if len(entries) > maxTensors {
		return fmt.Errorf("%d tensors are more than %d", len(entries), maxTensors)
	}
	names := make([]string, 0, len(entries))
	for name, raw := range entries {
		var e entry
		if err := json.Unmarshal(raw, &e); err != nil {
			return fmt.Errorf("tensor %.80q: %w", name, err)
		}
		t, err := e.tensor(size)
		if err != nil {
			return fmt.Errorf("tensor %.80q: %w", name, err)
		}
		f.tensors[name] = t
		names = append(names, name)
	}
	// The format has neither gaps nor overlaps.
	slices.SortFunc(names, func(a, b string) int {
		x, y := f.tensors[a], f.tensors[b]
		return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.end, y.end), cmp.Compare(a, b))
	})
	var end int64
	for _, name := range names {
		if t := f.tensors[name]; t.start != end {
			return fmt.Errorf("tensor %.80q begins at byte %d instead of %d", name, t.start, end)
		}
		end = f.tensors[name].end
	}
	if end != size {
		return fmt.Errorf("the tensors end at byte %d of %d", end, size)
	}
	return nil
}

// tensor checks an entry against the bytes that there are.
func (e entry) tensor(size int64) (Tensor, error) {
	width, ok := sizes[e.Type]
	if !ok {
		return Tensor{}, fmt.Errorf("unknown type %.20q", e.Type)
	}
	if len(e.Offsets) != 2 || e.Offsets[0] < 0 || e.Offsets[0] > e.Offsets[1] || e.Offsets[1] > size {
		return Tensor{}, fmt.Errorf("offsets %v of %d bytes", e.Offsets, size)
	}
	if len(e.Shape) > maxRank {
		return Tensor{}, fmt.Errorf("%d dimensions are more than %d", len(e.Shape), maxRank)
	}
	t := Tensor{Type: e.Type, start: e.Offsets[0], end: e.Offsets[1]}
	n := int64(1)
	for _, d := range e.Shape {
		if d < 0 || d > math.MaxInt32 || d > 0 && n > size/d {
			return Tensor{}, fmt.Errorf("shape %v of %d bytes", e.Shape, size)
		}
		n *= d
		t.Shape = append(t.Shape, int(d))
	}
	if n*width != t.end-t.start {
		return Tensor{}, fmt.Errorf("shape %v of %s in %d bytes", e.Shape, e.Type, t.end-t.start)
	}
	return t, nil
}

// Tensor returns what the file says about the tensor called name.
func (f *File) Tensor(name string) (t Tensor, ok bool) {
	t, ok = f.tensors[name]
	return t, ok
}

// ErrMissing is what [File.Float32s] wraps when there is no such tensor.
var ErrMissing = errors.New("the tensor is missing")

// Float32s reads a tensor of type F32, F16 or BF16, row by row, in single
// precision, which holds each of them exactly. A number that is infinite or none
// is an error.
func (f *File) Float32s(name string) ([]float32, error) {
	t, ok := f.tensors[name]
	if !ok {
		return nil, fmt.Errorf("tensor %q: %w", name, ErrMissing)
	}
	decode, ok := map[string]func(dst []float32, data []byte){"F32": decodeF32, "F16": half.Decode, "BF16": decodeBF16}[t.Type]
	if !ok {
		return nil, fmt.Errorf("tensor %q has the type %s; F32, F16 and BF16 can be read", name, t.Type)
	}
	width := sizes[t.Type]
	r := io.NewSectionReader(f.r, f.data+t.start, t.end-t.start)
	buf := make([]byte, min(chunkBytes, t.end-t.start))
	// Memory grows with what could be read, not with what the header promises.
	var out []float32
	for left := t.end - t.start; left > 0; left -= int64(len(buf)) {
		buf = buf[:min(int64(len(buf)), left)]
		if _, err := io.ReadFull(r, buf); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		at, n := len(out), len(buf)/int(width)
		out = slices.Grow(out, n)[:at+n]
		decode(out[at:], buf)
		for i, v := range out[at:] {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				return nil, fmt.Errorf("tensor %q: number %d is %g", name, at+i, v)
			}
		}
	}
	return out, nil
}

func decodeF32(dst []float32, data []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
}

// decodeBF16 widens the upper half of a single-precision number.
func decodeBF16(dst []float32, data []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(data[2*i:])) << 16)
	}
}
