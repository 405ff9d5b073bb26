package analyze

import (
	"math"
	"strings"
	"unicode/utf8"
)

// A Sieve tells quickly which words of a text may hold one of some terms, so that only those
// need be analysed. The zero Sieve has no terms. It is for any number of goroutines once all
// terms are added.
type Sieve struct {
	begins [256]uint32 // by the first byte of a term: what its second byte may be, by second
}

// Add adds a term, which is not empty.
func (v *Sieve) Add(term string) {
	for _, form := range formsOf()[term] { // went, of go
		v.begins[form[0]] |= second(form[1])
	}
	if len(term) == 1 {
		v.begins[term[0]] = anySecond // a stem may be the first letter alone
		return
	}
	v.begins[term[0]] |= second(term[1])
}

// Sift returns the words of a text that may hold one of the terms, each on a line. All terms
// that a document of the text holds, a document of these words holds, too.
func (v *Sieve) Sift(text string) string {
	var kept strings.Builder
	for start := 0; start < len(text); {
		end := strings.IndexAny(text[start:], " \t\n\r")
		if end < 0 {
			end = len(text) - start
		}
		if word := text[start : start+end]; v.MayHold(word) {
			if start > 0 {
				kept.WriteByte('\n')
			}
			kept.WriteString(word)
		}
		start += end + 1
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

// MayHold reports whether a word may contain one of the terms, by the first two
// bytes of terms. It is quick, and true in doubt: all terms of a word of ASCII
// characters begin where a word, a number or a mark begins in it.
func (v *Sieve) MayHold(word string) bool {
	inside := false // the character before is a letter or digit
	for i := range len(word) {
		c := word[i]
		if c >= utf8.RuneSelf {
			return true
		}
		digit, capital := c >= '0' && c <= '9', c >= 'A' && c <= 'Z'
		letter := capital || c >= 'a' && c <= 'z'
		if capital {
			c |= 0x20
		}
		if v.begins[c] != 0 && (!letter || capital || !inside) && v.begins[c]&following(word[i+1:]) != 0 {
			return true
		}
		inside = letter || digit
	}
	return false
}

// following returns what the second byte of a term may be whose first byte stands
// before rest.
func following(rest string) uint32 {
	switch {
	case rest == "":
		return second(0)
	case rest[0] == '\'' || rest[0] >= 'A' && rest[0] <= 'Z': // isn't is isnt; aB is ab and a
		return anySecond
	}
	return second(rest[0])
}
