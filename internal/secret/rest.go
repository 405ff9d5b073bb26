package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Rest returns the words of a text that are left beside its secrets. It leaves out the
// secrets, their labels, what links the two, and words like "my" and "please". For
// Chinese and Japanese each character counts as a word. Articles and prepositions are
// only counted. When few words are left, the secret was all that the text was about.
func Rest(text string, spans []Span) (words []string, small int) {
	r := loaded()
	var rest remains
	at := 0
	for _, s := range spans {
		r.restOf(&rest, text[at:s.Start])
		at = s.End
	}
	r.restOf(&rest, text[at:])
	return rest.words, rest.small
}

// remains is what is left of a text.
type remains struct {
	words []string
	small int // articles and prepositions
}

// smallWords are the articles and prepositions among the filler.
var smallWords = map[string]bool{
	"a": true, "an": true, "the": true, "of": true, "for": true, "to": true, "at": true, "on": true, "in": true,
	"by": true, "from": true, "with": true, "and": true, "or": true, "as": true, "here": true, "there": true,
}

// restOf adds the words of a text that are neither labels nor filler.
func (r *rules) restOf(to *remains, text string) {
	text, _ = plainly(text)
	for at := 0; at < len(text); {
		c, size := utf8.DecodeRuneInString(text[at:])
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			at += size
			continue
		}
		if n := r.said(text[at:]); n > 0 {
			at += n
			continue
		}
		end := at + size
		for end < len(text) && !isCJK(c) {
			next, size := utf8.DecodeRuneInString(text[end:])
			if isCJK(next) || !unicode.IsLetter(next) && !unicode.IsDigit(next) && next != '\'' && next != '-' {
				break
			}
			end += size
		}
		switch word := text[at:end]; {
		case smallWords[strings.ToLower(word)]:
			to.small++
		case !r.words["filler"].has(word):
			to.words = append(to.words, word)
		}
		at = end
	}
}

// said returns the length of the label with which text begins, or of a Chinese or
// Japanese filler or connecting word. It returns 0 for none.
func (r *rules) said(text string) int {
	if pos, terms := r.anchors.next(text[:min(len(text), 3)], 0); pos == 0 {
		for i := range terms {
			t := &terms[i]
			if t.rule >= 0 && t.begins(text, 0) && (!isAlnum(text[t.length-1]) || !isLetter(byteAt(text, t.length))) {
				return t.length
			}
		}
	}
	longest := 0
	for _, section := range []string{"filler", "connect"} {
		for _, t := range r.words[section].other {
			if len(t) > longest && strings.HasPrefix(text, t) {
				longest = len(t)
			}
		}
	}
	return longest
}
