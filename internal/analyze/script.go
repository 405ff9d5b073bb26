package analyze

import (
	"strings"
	"unicode"
)

// class says how the scanner treats a character.
type class int

const (
	separator class = iota
	letter          // in a word: letters, digits, marks
	run             // in a run that is written without spaces
	symbol          // an emoji or pictograph: a word by itself
)

func classify(r rune) class {
	switch {
	case spaceless(r):
		return run
	case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
		return letter
	case pictograph(r):
		return symbol
	}
	return separator
}

// pictograph reports whether r is an emoji or a dingbat. A few stand below their blocks,
// among the signs with which tables and lists are drawn.
func pictograph(r rune) bool {
	switch {
	case r < 0x231a:
		return false
	case r < 0x2600:
		return r <= 0x231b || r == 0x2328 || r == 0x23cf || r >= 0x23e9 && r <= 0x23fa || r == 0x25fd || r == 0x25fe
	case r < 0x27c0:
		return true
	case r < 0x1f000:
		return r == 0x2b1b || r == 0x2b1c || r == 0x2b50 || r == 0x2b55
	}
	return unicode.Is(unicode.So, r)
}

// Spaceless reports whether all characters of a text belong to scripts that are indexed as
// pairs of characters.
func Spaceless(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !spaceless(r) }) < 0
}

// spaceless reports whether r belongs to a script that is indexed as pairs of characters.
// Such a script does not put spaces between words, or does so unreliably, as Korean.
func spaceless(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r >= 0x4e00 && r <= 0x9fff: // Han
		return true
	case r >= 0xac00 && r <= 0xd7a3: // Hangul
		return true
	case r < 0x0f00: // Thai, Lao
		return unicode.IsLetter(r) || unicode.IsMark(r)
	case r < 0x2e80:
		return r >= 0x1000 && r < 0x10a0 && (unicode.IsLetter(r) || unicode.IsMark(r)) || // Burmese
			r >= 0x1100 && r < 0x1200 || // Hangul letters
			r >= 0x1780 && r < 0x1800 && (unicode.IsLetter(r) || unicode.IsMark(r)) // Khmer
	case r < 0x3000:
		return r < 0x2fe0 // radicals
	case r < 0x3400:
		return r >= 0x3005 && r <= 0x3007 && r != 0x3006 || r >= 0x3021 && r <= 0x3029 ||
			r >= 0x3041 && r <= 0x309a || r >= 0x309d && r <= 0x309f || // Hiragana
			r >= 0x30a1 && r <= 0x30fa || r >= 0x30fc && r <= 0x30ff || // Katakana
			r >= 0x3105 && r <= 0x318e || r >= 0x31a0 && r <= 0x31bf || r >= 0x31f0 && r <= 0x31ff
	}
	return r <= 0x4dbf || r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x3ffff || r >= 0x1b000 && r <= 0x1b16f
}

// mark reports whether r attaches to the character before it.
func mark(r rune) bool {
	if r < 0x0300 || r >= 0x3041 && r <= 0x9fff && r != 0x3099 && r != 0x309a || r >= 0xac00 && r <= 0xd7a3 {
		return false
	}
	return unicode.IsMark(r)
}

func alnum(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z'
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
