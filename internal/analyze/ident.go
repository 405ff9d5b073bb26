package analyze

import "strings"

// maxPlainDigits is how long a number may be that is a word and no identifier: a year.
const maxPlainDigits = 4

// identifier emits the identifier text[start:end], whose prefix begins at
// begin, in every form that someone may look for, and its parts.
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

// parts emits what the token text[a:b] consists of, without the token itself.
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

// segment emits one segment of a path or an address; the last one is often how
// people call the whole (server_test.go).
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

// names emits the names between the dots of text[a:b], and their words; known
// says that text[a:b] itself was emitted. A dot between digits belongs to a
// number.
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

// words emits the words that text[a:b] is made of; known says that text[a:b]
// itself was emitted.
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

// camelWords emits a word and, when it is of camel case, the words in it; known
// says that the word itself was emitted.
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

// camelAt reports whether a word of camel case begins at offset i of a token
// that ends at end. Offsets are asked for in ascending order.
func (s *scanner) camelAt(i, end int) bool {
	if i+2 == end && s.text[end-1] == 's' {
		return false
	}
	for s.seen < len(s.camel) && s.camel[s.seen].at < i {
		s.seen++
	}
	return s.seen < len(s.camel) && s.camel[s.seen].at == i
}

// part emits one word of an identifier; known says that it was emitted. Of a
// known word only the stem is new. Short numbers say nothing alone.
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

// commit reports whether token is a hash that can be shortened.
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

// version emits the other forms of a version (v1.2.3-rc1: without the v,
// without the pre-release) and reports whether token is one.
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
