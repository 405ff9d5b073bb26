package remember

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/secret"
)

// maxEdits bounds how many lines may be in one of two notes only for [diff] to compare line
// by line; the memory grows with its square. A difference beyond it is shown as a whole.
const maxEdits = 1024

// diff returns the change of a note as a unified diff without context lines, or
// "" when nothing changes.
func diff(path, before, after string) string {
	if before == after {
		return ""
	}
	a, b := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	start, tail := sameEnds(a, b)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", path, path)
	hunk := func(x, xEnd, y, yEnd int) {
		var old, fresh []string
		for _, line := range a[x:xEnd] {
			if line != "" {
				old = append(old, "-"+strings.TrimRight(line, "\r\n")+"\n")
			}
		}
		for _, line := range b[y:yEnd] {
			if line != "" {
				fresh = append(fresh, "+"+strings.TrimRight(line, "\r\n")+"\n")
			}
		}
		if len(old)+len(fresh) > 0 {
			fmt.Fprintf(&out, "@@ -%s +%s @@\n%s%s", lineRange(x, len(old)), lineRange(y, len(fresh)), strings.Join(old, ""), strings.Join(fresh, ""))
		}
	}
	x, y := start, start
	for _, same := range sameLines(a[start:len(a)-tail], b[start:len(b)-tail]) {
		if i, j := start+same[0], start+same[1]; i > x || j > y {
			hunk(x, i, y, j)
		}
		x, y = start+same[0]+1, start+same[1]+1
	}
	hunk(x, len(a)-tail, y, len(b)-tail)
	return out.String()
}

// sameEnds returns how many lines two notes have in common at their beginning, and how
// many more at their end.
func sameEnds(a, b []string) (start, tail int) {
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	for tail < min(len(a), len(b))-start && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return start, tail
}

// lineRange writes a range of lines as the head of a hunk does. An empty range
// names the line before it.
func lineRange(from, n int) string {
	if n == 0 {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, n)
}

// sameLines returns the places of a longest common subsequence of lines, or none when more
// than maxEdits lines are in one of them only. It is the greedy algorithm of Myers, "An
// O(ND) Difference Algorithm and Its Variations", 1986: a few changes cost little, however
// far apart they stand.
func sameLines(a, b []string) (places [][2]int) {
	var rows [][]int // rows[d][k+d] lines of a, and k fewer of b, are behind d edits
	after := func(d, k int) (i int, added bool) {
		if d == 0 {
			return 0, false
		}
		row := rows[d-1]
		if k == -d || k < d && row[k-1+d-1] < row[k+1+d-1] {
			return row[k+1+d-1], true
		}
		return row[k-1+d-1] + 1, false
	}
	for d := range maxEdits + 1 {
		row := make([]int, 2*d+1)
		rows = append(rows, row)
		for k := -d; k <= d; k += 2 {
			i, _ := after(d, k)
			for i < len(a) && i-k < len(b) && a[i] == b[i-k] {
				i++
			}
			row[k+d] = i
			if i != len(a) || i-k != len(b) {
				continue
			}
			for ; d >= 0; d-- { // the way back
				from, added := after(d, k)
				for i > from {
					i--
					places = append(places, [2]int{i, i - k})
				}
				if added {
					k++
				} else {
					i, k = i-1, k-1
				}
			}
			slices.Reverse(places)
			return places
		}
	}
	return nil
}

// mask returns a note as it is with its secrets masked, and remembers it.
func (t *tidier) mask(text string) string {
	masked, ok := t.masked[text]
	if !ok {
		masked = t.maskOnce(text)
		t.masked[text] = masked
	}
	return masked
}

// maskOnce does what mask does and remembers nothing.
func (t *tidier) maskOnce(text string) string {
	if t.clean[text] {
		return text
	}
	masked, ok := t.masked[text]
	if !ok {
		masked, _ = secret.Mask(text)
	}
	return masked
}

// seenAround is how many lines before and after a changed one, and on to the next empty
// line, are looked at for what makes it a secret: a label, the head of a table, a frame.
const seenAround = 20

// maskChanged returns what a note becomes with its secrets masked, of which before is the
// note as it is, and masked that with its secrets masked. Only what changes is looked
// at, because a long note may have a thousand findings.
func (t *tidier) maskChanged(before, masked, after string) string {
	if t.clean[after] {
		return after
	}
	a, m, b := strings.SplitAfter(before, "\n"), strings.SplitAfter(masked, "\n"), strings.SplitAfter(after, "\n")
	if len(a) != len(m) { // a secret of several lines has become one
		return t.maskOnce(after)
	}
	start, tail := sameEnds(a, b)
	from, to := start, len(b)-tail
	if from == to {
		return strings.Join(m[:start], "") + strings.Join(m[len(m)-tail:], "")
	}
	for n := 0; from > 0 && (n < seenAround || strings.TrimSpace(b[from-1]) != ""); n++ {
		from--
	}
	for n := 0; to < len(b) && (n < seenAround || strings.TrimSpace(b[to]) != ""); n++ {
		to++
	}
	part := strings.SplitAfter(t.maskOnce(strings.Join(b[from:to], "")), "\n")
	if to < len(b) { // the part ends with a line end, after which nothing stands
		part = part[:len(part)-1]
	}
	if len(part) != to-from {
		return t.maskOnce(after)
	}
	return strings.Join(m[:start], "") + strings.Join(part[start-from:len(b)-tail-from], "") + strings.Join(m[len(m)-tail:], "")
}

// hidden returns a note with dots in place of its secrets. Its lines then
// differ from those of the masked note, but do not show the secrets.
func hidden(text, masked string) string {
	lines, marks := strings.SplitAfter(text, "\n"), strings.SplitAfter(masked, "\n")
	for i := range lines {
		if i >= len(marks) || lines[i] == marks[i] {
			continue
		}
		line := marks[i]
		for {
			before, rest, ok := strings.Cut(line, "[secret: ")
			_, after, closed := strings.Cut(rest, "]")
			if !ok || !closed {
				break
			}
			line = before + "••••" + after
		}
		lines[i] = line
	}
	return strings.Join(lines, "")
}
