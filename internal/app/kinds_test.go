package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/notegen"
)

// kindLine is a line of testdata/kinds: a note with its path, or a question with a part of
// its answer, which is "-" where no note tells it.
type kindLine struct{ half, what, text string }

func kindLines(t *testing.T, language string) (all []kindLine) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "kinds", language+".tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 {
			t.Fatalf("%s: %q", language, line)
		}
		all = append(all, kindLine{f[0], f[1], strings.ReplaceAll(f[2], `\n`, "\n")})
	}
	return all
}

// kindMemory returns a memory with the notes of a half, beside the generated logs of some days.
func kindMemory(t *testing.T, state, half string, lines []kindLine, days int) *engine.Engine {
	t.Helper()
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes")
	if days > 0 { // 0 would be the default
		if _, err := notegen.Write(notes, notegen.Options{Days: days}); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range lines {
		name, isNote := strings.CutPrefix(l.what, "note ")
		if l.half != half || !isNote {
			continue
		}
		file := filepath.Join(notes, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(l.text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := config.Environment{Lookup: func(string) (string, bool) { return "", false }, Dir: dir, OS: "linux"}
	settings, err := config.Load(env, config.Flags{"workspace": notes, "stateDir": state, "query.embedTimeout": "1m"})
	if err != nil {
		t.Fatal(err)
	}
	memory := open(t, settings, app.Options{Write: true}).Engine
	if _, err := memory.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.EmbedPending(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return memory
}

// A kindCount says how often the passage that answers came first, and first and confident,
// and how often a question that no note answers had a confident hit.
type kindCount struct{ told, first, sure, untold, wrong int }

func (c kindCount) String() string {
	return fmt.Sprintf("%d told, %d first, %d surely; %d not told, %d surely", c.told, c.first, c.sure, c.untold, c.wrong)
}

func (c *kindCount) add(d kindCount) {
	c.told += d.told
	c.first += d.first
	c.sure += d.sure
	c.untold += d.untold
	c.wrong += d.wrong
}

func askKind(t *testing.T, memory *engine.Engine, l kindLine, mode memoir.Mode, show bool) (c kindCount) {
	t.Helper()
	res, err := memory.Search(t.Context(), memoir.Query{Text: l.text, Mode: mode, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	var hit memoir.Hit
	if len(res.Hits) > 0 {
		hit = res.Hits[0]
	}
	first := strings.Contains(hit.Text, l.what)
	switch {
	case l.what == "-":
		c.untold = 1
		if hit.Confident() {
			c.wrong = 1
		}
	case first && hit.Confident():
		c.told, c.first, c.sure = 1, 1, 1
	case first:
		c.told, c.first = 1, 1
	default:
		c.told = 1
	}
	if show && c.told+c.wrong != c.sure {
		t.Logf("%s %s %q: first %t, %.2f, %.120q", mode, l.what, l.text, first, hit.Relevance, hit.Text)
	}
	return c
}

func TestKindsOfAnswers(t *testing.T) {
	if testing.Short() || app.About().Model == "" {
		t.Skip("needs the model inside, and its time")
	}
	state := t.TempDir()
	if dir := os.Getenv("KINDS_STATE"); dir != "" {
		state = dir
	}
	for _, half := range []string{"A", "B", "C"} {
		for _, days := range []int{0, 12} {
			t.Run(fmt.Sprintf("%s/%d", half, days), func(t *testing.T) {
				sums := map[memoir.Mode]*kindCount{memoir.ModeHybrid: {}, memoir.ModeText: {}, memoir.ModeVector: {}}
				for _, language := range []string{"en", "zh", "ja", "de", "es", "fr", "it"} {
					lines := kindLines(t, language)
					if !slices.ContainsFunc(lines, func(l kindLine) bool { return l.half == half }) {
						continue
					}
					memory := kindMemory(t, state, half, lines, days)
					for _, mode := range []memoir.Mode{memoir.ModeHybrid, memoir.ModeText, memoir.ModeVector} {
						of := kindCount{}
						for _, l := range lines {
							if l.half == half && !strings.HasPrefix(l.what, "note ") {
								of.add(askKind(t, memory, l, mode, half == "A" || os.Getenv("KINDS_SHOW") != ""))
							}
						}
						t.Logf("%s, %s: %v", language, mode, of)
						sums[mode].add(of)
					}
				}
				for mode, c := range sums {
					t.Logf("all, %s: %v", mode, *c)
				}
			})
		}
	}
}
