package modelfile

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/memoir-ai/memoir/internal/half"
	"github.com/memoir-ai/memoir/internal/order"
)

// Writer collects the parts of a model file. Parts may be added in any order;
// the same parts always make the same bytes. The zero value is ready for use. A
// Writer must not be used concurrently.
type Writer struct {
	sections []section
	err      error
}

// Bytes adds data as it is, without a copy.
func (w *Writer) Bytes(name string, data []byte) {
	w.add(name, KindBytes, 1, len(data), data)
}

// Float32s adds a matrix of rows x cols in single precision.
func (w *Writer) Float32s(name string, rows, cols int, values []float32) {
	data := make([]byte, 0, 4*len(values))
	for _, v := range values {
		w.checkFinite(name, v)
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	w.add(name, KindF32, rows, cols, data)
}

// Float16s adds a matrix of rows x cols, rounded to half precision.
func (w *Writer) Float16s(name string, rows, cols int, values []float32) {
	data := make([]byte, 0, 2*len(values))
	for _, v := range values {
		h := half.Round(v)
		w.checkFinite(name, half.Float32(h))
		data = binary.LittleEndian.AppendUint16(data, h)
	}
	w.add(name, KindF16, rows, cols, data)
}

// Linear adds the weights of a linear layer of n outputs and k inputs. Its
// blocks are laid out as [KindQ4Rows] describes, with an output in each row.
// They are rearranged without loss.
func (w *Writer) Linear(name string, n, k int, blocks []byte) {
	if !w.checkQ4(name, n, k, blocks) {
		return
	}
	if n%panelRows != 0 {
		w.fail("section %q: %d outputs are not a multiple of %d", name, n, panelRows)
		return
	}
	w.add(name, KindQ4Panels, n, k, panels(n, k, blocks))
}

// EmbeddingQ4 adds a table of rows x cols whose blocks are laid out as
// [KindQ4Rows] describes, without a copy.
func (w *Writer) EmbeddingQ4(name string, rows, cols int, blocks []byte) {
	if w.checkQ4(name, rows, cols, blocks) {
		w.add(name, KindQ4Rows, rows, cols, blocks)
	}
}

// EmbeddingQ2 adds a table of rows x cols in 2 bits (see [KindQ2Rows]). The
// function row writes row i to dst. It is called twice for each row.
func (w *Writer) EmbeddingQ2(name string, rows, cols int, row func(i int, dst []float32)) {
	data, err := quantizeQ2(rows, cols, row)
	if err != nil {
		w.fail("section %q: %w", name, err)
		return
	}
	w.add(name, KindQ2Rows, rows, cols, data)
}

// File returns the file made of all parts and info. It returns the first error
// of any earlier call. A file that [Parse] would refuse is an error too.
func (w *Writer) File(info Info) ([]byte, error) {
	text, err := json.Marshal(info)
	if err != nil {
		return nil, fmt.Errorf("model info: %w", err)
	}
	w.Bytes(infoSection, text)
	if w.err != nil {
		return nil, w.err
	}
	order.By(w.sections, func(a, b section) int { return cmp.Compare(a.name, b.name) })
	size := align(headerSize + len(w.sections)*entrySize)
	for _, s := range w.sections {
		size = align(size + len(s.data))
	}
	data := make([]byte, size)
	copy(data, magic)
	binary.LittleEndian.PutUint32(data[8:], version)
	binary.LittleEndian.PutUint32(data[12:], uint32(len(w.sections)))
	binary.LittleEndian.PutUint64(data[16:], uint64(size))
	offset := align(headerSize + len(w.sections)*entrySize)
	for i, s := range w.sections {
		entry := data[headerSize+i*entrySize:]
		copy(entry[:nameSize], s.name)
		binary.LittleEndian.PutUint32(entry[32:], uint32(s.kind))
		binary.LittleEndian.PutUint32(entry[36:], uint32(s.rows))
		binary.LittleEndian.PutUint32(entry[40:], uint32(s.cols))
		binary.LittleEndian.PutUint64(entry[48:], uint64(offset))
		binary.LittleEndian.PutUint64(entry[56:], uint64(len(s.data)))
		copy(data[offset:], s.data)
		offset = align(offset + len(s.data))
	}
	sum := sha256.Sum256(data[headerSize:])
	copy(data[32:], sum[:])
	if _, err := parse(data); err != nil {
		return nil, fmt.Errorf("model file cannot be written: %w", err)
	}
	return data, nil
}

func (w *Writer) add(name string, kind Kind, rows, cols int, data []byte) {
	if name == "" || len(name) > nameSize {
		w.fail("section name %q is not between 1 and %d bytes long", name, nameSize)
		return
	}
	w.sections = append(w.sections, section{name: name, kind: kind, rows: rows, cols: cols, data: data})
}

func (w *Writer) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

func (w *Writer) checkFinite(name string, v float32) {
	if !finite(v) {
		w.fail("section %q holds the number %g", name, v)
	}
}

// checkQ4 checks that blocks are a matrix of rows x cols with finite scales. If
// not, it records an error and returns false.
func (w *Writer) checkQ4(name string, rows, cols int, blocks []byte) bool {
	size, err := KindQ4Rows.size(uint32(rows), uint32(cols))
	if rows < 1 || cols < 1 || err != nil || uint64(len(blocks)) != size {
		w.fail("section %q: %d bytes are not %d x %d numbers of 4 bits", name, len(blocks), rows, cols)
		return false
	}
	for at := 0; at < len(blocks); at += blockBytes {
		if s := half.Float32(binary.LittleEndian.Uint16(blocks[at:])); !finite(s) {
			w.fail("section %q holds the scale %g", name, s)
			return false
		}
	}
	return true
}

func align(n int) int { return (n + alignment - 1) &^ (alignment - 1) }
