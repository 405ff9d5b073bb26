package show

import (
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
)

// Headings returns how many bytes at the beginning of the snippet of a hit are lines
// that its title and heading path say already, with the blank lines below them. It is 0
// for a snippet of nothing else.
func Headings(h *memoir.Hit) int { return headings(h, h.Snippet) }

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
