package rowfile

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"sort"

	"github.com/memoir-ai/memoir/internal/vecmath"
)

// A block, little endian:
//
//	 0  magic, which names the version of the format
//	 8  stamp
//	24  dimensions, 4 bytes
//	28  rows, 4 bytes
//	32  after which id it begins, 8 bytes
//	40  through which id it has all vectors, 8 bytes
//	48  the largest error of a row, float32
//	52  CRC-32C of what follows the header
//	56  zero
//	60  CRC-32C of the header up to here
//	64  the rows, 64 bytes or a multiple of that each
//	    their scales, float32
//	    the ids of the vectors, then of their texts, 8 bytes each
//	    zeros, up to a multiple of 64 bytes
const (
	magic      = "MEMOROW1"
	headerSize = 64
	// blockRows is the most rows of a block: a scan goes from block to block,
	// and making one takes memory for its rows.
	blockRows = 8192
	// besides is what a row takes beside its values.
	besides = 4 + 8 + 8
)

type block struct {
	raw           []byte
	from, through int64
	first, count  int // rows before first are in other blocks too
	worst         float64

	rows, scales, ids, texts []byte
}

var (
	errTorn  = errors.New("the block is torn")
	errOther = errors.New("the block is of another index")
	table    = crc32.MakeTable(crc32.Castagnoli)
)

// parse reads the block at the start of data. What it returns refers to data.
func parse(data []byte, key Key) (*block, error) {
	if len(data) < headerSize || string(data[:8]) != magic ||
		binary.LittleEndian.Uint32(data[60:]) != crc32.Checksum(data[:60], table) {
		return nil, errTorn
	}
	if [16]byte(data[8:]) != key.Stamp || binary.LittleEndian.Uint32(data[24:]) != uint32(key.Dimensions) {
		return nil, errOther
	}
	b := &block{
		count: int(binary.LittleEndian.Uint32(data[28:])),
		from:  int64(binary.LittleEndian.Uint64(data[32:])), through: int64(binary.LittleEndian.Uint64(data[40:])),
		worst: float64(math.Float32frombits(binary.LittleEndian.Uint32(data[48:]))),
	}
	if b.count < 0 || b.count > blockRows || b.from < 0 || b.through < b.from || !(b.worst >= 0 && b.worst <= 1) {
		return nil, errTorn
	}
	size := blockSize(b.count, key)
	if len(data) < size || binary.LittleEndian.Uint32(data[52:]) != crc32.Checksum(data[headerSize:size], table) {
		return nil, errTorn
	}
	b.raw = data[:size:size]
	rest := b.raw[headerSize:]
	for _, part := range []struct {
		to   *[]byte
		size int
	}{{&b.rows, key.stride()}, {&b.scales, 4}, {&b.ids, 8}, {&b.texts, 8}} {
		*part.to, rest = rest[:b.count*part.size], rest[b.count*part.size:]
	}
	return b, nil
}

// blockSize is the length of a block of so many rows.
func blockSize(rows int, key Key) int {
	return (headerSize + rows*(key.stride()+besides) + 63) / 64 * 64
}

func (b *block) id(i int) int64   { return int64(binary.LittleEndian.Uint64(b.ids[8*i:])) }
func (b *block) text(i int) int64 { return int64(binary.LittleEndian.Uint64(b.texts[8*i:])) }
func (b *block) scale(i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b.scales[4*i:]))
}

func (b *block) row(i int, key Key) Row {
	return Row{ID: b.id(i), Text: b.text(i), Scale: b.scale(i), Values: b.rows[i*key.stride():][:key.stride()]}
}

// skip leaves out the rows up to an id.
func (b *block) skip(through int64) {
	b.first = sort.Search(b.count, func(i int) bool { return b.id(i) > through })
}

// A Builder makes blocks of vectors that come in the order of their ids.
type Builder struct {
	key     Key
	from    int64
	emit    func([]byte) error
	rows    []byte
	scales  []byte
	ids     []byte
	texts   []byte
	worst   float64
	last    int64
	scratch []float32
}

// NewBuilder returns a Builder of the blocks that follow the id from. Each is
// given to emit when it is full; it may be kept.
func NewBuilder(key Key, from int64, emit func(block []byte) error) *Builder {
	return &Builder{key: key, from: from, last: from, emit: emit}
}

// Add adds a vector of Dimensions finite values; the ids ascend. A vector of
// zeros, which is near to nothing, gets no row.
func (b *Builder) Add(id, text int64, v []float32) error {
	if len(b.ids) == 8*blockRows {
		if err := b.flush(b.last); err != nil {
			return err
		}
	}
	stride, at := b.key.stride(), len(b.rows)
	b.rows = append(b.rows, make([]byte, stride)...)
	scale, worst, ok := b.round(b.rows[at:], v)
	b.last = id
	if !ok {
		b.rows = b.rows[:at]
		return nil
	}
	b.worst = max(b.worst, worst)
	b.scales = binary.LittleEndian.AppendUint32(b.scales, math.Float32bits(scale))
	b.ids = binary.LittleEndian.AppendUint64(b.ids, uint64(id))
	b.texts = binary.LittleEndian.AppendUint64(b.texts, uint64(text))
	return nil
}

// resume begins with the rows of a block.
func (b *Builder) resume(from *block) {
	b.from, b.worst = from.from, from.worst
	b.rows, b.scales = append(b.rows, from.rows...), append(b.scales, from.scales...)
	b.ids, b.texts = append(b.ids, from.ids...), append(b.texts, from.texts...)
}

// Close ends the last block: it has all vectors up to the id through.
func (b *Builder) Close(through int64) error {
	if through <= b.from {
		return nil
	}
	return b.flush(through)
}

func (b *Builder) flush(through int64) error {
	count := len(b.ids) / 8
	raw := make([]byte, blockSize(count, b.key))
	copy(raw, magic)
	copy(raw[8:], b.key.Stamp[:])
	binary.LittleEndian.PutUint32(raw[24:], uint32(b.key.Dimensions))
	binary.LittleEndian.PutUint32(raw[28:], uint32(count))
	binary.LittleEndian.PutUint64(raw[32:], uint64(b.from))
	binary.LittleEndian.PutUint64(raw[40:], uint64(through))
	binary.LittleEndian.PutUint32(raw[48:], math.Float32bits(math.Nextafter32(float32(b.worst), 1)))
	rest := raw[headerSize:]
	for _, part := range [][]byte{b.rows, b.scales, b.ids, b.texts} {
		rest = rest[copy(rest, part):]
	}
	binary.LittleEndian.PutUint32(raw[52:], crc32.Checksum(raw[headerSize:], table))
	binary.LittleEndian.PutUint32(raw[60:], crc32.Checksum(raw[:60], table))
	b.rows, b.scales, b.ids, b.texts = b.rows[:0], b.scales[:0], b.ids[:0], b.texts[:0]
	b.from, b.worst = through, 0
	return b.emit(raw)
}

// round writes a vector at unit length as bytes. The error is how far what they
// stand for is from it. It is not ok when the vector is zero.
func (b *Builder) round(dst []byte, v []float32) (scale float32, worst float64, ok bool) {
	if b.scratch, ok = unit(b.scratch, v); !ok {
		return 0, 0, false
	}
	scale = vecmath.QuantizeVector(dst, b.scratch)
	var squares float64
	for i, x := range b.scratch {
		d := float64(x) - float64(scale)*float64(int(dst[i])-128)
		squares += d * d
	}
	return scale, math.Sqrt(squares), true
}

// unit writes v at unit length; lengths beyond float32 are no matter.
func unit(dst, v []float32) (_ []float32, ok bool) {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	if squares == 0 {
		return dst, false
	}
	dst = dst[:0]
	inverse := 1 / math.Sqrt(squares)
	for _, x := range v {
		dst = append(dst, float32(float64(x)*inverse))
	}
	return dst, true
}
