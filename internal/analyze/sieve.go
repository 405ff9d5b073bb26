package analyze

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Sieve tells quickly which words of a text may hold one of some terms, so that only those
// need be analysed. The zero Sieve has no terms. It is for any number of goroutines once all
// terms are added.
type Sieve struct {
	begins [256]uint32 // by the first byte of a term: what its second byte may be, by second
	runs   [32]uint32  // the characters of terms in scripts without spaces, by their last ten bits
}

// Add adds a term, which is not empty.
func (v *Sieve) Add(term string) {
	for _, r := range term {
		v.runs[r>>5&31] |= 1 << (r & 31)
	}
	for _, form := range formsOf()[term] { // went, of go
		v.begins[form[0]] |= second(form[1])
	}
	if len(term) == 1 {
		v.begins[term[0]] = anySecond // a stem may be the first letter alone
		return
	}
	v.begins[term[0]] |= second(term[1])
}

// Words yields the stretches of a text between white space that may hold one of the terms,
// with their offsets.
func (v *Sieve) Words(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for start := 0; start < len(text); {
			n, may := v.word(text[start:])
			if may && !yield(start, text[start:start+n]) {
				return
			}
			start += n
			if n == 0 { // white space
				_, width := utf8.DecodeRuneInString(text[start:])
				start += width
			}
		}
	}
}

// Sift returns the words of a text that may hold one of the terms, each on a line. All terms
// that a document of the text holds, a document of these words holds, too.
func (v *Sieve) Sift(text string) string {
	var kept strings.Builder
	for start, word := range v.Words(text) {
		if start > 0 {
			kept.WriteByte('\n')
		}
		kept.WriteString(word)
	}
	return kept.String()
}

// anySecond is every value of second.
const anySecond = math.MaxUint32

// second returns a bit for the second byte of a term: one for each small letter
// and one for the rest. A stem may have an i where the word has a y (dying, die).
func second(c byte) uint32 {
	switch {
	case c == 'y':
		c = 'i'
	case c < 'a' || c > 'z':
		c = 'z' + 1
	}
	return 1 << (c - 'a')
}

// MayHold reports whether a text may contain one of the terms.
func (v *Sieve) MayHold(text string) bool {
	for range v.Words(text) {
		return true
	}
	return false
}

// word returns the length of the word at the start of a text, 0 for white space, and whether
// it may contain one of the terms, by the first two bytes of terms. It is quick, and says yes
// in doubt: all terms of a word of ASCII characters begin where a word, a number or a mark
// begins in it, and those of scripts without spaces hold a character of the term.
func (v *Sieve) word(text string) (n int, may bool) {
	before := asciiMark // the class of the character before
	for n < len(text) {
		c := text[n]
		class := asciiClasses[c]
		switch {
		case class == asciiBlank:
			return n, may
		case class == notASCII:
			r, width := utf8.DecodeRuneInString(text[n:])
			if unicode.IsSpace(r) {
				return n, may
			}
			may = may || v.mayBegin(r)
			before = asciiMark
			n += width
			continue
		case class == asciiSmall && before >= asciiSmall || may: // inside a word
		case class == asciiCapital:
			c |= 0x20
			fallthrough
		default:
			may = v.begins[c] != 0 && v.begins[c]&following(text[n+1:]) != 0
		}
		before = class
		n++
	}
	return n, may
}

// mayBegin reports whether a term may be found where a character stands that is not ASCII.
// It knows the characters that are common in Chinese, Japanese and Korean.
func (v *Sieve) mayBegin(r rune) bool {
	switch {
	case r >= firstHan && r <= lastHan:
		if s := simplified[r-firstHan]; s != 0 {
			r = rune(s)
		}
	case r >= 0x3041 && r <= 0x3096 || r >= 0x30a1 && r <= 0x30fe || r >= 0xac00 && r <= 0xd7a3: // kana, Hangul
	case r == 0x3001 || r == 0x3002 || r >= 0x3008 && r <= 0x3011: // stops, brackets
		return false
	case wide(r):
		c := byte(r - 0xff01 + '!')
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		return v.begins[c] != 0
	default:
		return true
	}
	return v.runs[r>>5&31]&(1<<(r&31)) != 0
}

// Classes of bytes. Those of letters and digits, inside which no small letter begins a term,
// come last.
const (
	asciiMark uint8 = iota
	asciiBlank
	notASCII
	asciiSmall
	asciiCapital
	asciiDigit
)

// asciiClasses has the class of each byte.
var asciiClasses = func() (classes [256]uint8) {
	for c := range classes {
		switch c := byte(c); {
		case c >= utf8.RuneSelf:
			classes[c] = notASCII
		case c == ' ' || c >= '\t' && c <= '\r':
			classes[c] = asciiBlank
		case c >= 'a' && c <= 'z':
			classes[c] = asciiSmall
		case c >= 'A' && c <= 'Z':
			classes[c] = asciiCapital
		case c >= '0' && c <= '9':
			classes[c] = asciiDigit
		}
	}
	return classes
}()

// following returns what the second byte of a term may be whose first byte stands
// before rest.
func following(rest string) uint32 {
	switch {
	case rest == "":
		return second(0)
	case rest[0] == '\'' || rest[0] >= 'A' && rest[0] <= 'Z' || rest[0] >= utf8.RuneSelf: // isn't is isnt; aB is ab and a; aｂ is ab
		return anySecond
	}
	return second(rest[0])
}
