package entry

import (
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/blocks"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// Superseded is the value of [Status] of an entry that a newer one has replaced.
const Superseded = "superseded"

// Superseded reports whether the entry says that a newer one has replaced it.
func (e *Entry) Superseded() bool { return strings.EqualFold(e.Fields.Get(Status), Superseded) }

// A Held is an entry that says something of time: since when it holds, that it replaced
// another entry, or that it was superseded.
type Held struct {
	Entry
	// Next is the last line of the entry that replaced this one, where that entry stands
	// right after it, with only superseded ones between. Otherwise it is 0.
	Next int
}

// maxBeside is how many superseded entries are read together with the entry that replaced
// them. It takes the last ones.
const maxBeside = 3

// History returns a note as [Plain] does, with a mark at each superseded entry that says
// until when it held. held are the entries that say something of time. A superseded entry
// that does not stand right before the one that replaced it is taken out of the text,
// where its lines become empty. alone has its lines with the mark, under the number of
// its first line.
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
		has := func(key string) bool { return e.Fields.Get(key) != "" }
		if e.Superseded() || has(Observed) || has(Replaces) || has(Updates) {
			held = append(held, Held{e, next[i]})
		}
	}
	return strings.Join(lines, ""), held, alone
}

// tells reports whether a note may have entries that say something of time. It is quick,
// and may report true where there are none.
func tells(src string) bool {
	if !strings.Contains(src, opening) {
		return false
	}
	folded := strings.ToLower(src)
	return slices.ContainsFunc([]string{Superseded, Observed, Replaces, Updates}, func(key string) bool {
		return strings.Contains(folded, key)
	})
}

// beside returns a number for each entry: the last line of the entry that replaced it,
// where that one stands right after it, and 0 otherwise.
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

// leads reports whether the last entry replaced the first one, directly or through
// entries between them.
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

const untilWord = "until"

// MarkWords are words of which each mark of [History] has one.
var MarkWords = []string{untilWord, Superseded}

// atEnd matches what [History] writes behind a superseded entry.
var atEnd = lazyregexp.New(`(?m) \((?:` + untilWord + ` [\d-]+|` + Superseded + `)\)[ \t\r]*$`)

// Marked reports whether lines of [History] hold a superseded entry.
func Marked(text string) bool { return atEnd().MatchString(text) }

// Unmarked returns lines of [History] without the marks.
func Unmarked(text string) string { return atEnd().ReplaceAllString(text, "") }

// mark writes at the end of an entry's lines that it held, and until when.
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
		text = "(" + untilWord + " " + until + ")"
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
