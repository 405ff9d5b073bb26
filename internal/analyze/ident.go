package analyze

import "strings"

// maxPlainDigits is how many digits a number may have that is a word and not an
// identifier: those of a year.
const maxPlainDigits = 4

// identifier emits the identifier text[start:end] in every form that somebody may look
// for, and its parts. Its prefix begins at begin.
func (s *scanner) identifier(begin, start, end int, sh shape) {
	if begin < start {
		if s.text[begin] == '#' {
			s.numbered(begin, start, end, sh)
			return
		}
		s.emit(s.text[begin:end], Identifier, weightIdentifier)
		if sh&^hasWide != 0 {
			s.emit(s.text[start:end], Identifier, weightForm)
		}
		s.parts(start, end, sh)
		return
	}
	token := s.text[start:end]
	switch {
	case sh&^hasDigit == 0 && len(token) <= maxPlainDigits && allDigits(token):
		s.emit(token, Word, weightWord)
		return
	case s.query && s.compound(start, end, sh):
		weight := float64(weightCompound)
		if sh&hasDigit == 0 && sh&^hasWide != 0 {
			weight = weightForm
		}
		s.emit(token, Compound, weight)
	default:
		s.emit(token, Identifier, weightIdentifier)
	}
	s.parts(start, end, sh)
}

// numbered emits #123, the number of an issue.
func (s *scanner) numbered(begin, start, end int, sh shape) {
	if !allDigits(s.text[start:end]) {
		s.identifier(start, start, end, sh)
		return
	}
	s.emit(s.text[begin:end], Identifier, weightIdentifier)
	s.emit(s.text[start:end], Identifier, weightForm)
}

// inCode reports whether text[a:b] is a whole code span.
func (s *scanner) inCode(a, b int) bool {
	return a > 0 && b < len(s.text) && s.text[a-1] == '`' && s.text[b] == '`'
}

// parts emits the parts of the token text[a:b], but not the token itself.
func (s *scanner) parts(a, b int, sh shape) {
	token := s.text[a:b]
	if sh&hasHard == 0 {
		if commit(token) {
			s.emit(token[:shortHash], Identifier, weightForm)
			return
		}
		if s.version(token) {
			return
		}
		s.names(a, b, true)
		return
	}
	for x := a; x < b; {
		y := x
		for y < b && !hard(s.text[y]) {
			y++
		}
		if y > x {
			s.segment(x, y, y == b, x > a && s.text[x-1] == '#')
		}
		x = y + 1
	}
}

func hard(c byte) bool {
	return c < 0x80 && strings.IndexByte("/:@#?&=%~+,;", c) >= 0
}

// segment emits one segment of a path or an address. People often use the last one as a
// name for the whole (server_test.go).
func (s *scanner) segment(a, b int, last, numbered bool) {
	if numbered && allDigits(s.text[a:b]) {
		s.emit(s.text[a-1:b], Identifier, weightForm)
		s.emit(s.text[a:b], Identifier, weightForm)
		return
	}
	if s.text[a] == '.' {
		s.emit(s.text[a:b], Identifier, weightForm)
	}
	for a < b && (s.text[a] == '.' || s.text[a] == '-' || s.text[a] == '_') {
		a++
	}
	if a == b {
		return
	}
	token := s.text[a:b]
	notable := joined(token) || s.camelIn(a, b)
	if notable {
		weight := float64(weightPart)
		if last {
			weight = weightForm
		}
		s.emit(token, Identifier, weight)
	}
	switch {
	case commit(token):
		s.emit(token[:shortHash], Identifier, weightForm)
	case s.version(token):
	default:
		s.names(a, b, notable)
	}
}

// names emits the names between the dots of text[a:b], and their words. known says that
// text[a:b] itself was emitted already. A dot between digits belongs to a number.
func (s *scanner) names(a, b int, known bool) {
	for x := a; x < b; {
		y := x
		for y < b && !(s.text[y] == '.' && !(y > x && digit(s.text[y-1]) && y+1 < b && digit(s.text[y+1]))) {
			y++
		}
		if y > x {
			known := known && y-x == b-a
			if !known && joined(s.text[x:y]) {
				s.emit(s.text[x:y], Part, weightPart)
				known = true
			}
			if known && y-x == b-a || !s.version(s.text[x:y]) {
				s.words(x, y, known)
			}
		}
		x = y + 1
	}
}

// words emits the words in text[a:b]. known says that text[a:b] itself was emitted
// already.
func (s *scanner) words(a, b int, known bool) {
	for x := a; x < b; {
		y := x
		for y < b && s.text[y] != '_' && s.text[y] != '-' {
			y++
		}
		if y > x {
			s.camelWords(x, y, known && y-x == b-a)
		}
		x = y + 1
	}
}

// camelWords emits a word and, if it is in camel case, the words in it. known says that
// the word itself was emitted already.
func (s *scanner) camelWords(a, b int, known bool) {
	if !s.camelIn(a, b) {
		s.part(s.text[a:b], known)
		return
	}
	if !known {
		s.emit(s.text[a:b], Part, weightPart)
	}
	for x, y := a, a+1; y <= b; y++ {
		if y == b || s.camelAt(y, b) {
			s.part(s.text[x:y], false)
			x = y
		}
	}
}

// camelAt reports whether a word of camel case begins at offset i of a token that ends at
// end. The caller asks for offsets in ascending order.
func (s *scanner) camelAt(i, end int) bool {
	if i+2 == end && s.text[end-1] == 's' {
		return false
	}
	for s.seen < len(s.camel) && s.camel[s.seen].at < i {
		s.seen++
	}
	return s.seen < len(s.camel) && s.camel[s.seen].at == i
}

// part emits one word of an identifier. If known says that the word was emitted already,
// only its stem is new. A short number means nothing by itself and is left out.
func (s *scanner) part(w string, known bool) {
	switch {
	case letters(w):
		s.word(w, true, Part)
	case !known && !(allDigits(w) && len(w) < 3):
		s.emit(w, Part, weightPart)
	}
}

// shortHash is how many digits of a commit's hash Git shows.
const shortHash = 7

// commit reports whether token is a hash that Git would shorten.
func commit(token string) bool {
	if len(token) <= shortHash || len(token) > MaxTermRunes {
		return false
	}
	digits := 0
	for i := range len(token) {
		switch c := token[i]; {
		case digit(c):
			digits++
		case c < 'a' || c > 'f':
			return false
		}
	}
	return digits > 0 && digits < len(token)
}

// version emits the other forms of a version, without the v and without the pre-release
// of v1.2.3-rc1. It reports whether token is a version.
func (s *scanner) version(token string) bool {
	bare := strings.TrimPrefix(token, "v")
	i, dots := 0, 0
	for i < len(bare) && (digit(bare[i]) || bare[i] == '.' && i+1 < len(bare) && digit(bare[i+1])) {
		if bare[i] == '.' {
			dots++
		}
		i++
	}
	if i == 0 || dots == 0 || i < len(bare) && bare[i] != '-' && bare[i] != '+' {
		return false
	}
	if bare != token {
		s.emit(bare, Identifier, weightForm)
	}
	if i < len(bare) {
		s.emit(bare[:i], Part, weightPart)
	}
	return true
}

func joined(token string) bool {
	return strings.ContainsAny(token, "._-")
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !digit(s[i]) {
			return false
		}
	}
	return len(s) > 0
}

func letters(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}
