package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cut returns where to cut a line of which at most limit fits: after the first
// sentence or, if that is too long, after the last word that fits, or at least
// after a whole character. It returns len(line) when the line is one sentence
// that fits.
func cut(line string, limit int) int {
	w, word, char := 0, 0, 0
	var prev rune
	for i, r := range line {
		if i > 0 && !attached(prev, r) {
			char = i
			if breakable(prev, r) {
				word = i
			}
			if w > 0 && sentenceEnds(prev, r) {
				return i
			}
		}
		w += runeWeight(r)
		if w > limit && i > 0 {
			switch {
			case word > 0:
				return word
			case char > 0:
				return char
			}
			return i
		}
		prev = r
	}
	return len(line)
}

func sentenceEnds(prev, r rune) bool {
	if strings.ContainsRune("。！？；｡!?.;…", prev) {
		return !strings.ContainsRune("。！？；｡!?.;…」』”’）)\"'", r) && (prev >= utf8.RuneSelf || unicode.IsSpace(r))
	}
	return strings.ContainsRune("」』”", prev) && !strings.ContainsRune("。！？；、，,.", r)
}

// breakable reports whether a line may be cut between two characters without
// cutting a word.
func breakable(prev, r rune) bool {
	return unicode.IsSpace(prev) && !unicode.IsSpace(r) || runeWeight(prev) >= weightPerToken || runeWeight(r) >= weightPerToken
}

// attached reports whether r forms one character with prev.
func attached(prev, r rune) bool {
	return r >= 0x300 && unicode.IsMark(r) || r == '\u200d' || prev == '\u200d' || 0x1f3fb <= r && r <= 0x1f3ff || prev == '\r' && r == '\n'
}
