package secret

import (
	"crypto/sha256"
	"strings"
)

// A phrase has 12, 15, 18, 21 or 24 words of the list (BIP 39). One may be misspelt. If
// that one stands at an end, a run of one word less is left.
const (
	shortestPhrase = 12
	longestPhrase  = 24
	shortestRun    = shortestPhrase - 1
)

// seedPhrases looks for words of BIP 39 in a row.
func (f *finder) seedPhrases() {
	text := f.text
	first, last, n := 0, 0, 0
	flush := func() {
		if n >= shortestRun && f.phrase(text[first:last]) {
			f.add(first, last, SeedPhrase)
		}
		n = 0
	}
	for i := 0; i < len(text); {
		c := text[i]
		if !isLetter(c) {
			// Blanks, commas and numbers may stand between words.
			if n > 0 && c != ' ' && c != '\n' && c != '\r' && c != ',' && c != '.' && c != ')' && c != '\t' && c != '-' && !isDigit(c) {
				flush()
			}
			i++
			continue
		}
		start := i
		w := uint32(0)
		for i < len(text) && isLetter(text[i]) {
			if i-start < 4 {
				w = w<<8 | uint32(text[i]|0x20)
			}
			i++
		}
		if !f.seedMap.has(w) || i-start > 8 || i-start < 3 {
			flush()
			continue
		}
		if n == 0 {
			first = start
		}
		last = i
		n++
	}
	flush()
}

// firstLetters packs the first letters of a word, four at most. They identify a word of
// the list.
func firstLetters(word string) (w uint32) {
	for i := range min(4, len(word)) {
		w = w<<8 | uint32(word[i]|0x20)
	}
	return w
}

// phrase reports whether words in a row are a seed phrase, or have one at an end. A whole
// row needs the right number of words. Its checksum is not asked for, because a phrase
// with a mistake in it still gives most of it away. In a row of another length, or a
// longer one, the checksum tells the phrase from the words beside it.
func (f *finder) phrase(text string) bool {
	var at []int // numbers in the list, -1 for a word that is misspelt
	wrong := 0
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r > 127 || !isLetter(byte(r)) }) {
		n, ok := seeds()[strings.ToLower(word)]
		if !ok {
			n = -1
			wrong++
		}
		at = append(at, n)
	}
	if n := len(at); n <= longestPhrase && n%3 != 1 {
		return wrong <= 1 && n-wrong >= shortestRun && distinct(at)
	}
	for n := shortestPhrase; n <= min(longestPhrase, len(at)); n += 3 {
		for _, words := range [][]int{at[:n], at[len(at)-n:]} {
			if distinct(words) && checked(words) {
				return true
			}
		}
	}
	return false
}

// distinct reports whether at most two words of a phrase repeat others. Of random phrases
// of 24 words, 3 in 10,000 repeat more.
func distinct(words []int) bool {
	seen := map[int]bool{}
	for _, w := range words {
		seen[w] = true
	}
	return len(seen) >= len(words)-2
}

// checked reports whether the last bits of a phrase are its checksum: a bit for every
// three words, of the SHA-256 of what is before it.
func checked(words []int) bool {
	var bits [longestPhrase * 11 / 8]byte
	n := 0
	for _, w := range words {
		if w < 0 {
			return false
		}
		for i := 10; i >= 0; i-- {
			bits[n/8] |= byte(w>>i&1) << (7 - n%8)
			n++
		}
	}
	size := len(words) / 3
	data := (n - size) / 8
	sum := sha256.Sum256(bits[:data])
	return sum[0]>>(8-size) == bits[data]>>(8-size)
}
