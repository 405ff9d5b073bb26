package unigram

import (
	"encoding/binary"
	"sort"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// wordMark leads every word: U+2581, in UTF-8.
const wordMark = "\u2581"

// scratch is the work memory for encoding one text. It is kept for the next
// text.
type scratch struct {
	word  []byte // the current word, normalised
	other []byte // room to compose it
	nodes []node // see encodeWord
	path  []int32
}

// maxKept is the largest scratch buffer, in bytes, that is kept. So one giant
// word does not hold its memory for ever.
const maxKept = 1 << 16

func (s *scratch) release(pool *sync.Pool) {
	if cap(s.word) <= maxKept && cap(s.nodes) <= maxKept {
		pool.Put(s)
	}
}

// wordScanner normalises a text and cuts it at whitespace.
type wordScanner struct {
	t       *Tokenizer
	text    string
	pending []byte // rest of the last replacement, where a word ended within it
	s       *scratch
}

func (t *Tokenizer) words(text string, s *scratch) wordScanner {
	return wordScanner{t: t, text: text, s: s}
}

// next puts the next word, led by wordMark, into the scratch. It returns false
// if there is none. First the vocabulary's rules replace single characters,
// then the word is composed (NFC). Together these give the NFKC that the model
// was trained with. It differs from Unicode's NFKC in a few characters that it
// leaves alone.
func (w *wordScanner) next() bool {
	word := append(w.s.word[:0], wordMark...)
	ascii := true
	for {
		r, size := w.pop()
		if size == 0 {
			break
		}
		if isSpace(r) {
			if len(word) > len(wordMark) {
				break
			}
			continue
		}
		ascii = ascii && r < utf8.RuneSelf
		word = utf8.AppendRune(word, r)
	}
	w.s.word = word
	if len(word) == len(wordMark) {
		return false
	}
	if !ascii && !norm.NFC.IsNormal(word) {
		w.s.word, w.s.other = norm.NFC.Append(w.s.other[:0], word...), word
	}
	return true
}

// pop returns the next character after the rules were applied. At the end size
// is 0.
func (w *wordScanner) pop() (r rune, size int) {
	for {
		if len(w.pending) > 0 {
			r, size = utf8.DecodeRune(w.pending)
			w.pending = w.pending[size:]
			return r, size
		}
		r, size = utf8.DecodeRuneInString(w.text)
		w.text = w.text[size:]
		if size == 0 || r > ' ' && r < 0x7f {
			return r, size
		}
		to, ok := w.t.rule(r)
		if !ok {
			return r, size
		}
		w.pending = to
	}
}

// rule returns the replacement of r.
func (t *Tokenizer) rule(r rune) (to []byte, ok bool) {
	n := len(t.codePoints) / 4
	i := sort.Search(n, func(i int) bool { return binary.LittleEndian.Uint32(t.codePoints[4*i:]) >= uint32(r) })
	if i == n || binary.LittleEndian.Uint32(t.codePoints[4*i:]) != uint32(r) {
		return nil, false
	}
	start, end := uint32(0), binary.LittleEndian.Uint32(t.ends[4*i:])
	if i > 0 {
		start = binary.LittleEndian.Uint32(t.ends[4*i-4:])
	}
	if start > end || end-start > maxReplacementBytes || uint64(end) > uint64(len(t.replacements)) {
		return nil, true
	}
	return t.replacements[start:end], true
}

func isSpace(r rune) bool {
	return r == ' ' || unicode.IsSpace(r)
}
