package show

import (
	"strings"

	"github.com/memoir-ai/memoir"
)

// once narrows a hit to the entries that no better hit shows: passages of a list overlap.
// It looks at both ends alone. The hit stays as it is when nothing would be left; then
// once reports that all of it is shown.
func (l shownLines) once(h *memoir.Hit) (all bool) {
	lines := strings.Split(h.Text, "\n")
	blank := func(i int) bool { return strings.TrimSpace(lines[i]) == "" }
	if l.of(h) == nil && !blank(0) && !blank(len(lines)-1) {
		return false
	}
	known := func(i int) bool { return blank(i) || l.hold(h, h.StartLine+i, lines[i]) }
	first, last := 0, len(lines)
	for first < last && known(first) {
		first++
	}
	if first == last {
		return true
	}
	for last > first && known(last-1) {
		last--
	}
	for first > 0 && !begins(lines[first]) { // of this entry not all is shown
		first--
	}
	if lead := strings.TrimLeft(h.Text, "\r\n"); !begins(lead) {
		first = 0 // what stands above a list belongs to it
	}
	for last < len(lines) && !begins(lines[last]) {
		last++
	}
	if first > 0 || last < len(lines) {
		h.Text = strings.Join(lines[first:last], "\n")
		h.StartLine, h.EndLine = h.StartLine+first, h.StartLine+last-1
	}
	return false
}

// begins reports whether a text begins with an entry of a list at the left margin.
func begins(text string) bool {
	rest := strings.TrimLeft(text, "0123456789")
	if rest == "" || len(text)-len(rest) > 9 {
		return false
	}
	marks := "-*+"
	if len(rest) < len(text) {
		marks = ".)"
	}
	return strings.IndexByte(marks, rest[0]) >= 0 && (len(rest) == 1 || rest[1] == ' ' || rest[1] == '\t')
}
