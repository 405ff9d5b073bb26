package analyze

import "strings"

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
	case sh&^hasDigit == 0 && len(token) < 3 && allDigits(token):
		s.emit(token, Word, weightWord)
		return
	case sh&^(hasHyphen|hasWide) == 0 && !s.camelIn(start, end) && !s.inCode(start, end):
		s.emit(token, Identifier, weightForm)
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
		s.names(a, b)
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
	}
	for a < b && (s.text[a] == '.' || s.text[a] == '-' || s.text[a] == '_') {
		a++
	}
	if a == b {
		return
	}
	token := s.text[a:b]
	if compound(token) || s.camelIn(a, b) {
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
		s.names(a, b)
	}
}

// names emits the names between the dots of text[a:b], and their words. A dot
// between digits belongs to a number.
func (s *scanner) names(a, b int) {
	for x := a; x < b; {
		y := x
		for y < b && !(s.text[y] == '.' && !(y > x && digit(s.text[y-1]) && y+1 < b && digit(s.text[y+1]))) {
			y++
		}
		if y > x {
			if y-x < b-a && compound(s.text[x:y]) {
				s.emit(s.text[x:y], Part, weightPart)
			}
			s.words(x, y)
		}
		x = y + 1
	}
}

// words emits the words that text[a:b] is made of.
func (s *scanner) words(a, b int) {
	whole := b - a
	for x := a; x < b; {
		y := x
		for y < b && s.text[y] != '_' && s.text[y] != '-' && s.text[y] != '.' && !(y > x && s.camelAt(y, b)) {
			y++
		}
		if y > x {
			s.part(s.text[x:y], y-x == whole)
		}
		if y < b && (s.text[y] == '_' || s.text[y] == '-' || s.text[y] == '.') {
			y++
		}
		x = y
	}
}

// camelAt reports whether a word of camel case begins at offset i of a token
// that ends at end.
func (s *scanner) camelAt(i, end int) bool {
	if i+2 == end && s.text[end-1] == 's' {
		return false
	}
	for _, at := range s.camel[s.seen:] {
		if at >= i {
			return at == i
		}
	}
	return false
}

// part emits one word of an identifier; whole says that it is all there is.
func (s *scanner) part(w string, whole bool) {
	switch {
	case allDigits(w):
		if len(w) > 2 && !whole {
			s.emit(w, Part, weightPart)
		}
	case letters(w):
		s.word(w, true, Part)
	case !whole:
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

func compound(token string) bool {
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
