// Package unigram turns text into token ids as SentencePiece's unigram model
// does (Kudo, "Subword Regularization", arXiv 1804.10959), in the form that
// XLM-RoBERTa and its descendants use: the text is normalised and cut at
// whitespace, and U+2581 is put before each word. A word can be built from
// known pieces in many ways; the way with the highest sum of scores is taken.
//
// A [Tokenizer] reads its vocabulary in place from the bytes that [Build] made:
// opening it costs no time and no memory. Pieces are looked up in a
// [trie.Trie], which is hardly larger than the pieces themselves. One walk
// through it finds all pieces that start at a position.
package unigram

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/memoir-ai/memoir/internal/trie"
)

// The layout of a section, all little-endian:
//
//	header        8 bytes magic, then u32: pieces, bos, eos, unk, longest piece
//	              in bytes, trie units, rules, bytes of replacements; f32 the
//	              score of an unknown character
//	scores        f32 for each piece
//	trie          u32 for each unit; see package trie
//	code points   u32 for each rule, ascending
//	ends          u32 for each rule: where its replacement ends
//	replacements  UTF-8
const (
	magic      = "UNIGRAM1"
	headerSize = len(magic) + 9*4
	maxPieces  = 1 << 22
	maxRules   = 1 << 20
	// Bounds for the walk from one position, and for the length of a replacement.
	// With them the time grows linearly with the text, whatever the vocabulary.
	maxPieceBytes       = 1 << 10
	maxReplacementBytes = 1 << 10
)

// Tokenizer turns text into ids. It is safe for concurrent use.
type Tokenizer struct {
	pieces        int
	bos, eos, unk int32
	longest       int
	unknown       float64

	scores       []byte
	trie         trie.Trie
	codePoints   []byte
	ends         []byte
	replacements []byte

	scratch sync.Pool // of *scratch
}

// Parse opens a section that [Build] made. It refers to the bytes of section,
// which must not change. A damaged section gives an error, or later on ids that
// are wrong but within the vocabulary. It never makes a later call fail.
func Parse(section []byte) (*Tokenizer, error) {
	if len(section) < headerSize || string(section[:len(magic)]) != magic {
		return nil, errors.New("unigram: not a vocabulary")
	}
	var h [8]uint32
	for i := range h {
		h[i] = binary.LittleEndian.Uint32(section[len(magic)+4*i:])
	}
	pieces, bos, eos, unk, longest, units, rules, replacements := h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]
	if pieces == 0 || pieces > maxPieces || bos >= pieces || eos >= pieces || unk >= pieces {
		return nil, fmt.Errorf("unigram: %d pieces with the markers %d, %d and %d", pieces, bos, eos, unk)
	}
	if longest > maxPieceBytes || units == 0 || units > trie.MaxUnits || rules > maxRules {
		return nil, fmt.Errorf("unigram: pieces of %d bytes, %d units, %d rules", longest, units, rules)
	}
	size := uint64(headerSize) + 4*(uint64(pieces)+uint64(units)+2*uint64(rules)) + uint64(replacements)
	if size != uint64(len(section)) {
		return nil, fmt.Errorf("unigram: a vocabulary of %d bytes instead of %d", len(section), size)
	}
	t := &Tokenizer{
		pieces: int(pieces),
		bos:    int32(bos), eos: int32(eos), unk: int32(unk),
		longest: int(longest),
		unknown: float64(math.Float32frombits(binary.LittleEndian.Uint32(section[headerSize-4:]))),
	}
	rest := section[headerSize:]
	next := func(n uint32) (part []byte) {
		part, rest = rest[:4*int(n):4*int(n)], rest[4*int(n):]
		return part
	}
	t.scores = next(pieces)
	t.trie = trie.Open(next(units))
	t.codePoints = next(rules)
	t.ends = next(rules)
	t.replacements = rest
	t.scratch.New = func() any { return new(scratch) }
	return t, nil
}

// Pieces returns the size of the vocabulary; ids are below it.
func (t *Tokenizer) Pieces() int { return t.pieces }

// Encode appends the ids of text to dst, between the markers for beginning and
// end. At most limit ids are appended, both markers included. What does not fit
// is left out, and the end marker still follows. A limit below 1 means that
// there is no limit, and 1 counts as 2. Bytes that are not UTF-8 separate
// words, as a space does.
//
// The time grows linearly with the length of the text. A limit returns exactly
// the first ids of the whole text. The text after the word of the last id is
// not even looked at.
func (t *Tokenizer) Encode(dst []int32, text string, limit int) []int32 {
	end := math.MaxInt // the length of dst at which there is room for the end marker only
	if limit > 0 && limit < math.MaxInt-len(dst) {
		end = len(dst) + max(limit, 2) - 1
	}
	dst = append(dst, t.bos)
	s := t.scratch.Get().(*scratch)
	for words := t.words(text, s); len(dst) < end && words.next(); {
		dst = t.encodeWord(dst, s, end)
	}
	s.release(&t.scratch)
	return append(dst, t.eos)
}

// score returns the score of piece id, which is within the vocabulary.
func (t *Tokenizer) score(id int32) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(t.scores[4*id:])))
}
