package analyze

import (
	"strings"
	"unicode/utf8"
)

// Weights of a query's terms. An identifier is what the question is about. Its parts are
// mostly common words, and must not outweigh it.
const (
	weightWord       = 1
	weightBesideStem = 0.3 // a word that differs from its stem
	weightStem       = 1
	weightBeginning  = 0.5 // a word or its beginning; both together weigh as one word
	weightBigram     = 1
	weightCharacter  = 0.8
	weightParticle   = 0.3 // a pair with a character of little meaning, or such a character by itself
	weightIdentifier = 4
	weightForm       = 1 // another way of writing the identifier, or its words with a mark between them
	weightCompound   = 2
	weightPart       = 0.5
)

// scanner cuts folded text into terms.
type scanner struct {
	folded
	query          bool
	stopWordsCount bool                   // keep the stop words of a query
	phrases        func() map[string]bool // stop phrases of the query's language
	particles      func() map[string]bool // characters of little meaning in that language; nil: none

	terms []string
	marks []termMark // one mark for each term, in queries only
	// singles are the single characters that a document gives as terms. Once there are
	// more than a few, the common ones are also in alone.
	singles []string
	alone   alone
	rare    map[rune]bool
	seen    int // camel[:seen] are the boundaries before the current token
}

type termMark struct {
	weight float64
	kind   Kind
}

func newScanner(text string, query bool) *scanner {
	s := &scanner{folded: fold(text), query: query}
	if query {
		s.phrases, s.particles = chinesePhrases, chineseParticles
		if japanese(s.text) {
			s.phrases, s.particles = japanesePhrases, japaneseParticles
		}
	}
	return s
}

func (s *scanner) emit(term string, kind Kind, weight float64) {
	if len(term) > MaxTermRunes {
		term = cut(term)
	}
	s.terms = append(s.terms, term)
	if s.query {
		s.marks = append(s.marks, termMark{weight, kind})
	}
}

// cut shortens a term to MaxTermRunes.
func cut(term string) string {
	n := 0
	for i := range term {
		if n == MaxTermRunes {
			return term[:i]
		}
		n++
	}
	return term
}

func (s *scanner) scan() {
	s.seen = 0
	for i := 0; i < len(s.text); {
		c := s.text[i]
		if c < utf8.RuneSelf {
			switch {
			case alnum(c):
				i = s.token(i, i)
			case c == '-' || c == '#' || c == '.':
				i = s.prefixed(i)
			default:
				i++
			}
			continue
		}
		r, w := utf8.DecodeRuneInString(s.text[i:])
		switch classify(r) {
		case run:
			i = s.run(i)
		case letter:
			i = s.token(i, i)
		case symbol:
			s.emit(s.text[i:i+w], Word, weightWord)
			i += w
		default:
			i += w
		}
	}
}

// prefixed scans a token that may begin with punctuation: --flag, #123, .env.
func (s *scanner) prefixed(i int) int {
	next := i + 1
	if s.text[i] == '-' && next < len(s.text) && s.text[next] == '-' {
		next++
	}
	if next == len(s.text) || !alnum(s.text[next]) || i > 0 && s.gluedBefore(i) {
		return i + 1
	}
	number := digit(s.text[next])
	switch {
	case s.text[i] == '#' && number, s.text[i] == '.' && !number, next == i+2 && !number:
		return s.token(i, next)
	}
	return i + 1
}

// gluedBefore reports whether the text before i rules out a prefix at i.
func (s *scanner) gluedBefore(i int) bool {
	switch c := s.text[i-1]; c {
	case '.', '-', '#', '_':
		return true
	default:
		return alnum(c)
	}
}

// shape says what a token holds besides letters.
type shape int

const (
	hasDigit shape = 1 << iota
	hasUnderscore
	hasDot
	hasHyphen
	hasHard // a slash, colon, @ or another mark between the segments of a path or address
	hasScheme
	hasWide // a letter beyond ASCII
)

// token scans the word or identifier whose first letter or digit is at start. Its prefix
// begins at begin. It returns where the token ends.
func (s *scanner) token(begin, start int) int {
	end, sh := s.extent(start)
	if s.text[end-1] == '_' { // Markdown's closing emphasis
		end = start + len(strings.TrimRight(s.text[start:end], "_"))
		if strings.IndexByte(s.text[start:end], '_') < 0 {
			sh &^= hasUnderscore
		}
	}
	if begin == start && sh&^hasWide == 0 {
		if !s.camelIn(start, end) {
			return s.plain(start, end, sh)
		}
		if end < len(s.text) && s.text[end] == '\'' {
			end, next := end, s.afterApostrophe(end)
			s.identifier(begin, start, end, sh)
			return next
		}
	}
	s.identifier(begin, start, end, sh)
	return end
}

// extent returns where the token ends, and its shape. A joiner belongs to the token if a
// letter or digit stands on both sides of it.
func (s *scanner) extent(i int) (end int, sh shape) {
	for i < len(s.text) {
		c := s.text[i]
		switch {
		case 'a' <= c && c <= 'z':
			i++
		case digit(c):
			sh |= hasDigit
			i++
		case c == '_':
			sh |= hasUnderscore
			i++
		case c >= utf8.RuneSelf:
			r, w := utf8.DecodeRuneInString(s.text[i:])
			if classify(r) != letter {
				return i, sh
			}
			sh |= hasWide
			i += w
		default:
			n, joined := s.joiner(i, sh)
			if n == 0 {
				return i, sh
			}
			sh |= joined
			i += n
		}
	}
	return i, sh
}

// joiner returns the length and the shape of the joiner at i. The length is 0 if the
// token ends there.
func (s *scanner) joiner(i int, sh shape) (n int, joined shape) {
	n = 1
	switch c := s.text[i]; c {
	case '.':
		joined = hasDot
	case '-':
		joined = hasHyphen
	case '@':
		joined = hasHard
	case '/':
		joined = hasHard
		if strings.HasPrefix(s.text[i:], "/.") {
			n = 2
		}
	case ':':
		joined = hasHard
		switch {
		case strings.HasPrefix(s.text[i:], "://"):
			n, joined = 3, hasHard|hasScheme
		case strings.HasPrefix(s.text[i:], "::"), strings.HasPrefix(s.text[i:], ":/"): // a name space, or a drive
			n = 2
		}
	case '#':
		joined = hasHard
		if sh&hasScheme == 0 && (i+1 == len(s.text) || !digit(s.text[i+1])) {
			return 0, 0
		}
	case '?', '&', '=', '%', '~', '+', ',', ';':
		if sh&hasScheme == 0 {
			return 0, 0
		}
		joined = hasHard
	default:
		return 0, 0
	}
	if sh&hasScheme != 0 {
		for i+n < len(s.text) && n < 4 && strings.IndexByte("/?&=#%~+-.", s.text[i+n]) >= 0 {
			n++
		}
	}
	if !s.wordAt(i + n) {
		return 0, 0
	}
	return n, joined
}

// wordAt reports whether a letter, a digit or an underscore stands at i.
func (s *scanner) wordAt(i int) bool {
	if i >= len(s.text) {
		return false
	}
	if c := s.text[i]; c < utf8.RuneSelf {
		return alnum(c) || c == '_'
	}
	r, _ := utf8.DecodeRuneInString(s.text[i:])
	return classify(r) == letter
}

// camelIn reports whether a new word of camel case begins inside text[a:b]. The s of a
// plural (URLs) is no word.
func (s *scanner) camelIn(a, b int) bool {
	for s.seen < len(s.camel) && s.camel[s.seen].at <= a {
		s.seen++
	}
	for _, h := range s.camel[s.seen:] {
		if h.at >= b {
			return false
		}
		if !(h.at+2 == b && s.text[b-1] == 's') {
			return true
		}
	}
	return false
}

// plain emits a token that has only letters, and returns where the next token may begin.
func (s *scanner) plain(a, b int, sh shape) int {
	next := b
	word := s.text[a:b]
	if b < len(s.text) {
		switch s.text[b] {
		case '\'':
			next = s.afterApostrophe(b)
			if next == b+2 && s.text[b+1] == 't' && s.text[b-1] == 'n' {
				word += "t"
			}
		case '+', '#':
			next = s.language(a, b)
		}
	}
	s.word(word, sh&hasWide == 0, Word)
	return next
}

// language emits the name of a programming language that ends in punctuation (C++, C#),
// if text[a:b] begins one. It returns where the name ends.
func (s *scanner) language(a, b int) int {
	for _, ending := range [...]string{"++", "#"} {
		if b == a+1 && strings.HasPrefix(s.text[b:], ending) && !s.wordAt(b+len(ending)) {
			s.emit(s.text[a:b+len(ending)], Identifier, weightIdentifier)
			return b + len(ending)
		}
	}
	return b
}

// afterApostrophe skips the ending of an English contraction or genitive.
func (s *scanner) afterApostrophe(i int) int {
	for _, ending := range [...]string{"s", "t", "re", "ve", "ll", "d", "m"} {
		if end := i + 1 + len(ending); strings.HasPrefix(s.text[i+1:], ending) && !s.wordAt(end) {
			return end
		}
	}
	return i + 1
}

// word emits a word and the stem of an English one, or the beginning of a word in another
// script.
func (s *scanner) word(w string, english bool, kind Kind) {
	if s.query && !s.stopWordsCount && stopWord(w) {
		return
	}
	if english && len(w) > 2 && len(w) <= MaxTermRunes {
		if st := mainForm(w); st != w {
			k, scale := Stem, 1.0
			if kind == Part {
				k, scale = Part, weightPart
			}
			s.emit(w, kind, weightBesideStem*scale)
			s.emit(st, k, weightStem*scale)
			return
		}
	}
	if !english {
		if st := beginning(w); st != w {
			k, weight := Stem, float64(weightBeginning)
			if kind == Part {
				k, weight = Part, weightPart*weightBeginning
			}
			s.emit(w, kind, weight)
			s.emit(st, k, weight)
			return
		}
	}
	weight := float64(weightWord)
	if kind == Part {
		weight = weightPart
	}
	s.emit(w, kind, weight)
}
