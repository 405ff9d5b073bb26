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

// scratch is what encoding one text needs; it is kept for the next text.
type scratch struct {
	word  []byte // the current word, normalised
	other []byte // room to compose it
	nodes []node // see encodeWord
	path  []int32
}

// maxKept bounds the bytes of a scratch buffer that is kept, so that one giant
// word does not hold memory forever.
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
	pending []byte // what a rule made of the last character, beyond a word's end
	s       *scratch
}

func (t *Tokenizer) words(text string, s *scratch) wordScanner {
	return wordScanner{t: t, text: text, s: s}
}

// next puts the next word, led by wordMark, into the scratch, and returns false
// if there is none. The vocabulary's rules replace single characters; then the
// word is composed (NFC). Together they make the NFKC that the model was
// trained with, which leaves a few characters alone that Unicode's NFKC maps.
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

// pop takes the next character after the rules; size is 0 at the end.
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

// rule returns what replaces r.
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
