package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Unmarked returns text without the asterisks of strong emphasis. It removes
// pairs that enclose something on one line, as in "**Ann:** hello". The
// asterisks of code stay, as in "f(**options)".
func Unmarked(text string) string {
	const mark = "**"
	if !strings.Contains(text, mark) {
		return text
	}
	var b strings.Builder
	for {
		open := strings.Index(text, mark)
		if open < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:open])
		inside, after, ok := strings.Cut(text[open+len(mark):], mark)
		if !ok || !encloses(inside, after) {
			b.WriteString(mark)
			text = text[open+len(mark):]
			continue
		}
		b.WriteString(inside)
		text = after
	}
}

// encloses reports whether marks round inside, before after, are emphasis.
func encloses(inside, after string) bool {
	first, _ := utf8.DecodeRuneInString(inside)
	last, _ := utf8.DecodeLastRuneInString(inside)
	next, _ := utf8.DecodeRuneInString(after)
	return inside != "" && !unicode.IsSpace(first) && !unicode.IsSpace(last) && first != '*' &&
		!strings.Contains(inside, "\n") && (next < utf8.RuneSelf && next != '_' && !unicode.IsLetter(next) && !unicode.IsDigit(next) || next >= 0x2e80 || after == "")
}
