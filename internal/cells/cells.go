// Package cells measures texts as a terminal shows them, in columns: an ideograph takes
// two, and characters that belong together are one.
package cells

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Cut returns the beginning of a text that is at most so many columns wide, with its
// width and what is left. Characters that belong together are not parted.
func Cut(text string, columns int) (head string, width int, rest string) {
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

// tab is how wide a tab is at most.
const tab = 8

// Wrap parts a line into pieces of at most so many columns, 2 at least, and yields where
// each begins and ends, in bytes; for an empty line one empty piece. It parts at blanks,
// which are in no piece then, and beside Chinese and Japanese characters where
// https://www.unicode.org/reports/tr14/ allows it: not before a full stop, for example. A
// word is parted only when it is wider than a piece. What has no width by itself, as
// control characters, counts as one column, because something may be shown in its place.
func Wrap(line string, columns int) iter.Seq2[int, int] {
	columns = max(columns, 2)
	return func(yield func(from, to int) bool) {
		for start, end := 0, 0; start == 0 || start < len(line); start = end {
			end = start + fill(line[start:], columns)
			to := start + len(strings.TrimRight(line[start:end], " \t"))
			whole := start == 0 && end == len(line)
			if (to > start || whole) && !yield(start, to) || end == len(line) {
				return
			}
		}
	}
}

// fill returns how many bytes of a text go on a line, with the blanks behind them.
func fill(text string, columns int) int {
	at, width, parting, state := 0, 0, 0, -1
	for at < len(text) {
		cluster, rest, boundaries, next := uniseg.StepString(text[at:], state)
		w, blank := max(1, boundaries>>uniseg.ShiftWidth), cluster == " " || cluster == "\t"
		if cluster == "\t" {
			w = tab
		}
		if width+w > columns && at > 0 && !blank {
			if parting > 0 {
				return parting
			}
			return at
		}
		at, width, state = at+len(cluster), width+w, next
		if boundaries&uniseg.MaskLine != uniseg.LineDontBreak && (blank || partable(cluster) || partable(rest)) {
			parting = at
		}
	}
	return at
}

// partable reports whether a text begins with a character that words are not made of with
// blanks between them.
func partable(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x30ff || r >= 0xff00 && r <= 0xff65
}
