package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// words is a section of data/words.txt. Its terms in letters need a border round them.
// Its signs, and its terms in Chinese, Japanese and Korean, need none.
type words struct {
	parts bool // terms are parts of words
	latin map[string]bool
	other []string
}

// maxWords is how many words a term of a section may have.
const maxWords = 3

func (w *words) add(line string) {
	for t := range strings.SplitSeq(line, ", ") {
		t = strings.TrimSpace(t)
		switch c, _ := utf8.DecodeRuneInString(t); {
		case t == "":
		case !w.parts && c < utf8.RuneSelf && isAlnum(t[0]):
			w.latin[t] = true
		default:
			w.other = append(w.other, t)
			if apart := norm.NFD.String(t); apart != t {
				w.other = append(w.other, apart)
			}
		}
	}
}

// has reports whether text is a term.
func (w *words) has(text string) bool {
	if len(text) > 40 {
		return false
	}
	if w.latin[strings.ToLower(text)] {
		return true
	}
	for _, t := range w.other {
		if t == text {
			return true
		}
	}
	return false
}

// starts returns where the longest term ends that stands at the start of text, or 0 for
// none. Blanks, and signs that join the words of a name, may come before it.
func (w *words) starts(text string) int {
	before := len(text)
	text = strings.TrimLeft(text, " \t_-*")
	before -= len(text)
	longest := 0
	for _, t := range w.other {
		if len(t) > longest && strings.HasPrefix(text, t) && border(lastRune(t), firstRune(text[len(t):])) {
			longest = len(t)
		}
	}
	end := 0
	for n := 0; n < maxWords; n++ {
		start := end
		for end < len(text) && end < 40 && isAlnum(text[end]) {
			end++
		}
		if end == start {
			break
		}
		if w.latin[fold(text[:end])] {
			longest = max(longest, end)
		}
		if end < len(text) && (folded[text[end]] == ' ') {
			end++
		}
	}
	if longest == 0 {
		return 0
	}
	return before + longest
}

// border reports whether a term may end between two characters. Between letters it may do
// so only in Chinese, Japanese and Korean.
func border(a, b rune) bool {
	return !unicode.IsLetter(a) || !unicode.IsLetter(b) || isCJK(a) || isCJK(b)
}

// ends returns the length of the longest term at the end of text, or 0 for none.
func (w *words) ends(text string) int {
	longest := 0
	for _, t := range w.other {
		if isAlnum(byteBefore(text, len(text))) {
			break // no term ends in a letter
		}
		if len(t) > longest && strings.HasSuffix(text, t) && border(lastRune(text[:len(text)-len(t)]), firstRune(t)) {
			longest = len(t)
		}
	}
	start := len(text)
	for n := 0; n < maxWords && start > 0; n++ {
		end := start
		for start > 0 && len(text)-start < 40 && (isAlnum(text[start-1]) || text[start-1] == '\'') {
			start--
		}
		if start == end {
			break
		}
		if w.latin[fold(text[start:])] {
			longest = max(longest, len(text)-start)
		}
		if start > 0 && folded[text[start-1]] == ' ' {
			start--
		}
	}
	return longest
}

// saidIn reports whether text is short, is all Chinese or Japanese, and holds a term of
// several characters.
func (w *words) saidIn(text string) bool {
	if len(text) > 36 {
		return false
	}
	for i := range len(text) {
		if isAlnum(text[i]) {
			return false
		}
	}
	for _, t := range w.other {
		if len(t) >= 6 && strings.Contains(text, t) {
			return true
		}
	}
	return false
}

// within reports whether text holds a term anywhere.
func (w *words) within(text string) bool {
	for _, t := range w.other {
		if strings.Contains(text, t) {
			return true
		}
	}
	for i := 0; i < len(text); {
		if !isAlnum(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && isAlnum(text[i]) {
			i++
		}
		if i-start <= 40 && w.latin[fold(text[start:i])] {
			return true
		}
	}
	return false
}

// fold brings text into the form in which terms are kept.
func fold(text string) string {
	for i := range len(text) {
		if folded[text[i]] != text[i] {
			b := []byte(text)
			for i, c := range b {
				b[i] = folded[c]
			}
			return string(b)
		}
	}
	return text
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isAlnum(c byte) bool  { return isLetter(c) || isDigit(c) }
func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
