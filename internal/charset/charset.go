// Package charset guesses in which encoding a text is that is not UTF-8, so that a
// person can be told how to convert it.
package charset

import "unicode/utf8"

// The names of encodings, as iconv and editors take them.
const (
	GBK    = "GBK"          // Chinese of Windows, and with it GB2312
	Latin1 = "WINDOWS-1252" // Western Europe, and with it ISO 8859-1
)

// Guess returns the likely encoding of a text that is not valid UTF-8, or "" where
// nothing speaks for one. Some pairs of GBK are characters of UTF-8 by chance, so it
// is looked for first. Else a text of which most is UTF-8 is one that was damaged.
func Guess(text []byte) string {
	// Pairs of bytes as GBK has them, those of its everyday characters, and whether no
	// run of such bytes is longer than two.
	pairs, common, short := 0, 0, true
	paired := true
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		start := i
		for i < len(text) && text[i] >= utf8.RuneSelf {
			if i+1 == len(text) || !gbk(text[i], text[i+1]) {
				paired = false
				i++
				continue
			}
			pairs++
			if text[i] >= 0xa1 && text[i+1] >= 0xa1 {
				common++
			}
			i += 2
		}
		short = short && i-start <= 2
	}
	switch {
	case paired && common*4 >= pairs*3:
		return GBK
	case damaged(text):
		return ""
	case short:
		return Latin1
	}
	return ""
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

// gbk reports whether two bytes are a character of GBK.
func gbk(lead, trail byte) bool {
	return lead >= 0x81 && lead <= 0xfe && trail >= 0x40 && trail <= 0xfe && trail != 0x7f
}
