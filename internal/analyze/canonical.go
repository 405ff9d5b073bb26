package analyze

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Marks at the beginning of a Markdown line that do not belong to its text. The
// boxes of tasks are not among them, because they say what is done.
var lineMarks = []string{"- ", "* ", "+ ", "• ", "> ", "# ", "## ", "### ", "#### ", "##### ", "###### "}

// Marks before and after a word that mean nothing. A question mark is not among
// them: it says that something is not settled.
const (
	opening = "*_~`\"'“‘«「『（([【《"
	closing = "*_~`\"'”’»」』）)]】》.,;:!…。、"
)

// Canonical returns a form of a text that is equal for texts with the same
// words. It drops marks of Markdown, quotes and brackets, punctuation at the
// ends of words, and white space except one blank between words. It folds case,
// accents, width and traditional Chinese characters. Texts that differ in a
// number, a sign or a path have different forms. For a text without words it is
// empty.
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

// unspaced reports whether a blank beside a character is a matter of taste: 用
// Redis 存 and 用Redis存 say the same.
func unspaced(r rune) bool { return classify(r) == run }
