package analyze

import "strings"

// compound reports whether the token text[a:b] is ordinary language even though
// it looks like an identifier: several words in one (real-time, artists/bands,
// U.S., GitHub), a word with a number (18th, python3, covid-19), or a number
// with a mark in it (3.5, 9:30, 24/7). A token in a code span is not.
func (s *scanner) compound(a, b int, sh shape) bool {
	if s.inCode(a, b) {
		return false
	}
	token := s.text[a:b]
	switch camel, marks := s.camelIn(a, b), sh&^(hasDigit|hasWide); {
	case camel:
		return sh&^hasWide == 0 && s.properName(a, b)
	case marks == 0 || marks == hasHyphen:
		return wordsAndNumbers(token)
	case marks == hasDot:
		return initials(token) || decimal(token, '.')
	case marks == hasHard:
		return decimal(token, ':') || decimal(token, '/') || alternatives(token)
	}
	return false
}

// properName reports whether text[a:b], in camel case, consists of two words
// that begin with capitals. Products are called so, variables rarely.
func (s *scanner) properName(a, b int) bool {
	humps := 0
	for _, h := range s.camel[s.seen:] {
		if h.at >= b {
			break
		}
		if !h.capital {
			return false
		}
		humps++
	}
	return humps == 1
}

// Bounds of a number in a compound. A longer number is the number of something:
// E501, PROJ-123, a commit.
const (
	maxNumberAfter = 2 // digits of a number after letters or a hyphen
	maxChanges     = 3 // between letters and digits in one word: h1n1
)

// wordsAndNumbers reports whether everything between the hyphens of token is a
// word, perhaps with a number. At least one of them has a letter.
func wordsAndNumbers(token string) bool {
	word := false
	for i, part := range strings.Split(token, "-") {
		changes, after := 0, 0
		for j := range len(part) {
			number := digit(part[j])
			if j > 0 && number != digit(part[j-1]) {
				changes++
				after = 0
			}
			if number && (i > 0 || changes > 0) {
				after++
			}
			if after > maxNumberAfter {
				return false
			}
			word = word || !number
		}
		if changes > maxChanges || len(part) >= shortHash && hexadecimal(part) {
			return false
		}
	}
	return word
}

// hexadecimal reports whether token consists of hexadecimal digits, both
// letters and decimal ones.
func hexadecimal(token string) bool {
	letters, digits := 0, 0
	for i := range len(token) {
		switch c := token[i]; {
		case digit(c):
			digits++
		case 'a' <= c && c <= 'f':
			letters++
		default:
			return false
		}
	}
	return letters > 0 && digits > 0
}

// initials reports whether token consists of single letters with dots between
// them.
func initials(token string) bool {
	for i := range len(token) {
		if letter := 'a' <= token[i] && token[i] <= 'z'; letter != (i%2 == 0) {
			return false
		}
	}
	return true
}

// decimal reports whether token is two short numbers with mark between them.
func decimal(token string, mark byte) bool {
	before, after, found := strings.Cut(token, string(mark))
	return found && len(before) <= maxPlainDigits && len(after) <= maxPlainDigits && allDigits(before) && allDigits(after)
}

// alternatives reports whether token is two words with a slash between them.
func alternatives(token string) bool {
	before, after, found := strings.Cut(token, "/")
	return found && letters(before) && letters(after)
}
