package browse

import (
	"strconv"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/memoir-ai/memoir/internal/cells"
)

func itoa(n int) string { return strconv.Itoa(n) }

// fit makes a text exactly so many columns wide: cut with an ellipsis, or filled with
// blanks.
func fit(text string, columns int) string {
	if columns <= 0 {
		return ""
	}
	head, width, rest := cells.Cut(text, columns)
	if rest != "" {
		head, width, _ = cells.Cut(text, columns-1)
		head += "…"
		width++
	}
	return head + strings.Repeat(" ", max(0, columns-width))
}

// tail returns the end of a text that is at most so many columns wide.
func tail(text string, columns int) string {
	width := uniseg.StringWidth(text)
	for width > columns && text != "" {
		_, rest, w, _ := uniseg.FirstGraphemeClusterInString(text, -1)
		text, width = rest, width-w
	}
	return text
}

// wrap parts a line into pieces of at most so many columns, at most so many of them.
func wrap(line string, columns, most int) (pieces []string) {
	if columns < 2 {
		return nil // a wide character needs two
	}
	for from, to := range cells.Wrap(line, columns) {
		if len(pieces) == most {
			break
		}
		pieces = append(pieces, line[from:to])
	}
	return pieces
}
