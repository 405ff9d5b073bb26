package feature

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/analyze"
)

// lexiconFile is made of the files in lists by a test.
//
//go:embed lexicon.txt
var lexiconFile string

// fewFile is made of the files in lists/few in the same way.
//
//go:embed few.txt
var fewFile string

// thingsFile is made of the files in lists/things in the same way.
//
//go:embed things.txt
var thingsFile string

// A cue is one entry of a list.
type cue struct {
	text  string // folded; '*' and '~' as in the files
	list  uint16
	begin bool // stands at the beginning of the text
	end   bool // stands at its end
	not   bool // where it stands, cues of its list do not count
}

// lexicon is all cues. Those with the same first two bytes stand together, the longest first.
type lexicon struct {
	lists   []string
	index   map[string]uint16 // of lists
	cues    []cue
	at      map[[2]byte][2]int // where those are that begin with two bytes
	stops   map[string]bool    // words of the list stop, which are not searched for
	english []string           // the words by which English is told, in order
}

// beginning returns the first two bytes of a cue.
func (c *cue) beginning() [2]byte {
	if len(c.text) > 1 {
		return [2]byte{c.text[0], c.text[1]}
	}
	return [2]byte{c.text[0]}
}

var (
	cues      = sync.OnceValue(func() *lexicon { return readLexicon(lexiconFile) })
	fewCues   = sync.OnceValue(func() *lexicon { return readLexicon(fewFile) })
	thingCues = sync.OnceValue(func() *lexicon { return readLexicon(thingsFile) })
)

// readLexicon reads a lexicon as the tests write it: folded, and in order. To read the lists
// themselves took five times as long, 2 ms in each process that keeps a text.
func readLexicon(file string) *lexicon {
	l := &lexicon{index: map[string]uint16{}, at: map[[2]byte][2]int{}, stops: map[string]bool{}}
	section := ""
	for len(file) > 0 {
		var line string
		line, file, _ = strings.Cut(file, "\n")
		if line[0] == '#' {
			section = line
			continue
		}
		switch section {
		case "# lists":
			l.index[line], l.lists = uint16(len(l.lists)), append(l.lists, line)
		case "# stop":
			l.stops[line] = true
		case "# english":
			l.english = append(l.english, line)
		case "# cues":
			if l.cues == nil {
				l.cues = make([]cue, 0, 1+strings.Count(file, "\n"))
			}
			l.read(line)
		}
	}
	from := 0
	for i := range l.cues {
		if key := l.cues[i].beginning(); i+1 == len(l.cues) || l.cues[i+1].beginning() != key {
			l.at[key] = [2]int{from, i + 1}
			from = i + 1
		}
	}
	return l
}

// read reads the line of one cue: the number of its list, its marks, and the text.
func (l *lexicon) read(line string) {
	number, rest, _ := strings.Cut(line, " ")
	marks, text, _ := strings.Cut(rest, " ")
	c := cue{text: text}
	for _, digit := range number {
		c.list = 10*c.list + uint16(digit-'0')
	}
	for _, mark := range marks {
		c.not, c.begin, c.end = c.not || mark == '!', c.begin || mark == '^', c.end || mark == '$'
	}
	l.cues = append(l.cues, c)
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
				if i < until[c.list] || c.begin && i != first {
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
				those = l.at[[2]byte{text[i]}]
			}
		}
	}
	return hits
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

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
