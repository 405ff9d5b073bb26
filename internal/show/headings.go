package show

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
)

// Headings returns how many bytes at the beginning of the snippet of a hit are lines
// that its title and heading path say already, with the blank lines below them. It is 0
// for a snippet of nothing else.
func Headings(h *memoir.Hit) int { return headings(h, h.Snippet) }

// Cut reports whether the snippet of a hit begins, and whether it ends, inside a sentence
// of a line. A snippet with lines of the passages beside it does neither.
func Cut(h *memoir.Hit) (begins, ends bool) {
	snippet := strings.TrimSpace(h.Snippet)
	start := strings.Index(h.Text, snippet)
	if start < 0 || snippet == "" {
		return false, false
	}
	end := start + len(snippet)
	return inLine(h.Text, start), inLine(h.Text, end)
}

// inLine reports whether a byte of a text is inside a sentence of a line: beside its
// blanks there is something before it that ends no sentence, and something after it.
func inLine(text string, i int) bool {
	before, after := text[strings.LastIndexByte(text[:i], '\n')+1:i], text[i:]
	if n := strings.IndexByte(after, '\n'); n >= 0 {
		after = after[:n]
	}
	before = strings.TrimSpace(before)
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, `"'”’」』）》`))
	return before != "" && strings.TrimSpace(after) != "" && !endsSentence(before) && !strings.ContainsRune("。！？", last)
}

// headings does what Headings does for another text of the hit.
func headings(h *memoir.Hit, text string) (end int) {
	for line := range strings.Lines(text) {
		marked := strings.TrimSpace(line)
		words := strings.TrimLeft(marked, "#")
		if marks := len(marked) - len(words); marked != "" && (marks == 0 || marks > 6 || words == "" || words[0] != ' ') {
			return end
		}
		words = strings.TrimSpace(strings.TrimRight(words, "#"))
		if marked != "" && words != h.Title && !slices.Contains(h.Heading, words) {
			return end
		}
		end += len(line)
	}
	return 0
}
