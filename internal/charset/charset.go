// Package charset says in which encoding a text is that is not UTF-8, so that a person can
// be told how to convert it. A wrong name would spoil the text, so it names one only where
// nothing else is likely.
package charset

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The names of encodings, as iconv and editors take them.
const (
	GBK    = "GBK"          // Chinese of Windows, and with it GB2312
	EUCJP  = "EUC-JP"       // Japanese of Unix
	Latin1 = "WINDOWS-1252" // Western Europe, and with it ISO 8859-1
)

// Guess returns the encoding of a text that is not valid UTF-8, or "" where it cannot be
// told. Some pairs of GBK are characters of UTF-8 by chance, so encodings of two bytes are
// looked for first. Else a text of which most is UTF-8 is one that was damaged.
func Guess(text []byte) string {
	switch name := eastern(text); {
	case name != "":
		return name
	case !damaged(text) && western(text):
		return Latin1
	}
	return ""
}

// rows counts pairs of bytes by the row of the table that the first byte stands for. GB 2312,
// JIS X 0208 and KS X 1001 have the same form: punctuation, in GB 2312 and JIS X 0208 kana,
// then the characters. What stands in the rows differs.
type rows struct {
	pairs    int // outside punctuation
	kana     int
	korean   bool // no kana that is not a letter of Korean in KS X 1001
	common   int  // rows of the common characters of GB 2312, 0xb0 to 0xd7
	past     int  // of these, rows behind those of Hangul, from 0xc9 on
	late     int  // of these, rows behind the common characters of JIS X 0208, from 0xd0 on
	low      int  // bytes below 0xc0 in them, where Cyrillic has few letters
	high     int  // second bytes above 0xdf in them, where half-width kana of Shift_JIS have none
	extended int  // pairs with a byte below 0xa1, which the tables do not have
}

// eastern returns the encoding of a text of Chinese or Japanese, or "".
//
// Half of all Chinese characters stand behind the rows of Hangul, and a third behind the
// common characters of Japanese, because GB 2312 has them by their sound. Of Japanese that
// is written in EUC-JP, kana are a half.
func eastern(text []byte) string {
	n, ok := count(text)
	switch {
	case !ok || n.pairs == 0:
		return ""
	case n.kana*20 <= n.pairs && n.common*20 >= n.pairs*17 && n.late > 0 && n.late*12 >= n.common && n.past >= 2 && n.low*4 >= n.common && n.high > 0:
		return GBK
	case n.extended == 0 && n.kana >= 5 && n.kana*4 >= n.pairs && !n.korean && n.late*10 <= n.common:
		return EUCJP
	}
	return ""
}

// count returns false when not all of a text can be pairs and ASCII.
func count(text []byte) (n rows, ok bool) {
	n.korean = true
	for i := 0; i < len(text); i++ {
		lead := text[i]
		if lead < utf8.RuneSelf {
			continue
		}
		if i++; i == len(text) || !gbk(lead, text[i]) {
			return n, false
		}
		trail := text[i]
		n.pairs++
		switch {
		case lead < 0xa1 || trail < 0xa1:
			n.extended++
		case lead <= 0xa3:
			n.pairs--
		case lead <= 0xa5:
			n.kana++
			n.korean = n.korean && (lead == 0xa4 && trail <= 0xd3 || lead == 0xa5 && trail < 0xb0)
		case lead >= 0xb0 && lead <= 0xd7:
			n.common++
			n.past += one(lead >= 0xc9)
			n.late += one(lead >= 0xd0)
			n.low += one(lead < 0xc0) + one(trail < 0xc0)
			n.high += one(trail > 0xdf)
		}
	}
	return n, true
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// gbk reports whether two bytes are a character of GBK.
func gbk(lead, trail byte) bool {
	return lead >= 0x81 && lead <= 0xfe && trail >= 0x40 && trail <= 0xfe && trail != 0x7f
}

// damaged reports whether most of what is not ASCII in a text is UTF-8.
func damaged(text []byte) bool {
	valid, high := 0, 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if text[i] >= utf8.RuneSelf {
			high += size
			if r != utf8.RuneError {
				valid += size
			}
		}
		i += size
	}
	return valid*2 > high
}

const (
	// alike are letters that the encodings of Latin letters of Windows and ISO have in one
	// place, but for a few of the Baltic ones: whichever it is, the text comes out right.
	alike = "äéóöüßáíú"
	// enough is how many letters show a language.
	enough = 6
	// marks stand anywhere, and tied ones away from letters, where other encodings have letters.
	marks = "‚„…‘’“”•–—\u00a0·"
	tied  = "€¡£§©ª«®°²³´µº»¿"
)

// languages are letters of languages of Western Europe besides ASCII (CLDR, main and
// auxiliary exemplars), and the most frequent ones of each, which its texts hold.
var languages = []struct{ letters, frequent string }{
	{"àâæçèéêëîïôùûüÿœ", "é"}, {"áéíñóúü", "ó"}, {"àáâãçéêíóôõú", "ãé"}, {"àèéìòù", "à"}, {"àçèéíïòóúü", "àè"},
	{"áäèéêëïíóöüú", "ë"}, {"åæøéèòô", "åø"}, {"åäöé", "ä"},
}

// western reports whether a text is one of Western Europe: its letters are those of one
// language, single letters between those of ASCII, and its marks stand where marks do.
func western(text []byte) bool {
	at := func(i int) rune {
		if i < 0 || i >= len(text) {
			return ' '
		}
		return windows1252(text[i])
	}
	found := ""
	letters, alone := 0, false
	for i := range text {
		if text[i] < utf8.RuneSelf {
			continue
		}
		r, before, after := at(i), at(i-1), at(i+1)
		switch {
		case strings.ContainsRune(marks, r):
			if unicode.IsLetter(before) && unicode.IsLetter(after) && !strings.ContainsRune("’\u00a0·", r) {
				return false
			}
		case strings.ContainsRune(tied, r):
			if unicode.IsLetter(before) || unicode.IsLetter(after) {
				return false
			}
		case !unicode.IsLetter(r),
			unicode.IsUpper(r) && unicode.IsLower(before),
			high(before) && !(ascii(at(i-2)) && ascii(after)),
			high(after) && !(ascii(before) && ascii(at(i+2))):
			return false
		default:
			letters++
			alone = alone || !ascii(before) && !ascii(after)
			if r = unicode.ToLower(r); !strings.ContainsRune(found, r) {
				found += string(r)
			}
		}
	}
	if letters == 0 || holds(alike, found) {
		return letters > 0 && !alone
	}
	for _, l := range languages {
		if letters >= enough && holds(l.letters, found) && holds(found, l.frequent) {
			return true
		}
	}
	return false
}

// first are bytes of Windows-1252 before those that stand for what they do in Unicode, without
// quotes and dashes.
var first = map[byte]rune{0x80: '€', 0x82: '‚', 0x84: '„', 0x85: '…', 0x8c: 'Œ', 0x9c: 'œ', 0x9f: 'Ÿ'}

// windows1252 returns the character of a byte; 0 for one that has none or is no letter of these languages.
func windows1252(b byte) rune {
	switch {
	case b < 0x80 || b >= 0xa0:
		return rune(b) // as in Unicode
	case b >= 0x91 && b <= 0x97:
		return []rune("‘’“”•–—")[b-0x91]
	}
	return first[b]
}

func high(r rune) bool {
	return r >= utf8.RuneSelf && unicode.IsLetter(r) && r != 'ª' && r != 'º' && r != 'µ'
}

func ascii(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }

// holds reports whether each character of some is one of a text.
func holds(text, some string) bool {
	return !strings.ContainsFunc(some, func(r rune) bool { return !strings.ContainsRune(text, r) })
}
