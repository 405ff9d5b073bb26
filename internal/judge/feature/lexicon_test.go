package feature

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "make the lexicon anew of the lists")

// TestLexicon: the lexicons that are built in are what the lists say. With -update they are
// made anew.
func TestLexicon(t *testing.T) {
	const all = "en zh ja fr de es pt it ru ko"
	for _, l := range []struct {
		folder, file, built string
		read                func() *lexicon
		languages           string
	}{{"lists", "lexicon.txt", lexiconFile, cues, all}, {"lists/few", "few.txt", fewFile, fewCues, all}, {"lists/things", "things.txt", thingsFile, thingCues, "en zh ja fr de es ru"}, {"lists/turns", "turns.txt", turnsFile, turnCues, "en zh ja"}} {
		want := compile(t, l.folder, l.languages).String()
		if *update {
			if err := os.WriteFile(l.file, []byte(want), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := gocmp.Diff(strings.Split(want, "\n"), strings.Split(l.built, "\n")); diff != "" {
			t.Errorf("%s: run go test ./internal/judge/feature -run Lexicon -update, for the lists have changed (-want +got):\n%s", l.file, diff)
		}
		if again := l.read().String(); again != want {
			t.Errorf("%s: what was read is not what was written", l.file)
		}
	}
}

// compile makes a lexicon of the lists in a folder.
func compile(t *testing.T, folder, languages string) *lexicon {
	t.Helper()
	l := &lexicon{index: map[string]uint16{}, stops: map[string]bool{}}
	words := map[string]bool{}
	for _, name := range strings.Fields(languages) {
		file, err := os.ReadFile(folder + "/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		l.add(string(file))
		if name == "en" && folder == "lists" {
			addWords(words, string(file))
		}
	}
	slices.SortStableFunc(l.cues, func(a, b cue) int {
		x, y := a.beginning(), b.beginning()
		return cmp.Or(slices.Compare(x[:], y[:]), len(b.text)-len(a.text))
	})
	l.english = slices.Sorted(maps.Keys(words))
	return l
}

// add reads the lines of one file. A cue may be in several; then the first counts.
func (l *lexicon) add(file string) {
	list := ""
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			if list = strings.Trim(line, "[]"); !slices.Contains(l.lists, list) {
				l.index[list], l.lists = uint16(len(l.lists)), append(l.lists, list)
			}
			continue
		}
		c := cue{list: l.index[list]}
		line, c.not = strings.CutPrefix(line, "!")
		line, c.begin = strings.CutPrefix(line, "^")
		line, c.end = strings.CutSuffix(line, "$")
		if list == "stop" {
			l.stops[fold(line)] = true
			continue
		}
		if c.text = fold(line); c.text != "" && list != "" {
			l.cues = append(l.cues, c)
		}
	}
}

// addWords adds the words of the English cues, but for beginnings of words and for lists of
// rules about pairs.
func addWords(words map[string]bool, file string) {
	list := ""
	for line := range strings.Lines(plain(file)) {
		if line[0] == '[' {
			list = strings.Trim(strings.TrimSpace(line), "[]")
		}
		if line[0] == '#' || line[0] == '[' || ruled(list) {
			continue
		}
		for part := range strings.FieldsSeq(line) {
			if !strings.Contains(part, "*") {
				for _, w := range plainWords(part) {
					words[w] = true
				}
			}
		}
	}
}

// String returns the lexicon as [readLexicon] reads it.
func (l *lexicon) String() string {
	var b strings.Builder
	b.WriteString("# Made of the files in lists by go test ./internal/judge/feature -run Lexicon -update; where they come from stands there.\n")
	for _, section := range []struct {
		name  string
		lines []string
	}{{"lists", l.lists}, {"stop", slices.Sorted(maps.Keys(l.stops))}, {"english", l.english}} {
		if len(section.lines) == 0 {
			continue
		}
		fmt.Fprintf(&b, "# %s\n%s\n", section.name, strings.Join(section.lines, "\n"))
	}
	b.WriteString("# cues\n")
	for _, c := range l.cues {
		marks := ""
		for _, m := range []struct {
			has  bool
			mark string
		}{{c.not, "!"}, {c.begin, "^"}, {c.end, "$"}} {
			if m.has {
				marks += m.mark
			}
		}
		fmt.Fprintf(&b, "%d %s %s\n", c.list, marks, c.text)
	}
	return b.String()
}
