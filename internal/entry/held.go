package entry

import (
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/blocks"
)

// Superseded is the value of [Status] of an entry in whose place another holds.
const Superseded = "superseded"

// Superseded reports whether the entry says that another holds in its place.
func (e *Entry) Superseded() bool { return strings.EqualFold(e.Fields.Get(Status), Superseded) }

// A Held is an entry of which it is known since when it holds, that it replaced
// another, or that it was superseded.
type Held struct {
	Entry
	// Next is the last line of what holds in the place of a superseded entry and
	// stands right after it, with nothing but superseded ones between; 0 otherwise.
	Next int
}

// maxBeside is how many superseded entries are read together with what holds in
// their place: the last ones.
const maxBeside = 3

// History returns a note as [Plain] does, with a mark at each superseded entry
// that says until when it held, and the entries that say something of that kind.
// Those that are superseded and do not stand right before what holds in their place
// are taken out of the text, as empty lines, and are in alone: their lines with the
// mark, by the entry's first line.
func History(src string) (plain string, held []Held, alone map[int]string) {
	plain = Plain(src)
	if !tells(src) {
		return plain, nil, nil
	}
	entries := Parse(src)
	next := beside(entries)
	lines := strings.SplitAfter(plain, "\n")
	alone = map[int]string{}
	for i, e := range entries {
		if e.Superseded() {
			mark(lines[e.StartLine-1:e.EndLine], e.Fields.Get(Until))
			if next[i] == 0 {
				alone[e.StartLine] = strings.TrimRight(strings.Join(lines[e.StartLine-1:e.EndLine], ""), "\r\n")
				empty(lines[e.StartLine-1 : e.EndLine])
			}
		}
		if e.Superseded() || e.Fields.Get(Observed) != "" || e.Fields.Get(Replaces) != "" {
			held = append(held, Held{e, next[i]})
		}
	}
	return strings.Join(lines, ""), held, alone
}

// tells reports whether a note may have entries that say something of time.
func tells(src string) bool {
	if !strings.Contains(src, opening) {
		return false
	}
	folded := strings.ToLower(src)
	return slices.ContainsFunc([]string{Superseded, Observed, Replaces}, func(key string) bool { return strings.Contains(folded, key) })
}

// beside returns for each entry the last line of what holds in its place, where
// that stands right after it.
func beside(entries []Entry) []int {
	next := make([]int, len(entries))
	for i := 0; i < len(entries); i++ {
		first := i
		for i < len(entries) && entries[i].Superseded() {
			i++
		}
		if i == len(entries) {
			break
		}
		for j := max(first, i-maxBeside); j < i; j++ {
			if leads(entries[j:i+1]) && slices.Equal(entries[j].Heading, entries[i].Heading) {
				next[j] = entries[i].EndLine
			}
		}
	}
	return next
}

// leads reports whether the first of some entries was superseded by the last one,
// or by one between that was.
func leads(entries []Entry) bool {
	by := entries[0].Fields.Get(By)
	for _, e := range entries[1:] {
		if by != "" && by == e.Fields.Get(ID) {
			by = e.Fields.Get(By)
			if !e.Superseded() {
				return true
			}
		}
	}
	return false
}

// mark says at the end of an entry's lines that it held, and until when.
func mark(lines []string, until string) {
	at := len(lines) - 1
	for at > 0 && strings.TrimSpace(lines[at]) == "" {
		at--
	}
	if blocks.Fence(strings.TrimSpace(lines[at])) != "" {
		at = 0
	}
	text := "(" + Superseded + ")"
	if until != "" {
		text = "(until " + until + ")"
	}
	words := strings.TrimRight(lines[at], "\r\n")
	lines[at] = words + " " + text + lines[at][len(words):]
}

// empty takes the words out of lines.
func empty(lines []string) {
	for i, line := range lines {
		lines[i] = line[len(strings.TrimRight(line, "\r\n")):]
	}
}
