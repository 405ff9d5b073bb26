package remember_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/remember"
	"github.com/memoir-ai/memoir/internal/secret"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

// embedder opens the model inside.
var embedder = sync.OnceValues(func() (*local.Embedder, error) {
	file, err := os.ReadFile(filepath.Join("..", "..", "embed", "local", "weights", "multilingual-e5-small.memoir"))
	if err != nil {
		return nil, err
	}
	return local.New(file, local.Options{})
})

// readings returns what reads texts with the model inside.
func readings(t testing.TB) func(context.Context, []string) ([]judge.Side, error) {
	t.Helper()
	e, err := embedder()
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, texts []string) ([]judge.Side, error) {
		read, err := e.Read(ctx, memoir.TaskQuery, texts)
		if err != nil {
			return nil, err
		}
		sides := make([]judge.Side, len(read))
		for i, r := range read {
			sides[i] = judge.Side{Text: texts[i], Vector: r.Vector}
			for _, token := range r.Tokens {
				sides[i].Tokens = append(sides[i].Tokens, judge.Token(token))
			}
		}
		return sides, nil
	}
}

// life is a person's year as it is told, with questions at its end.
type life struct {
	name      string
	events    []event
	questions []question
}

type event struct {
	Life, At, Text, Origin, Expect, Fact, Value string
}

type question struct {
	Life, Q, Answer, AsOf string
	Stale                 []string
}

// lives reads the lives that lie beside the checkout.
func lives(t *testing.T) []*life {
	t.Helper()
	dir := os.Getenv("MEMOIR_TEST_EVALS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "evals")
	}
	var all []*life
	of := func(name string) *life {
		for _, l := range all {
			if l.name == name {
				return l
			}
		}
		all = append(all, &life{name: name})
		return all[len(all)-1]
	}
	readLines(t, filepath.Join(dir, "writing", "life.jsonl.gz"), func(e event) {
		l := of(e.Life)
		l.events = append(l.events, e)
	})
	readLines(t, filepath.Join(dir, "writing", "life-questions.jsonl.gz"), func(q question) {
		l := of(q.Life)
		l.questions = append(l.questions, q)
	})
	return all
}

func readLines[T any](t *testing.T, file string, add func(T)) {
	t.Helper()
	f, err := os.Open(file)
	if os.IsNotExist(err) {
		t.Skip("the lives are not beside the checkout")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unzipped)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		add(v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// memory is a workspace with all that remembers and finds in it.
type memory struct {
	t        *testing.T
	root     string
	state    string
	embedder *local.Embedder // nil: by words
	engine   *memoir.Engine
	keeper   *remember.Keeper
}

// newMemory makes an empty one. With the model, texts are compared by meaning.
func newMemory(t *testing.T, withModel bool) *memory {
	t.Helper()
	m := &memory{t: t, root: t.TempDir(), state: t.TempDir()}
	notes, err := notebook.Open(m.root, m.state, notebook.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opts := remember.Options{Notebook: notes, Dir: m.state, Near: m.near, List: m.list}
	if withModel {
		if m.embedder, err = embedder(); err != nil {
			t.Fatal(err)
		}
		opts.Read, opts.Space = readings(t), m.embedder.Space()
	}
	m.engine = m.open(m.root)
	if m.keeper, err = remember.Open(opts); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *memory) near(ctx context.Context, text string, _ []float32, n int) ([]remember.Place, error) {
	res, err := m.engine.Search(ctx, memoir.Query{Text: text, Literal: true, Limit: n})
	var places []remember.Place
	for _, h := range res.Hits {
		places = append(places, remember.Place{Path: string(h.Doc), StartLine: h.StartLine, EndLine: h.EndLine})
	}
	return places, err
}

func (m *memory) list(context.Context) ([]string, error) {
	var paths []string
	return paths, filepath.WalkDir(m.root, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(m.root, file)
		paths = append(paths, filepath.ToSlash(rel))
		return err
	})
}

// tell remembers an event.
func (m *memory) tell(e event, replaces string) remember.Outcome {
	m.t.Helper()
	at, err := time.Parse("2006-01-02T15:04:05", e.At)
	if err != nil {
		m.t.Fatal(err)
	}
	out, err := m.keeper.Remember(m.t.Context(), remember.Request{Text: e.Text, Origin: e.Origin, At: at, Replaces: replaces})
	if err != nil {
		m.t.Fatalf("%q: %v", e.Text, err)
	}
	return out
}

// TestLives tells two people's year and asks about it at the end, as they tell it
// and with what it replaces given for every change.
func TestLives(t *testing.T) {
	for _, replaces := range []bool{false, true} {
		name := "as told"
		if replaces {
			name = "with replaces"
		}
		t.Run(name, func(t *testing.T) { measureLives(t, replaces) })
	}
}

func measureLives(t *testing.T, replaces bool) {
	verdicts := map[string]map[string]int{}
	var asked, answered, stale, junk int
	for _, l := range lives(t) {
		m := newMemory(t, true)
		current := map[string]string{} // fact -> id of its entry
		for _, e := range l.events {
			id := ""
			if replaces && e.Expect == "changed" {
				id = current[e.Fact]
			}
			out := m.tell(e, id)
			got := out.Outcome
			if out.Type == "journal" {
				got += " (journal)"
			}
			if verdicts[e.Expect] == nil {
				verdicts[e.Expect] = map[string]int{}
			}
			verdicts[e.Expect][got]++
			if testing.Verbose() {
				t.Logf("%-8s %-22s %-12s %-6s %s -> %s:%d", e.Expect, got, out.Reason.Code, e.Fact, e.Text, out.Path, out.StartLine)
				for _, s := range out.Similar {
					t.Logf("             similar %s:%d %.2f %+v %s", s.Path, s.StartLine, s.Score, s.Odds, s.Text)
				}
				if out.Replaces != nil {
					t.Logf("             replaces %s:%d", out.Replaces.Path, out.Replaces.StartLine)
				}
			}
			if (e.Expect == "added" || e.Expect == "changed") && out.ID != "" {
				current[e.Fact] = out.ID
			}
			index(t, m.engine)
		}
		for _, e := range l.events {
			if e.Expect == "refused" && m.holds(e.Text) {
				junk++
				t.Logf("junk on disk: %q", e.Text)
			}
		}
		engines := map[string]*memoir.Engine{}
		for _, q := range l.questions {
			if engines[q.AsOf] == nil {
				engines[q.AsOf] = m.asOf(q.AsOf)
			}
			res, err := engines[q.AsOf].Search(t.Context(), memoir.Query{Text: q.Q})
			if err != nil || len(res.Hits) == 0 {
				t.Fatalf("%s: %v, %d hits", q.Q, err, len(res.Hits))
			}
			first := strings.ToLower(res.Hits[0].Text)
			right, old := strings.Contains(first, strings.ToLower(q.Answer)), false
			for _, s := range q.Stale {
				old = old || !right && strings.Contains(first, strings.ToLower(s))
			}
			asked++
			if right {
				answered++
			}
			if old {
				stale++
			}
			if !right {
				t.Logf("not answered (stale %t): %s %s, want %s, got %s:\n%s", old, q.Q, q.AsOf, q.Answer, res.Hits[0].Citation(), res.Hits[0].Text)
			}
		}
		m.noSecrets()
	}
	t.Logf("outcomes by what was expected: %v", verdicts)
	t.Logf("%d of %d questions answered, %d with a stale value first, %d pieces of junk on disk", answered, asked, stale, junk)
	if answered*100 < asked*85 || stale*100 > asked*6 || replaces && stale > 0 || junk > 0 {
		t.Errorf("%d of %d questions answered, %d stale", answered, asked, stale)
	}
}

// asOf returns an engine over the notes as a reader sees them: without comments,
// and of the day logs without what had been replaced by the end of a month, "" for
// now. Superseded entries of shelves stand beside what replaced them.
func (m *memory) asOf(month string) *memoir.Engine {
	m.t.Helper()
	all, err := m.keeper.Entries(m.t.Context(), remember.Filter{Status: remember.All})
	if err != nil {
		m.t.Fatal(err)
	}
	replaced := map[string]string{} // id -> the day that it was replaced
	for _, e := range all {
		if e.Replaces != "" {
			replaced[e.Replaces] = e.Observed
		}
	}
	notes := map[string]string{}
	for _, e := range all {
		gone := replaced[e.ID]
		if e.Type == "journal" && gone != "" && (month == "" || gone[:7] <= month) || month != "" && e.Observed[:7] > month {
			continue
		}
		if notes[e.Path] == "" {
			notes[e.Path] = "# " + strings.TrimSuffix(filepath.Base(e.Path), ".md") + "\n\n"
		}
		notes[e.Path] += "- " + strings.ReplaceAll(e.Text, "\n", "\n  ") + "\n"
	}
	dir := m.t.TempDir()
	for path, text := range notes {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			m.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			m.t.Fatal(err)
		}
	}
	return m.open(dir)
}

// open returns an engine over a folder of notes that is up to date.
func (m *memory) open(dir string) *memoir.Engine {
	m.t.Helper()
	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		m.t.Fatal(err)
	}
	cfg := memoir.Config{Store: memstore.New(), Sources: []memoir.Source{source}}
	if m.embedder != nil {
		cfg.Embedder = m.embedder
	}
	e, err := memoir.New(cfg)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { e.Close() })
	index(m.t, e)
	return e
}

// index brings an index up to date.
func index(t *testing.T, e *memoir.Engine) {
	t.Helper()
	if _, err := e.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.EmbedPending(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

// holds reports whether a note holds a text.
func (m *memory) holds(text string) bool {
	return m.grep(m.root, text)
}

func (m *memory) grep(dir, text string) bool {
	m.t.Helper()
	found := false
	err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(file)
		found = found || strings.Contains(string(b), text)
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return found
}

// noSecrets checks that no file of the notes and of the state has a secret.
func (m *memory) noSecrets() {
	m.t.Helper()
	for _, dir := range []string{m.root, m.state} {
		err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(file)
			if found := secret.Find(string(b)); filepath.Ext(file) != ".vec" && len(found) > 0 {
				m.t.Errorf("%s has a secret: %s", file, b[found[0].Start:found[0].End])
			}
			return err
		})
		if err != nil {
			m.t.Fatal(err)
		}
	}
}
