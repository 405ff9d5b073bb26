package feature

import (
	"embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/analyze"
)

// data holds the cues of each language.
//
//go:embed data
var data embed.FS

// A cue is one entry of a list.
type cue struct {
	list  int
	text  string // folded; '*' and '~' as in the files
	begin bool   // stands at the beginning of the text
	end   bool   // stands at its end
	not   bool   // where it stands, cues of its list do not count
}

// lexicon is all cues, by the first two bytes of their text.
type lexicon struct {
	lists []string
	index map[string]int // of lists
	cues  []cue
	order []int              // of all cues: those with the same two bytes together, longest first
	at    map[[2]byte][2]int // where those are in order
	stops map[string]bool    // words of the list stop, which are not searched for
}

// beginning returns the first two bytes of a cue.
func (c *cue) beginning() [2]byte {
	if len(c.text) > 1 {
		return [2]byte{c.text[0], c.text[1]}
	}
	return [2]byte{c.text[0]}
}

// starting returns the cues that begin with two bytes, longest first.
func (l *lexicon) starting(with [2]byte) []int {
	span := l.at[with]
	return l.order[span[0]:span[1]]
}

var cues = sync.OnceValue(func() *lexicon {
	l := &lexicon{index: map[string]int{}, cues: make([]cue, 0, 1<<12), stops: make(map[string]bool, 1<<9)}
	for _, name := range []string{"en", "zh", "ja", "fr", "de", "es", "pt", "it", "ru", "ko"} {
		file, err := data.ReadFile("data/" + name + ".txt")
		if err != nil {
			panic(fmt.Sprintf("feature: the cues of %s are built in: %v", name, err))
		}
		l.add(string(file))
	}
	l.arrange()
	return l
})

// arrange finds out where the cues with the same beginning are.
func (l *lexicon) arrange() {
	keys := make([]uint64, len(l.cues)) // beginning, length downwards, place: so that numbers are sorted
	for i, c := range l.cues {
		with := c.beginning()
		keys[i] = uint64(with[0])<<56 | uint64(with[1])<<48 | uint64(math.MaxUint16-len(c.text))<<32 | uint64(i)
	}
	slices.Sort(keys)
	l.order = make([]int, len(keys))
	l.at = make(map[[2]byte][2]int, len(keys)/4)
	from := 0
	for i, key := range keys {
		l.order[i] = int(uint32(key))
		if i+1 == len(keys) || keys[i+1]>>48 != key>>48 {
			l.at[[2]byte{byte(key >> 56), byte(key >> 48)}] = [2]int{from, i + 1}
			from = i + 1
		}
	}
}

// add reads the lines of one file. A cue may be in several; then the first counts.
func (l *lexicon) add(file string) {
	list := -1
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			list = l.list(strings.Trim(line, "[]"))
			continue
		}
		c := cue{list: list}
		line, c.not = strings.CutPrefix(line, "!")
		line, c.begin = strings.CutPrefix(line, "^")
		line, c.end = strings.CutSuffix(line, "$")
		if list >= 0 && l.lists[list] == "stop" {
			l.stops[fold(line)] = true
			continue
		}
		if c.text = fold(line); c.text != "" && list >= 0 {
			l.cues = append(l.cues, c)
		}
	}
}

// list returns the number of the list with that name, a new one if there is none.
func (l *lexicon) list(name string) int {
	i, ok := l.index[name]
	if !ok {
		i = len(l.lists)
		l.index[name], l.lists = i, append(l.lists, name)
	}
	return i
}

// fold is text as cues are compared: in lower case, composed, simplified, with
// single blanks.
func fold(text string) string { return analyze.Fold(text) }

// A hit is a cue in a text.
type hit struct{ cue, at, end int }

// find returns the cues in a folded text. Cues of one list do not overlap. Of
// those that begin at the same place the longest counts.
func (l *lexicon) find(text string) []hit {
	var hits []hit
	until := make([]int, len(l.lists))
	first := strings.IndexFunc(text, letter)
	for i := 0; i < len(text); {
		var those []int
		key := [2]byte{text[i]}
		if i+1 < len(text) {
			key[1] = text[i+1]
			those = l.starting(key)
		}
		for k := range 2 {
			for _, n := range those {
				c := &l.cues[n]
				if i < until[c.list] || c.begin && i != first || !wordBegins(text, i) {
					continue
				}
				end := match(c.text, text, i)
				if end < 0 || c.end && strings.ContainsFunc(text[end:], letter) {
					continue
				}
				until[c.list] = max(end, i+1)
				if !c.not {
					hits = append(hits, hit{n, i, end})
				}
			}
			if k == 0 {
				those = l.starting([2]byte{text[i]})
			}
		}
		_, width := utf8.DecodeRuneInString(text[i:])
		i += width
	}
	return hits
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func latin(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }

func digit(b byte) bool { return '0' <= b && b <= '9' }

// wordBegins reports whether a word may begin at i. None begins in the middle
// of a Latin word or a number.
func wordBegins(text string, i int) bool {
	if i == 0 || text[i] >= utf8.RuneSelf {
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
	if i < len(text) && (latin(last) && latin(text[i]) || digit(last) && digit(text[i])) {
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
