package chunk

import (
	"strings"
	"unicode/utf8"
)

// Bounds of what is stored with each piece besides its lines
// (docs/design/chunking.md).
const (
	// maxHeading is the longest heading or title, in bytes.
	maxHeading = 256
	// maxPath is how many bytes the headings above a piece may have together.
	// The outermost are left out first.
	maxPath = 512
	// maxName is the longest alias or tag, in bytes. maxNames is how many of
	// each there may be, and maxNameBytes how long all of a kind may be
	// together.
	maxName      = 256
	maxNames     = 64
	maxNameBytes = 1 << 10
	// A text is cut by its structure into minPieces pieces, plus one for every
	// pieceBytes of text. Beyond that, small pieces are joined.
	minPieces  = 4096
	pieceBytes = 256
)

// shortLine joins words with one blank between them, up to limit bytes, and
// reports whether all fit. A line that was cut ends in "…".
func shortLine(text string, limit int) (line string, whole bool) {
	var b strings.Builder
	for word := range strings.FieldsSeq(text) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if b.Len()+len(word) > limit {
			b.WriteString(word)
			line, end := b.String(), limit-len("…")
			for end > 0 && !utf8.RuneStart(line[end]) {
				end--
			}
			return strings.TrimRight(line[:end], " ") + "…", false
		}
		b.WriteString(word)
	}
	return b.String(), true
}

// headings are those above a place in a note.
type headings struct {
	title string // of the note; it is in no path
	open  []opened
}

type opened struct {
	level int
	text  string
}

// above returns how many of the headings have a higher rank than level.
func (h *headings) above(level int) int {
	n := 0
	for n < len(h.open) && h.open[n].level < level {
		n++
	}
	return n
}

// enter begins a section.
func (h *headings) enter(level int, text string) {
	h.open = append(h.open[:h.above(level)], opened{level, text})
}

// path returns the texts of the headings. whole is false when the outermost
// were left out because of maxPath.
func (h *headings) path() (path []string, whole bool) {
	first, size := len(h.open), 0
	for first > 0 && size+len(h.open[first-1].text) <= maxPath {
		first--
		size += len(h.open[first].text)
	}
	for _, p := range h.open[first:] {
		if p.text != "" && !(p.level == 1 && p.text == h.title) {
			path = append(path, p.text)
		}
	}
	return path, first == 0
}
