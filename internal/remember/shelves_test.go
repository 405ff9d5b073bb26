package remember_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/reader"
)

// statement is a fact of which the type is known.
type statement struct{ Type, Text string }

// fields returns the lines of a file with tabs, without comments.
func fields(t *testing.T, file string, n int) (all [][]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != n {
			t.Fatalf("%s: %q", file, line)
		}
		all = append(all, f)
	}
	return all
}

// statements returns the typed facts of the judge's cases, mixed.
func statements(t *testing.T, more ...statement) []statement {
	t.Helper()
	var all []statement
	for _, f := range fields(t, filepath.Join("testdata", "facts.tsv"), 3) {
		typ, _, _ := strings.Cut(f[1], ",")
		all = append(all, statement{typ, f[2]})
	}
	all = slices.DeleteFunc(append(all, more...), func(s statement) bool {
		return s.Type == layout.Journal || strings.Contains(s.Text, `\n`) || strings.Contains(s.Text, "\n")
	})
	r := rand.New(rand.NewPCG(7, 7))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// shelve appends facts to the shelves of their types, as the from-th and later ones of a
// year's eight hundred.
func shelve(t *testing.T, root string, facts []statement, from int) {
	t.Helper()
	for i, s := range facts {
		file := filepath.Join(root, filepath.FromSlash(layout.Shelves{}.File(s.Type, time.Time{})))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			text, err = fmt.Appendf(nil, "# %s\n\n", strings.TrimSuffix(filepath.Base(file), ".md")), nil
		}
		if err != nil {
			t.Fatal(err)
		}
		day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, (from+i)*300/800).Format(time.DateOnly)
		text = fmt.Appendf(text, "- %s <!-- id: c%07d | observed: %s | origin: user -->\n", s.Text, from+i, day)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// seen is what a reader sees of an answer.
type seen struct {
	first         string // the first passage
	in500, in1000 string // the passages in their order, as far as so many characters go
	brief         string // what somebody reads who sets no budget
	budget        string // within a budget of a thousand characters
	confident     bool   // the first hit is
}

// look asks a question of an index that is up to date.
func (m *memory) look(question string) seen {
	m.t.Helper()
	search := func(q memoir.Query) []memoir.Hit {
		q.Text, q.NoSync = question, true
		res, err := m.engine.Search(m.t.Context(), q)
		if err != nil {
			m.t.Fatal(err)
		}
		return res.Hits
	}
	hits := search(memoir.Query{})
	if len(hits) == 0 {
		return seen{}
	}
	var whole strings.Builder
	for _, h := range hits {
		whole.WriteString(h.Text + "\n")
	}
	first := func(n int) string {
		r := []rune(whole.String())
		return string(r[:min(n, len(r))])
	}
	snippets := func(hits []memoir.Hit) string {
		var b strings.Builder
		for _, h := range hits {
			b.WriteString(h.Snippet + "\n")
		}
		return b.String()
	}
	return seen{hits[0].Text, first(500), first(1000), snippets(search(memoir.Query{Brief: true})), snippets(search(memoir.Query{MaxChars: 1000})), hits[0].Confident()}
}

// sight counts what is seen of the answers to some questions.
type sight struct {
	asked, first, in500, in1000, brief, budget int // those whose answer is there
	confident, sure                            int // those with a confident first hit; those of them that it answers
	stale, staleIn500                          int // an older value is there, and not the answer
	chars                                      int // of all brief answers
}

// add counts one answer. right and stale say of a text whether it has the answer, or an
// older one alone.
func (s *sight) add(a seen, judge func(string) (right, stale bool)) {
	has := func(text string) bool { ok, _ := judge(text); return ok }
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	right, stale := judge(a.first)
	_, older := judge(a.in500)
	s.asked++
	count(&s.first, right)
	count(&s.in500, has(a.in500))
	count(&s.in1000, has(a.in1000))
	count(&s.brief, has(a.brief))
	count(&s.budget, has(a.budget))
	count(&s.confident, a.confident)
	count(&s.sure, a.confident && right)
	count(&s.stale, stale)
	count(&s.staleIn500, older)
	s.chars += len([]rune(a.brief))
}

// TestLargeShelves asks for single facts among eight hundred on six shelves.
func TestLargeShelves(t *testing.T) {
	if testing.Short() {
		t.Skip("eight hundred facts are many")
	}
	m := newMemory(t, true)
	shelve(t, m.root, statements(t), 0)
	index(t, m.engine)
	all, kinds := sight{}, map[string]*sight{}
	foreign, sure := 0, 0
	for _, f := range fields(t, filepath.Join("testdata", "shelves.tsv"), 4) {
		a := m.look(f[3])
		if f[1] == "foreign" {
			if foreign++; a.confident {
				sure++
				t.Logf("confident: %s: %s", f[3], a.first)
			}
			continue
		}
		judge := func(text string) (right, stale bool) { return strings.Contains(text, f[2]), false }
		if right, _ := judge(a.in1000); !right {
			t.Logf("not among the first: %s, want %s, got %s", f[3], f[2], a.first)
		}
		all.add(a, judge)
		for _, kind := range []string{f[0], f[1]} {
			kinds[kind] = cmp.Or(kinds[kind], new(sight))
			kinds[kind].add(a, judge)
		}
	}
	t.Logf("%+v, %d of %d foreign ones confident", all, sure, foreign)
	for kind, s := range kinds {
		t.Logf("%s: %+v", kind, *s)
	}
	if all.first*100 < all.asked*56 || all.in500*100 < all.asked*70 || all.in1000*100 < all.asked*73 || all.budget*100 < all.asked*74 || sure*100 > foreign*8 {
		t.Errorf("%+v, %d of %d foreign ones confident", all, sure, foreign)
	}
}

// TestSmallShelves asks for several entries at once where each shelf has but a few.
func TestSmallShelves(t *testing.T) {
	if testing.Short() {
		t.Skip("the model takes long")
	}
	var facts, questions [2][]statement // in English, in Chinese
	for _, f := range fields(t, filepath.Join("testdata", "household.tsv"), 2) {
		lang := 0
		if strings.ContainsFunc(f[1], func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			lang = 1
		}
		if want, ok := strings.CutPrefix(f[0], "?"); ok {
			questions[lang] = append(questions[lang], statement{want, f[1]})
		} else {
			facts[lang] = append(facts[lang], statement{f[0], f[1]})
		}
	}
	wanted, shown, chars := 0, 0, 0
	for lang := range facts {
		m := newMemory(t, true)
		shelve(t, m.root, facts[lang], 0)
		index(t, m.engine)
		for _, q := range questions[lang] {
			a := m.look(q.Text)
			chars += len([]rune(a.brief))
			for want := range strings.SplitSeq(q.Type, "|") {
				if wanted++; strings.Contains(a.brief, want) {
					shown++
				} else {
					t.Logf("not shown: %s, want %s, got %s", q.Text, want, a.brief)
				}
			}
		}
	}
	t.Logf("%d of %d entries shown in %d characters", shown, wanted, chars)
	if shown*100 < wanted*95 {
		t.Errorf("%d of %d entries shown", shown, wanted)
	}
}

// TestLivesAmongOthers tells each life among more than nine hundred facts that are about
// other matters, and asks about it.
func TestLivesAmongOthers(t *testing.T) {
	if os.Getenv("MEMOIR_TEST_LONG") == "" {
		t.Skip("MEMOIR_TEST_LONG is not set")
	}
	var route []statement
	two := lives(t)
	readLines(t, filepath.Join(evals(), "writing", "route.jsonl.gz"), func(s statement) { route = append(route, s) })
	facts := statements(t, route...)
	theirs := map[string]bool{}
	for _, s := range facts {
		theirs["- "+s.Text] = true
	}
	for name, some := range map[string][]*life{"two lives": two, "seven lives": ownLives(t)} {
		var sum sight
		for _, l := range some {
			m := newMemory(t, true)
			m.among(l, unrelated(t, facts, l))
			for _, q := range l.questions {
				text := q.Q
				if q.AsOf != "" {
					text += " on:" + q.AsOf
				}
				sum.add(m.look(text), func(text string) (right, stale bool) {
					lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return theirs[line] })
					return q.judge(strings.Join(lines, "\n"))
				})
			}
		}
		t.Logf("%s: %+v", name, sum)
		if sum.in500*100 < sum.asked*74 || sum.stale*100 > sum.asked*15 {
			t.Errorf("%s: %+v", name, sum)
		}
	}
}

// among tells a life with other facts between its events.
func (m *memory) among(l *life, others []statement) {
	m.t.Helper()
	per := (len(others) + len(l.events) - 1) / len(l.events)
	for i, e := range l.events {
		m.tell(e, "")
		from, to := min(i*per, len(others)), min((i+1)*per, len(others))
		shelve(m.t, m.root, others[from:to], from)
		index(m.t, m.engine)
	}
}

// unrelated returns the facts that are about the matter of none of a life's events.
func unrelated(t *testing.T, facts []statement, l *life) (others []statement) {
	t.Helper()
	e, err := embedder()
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Reader()
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, e := range l.events {
		texts = append(texts, e.Text)
	}
	for _, s := range facts {
		odds, err := r.Pairs(t.Context(), texts, s.Text)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(odds, func(o reader.Pair) bool { return o.Distinct < .9 }) {
			others = append(others, s)
		}
	}
	return others
}
