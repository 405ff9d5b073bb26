package wordpiece

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// scratch is the work memory for encoding one text. It is kept for the next
// text.
type scratch struct {
	raw  []byte // a stretch of text between spaces
	text []byte // the same, normalised
}

// maxKept is the largest scratch buffer, in bytes, that is kept. So one giant
// stretch without a space does not hold its memory for ever.
const maxKept = 1 << 16

func (s *scratch) release(pool *sync.Pool) {
	if cap(s.raw) <= maxKept && cap(s.text) <= maxKept {
		pool.Put(s)
	}
}

// scanner normalises a text and cuts it into words.
type scanner struct {
	t     *Tokenizer
	s     *scratch
	text  string // the text that is not read yet
	ready []byte // the rest of the normalised stretch
}

// next returns the next word. It is valid until the next call.
func (w *scanner) next() (word []byte, ok bool) {
	for len(w.ready) == 0 {
		if len(w.text) == 0 {
			return nil, false
		}
		w.ready = w.t.normalize(w.s, w.stretch())
	}
	// Punctuation is looked for after normalising, because that can produce some:
	// "≠" becomes "=".
	size := 0
	for size < len(w.ready) {
		r, n := rune(w.ready[size]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(w.ready[size:])
		}
		if isPunctuation(r) {
			if size == 0 {
				size = n
			}
			break
		}
		size += n
	}
	word, w.ready = w.ready[:size], w.ready[size:]
	return word, true
}

// stretch reads up to the next space or Chinese character into the scratch, or
// a Chinese character alone. It reports whether all of it is ASCII.
func (w *scanner) stretch() (ascii bool) {
	raw := w.s.raw[:0]
	ascii = true
	for len(w.text) > 0 {
		r, size := utf8.DecodeRuneInString(w.text)
		chinese := r >= firstChinese && !w.t.rules.JoinChinese && isChinese(r)
		if chinese && len(raw) > 0 {
			break
		}
		w.text = w.text[size:]
		if !w.t.rules.KeepControls && isDropped(r) {
			continue
		}
		if unicode.IsSpace(r) {
			if len(raw) > 0 {
				break
			}
			continue
		}
		raw = utf8.AppendRune(raw, r)
		ascii = ascii && r < utf8.RuneSelf
		if chinese {
			break
		}
	}
	w.s.raw = raw
	return ascii
}

// normalize applies what the rules say about accents and case to the stretch in
// the scratch.
func (t *Tokenizer) normalize(s *scratch, ascii bool) []byte {
	if ascii {
		if t.rules.Lowercase {
			for i, c := range s.raw {
				if 'A' <= c && c <= 'Z' {
					s.raw[i] = c + 'a' - 'A'
				}
			}
		}
		return s.raw
	}
	if !t.rules.StripAccents {
		s.text = s.text[:0]
		for rest := s.raw; len(rest) > 0; {
			r, size := utf8.DecodeRune(rest)
			s.text = t.appendCase(s.text, r)
			rest = rest[size:]
		}
		return s.text
	}
	if !t.strip(s) {
		// Marks that stay must be in canonical order. That order depends on all of
		// them, so the stretch is decomposed as a whole.
		s.raw = norm.NFD.Append(nil, s.raw...)
		t.strip(s)
	}
	return s.text
}

// strip writes the stretch without its accents, character by character. It
// returns false if a mark stays whose place depends on its neighbours.
func (t *Tokenizer) strip(s *scratch) (exact bool) {
	exact = true
	s.text = s.text[:0]
	for rest := s.raw; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		parts := rest[:size]
		rest = rest[size:]
		if r < utf8.RuneSelf {
			s.text = t.appendCase(s.text, r)
			continue
		}
		var jamo [3 * utf8.UTFMax]byte
		if j := appendJamo(jamo[:0], r); len(j) > 0 {
			parts = j
		} else if d := norm.NFD.Properties(parts).Decomposition(); len(d) > 0 {
			parts = d
		}
		for len(parts) > 0 {
			part, n := utf8.DecodeRune(parts)
			if !isMark(part) {
				exact = exact && norm.NFD.Properties(parts).CCC() == 0
				s.text = t.appendCase(s.text, part)
			}
			parts = parts[n:]
		}
	}
	return exact
}

// appendCase appends a character in the case that the rules ask for.
func (t *Tokenizer) appendCase(dst []byte, r rune) []byte {
	if !t.rules.Lowercase {
		return utf8.AppendRune(dst, r)
	}
	if r == 'İ' { // the one character whose lower case is two
		return append(dst, "i\u0307"...)
	}
	return utf8.AppendRune(dst, unicode.ToLower(r))
}

// Hangul syllables are not in Unicode's table of decompositions: they are
// numbered by their parts (The Unicode Standard, section 3.12).
const (
	firstSyllable = 0xac00
	lastSyllable  = 0xd7a3
	leading       = 0x1100
	vowel         = 0x1161
	trailing      = 0x11a7
	vowels        = 21
	trailings     = 28
)

// appendJamo appends the parts of a Hangul syllable. It appends nothing for any
// other character.
func appendJamo(dst []byte, r rune) []byte {
	if r < firstSyllable || r > lastSyllable {
		return dst
	}
	i := r - firstSyllable
	dst = utf8.AppendRune(dst, leading+i/(vowels*trailings))
	dst = utf8.AppendRune(dst, vowel+i/trailings%vowels)
	if last := i % trailings; last > 0 {
		dst = utf8.AppendRune(dst, trailing+last)
	}
	return dst
}
