package chunk

import "unicode/utf8"

// weightPerToken is how many Latin letters make a token, roughly.
const weightPerToken = 4

// Tokens estimates how many tokens a multilingual model reads in text: a
// quarter of a token for a letter, one for a common ideograph, kana or Hangul
// syllable, three or four for a rare one. It never counts less than OpenClaw does.
func Tokens(text string) int {
	return (weight(text) + weightPerToken - 1) / weightPerToken
}

func weight(text string) int {
	w := 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			w++
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		w += runeWeight(r)
		i += n
	}
	return w
}

// runeWeight returns the cost of a character in quarters of a token.
func runeWeight(r rune) int {
	switch {
	case r < 0x1100:
		if r == 0xb7 {
			return 4
		}
		return 1
	case r >= 0x3000 && r <= 0x319f, r >= 0x4e00 && r <= 0x9fa5, r >= 0xac00 && r <= 0xd7a3, r >= 0xff01 && r <= 0xff60:
		return 4
	case r <= 0x11ff, // Hangul letters
		r >= 0x2e80 && r <= 0x2fff, // radicals
		r >= 0x31a0 && r <= 0x4dff, // rare ideographs and their signs
		r >= 0x9fa6 && r <= 0xa4cf, // and Yi
		r >= 0xa960 && r <= 0xa97f, r >= 0xd7b0 && r <= 0xd7ff,
		r >= 0xf900 && r <= 0xfaff, r >= 0x1d300 && r <= 0x1d35f:
		return 12
	case r >= 0xa700 && r <= 0xa71f, r >= 0xff61 && r <= 0xffef: // tone marks, half-width forms
		return 8
	case r < 0x10000:
		return 1
	case r >= 0x20000 && r <= 0x3ffff:
		return 16
	}
	return 4
}
