// Package wordpiece turns text into token ids as BERT does (Devlin et al.,
// arXiv 1810.04805): the text is cleaned, and cut at whitespace, punctuation
// and Chinese characters. Then each word is divided from its beginning on, each
// time by the longest piece that is known. The ids are those of the Hugging
// Face library tokenizers 0.23 (BertNormalizer, BertPreTokenizer, WordPiece),
// character for character.
//
// A [Tokenizer] reads its vocabulary in place from the bytes that [Build] made:
// opening it costs no time and no memory, and encoding allocates nothing. A
// marker such as "[SEP]" that stands in a text is read as ordinary text.
package wordpiece

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/trie"
)

// The layout of a section, all little-endian:
//
//	header  8 bytes magic, then u32: pieces, cls, sep, unk, longest word in
//	        characters, flags, trie units
//	trie    u32 for each unit; see package trie
const (
	magic        = "WORDPCE1"
	headerSize   = len(magic) + 7*4
	maxPieces    = trie.MaxUnits
	maxWordChars = 1 << 10
)

// The flags of a section.
const (
	flagClean = 1 << iota
	flagChinese
	flagLowercase
	flagStripAccents

	allFlags = flagClean | flagChinese | flagLowercase | flagStripAccents
)

// continuation leads the pieces that do not begin a word.
const continuation = "##"

// Tokenizer turns text into ids. It is safe for concurrent use.
type Tokenizer struct {
	pieces        int
	cls, sep, unk int32
	wordChars     int
	rules         Rules

	trie     trie.Trie
	inner    trie.Node // where the pieces that continue a word begin
	hasInner bool

	scratch sync.Pool // of *scratch
}

// Parse opens a section that [Build] made. It refers to the bytes of section,
// which must not change. A damaged section gives an error, or later on ids that
// are wrong but within the vocabulary. It never makes a later call fail.
func Parse(section []byte) (*Tokenizer, error) {
	if len(section) < headerSize || string(section[:len(magic)]) != magic {
		return nil, errors.New("wordpiece: not a vocabulary")
	}
	var h [7]uint32
	for i := range h {
		h[i] = binary.LittleEndian.Uint32(section[len(magic)+4*i:])
	}
	pieces, cls, sep, unk, wordChars, flags, units := h[0], h[1], h[2], h[3], h[4], h[5], h[6]
	if pieces == 0 || pieces > maxPieces || cls >= pieces || sep >= pieces || unk >= pieces {
		return nil, fmt.Errorf("wordpiece: %d pieces with the markers %d, %d and %d", pieces, cls, sep, unk)
	}
	if wordChars == 0 || wordChars > maxWordChars || flags > allFlags || units == 0 || units > trie.MaxUnits {
		return nil, fmt.Errorf("wordpiece: words of %d characters, flags %#x, %d units", wordChars, flags, units)
	}
	if size := headerSize + int(units)*trie.UnitSize; size != len(section) {
		return nil, fmt.Errorf("wordpiece: a vocabulary of %d bytes instead of %d", len(section), size)
	}
	t := &Tokenizer{
		pieces: int(pieces),
		cls:    int32(cls), sep: int32(sep), unk: int32(unk),
		wordChars: int(wordChars),
		rules: Rules{
			KeepControls: flags&flagClean == 0,
			JoinChinese:  flags&flagChinese == 0,
			Lowercase:    flags&flagLowercase != 0,
			StripAccents: flags&flagStripAccents != 0,
		},
		trie: trie.Open(section[headerSize:]),
	}
	t.inner, t.hasInner = t.trie.Root(), true
	for i := 0; i < len(continuation) && t.hasInner; i++ {
		t.inner, t.hasInner = t.trie.Child(t.inner, continuation[i])
		t.hasInner = t.hasInner && !t.inner.IsLeaf()
	}
	t.scratch.New = func() any { return new(scratch) }
	return t, nil
}

// Pieces returns the size of the vocabulary; ids are below it.
func (t *Tokenizer) Pieces() int { return t.pieces }

// Encode appends the ids of text to dst, between the markers for beginning and
// end. At most limit ids are appended, both markers included. What does not fit
// is left out, and the end marker still follows. A limit below 1 means that
// there is no limit, and 1 counts as 2. Bytes that are not UTF-8 are dropped,
// as control characters are.
//
// The time grows linearly with the length of the text. The text after the last
// word that fits is not looked at.
func (t *Tokenizer) Encode(dst []int32, text string, limit int) []int32 {
	end := math.MaxInt // the length of dst at which there is room for the end marker only
	if limit > 0 && limit < math.MaxInt-len(dst) {
		end = len(dst) + max(limit, 2) - 1
	}
	dst = append(dst, t.cls)
	s := t.scratch.Get().(*scratch)
	for scan := (scanner{t: t, s: s, text: text}); len(dst) < end; {
		word, ok := scan.next()
		if !ok {
			break
		}
		dst = t.encodeWord(dst, word)
		dst = dst[:min(len(dst), end)]
	}
	s.release(&t.scratch)
	return append(dst, t.sep)
}

// encodeWord appends the ids of the word's pieces, each time of the longest one
// that fits. A word that no piece continues is unknown as a whole.
func (t *Tokenizer) encodeWord(dst []int32, word []byte) []int32 {
	first := len(dst)
	if len(word) > t.wordChars && utf8.RuneCount(word) > t.wordChars {
		return append(dst, t.unk)
	}
	for at := 0; at < len(word); {
		id, size := t.longest(word[at:], at == 0)
		if size == 0 {
			return append(dst[:first], t.unk)
		}
		dst = append(dst, id)
		at += size
	}
	return dst
}

// longest returns the longest piece at the beginning of text, and its length,
// which is 0 if there is none.
func (t *Tokenizer) longest(text []byte, begins bool) (id int32, size int) {
	n := t.inner
	if begins {
		n = t.trie.Root()
	} else if !t.hasInner {
		return 0, 0
	}
	for i, c := range text {
		var ok bool
		if n, ok = t.trie.Child(n, c); !ok {
			break
		}
		if n.Ends() {
			if found := t.trie.ID(n); int(found) < t.pieces {
				id, size = int32(found), i+1
			}
		}
		if n.IsLeaf() {
			break
		}
	}
	return id, size
}
