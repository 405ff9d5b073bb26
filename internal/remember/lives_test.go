package remember_test

import (
	"bufio"
	"cmp"
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
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/entry"
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

// inside gives a keeper the model inside.
func inside(t testing.TB, o *remember.Options) {
	t.Helper()
	e, err := embedder()
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Reader()
	if err != nil {
		t.Fatal(err)
	}
	o.Space, o.Reader = e.Space(), r
	o.Embed = func(ctx context.Context, texts []string) ([][]float32, error) {
		return e.Embed(ctx, memoir.TaskQuery, texts)
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

// evals returns the folder of the sets that lie beside the checkout.
func evals() string {
	return cmp.Or(os.Getenv("MEMOIR_TEST_EVALS"), filepath.Join("..", "..", "..", "shared", "evals"))
}

// lives reads the lives that lie beside the checkout.
func lives(t *testing.T) []*life {
	t.Helper()
	dir := evals()
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
	engine   *engine.Engine
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
		inside(t, &opts)
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

func (m *memory) list(context.Context) ([]remember.Note, error) { return walk(m.root) }

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

// tally counts what became of lives.
type tally struct {
	outcomes        map[string]map[string]int // by what was expected
	asked, answered int                       // questions; those whose answer is in the first chunk
	stale           int                       // those with a value there that held before, and no answer
	events, found   int                       // questions about events; those whose answer is in the first chunk
	facts, kept     int                       // questions about now; those whose answer an active entry has
	outdated        int                       // those of which an active entry has a value that held before
	junk            int                       // texts on disk that should not be
}

// eventQuestions ask for what only the log of a day has: to find it must not get worse
// when what holds is found better.
var eventQuestions = map[string][][2]string{
	"kwabena": {
		{"What did the new master's students get to see?", "Lab tour"}, {"How did the talk at journal club go?", "journal club"},
		{"What was it like to ski for the first time?", "Skied"}, {"Which mountain was it at Easter?", "Ulriken"},
		{"How was the weather when the cruise set off?", "drizzle"}, {"How many stations did they sample?", "64 stations"},
		{"Was the visa refused?", "visa was refused"}, {"Who came to the poster?", "five visitors"},
		{"What was eaten at the birthday dinner?", "jollof"},
	},
	"guchuan": {
		{"看灯会那次人多吗？", "灯会"}, {"公司年会抽到了什么？", "空气炸锅"}, {"加班那天跟老彭吃了什么？", "冒菜"}, {"验收单签字了吗？", "验收单"},
		{"全家一起爬了哪座山？", "青城山"}, {"二手电吉他买到了吗？", "买到二手"}, {"豆豆比赛拿了第几？", "第三"}, {"二期上线顺利吗？", "一次过"},
	},
}

// TestLives tells two people's year and asks about it at the end: as they tell it,
// with what it replaces given for every change, and by words alone.
func TestLives(t *testing.T) {
	if testing.Short() {
		t.Skip("two years are long")
	}
	all := lives(t)
	for _, test := range []struct {
		name            string
		model, replaces bool
		answered, stale int // in a hundred, at least and at most
	}{
		{"as told", true, false, 78, 8},
		{"with replaces", true, true, 84, 3},
		{"by words with replaces", false, true, 71, 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			sum := tally{outcomes: map[string]map[string]int{}}
			for _, l := range all {
				m := newMemory(t, test.model)
				m.live(l, test.replaces, &sum)
				m.ask(l, &sum)
				m.noSecrets(l)
			}
			t.Logf("%+v", sum)
			if sum.answered*100 < sum.asked*test.answered || sum.stale*100 > sum.asked*test.stale || test.model && (sum.junk > 7 || sum.found*100 < sum.events*60) {
				t.Errorf("%d of %d questions answered, %d stale, %d junk, %d of %d events found", sum.answered, sum.asked, sum.stale, sum.junk, sum.found, sum.events)
			}
		})
	}
}

// ownLives reads the lives of this repository.
func ownLives(t *testing.T) []*life {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "lives.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all []*life
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		fields := strings.Split(rest, "\t")
		if len(fields) != 4 {
			t.Fatalf("%q", line)
		}
		if name, ok := strings.CutPrefix(name, "?"); ok {
			q := question{Life: name, AsOf: strings.TrimPrefix(fields[0], "-"), Answer: fields[1], Q: fields[3]}
			if fields[2] != "" {
				q.Stale = strings.Split(fields[2], "|")
			}
			l := all[len(all)-1]
			l.questions = append(l.questions, q)
			continue
		}
		if len(all) == 0 || all[len(all)-1].name != name {
			all = append(all, &life{name: name})
		}
		l := all[len(all)-1]
		l.events = append(l.events, event{Life: name, At: fields[0] + "T12:00:00", Expect: fields[1], Fact: fields[2], Text: fields[3], Origin: "user"})
	}
	return all
}

// TestOwnLives is TestLives with lives of this repository, most of whose changes are told
// in new words.
func TestOwnLives(t *testing.T) {
	if testing.Short() {
		t.Skip("seven lives are long")
	}
	for _, test := range []struct {
		name            string
		replaces        bool
		answered, stale int // in a hundred, at least and at most
	}{{"as told", false, 68, 11}, {"with replaces", true, 85, 0}} {
		t.Run(test.name, func(t *testing.T) {
			sum := tally{outcomes: map[string]map[string]int{}}
			for _, l := range ownLives(t) {
				m := newMemory(t, true)
				m.live(l, test.replaces, &sum)
				m.ask(l, &sum)
			}
			t.Logf("%+v", sum)
			if sum.answered*100 < sum.asked*test.answered || sum.stale*100 > sum.asked*test.stale {
				t.Errorf("%d of %d questions answered, %d stale", sum.answered, sum.asked, sum.stale)
			}
		})
	}
}

// live tells all events of a life.
func (m *memory) live(l *life, replaces bool, sum *tally) {
	m.t.Helper()
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
		if sum.outcomes[e.Expect] == nil {
			sum.outcomes[e.Expect] = map[string]int{}
		}
		sum.outcomes[e.Expect][got]++
		m.t.Logf("%-8s %-22s %-12s %-4s %s -> %s:%d %+v", e.Expect, got, out.Reason.Code, e.Fact, e.Text, out.Path, out.StartLine, out.Replaces)
		for _, s := range out.Similar {
			m.t.Logf("    similar: %.2f %+v %s", s.Score, s.Odds, s.Text)
		}
		if (e.Expect == "added" || e.Expect == "changed") && out.ID != "" {
			current[e.Fact] = out.ID
		}
		index(m.t, m.engine)
	}
	for _, e := range l.events {
		if e.Expect == "refused" && m.holds(e.Text) {
			sum.junk++
			m.t.Logf("junk on disk: %q", e.Text)
		}
	}
}

// ask asks all questions of a life.
func (m *memory) ask(l *life, sum *tally) {
	m.t.Helper()
	active, err := m.keeper.Entries(m.t.Context(), remember.Filter{})
	if err != nil {
		m.t.Fatal(err)
	}
	var texts []string
	for _, e := range active {
		texts = append(texts, e.Text)
	}
	for _, q := range eventQuestions[l.name] {
		sum.events++
		if first := m.first(q[0]); strings.Contains(first, q[1]) {
			sum.found++
		} else {
			m.t.Logf("no event: %s, want %s, got %s", q[0], q[1], first)
		}
	}
	for _, q := range l.questions {
		sum.asked++
		text := q.Q
		if q.AsOf != "" {
			text += " on:" + q.AsOf
		}
		first := m.first(text)
		right, old := q.judge(first)
		if right {
			sum.answered++
		} else {
			m.t.Logf("not answered (stale %t): %s %s, want %s, got %s", old, q.Q, q.AsOf, q.Answer, first)
		}
		if old {
			sum.stale++
		}
		if q.AsOf != "" {
			continue
		}
		kept, outdated := false, false
		for _, text := range texts {
			right, old := q.judge(text)
			kept, outdated = kept || right, outdated || old
		}
		sum.facts++
		if kept {
			sum.kept++
		}
		if outdated {
			sum.outdated++
		}
	}
}

// judge reports whether a text has the answer, and whether it has a value that
// does not hold, and no answer.
func (q question) judge(text string) (right, stale bool) {
	text = strings.ToLower(text)
	right = strings.Contains(text, strings.ToLower(q.Answer))
	for _, s := range q.Stale {
		stale = stale || !right && strings.Contains(text, strings.ToLower(s))
	}
	return right, stale
}

// first returns the text of the first hit.
func (m *memory) first(question string) string {
	m.t.Helper()
	res, err := m.engine.Search(m.t.Context(), memoir.Query{Text: question})
	if err != nil {
		m.t.Fatal(err)
	}
	if len(res.Hits) == 0 {
		return ""
	}
	return res.Hits[0].Text
}

// open returns an engine over a folder of notes that is up to date.
func (m *memory) open(dir string) *engine.Engine {
	m.t.Helper()
	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		m.t.Fatal(err)
	}
	cfg := engine.Config{Store: memstore.New(), Sources: []memoir.Source{source}}
	if m.embedder != nil {
		cfg.Embedder = m.embedder
	}
	e, err := engine.New(cfg)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { e.Close() })
	index(m.t, e)
	return e
}

// index brings an index up to date.
func index(t *testing.T, e *engine.Engine) {
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

// noSecrets checks that no file of the notes and of the state has a secret that was
// told, or in the notes any other. What is random in the state, ids and digests, can
// look like one.
func (m *memory) noSecrets(l *life) {
	m.t.Helper()
	var told []string
	for _, e := range l.events {
		for _, span := range secret.Find(e.Text) {
			told = append(told, e.Text[span.Start:span.End])
		}
	}
	if len(told) == 0 {
		m.t.Error("the life tells no secret")
	}
	for _, dir := range []string{m.root, m.state} {
		err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(file)
			if err != nil || filepath.Ext(file) == ".vec" {
				return err
			}
			for _, value := range told {
				if strings.Contains(string(b), value) {
					m.t.Errorf("%s has the secret %q", file, value)
				}
			}
			if found := secret.Find(entry.Plain(string(b))); dir == m.root && len(found) > 0 {
				m.t.Errorf("%s has a secret: %v", file, found)
			}
			return nil
		})
		if err != nil {
			m.t.Fatal(err)
		}
	}
}
