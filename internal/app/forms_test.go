package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/embed/local/weights"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/notegen"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// formPair is a line of a note and a question that writes a thing of it in another form.
type formPair struct{ half, family, note, question string }

// formsEach is how many pairs of each family a half has.
const formsEach = 15

// formHalves are the halves of the grid: on the first, rules and lists are made.
var formHalves = []string{"a", "b"}

func formPairs(t *testing.T) (pairs []formPair, families []string) {
	t.Helper()
	for _, half := range formHalves {
		data, err := os.ReadFile(filepath.Join("testdata", "forms", half+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		family := ""
		for i, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
			if name, ok := strings.CutPrefix(line, "## "); ok {
				if family = name; half == formHalves[0] {
					families = append(families, family)
				}
				continue
			}
			if strings.HasPrefix(line, "# ") {
				continue
			}
			note, question, ok := strings.Cut(line, " => ")
			if !ok || family == "" {
				t.Fatalf("%s.txt:%d: %q is no pair", half, i+1, line)
			}
			pairs = append(pairs, formPair{half, family, note, question})
		}
	}
	return pairs, families
}

// Each family has as many pairs in each half, and nothing stands twice.
func TestFormPairs(t *testing.T) {
	pairs, families := formPairs(t)
	count, seen := map[string]int{}, map[string]bool{}
	for _, p := range pairs {
		count[p.family+" in half "+p.half]++
		for _, text := range []string{p.note, p.question} {
			if seen[text] {
				t.Errorf("stands twice: %s", text)
			}
			seen[text] = true
		}
	}
	for _, family := range families {
		for _, half := range formHalves {
			if n := count[family+" in half "+half]; n != formsEach {
				t.Errorf("%s in half %s: %d pairs, want %d", family, half, n, formsEach)
			}
		}
	}
	if len(count) != len(formHalves)*len(families) {
		t.Errorf("the halves have other families than each other: %d", len(count))
	}
}

// formsNow is the day after the last log.
var formsNow = time.Date(2026, time.November, 26, 9, 0, 0, 0, time.UTC)

// formsDays is how many day logs stand beside the pairs.
const formsDays = 410

// formsEngine returns an engine over a year of day logs with the pairs' lines among them.
func formsEngine(t *testing.T, dir string, pairs []formPair, vectors bool) *engine.Engine {
	t.Helper()
	notes := filepath.Join(dir, "notes")
	if _, err := os.Stat(notes); err != nil {
		writeForms(t, notes, pairs)
	}
	source, err := mdfile.Open(notes, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "index.sqlite"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := engine.Config{Store: store, Sources: []memoir.Source{source}, EmbedTimeout: time.Minute, Now: func() time.Time { return formsNow }}
	if vectors {
		if cfg.Embedder, err = local.New(weights.File(), local.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	memory, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := memory.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := memory.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if vectors {
		if _, err := memory.EmbedPending(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	return memory
}

// writeForms writes the logs. Each line of a pair is an entry of its own in the log of
// some day; lines of one family are far apart.
func writeForms(t *testing.T, dir string, pairs []formPair) {
	t.Helper()
	day := 0
	for log := range notegen.Logs(notegen.Options{Days: formsDays, BytesPerDay: 1500, First: formsNow.AddDate(0, 0, -formsDays)}) {
		for i := day; i < len(pairs); i += formsDays {
			log.Text += fmt.Sprintf("\n## Noted\n\n- %s\n", pairs[i].note)
		}
		if err := log.Write(dir); err != nil {
			t.Fatal(err)
		}
		day++
	}
}

// formResult is what came of one question.
type formResult struct {
	formPair
	rank      int // of the passage with the line; 0: not among five
	confident bool
}

func askForms(t *testing.T, memory *engine.Engine, mode memoir.Mode, pairs []formPair) (results []formResult) {
	t.Helper()
	for _, p := range pairs {
		res, err := memory.Search(t.Context(), memoir.Query{Text: p.question, Mode: mode, Limit: 5, NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		r := formResult{formPair: p}
		r.rank = 1 + slices.IndexFunc(res.Hits[:min(5, len(res.Hits))], func(h memoir.Hit) bool { return strings.Contains(h.Text, p.note) })
		if r.rank > 0 {
			h := res.Hits[r.rank-1]
			r.confident = h.Confident()
		}
		results = append(results, r)
	}
	return results
}

// formFloors are how many of the questions of half a and of half b find their line first, a
// little below what was measured (docs/design/expansion.md).
var formFloors = map[memoir.Mode][2]int{memoir.ModeText: {390, 394}, memoir.ModeHybrid: {428, 427}}

// weakForms are the families that may find fewer than two thirds of their lines first:
// nothing in the words is the same.
var weakForms = map[string]bool{"romanised": true, "abbreviation": true, "emoji": true, "british": true, "compound-en": true, "compound-de": true, "date": true}

// Questions find what is written in another form. By words alone, because the vectors of a
// year take minutes; MEMOIR_FORMS_KEEP names a folder in which an index with vectors stays,
// and then hybrid search is measured, too. With -v each family is shown.
func TestForms(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	pairs, families := formPairs(t)
	dir, modes := t.TempDir(), []memoir.Mode{memoir.ModeText}
	if keep := os.Getenv("MEMOIR_FORMS_KEEP"); keep != "" {
		dir, modes = keep, append(modes, memoir.ModeHybrid)
	}
	memory := formsEngine(t, dir, pairs, len(modes) > 1)
	for _, mode := range modes {
		results := askForms(t, memory, mode, pairs)
		for h, half := range formHalves {
			var all formCount
			for _, family := range families {
				var n formCount
				for _, r := range results {
					if r.family == family && r.half == half {
						n.add(r)
						all.add(r)
					}
				}
				t.Logf("%s %s %s: first %d, among five %d, first and confident %d", mode, half, family, n.first, n.five, n.sure)
				if mode == memoir.ModeText && n.first < 2*formsEach/3 && !weakForms[family] {
					t.Errorf("%s: of the %d questions of %s in half %s %d find their line first", mode, formsEach, family, half, n.first)
				}
			}
			t.Logf("%s %s all: first %d, among five %d, first and confident %d of %d", mode, half, all.first, all.five, all.sure, len(results)/len(formHalves))
			if floor := formFloors[mode][h]; all.first < floor {
				t.Errorf("%s: %d questions of half %s find their line first, want at least %d", mode, all.first, half, floor)
			}
		}
		for _, r := range results {
			if r.rank != 1 && r.half == formHalves[0] {
				t.Logf("%s %s rank %d: %s => %s", mode, r.family, r.rank, r.note, r.question)
			}
		}
	}
}

// formCount counts questions.
type formCount struct{ first, five, sure int }

func (n *formCount) add(r formResult) {
	if r.rank > 0 {
		n.five++
	}
	if r.rank == 1 {
		n.first++
		if r.confident {
			n.sure++
		}
	}
}
