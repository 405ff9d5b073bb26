package analyze

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a line of Markdown may begin with that is not of its text. The boxes of
// tasks are: they say what is done.
var lineMarks = []string{"- ", "* ", "+ ", "• ", "> ", "# ", "## ", "### ", "#### ", "##### ", "###### "}

// What may stand before and after a word and says nothing. A question mark does:
// it is not settled yet.
const (
	opening = "*_~`\"'“‘«「『（([【《"
	closing = "*_~`\"'”’»」』）)]】》.,;:!…。、"
)

// Canonical returns a form of a passage of prose in which passages are equal
// that have the same words: it leaves out marks of Markdown, quotes and
// brackets, punctuation at the ends of words, white space but one blank between
// words, and folds case, accents, width and traditional Chinese characters. A
// number, a sign, a path that differs makes another passage. It is empty for a
// passage without words.
func Canonical(text string) string {
	var plain strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " \t")
		for again := true; again; {
			again = false
			for _, m := range lineMarks {
				if rest, ok := strings.CutPrefix(line, m); ok {
					line, again = strings.TrimLeft(rest, " \t"), true
				}
			}
		}
		plain.WriteString(line)
		plain.WriteByte('\n')
	}
	var out strings.Builder
	last := rune(0)
	for word := range strings.FieldsSeq(fold(plain.String()).text) {
		word = strings.TrimRight(strings.TrimLeft(word, opening), closing)
		first, _ := utf8.DecodeRuneInString(word)
		if word == "" {
			continue
		}
		if last != 0 && !unspaced(last) && !unspaced(first) {
			out.WriteByte(' ')
		}
		out.WriteString(word)
		last, _ = utf8.DecodeLastRuneInString(word)
	}
	if strings.ContainsFunc(out.String(), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return out.String()
	}
	return ""
}

// unspaced reports whether a blank beside a character is a matter of taste:
// 用 Redis 存 and 用Redis存 say the same.
func unspaced(r rune) bool { return classify(r) == run }
