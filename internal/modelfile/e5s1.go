package modelfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/unigram"
)

// e5s1 is a published file: its header, its vocabulary, and its tensors as
// they lie in it.
type e5s1 struct {
	hidden, layers, heads, ffn, vocab, positions, types int

	eps        float32
	vocabulary unigram.Vocabulary
	tensors    map[string]e5s1Tensor
}

type e5s1Tensor struct {
	kind   Kind
	values uint64
	data   []byte
}

// q4 returns the blocks of a quantized tensor of rows x cols.
func (e *e5s1) q4(name string, rows, cols int) ([]byte, error) {
	return e.tensor(name, rows, cols, KindQ4Rows)
}

// f32 returns the values of a tensor of rows x cols in single precision.
func (e *e5s1) f32(name string, rows, cols int) ([]float32, error) {
	data, err := e.tensor(name, rows, cols, KindF32)
	return float32s(data), err
}

func (e *e5s1) tensor(name string, rows, cols int, kind Kind) ([]byte, error) {
	t, ok := e.tensors[name]
	if !ok {
		return nil, fmt.Errorf("tensor %q is missing", name)
	}
	size, err := kind.size(uint32(rows), uint32(cols))
	if err != nil {
		return nil, fmt.Errorf("tensor %q: %w", name, err)
	}
	if t.kind != kind || t.values != uint64(rows)*uint64(cols) || uint64(len(t.data)) != size {
		return nil, fmt.Errorf("tensor %q has %d values of %v in %d bytes instead of %d x %d of %v in %d",
			name, t.values, t.kind, len(t.data), rows, cols, kind, size)
	}
	return t.data, nil
}

// parseE5S1 reads the header and the lists of a published file.
func parseE5S1(data []byte) (*e5s1, error) {
	r := &byteReader{data: data}
	if string(r.next(4)) != "E5S1" {
		return nil, errors.New(`it does not start with "E5S1"`)
	}
	if v := r.uint32(); v != 1 {
		return nil, fmt.Errorf("version %d is not the supported version 1", v)
	}
	e := new(e5s1)
	for _, field := range []struct {
		name  string
		value *int
		max   int
	}{
		{"hidden size", &e.hidden, maxHidden},
		{"layers", &e.layers, maxLayers},
		{"heads", &e.heads, maxHidden},
		{"feed-forward size", &e.ffn, maxFFN},
		{"vocabulary", &e.vocab, maxVocab},
		{"positions", &e.positions, maxVocab},
		{"token types", &e.types, maxVocab},
	} {
		n := r.uint32()
		if n < 1 || uint64(n) > uint64(field.max) {
			return nil, fmt.Errorf("%s %d is not between 1 and %d", field.name, n, field.max)
		}
		*field.value = int(n)
	}
	e.eps = math.Float32frombits(r.uint32())
	if block := r.uint32(); block != blockSize {
		return nil, fmt.Errorf("blocks of %d instead of %d", block, blockSize)
	}
	if err := e.parsePieces(r); err != nil {
		return nil, fmt.Errorf("vocabulary: %w", err)
	}
	if err := e.parseRules(r); err != nil {
		return nil, fmt.Errorf("normalisation: %w", err)
	}
	if err := e.parseTensors(r); err != nil {
		return nil, fmt.Errorf("list of tensors: %w", err)
	}
	return e, nil
}

// parsePieces reads the tokenizer's pieces.
func (e *e5s1) parsePieces(r *byteReader) error {
	n := r.uint32()
	bos, eos, pad, unk := r.uint32(), r.uint32(), r.uint32(), r.uint32()
	length := r.uint64()
	offsets, scores, blob := r.items(uint64(n)+1, 4), r.items(uint64(n), 4), r.items(length, 1)
	if r.err != nil {
		return r.err
	}
	if n == 0 || uint64(n) > uint64(e.vocab) || max(bos, eos, pad, unk) >= n {
		return fmt.Errorf("%d pieces with the markers %d, %d, %d and %d for %d embeddings", n, bos, eos, pad, unk, e.vocab)
	}
	pieces := make([]unigram.Piece, n)
	for i := range pieces {
		start, end := binary.LittleEndian.Uint32(offsets[4*i:]), binary.LittleEndian.Uint32(offsets[4*i+4:])
		if start > end || uint64(end) > length {
			return fmt.Errorf("piece %d runs from byte %d to %d of %d", i, start, end, length)
		}
		text := string(blob[start:end])
		pieces[i] = unigram.Piece{
			Text:    text,
			Score:   math.Float32frombits(binary.LittleEndian.Uint32(scores[4*i:])),
			Control: text == "<mask>",
		}
	}
	for _, id := range []uint32{bos, eos, pad, unk} {
		pieces[id].Control = true
	}
	e.vocabulary = unigram.Vocabulary{Pieces: pieces, BOS: int(bos), EOS: int(eos), Unk: int(unk)}
	return nil
}

// parseRules reads the replacements of single characters.
func (e *e5s1) parseRules(r *byteReader) error {
	n := r.uint32()
	table := &byteReader{data: r.next(uint64(r.uint32()))}
	if r.err != nil {
		return r.err
	}
	for range n {
		from := r32(table.uint32())
		var to []rune
		for range table.uint8() {
			c := r32(table.uint32())
			if !utf8.ValidRune(c) {
				return fmt.Errorf("%U becomes %U, which is no character", from, c)
			}
			to = append(to, c)
		}
		if table.err != nil {
			return table.err
		}
		e.vocabulary.Rules = append(e.vocabulary.Rules, unigram.Rule{From: from, To: string(to)})
	}
	return nil
}

// r32 returns a code point, or an invalid one for a number that does not fit.
func r32(c uint32) rune {
	if c > utf8.MaxRune {
		return -1
	}
	return rune(c)
}

// parseTensors reads the list of tensors.
func (e *e5s1) parseTensors(r *byteReader) error {
	kinds := []Kind{KindF32, KindQ4Rows}
	n := r.uint32()
	e.tensors = make(map[string]e5s1Tensor)
	for range n {
		name := string(r.next(uint64(r.uint16())))
		kind, values := r.uint8(), r.uint32()
		offset, length := r.uint64(), r.uint64()
		if r.err != nil {
			return r.err
		}
		if int(kind) >= len(kinds) {
			return fmt.Errorf("tensor %q has the unknown type %d", name, kind)
		}
		if offset > uint64(len(r.data)) || length > uint64(len(r.data))-offset {
			return fmt.Errorf("tensor %q: %d bytes at offset %d leave the file", name, length, offset)
		}
		e.tensors[name] = e5s1Tensor{kind: kinds[kind], values: uint64(values), data: r.data[offset : offset+length]}
	}
	return nil
}

// byteReader reads little-endian numbers. After the first error it yields zeros
// and empty slices.
type byteReader struct {
	data []byte
	at   int
	err  error
}

// items returns the next n items of the given size.
func (r *byteReader) items(n uint64, size int) []byte {
	if r.err == nil && n > uint64((len(r.data)-r.at)/size) {
		r.err = fmt.Errorf("%d items of %d bytes at byte %d run over the end at %d", n, size, r.at, len(r.data))
	}
	if r.err != nil {
		return nil
	}
	part := r.data[r.at:][:int(n)*size]
	r.at += len(part)
	return part
}

func (r *byteReader) next(n uint64) []byte { return r.items(n, 1) }

// number returns the next n bytes, at most 8, as a number.
func (r *byteReader) number(n uint64) uint64 {
	var b [8]byte
	copy(b[:], r.next(n))
	return binary.LittleEndian.Uint64(b[:])
}

func (r *byteReader) uint8() uint8   { return uint8(r.number(1)) }
func (r *byteReader) uint16() uint16 { return uint16(r.number(2)) }
func (r *byteReader) uint32() uint32 { return uint32(r.number(4)) }
func (r *byteReader) uint64() uint64 { return r.number(8) }
