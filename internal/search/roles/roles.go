// Package roles finds the roles of people that a text names, such as "mother" and
// "doctor", and the attributes that people ask for, such as "birthday" and "phone".
package roles

import (
	"cmp"
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/analyze"
)

//go:embed roles.txt
var file string

// A cue is one entry of a list.
type cue struct {
	text string // folded; '*' and '~' as in the file
	list uint16
	not  bool // where it stands, cues of its list do not count
}

// A lexicon is all cues. Those with the same first two bytes stand together, the longest first.
type lexicon struct {
	lists []string
	cues  []cue
	at    map[[2]byte][2]int // where those are that begin with two bytes
}

// beginning returns the first two bytes of a cue.
func (c *cue) beginning() [2]byte {
	if len(c.text) > 1 {
		return [2]byte{c.text[0], c.text[1]}
	}
	return [2]byte{c.text[0]}
}

var cues = sync.OnceValue(func() *lexicon {
	l := &lexicon{at: map[[2]byte][2]int{}}
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			l.lists = append(l.lists, strings.Trim(line, "[]"))
		default:
			text, not := strings.CutPrefix(line, "!")
			l.cues = append(l.cues, cue{analyze.Fold(text), uint16(len(l.lists) - 1), not})
		}
	}
	slices.SortStableFunc(l.cues, func(a, b cue) int {
		x, y := a.beginning(), b.beginning()
		return cmp.Or(slices.Compare(x[:], y[:]), len(b.text)-len(a.text))
	})
	from := 0
	for i := range l.cues {
		if key := l.cues[i].beginning(); i+1 == len(l.cues) || l.cues[i+1].beginning() != key {
			l.at[key] = [2]int{from, i + 1}
			from = i + 1
		}
	}
	return l
})

// ofFamily are the roles of a family.
var ofFamily = []string{"wife", "husband", "partner", "father", "mother", "parents", "brother", "sister", "son", "daughter", "kid", "grandma", "grandpa", "uncle", "aunt", "cousin", "nephew", "in-law"}

// Family returns which roles in a family a text names.
func Family(text string) map[string]bool {
	found := Roles(text)
	maps.DeleteFunc(found, func(role string, _ bool) bool { return !slices.Contains(ofFamily, role) })
	return found
}

// Roles returns which roles a text names, of a family and others.
func Roles(text string) map[string]bool { return kinds(text, "role ") }

// Attributes returns which attributes a text names.
func Attributes(text string) map[string]bool {
	found := kinds(text, "attribute ")
	maps.Copy(found, kinds(text, "thing "))
	return found
}

// kinds returns the lists with a prefix of which a text has a word, without the prefix.
func kinds(text, lists string) map[string]bool {
	found := map[string]bool{}
	for _, list := range cues().find(analyze.Fold(text)) {
		if kind, ok := strings.CutPrefix(list, lists); ok {
			found[kind] = true
		}
	}
	return found
}

// find returns the lists of the cues in a folded text. Cues of one list do not overlap. Of
// those that begin at the same place the longest counts.
func (l *lexicon) find(text string) (found []string) {
	until := make([]int, len(l.lists))
	for i := range text {
		if !wordBegins(text, i) {
			continue // most are inside a word
		}
		var those [2]int
		if i+1 < len(text) {
			those = l.at[[2]byte{text[i], text[i+1]}]
		}
		for k := range 2 {
			for n := those[0]; n < those[1]; n++ {
				c := &l.cues[n]
				if i < until[c.list] {
					continue
				}
				end := match(c.text, text, i)
				if end < 0 {
					continue
				}
				until[c.list] = max(end, i+1)
				if !c.not {
					found = append(found, l.lists[c.list])
				}
			}
			if k == 0 {
				those = l.at[[2]byte{text[i]}]
			}
		}
	}
	return found
}

func latin(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }

// cyrillic reports whether a byte begins a letter of Russian.
func cyrillic(b byte) bool { return b == 0xd0 || b == 0xd1 }

func digit(b byte) bool { return '0' <= b && b <= '9' }

// wordBegins reports whether a word may begin at i. None begins in the middle
// of a Latin or Cyrillic word or a number.
func wordBegins(text string, i int) bool {
	switch {
	case i == 0:
		return true
	case cyrillic(text[i]):
		return i < 2 || !cyrillic(text[i-2])
	case text[i] >= utf8.RuneSelf:
		return true
	}
	return !(latin(text[i]) && latin(text[i-1]) || digit(text[i]) && digit(text[i-1]))
}

const (
	gapLatin = 24 // characters that '~' may stand for
	gapOther = 8
)

// match returns the end of a pattern that matches text at i, or -1.
func match(pattern, text string, i int) int {
	for k := 0; k < len(pattern); k++ {
		switch c := pattern[k]; c {
		case '*':
			from := i
			for i < len(text) && (latin(text[i]) || digit(text[i]) || text[i] == '\'' || text[i] == '-') {
				i++
			}
			for i+1 < len(text) && cyrillic(text[i]) {
				i += 2
			}
			if i == from && (k == 0 || pattern[k-1] == ' ') {
				return -1
			}
		case '~':
			return matchGap(pattern[k+1:], text, i, latin(pattern[0]))
		default:
			if i >= len(text) || text[i] != c {
				return -1
			}
			i++
		}
	}
	last := pattern[len(pattern)-1]
	if i < len(text) && (latin(last) && latin(text[i]) || digit(last) && digit(text[i]) || len(pattern) > 1 && cyrillic(pattern[len(pattern)-2]) && cyrillic(text[i])) {
		return -1
	}
	return i
}

// matchGap does what match does after a gap of some characters within a
// sentence.
func matchGap(pattern, text string, i int, wide bool) int {
	gap := gapOther
	if wide {
		gap = gapLatin
	}
	for range gap + 1 {
		if end := match(pattern, text, i); end >= 0 {
			return end
		}
		r, width := utf8.DecodeRuneInString(text[i:])
		if width == 0 || strings.ContainsRune(".!?;。！？；", r) {
			return -1
		}
		i += width
	}
	return -1
}
