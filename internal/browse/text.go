package browse

import (
	"strconv"
	"strings"

	"github.com/rivo/uniseg"
)

func itoa(n int) string { return strconv.Itoa(n) }

// cut returns the beginning of a text that is at most so many columns wide, with its
// width and what is left. Characters that belong together are not parted.
func cut(text string, columns int) (head string, width int, rest string) {
	state := -1
	rest = text
	for rest != "" {
		_, after, w, next := uniseg.FirstGraphemeClusterInString(rest, state)
		if width+w > columns {
			break
		}
		width += w
		rest, state = after, next
	}
	return text[:len(text)-len(rest)], width, rest
}

// fit makes a text exactly so many columns wide: cut with an ellipsis, or filled with
// blanks.
func fit(text string, columns int) string {
	if columns <= 0 {
		return ""
	}
	head, width, rest := cut(text, columns)
	if rest != "" {
		head, width, _ = cut(text, columns-1)
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

// wrap parts a line into pieces of at most so many columns, at most so many of them,
// at blanks where there are some.
func wrap(line string, columns, most int) (pieces []string) {
	if columns < 2 {
		return nil // a wide character needs two
	}
	for len(pieces) < most {
		head, _, rest := cut(line, columns)
		if rest == "" {
			return append(pieces, head)
		}
		if head == "" { // of no width that can be shown
			_, rest, _, _ = uniseg.FirstGraphemeClusterInString(line, -1)
			line = rest
			continue
		}
		if i := strings.LastIndexByte(head, ' '); i > 0 && !strings.HasPrefix(rest, " ") {
			head, rest = head[:i], line[i:]
		}
		pieces = append(pieces, head)
		line = strings.TrimPrefix(rest, " ")
	}
	return pieces
}
