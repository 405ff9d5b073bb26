package analyze

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Wording returns text in the form that [Holds] compares: folded, with one blank between
// words and none at the ends.
func Wording(text string) string {
	text = fold(text).text
	out := make([]byte, 0, len(text)+1)
	apart := false // something stands between this word and the last one
	for i := 0; i < len(text); {
		c, w := text[i], 1
		separates := c < utf8.RuneSelf && !alnum(c)
		if c >= utf8.RuneSelf {
			var r rune
			r, w = utf8.DecodeRuneInString(text[i:])
			separates = classify(r) == separator
		}
		if !separates {
			if apart && len(out) > 0 {
				out = append(out, ' ')
			}
			out = append(out, text[i:i+w]...)
		}
		apart = separates
		i += w
	}
	return string(out)
}

// Holds reports whether one [Wording] holds the Wording of a phrase. The phrase may begin
// or end inside a number, or inside a word of a script without spaces, but not inside any
// other word.
func Holds(wording, phrase string) bool {
	if phrase == "" {
		return true
	}
	first, _ := utf8.DecodeRuneInString(phrase)
	last, _ := utf8.DecodeLastRuneInString(phrase)
	for at := 0; ; {
		i := strings.Index(wording[at:], phrase)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(wording[:at])
		after, _ := utf8.DecodeRuneInString(wording[at+len(phrase):])
		if !cutsWord(before, first) && !cutsWord(last, after) {
			return true
		}
		_, w := utf8.DecodeRuneInString(wording[at:])
		at += w
	}
}

// cutsWord reports whether two characters side by side belong to one word, in a script
// that puts spaces between words.
func cutsWord(a, b rune) bool {
	spaced := func(r rune) bool { return r != utf8.RuneError && classify(r) == letter && !unicode.IsNumber(r) }
	return spaced(a) && spaced(b)
}

// Inside returns terms that stand one after another in every document whose [Wording]
// holds the Wording of a phrase, wherever the phrase cuts words. It returns none if no
// term is certain. It also returns none if none is needed: for a phrase without any
// script that lacks spaces, and for a single run of such a script. The [Phrase] of that
// run is in every document that holds it.
func Inside(phrase string) []string {
	s := &scanner{folded: fold(phrase), query: true, stopWordsCount: true}
	a, b, length, others := s.longestRun()
	switch {
	case length > 1 && others:
		s.pairs(a, b, false)
	case length == 1 && others:
		// Nobody knows the other half of its pairs.
		if r, w := utf8.DecodeRuneInString(s.text[a:]); rareHan(r) || r >= firstAlone && r <= lastAlone {
			return []string{s.text[a : a+w]}
		}
	}
	return s.terms[:min(len(s.terms), MaxQueryTerms)]
}

// runEnd returns where the run at i ends.
func (s *scanner) runEnd(i int) int {
	for i < len(s.text) {
		r, w := utf8.DecodeRuneInString(s.text[i:])
		if classify(r) != run {
			break
		}
		i += w
	}
	return i
}

// whole returns the part of the run at i whose marks no end of the text cuts off, and the
// number of its characters.
func (s *scanner) whole(i int) (start, end, length int) {
	start, end = i, s.runEnd(i)
	for i == 0 && start < end {
		r, w := utf8.DecodeRuneInString(s.text[start:])
		if !mark(r) {
			break
		}
		start += w
	}
	for at := start; at < end; length++ {
		next := min(s.unit(at), end)
		if r, _ := utf8.DecodeRuneInString(s.text[at:]); next == len(s.text) && r < firstUnmarked {
			return start, at, length
		}
		at = next
	}
	return start, end, length
}

// firstUnmarked is the first character of the scripts without spaces whose characters
// have no marks.
const firstUnmarked = 0x2e80

// longestRun returns where the longest run of a script without spaces stands, and how
// many characters it has. A single character counts only if documents give it as a term.
// others reports whether there are words beside the run.
func (s *scanner) longestRun() (a, b, length int, others bool) {
	best := -1
	for i := 0; i < len(s.text); {
		r, w := utf8.DecodeRuneInString(s.text[i:])
		switch class := classify(r); class {
		case run:
			start, end, n := s.whole(i)
			value := 2 * n
			if rareHan(r) || r >= firstAlone && r <= lastAlone {
				value++
			}
			others = others || best >= 0
			if value > best {
				a, b, length, best = start, end, n, value
			}
			i = s.runEnd(i)
			continue
		case letter, symbol:
			others = true
		}
		i += w
	}
	return a, b, length, others
}
