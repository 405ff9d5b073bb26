package engine_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/access"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
	"github.com/memoir-ai/memoir/tune"
)

// friday is the day that the tests of signals ask on.
func friday() time.Time {
	return time.Date(2026, 3, 20, 23, 30, 0, 0, time.FixedZone("", 8*3600))
}

// withSignals makes notes whose engine has only the given signals on.
func withSignals(t *testing.T, opts tune.Signals, files ...string) *notes {
	if opts.DateWeight == nil {
		opts.DateWeight = new(0.0)
	}
	if opts.RecencyWeight == nil {
		opts.RecencyWeight = new(0.0)
	}
	if opts.AssistantWeight == 0 {
		opts.AssistantWeight = 1
	}
	n := newNotes(t, engine.Config{Store: memstore.New(), Now: friday, Ranking: tune.Rank{Signals: opts}}, files...)
	n.sync()
	return n
}

// order returns the documents of the hits, best first.
func order(res memoir.Results) string {
	var docs []string
	for _, h := range res.Hits {
		docs = append(docs, string(h.Doc))
	}
	return strings.Join(docs, " ")
}

// changes returns "document signal value" for each signal that changed a score,
// and checks that scores are the sum of their parts.
func changes(t *testing.T, res memoir.Results) []string {
	t.Helper()
	var out []string
	for _, h := range res.Hits {
		x := h.Explain
		s := x.Text.Weight*x.Text.Score + x.Vector.Weight*x.Vector.Score
		s += (1 - s) * x.Link.Score
		for _, p := range x.Signals {
			s += p.Change
			out = append(out, fmt.Sprintf("%s %s %.2f", h.Doc, p.Name, p.Value))
		}
		if max(h.Score-s, s-h.Score) > 1e-5 || h.Score < 0 || h.Score > 1 {
			t.Errorf("%s scores %v, its parts make %v", h.Citation(), h.Score, s)
		}
	}
	slices.Sort(out)
	return out
}

func TestDateProximity(t *testing.T) {
	n := withSignals(t, tune.Signals{DateWeight: new(1.0), DateWindowDays: 14},
		"2023-07-03.md", "camping in the woods\n", "2023-07-31.md", "camping, then rain\n", "2023-08-07.md", "camping again\n",
		"2023-09-20.md", "camping once more\n", "2026-03-12.md", "camping gear\n", "undated.md", "camping\n")
	tests := []struct {
		query string
		want  []string
	}{
		{"camping in July 2023", []string{"2023-07-03.md date 1.00", "2023-07-31.md date 1.00", "2023-08-07.md date 0.50"}},
		{"camping 2023年7月31日", []string{"2023-07-31.md date 1.00", "2023-08-07.md date 0.50"}},
		{"camping last week", []string{"2026-03-12.md date 1.00"}},
		{"上周 camping", []string{"2026-03-12.md date 1.00"}},
		{"camping on 3 July 2023 or yesterday", []string{"2023-07-03.md date 1.00", "2026-03-12.md date 0.50"}},
		{"camping in 1999", nil},
		{"camping", nil},
	}
	for _, test := range tests {
		res := n.search(memoir.Query{Text: test.query, Explain: true})
		if diff := cmp.Diff(changes(t, res), test.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", test.query, diff)
		}
	}
}

func TestRecency(t *testing.T) {
	files := []string{
		"2025-01-05.md", "The database in production is Postgres. 生产数据库是 Postgres。\n",
		"2025-09-05.md", "The database in production is SQLite. 生产数据库是 SQLite。\n",
		"2026-02-05.md", "The database in production is DuckDB. 生产数据库是 DuckDB。\n",
		"2026-02-06.md", "Lunch was noodles and a database of recipes, which took long to arrive at the table today. 午饭。\n",
		"2027-01-01.md", "The database in production is Oracle. 生产数据库是 Oracle。\n",
	}
	n := withSignals(t, tune.Signals{RecencyWeight: new(.5)}, files...)
	for _, query := range []string{"what is the current database in production", "latest production database", "目前的生产数据库是什么", "現在の database in production"} {
		res := n.search(memoir.Query{Text: query, Explain: true})
		if changes(t, res); res.Hits[0].Doc != "2026-02-05.md" {
			t.Errorf("%s: found %s first, want the newest that holds the answer", query, order(res))
		}
	}
	for _, query := range []string{"what is the database in production", "current database in production in January 2025", "the current\ndatabase"} {
		if got := changes(t, n.search(memoir.Query{Text: query, Explain: true})); got != nil {
			t.Errorf("%s: changed by %q", query, got)
		}
	}
	n = withSignals(t, tune.Signals{RecencyWeight: new(.5)}, append(files, "MEMORY.md", "- The database in production is Redis.\n")...)
	res := n.search(memoir.Query{Text: "current database in production", Explain: true})
	if got := changes(t, res); !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "MEMORY.md recency") }) {
		t.Errorf("MEMORY.md did not count as current: %q", got)
	}
}

// Of passages that answer about as well, a question for the last time has the newest
// first, and one for the first time the oldest.
func TestOccasion(t *testing.T) {
	files := []string{
		"2025-01-05.md", "Paid the electricity bill, 84 euros. 交了电费。電気代を払った。\n",
		"2025-09-05.md", "In the evening I paid the electricity bill at last, by transfer. 晚上交了电费。夜に電気代を払った。\n",
		"2026-02-05.md", "Sat down with a cup of tea and paid the electricity bill. 又交了电费。また電気代を払った。\n",
		"2026-02-06.md", "The electricity was gone for an hour. 停电。停電。\n",
		"2027-01-01.md", "Paid the electricity bill. 交了电费。電気代を払った。\n",
		"2026-02-10.md", "Books: notes on the first world war, a first reading. 第一次世界大战的读书笔记，第一次。初めての読書。\n",
		"undated.md", "Paid the electricity bill once. 交过电费。電気代を払ったことがある。\n",
	}
	n := withSignals(t, tune.Signals{RecencyWeight: new(1.0)}, files...)
	for query, want := range map[string]memoir.DocID{
		"when did I last pay the electricity bill": "2026-02-05.md", "last time I paid the electricity bill": "2026-02-05.md",
		"上一次交电费是什么时候": "2026-02-05.md", "最近什么时候交了电费": "2026-02-05.md", "前回電気代を払ったのはいつ": "2026-02-05.md",
		"when did I first pay the electricity bill": "2025-01-05.md", "第一次交电费是什么时候": "2025-01-05.md", "初めて電気代を払ったのはいつ": "2025-01-05.md",
	} {
		res := n.search(memoir.Query{Text: query, Explain: true})
		changes(t, res)
		dated := slices.DeleteFunc(res.Hits, func(h memoir.Hit) bool { return h.Doc == "undated.md" || h.Doc == "2027-01-01.md" })
		if dated[0].Doc != want {
			t.Errorf("%s: found %s, want %s before them", query, order(res), want)
		}
	}
	off := withSignals(t, tune.Signals{}, files...)
	for _, query := range []string{"did I pay the electricity bill", "the last electricity bill", "when did I last pay the electricity bill"} {
		if got := changes(t, off.search(memoir.Query{Text: query, Explain: true})); got != nil {
			t.Errorf("%s: changed by %q", query, got)
		}
	}
}

// What a user said comes before an answer that says more of the same words,
// unless the answer is asked for.
func TestSpeaker(t *testing.T) {
	answer := strings.Repeat("Tea is a drink of leaves: green tea, black tea, white tea.\n", 20)
	files := []string{"talk.md", "User: I drink green tea at home in the evening, since coffee keeps me awake, and I buy it from a small shop near the harbour whose owner comes from Uji and knows every farmer there by name.\n\nAssistant: Green tea! " + answer, "note.md", "A note on other drinks, and a shop with green walls.\n"}
	tests := []struct {
		weight float64
		query  string
		first  int // line
		share  string
	}{
		{1, "green tea", 3, ""},
		{.7, "green tea", 1, "talk.md speaker 0.70"},
		{.7, "which green tea did you recommend", 3, ""},
		{.7, "你推荐的 green tea", 3, ""},
	}
	for _, test := range tests {
		n := withSignals(t, tune.Signals{AssistantWeight: test.weight}, files...)
		res := n.search(memoir.Query{Text: test.query, Explain: true})
		if got := res.Hits[0]; got.Doc != "talk.md" || got.StartLine != test.first {
			t.Errorf("%s at %v: %s first, want line %d of talk.md", test.query, test.weight, got.Citation(), test.first)
		}
		got := slices.Compact(changes(t, res))
		if test.share == "" && got != nil || test.share != "" && !slices.Equal(got, []string{test.share}) {
			t.Errorf("%s at %v: changed by %q, want %q", test.query, test.weight, got, test.share)
		}
	}
}

// The log of a day counts less where something that holds may be an answer.
func TestLogs(t *testing.T) {
	log := []string{"memory/2026-03-02.md", "# 2026-03-02\n\n- green tea with Mirela\n"}
	standing := append([]string{"memory/preferences.md", "# Preferences\n\n- I drink green tea at home in the evening. <!-- id: a2b3c4d5 | observed: 2026-01-05 -->\n"}, log...)
	lowered := []string{"memory/2026-03-02.md log 0.85"}
	tests := []struct {
		files []string
		query memoir.Query
		want  []string
	}{
		{standing, memoir.Query{Text: "green tea"}, lowered},
		{standing, memoir.Query{Text: "绿茶 green tea"}, lowered},
		{log, memoir.Query{Text: "green tea"}, nil},
		{standing, memoir.Query{Text: "green tea path:memory/2026*"}, nil},
		{standing, memoir.Query{Text: "green tea on 2 March 2026"}, nil},
		{standing, memoir.Query{Text: "green tea on:2026-03"}, nil},
		{standing, memoir.Query{Text: "latest green tea"}, nil},
		{standing, memoir.Query{Text: "when did we drink green tea"}, nil},
		{standing, memoir.Query{Text: `"green tea"`}, nil},
		{standing, memoir.Query{Text: "green tea", Literal: true}, nil},
		{[]string{"memory/preferences.md", "# Preferences\n\n- I drink green tea.\n", log[0], log[1]}, memoir.Query{Text: "green tea"}, nil},
	}
	for _, test := range tests {
		n := withSignals(t, tune.Signals{}, test.files...)
		test.query.Explain = true
		if diff := cmp.Diff(changes(t, n.search(test.query)), test.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", test.query.Text, diff)
		}
	}
}

func TestDecay(t *testing.T) {
	files := []string{
		"2026-03-20.md", "tea a\n", "2026-02-18.md", "tea b\n", "2000-01-01.md", "tea c\n", "2030-01-01.md", "tea d\n", "undated.md", "tea e\n",
		"MEMORY.md", "---\ndate: 2000-01-01\n---\n- tea f\n",
	}
	tests := []struct {
		name, query string
		opts        tune.Decay
		want        []string
	}{
		{"default", "tea", tune.Decay{Enabled: true}, []string{"2000-01-01.md decay 0.50", "2026-02-18.md decay 0.75"}},
		{"no floor", "tea", tune.Decay{Enabled: true, Floor: new(0.0)}, []string{"2026-02-18.md decay 0.50"}},
		{"half-life", "tea", tune.Decay{Enabled: true, HalfLifeDays: new(15.0)}, []string{"2000-01-01.md decay 0.50", "2026-02-18.md decay 0.62"}},
		{"notes never", "tea", tune.Decay{Enabled: true, HalfLifeDays: new(0.0), SessionHalfLifeDays: new(30.0)}, nil},
		{"day named", "tea in January 2000", tune.Decay{Enabled: true}, nil},
		{"identifier", "tea DB_PASSWORD", tune.Decay{Enabled: true}, nil},
		{"quoted", `"tea"`, tune.Decay{Enabled: true}, nil},
		{"off", "tea", tune.Decay{}, nil},
	}
	for _, test := range tests {
		n := withSignals(t, tune.Signals{Decay: test.opts}, files...)
		if diff := cmp.Diff(changes(t, n.search(memoir.Query{Text: test.query, Explain: true})), test.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", test.name, diff)
		}
	}
}

func TestSalience(t *testing.T) {
	files := []string{
		"high.md", "---\nimportance: 9\n---\ntea a\n", "low.md", "---\nImportance: \"2\"\n---\ntea b\n",
		"used.md", "---\nreinforced: 10\naccessed: 3\n---\ntea c\n", "plain.md", "tea d\n",
		"odd.md", "---\nimportance: 11\nreinforced: -4\naccessed: [1]\n---\ntea\n", "nan.md", "---\nimportance: .nan\naccessed: .inf\n---\ntea e\n",
	}
	for profile, want := range map[string][]string{
		"openclaw": {"high.md salience 0.90", "low.md salience 0.20"},
		"seed":     {"high.md salience 0.90", "low.md salience 0.20", "used.md salience 0.86"},
		"off":      nil,
	} {
		n := withSignals(t, tune.Signals{Salience: profile}, files...)
		if diff := cmp.Diff(changes(t, n.search(memoir.Query{Text: "tea", Explain: true})), want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", profile, diff)
		}
	}
}

// The salience seed has four parts: relevance, importance, how often an entry was told
// again, and how often it was found. Counts are kept apart from the index.
func TestSalienceSeedOfEntries(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	counts := access.Open(state, friday, nil)
	for _, q := range []string{"one", "two", "three"} {
		counts.Add(memoir.Query{}, memoir.Results{Query: q, Hits: []memoir.Hit{{Chunk: memoir.Chunk{StartLine: 1, Text: "- tea of Ann"}, Score: 1, Snippet: "- tea of Ann", SnippetStart: 1, SnippetEnd: 1}}})
	}
	counts.Close()
	files := []string{
		"memory/contacts.md", "- tea of Ann <!-- id: a1 | observed: 2026-01-05 -->\n",
		"memory/projects.md", "- tea of Bo <!-- id: a2 | count: 10 -->\n",
		"memory/decisions.md", "- tea of Cem <!-- id: a3 | importance: 8 -->\n- other <!-- importance: 99 | count: -3 -->\n",
		"memory/learnings.md", "- tea of Dee <!-- id: a4 | status: superseded | by: a3 | count: 3 -->\n",
		"plain.md", "tea\n",
	}
	for i := 0; i < len(files); i += 2 {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, files[i])), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for profile, want := range map[string][]string{
		"seed": {"memory/contacts.md salience 0.58", "memory/decisions.md salience 0.80", "memory/projects.md salience 1.00"},
		"off":  nil,
	} {
		for range 2 { // a second index, made anew, says the same
			e, err := engine.New(engine.Config{
				Store: memstore.New(), Sources: []memoir.Source{source}, Now: friday, Writing: engine.Writing{Dir: dir, State: state},
				Ranking: tune.Rank{Signals: tune.Signals{Salience: profile, RecencyWeight: new(0.0)}},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if _, err := e.Sync(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			res, err := e.Search(t.Context(), memoir.Query{Text: "tea", Explain: true})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(changes(t, res), want); diff != "" {
				t.Errorf("%s (-got +want):\n%s", profile, diff)
			}
		}
	}
}

func TestMMR(t *testing.T) {
	files := []string{
		"a.md", "tea from China is green and hot\n", "b.md", "tea from China is green and hot too\n", "c.md", "tea bowl made by Ono in a small village by the sea\n",
	}
	n := withSignals(t, tune.Signals{MMR: tune.MMR{Enabled: true, Lambda: .3}}, files...)
	query := memoir.Query{Text: "tea", Explain: true}
	res := n.search(query)
	if got, want := order(res), "a.md c.md b.md"; got != want {
		t.Errorf("with MMR: got %s, want %s", got, want)
	}
	if got := changes(t, res); len(got) != 2 {
		t.Errorf("changed by %q, want two hits", got)
	}
	for limit := 1; limit <= 3; limit++ {
		query.Limit = limit
		if diff := cmp.Diff(n.search(query).Hits, res.Hits[:limit]); diff != "" {
			t.Errorf("limit %d (-got +largest):\n%s", limit, diff)
		}
	}
	query.Limit = 0
	if got, want := order(withSignals(t, tune.Signals{}, files...).search(query)), "a.md b.md c.md"; got != want {
		t.Errorf("without MMR: got %s, want %s", got, want)
	}
}

// Feedback finds what says the same in other words, and shows which it learned.
func TestFeedback(t *testing.T) {
	files := []string{
		"a.md", "The espresso machine leaks, the gasket is worn.\n", "b.md", "The espresso machine: a new gasket came.\n",
		"c.md", "Ordered a gasket.\n", "d.md", "Lunch.\n",
	}
	query := memoir.Query{Text: "espresso machine", Explain: true}
	if got, want := order(withSignals(t, tune.Signals{}, files...).search(query)), "b.md a.md"; got != want {
		t.Errorf("without feedback: got %s, want %s", got, want)
	}
	n := withSignals(t, tune.Signals{FeedbackWeight: .2}, files...)
	res := n.search(query)
	if got, want := order(res), "b.md a.md c.md"; got != want {
		t.Errorf("with feedback: got %s, want %s", got, want)
	}
	if !slices.ContainsFunc(res.Terms, func(t memoir.Term) bool { return t.Text == "gasket" && t.Weight > 0 }) {
		t.Errorf("the terms %v lack what was learned", res.Terms)
	}
	if res := n.search(memoir.Query{Text: "unheard of"}); len(res.Hits) != 0 {
		t.Errorf("found %s for words of no note", order(res))
	}
}

func TestAdaptiveThreshold(t *testing.T) {
	n := withSignals(t, tune.Signals{AdaptiveThreshold: .9}, "a.md", "green tea\n", "b.md", "tea and a long list of other things\n")
	query := memoir.Query{Text: "green tea"}
	for range 8 {
		if got := order(n.search(query)); got != "a.md b.md" {
			t.Fatalf("before there is a usual score: got %s", got)
		}
	}
	res := n.search(query)
	if got := order(res); got != "a.md" || res.Threshold <= 0 || res.Threshold > res.Hits[0].Score {
		t.Errorf("got %s with a threshold of %v, want a.md alone", got, res.Threshold)
	}
	query.Text = "list of milk, bread, rice, nuts"
	if res := n.search(query); len(res.Hits) > 0 || !strings.Contains(res.Reason, "minimum score") {
		t.Errorf("got %s with the reason %q, want none below the usual score", order(res), res.Reason)
	}
}

// A larger limit appends whatever signals are on that do not say otherwise.
func TestSignalsLimitOnlyAppends(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	var files []string
	for i := range 300 { // more than the candidates that a search begins with
		day := friday().AddDate(0, 0, -i*3)
		who := []string{"", "", "User: where?\n\nAssistant: " + strings.Repeat("Let me look. ", 60) + "\n\n"}[i%3]
		files = append(files, day.Format(time.DateOnly)+".md", fmt.Sprintf("---\nimportance: %d\n---\n"+who+"Entry %d: the harbour%s was quiet, the weather %s.\n",
			1+i%10, i, strings.Repeat(" harbour", i%4), strings.Repeat("fair ", i%40)))
	}
	all := tune.Signals{Decay: tune.Decay{Enabled: true}, Salience: "openclaw", FeedbackWeight: .1}
	for _, opts := range []tune.Signals{{}, all, {Salience: "seed"}} {
		n := newNotes(t, engine.Config{Store: memstore.New(), Embedder: &embedtest.Embedder{}, Now: friday, Ranking: tune.Rank{Signals: opts}}, files...)
		n.sync()
		n.embed()
		for _, text := range []string{"quiet harbour in January 2025", "what is the latest on the harbour", "quiet harbour"} {
			changes(t, n.search(memoir.Query{Text: text, Limit: 1000, Explain: true}))
			most := n.search(memoir.Query{Text: text, Limit: 1000})
			for _, limit := range []int{1, 2, 6, 20, 100} {
				some := n.search(memoir.Query{Text: text, Limit: limit})
				notes := map[memoir.DocID]bool{}
				for _, h := range some.Hits {
					notes[h.Doc] = true
				}
				if n := len(some.Hits); n < limit || n > 2*limit || len(notes) > limit || len(notes) < limit && n < 2*limit {
					t.Fatalf("%s, limit %d: %d passages of %d notes", text, limit, n, len(notes))
				}
				if diff := cmp.Diff(some.Hits, most.Hits[:len(some.Hits)]); diff != "" {
					t.Fatalf("%s, limit %d (-this +largest):\n%s", text, limit, diff)
				}
			}
		}
	}
}

func TestSignalOptionsAreChecked(t *testing.T) {
	source, err := mdfile.Open(t.TempDir(), mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for want, opts := range map[string]tune.Signals{
		"":                               {},
		"date weight 1.5 is not":         {DateWeight: new(1.5)},
		"date weight -1 is not":          {DateWeight: new(-1.0)},
		"recency weight -1 is not":       {RecencyWeight: new(-1.0)},
		"half-life -1 is not":            {Decay: tune.Decay{HalfLifeDays: new(-1.0)}},
		"half-life of sessions -1 is":    {Decay: tune.Decay{SessionHalfLifeDays: new(-1.0)}},
		"decay floor -0.5 is not":        {Decay: tune.Decay{Floor: new(-.5)}},
		"date window -1 is not":          {DateWindowDays: -1},
		"recency weight 2 is not":        {RecencyWeight: new(2.0)},
		"assistant weight 1.5 is not":    {AssistantWeight: 1.5},
		"assistant weight -1 is not":     {AssistantWeight: -1},
		"half-life NaN is not":           {Decay: tune.Decay{HalfLifeDays: new(math.NaN()), SessionHalfLifeDays: new(30.0)}},
		"half-life of sessions NaN is":   {Decay: tune.Decay{SessionHalfLifeDays: new(math.NaN())}},
		"decay floor 1 is not":           {Decay: tune.Decay{Floor: new(1.0)}},
		"lambda of MMR -0.5 is not":      {MMR: tune.MMR{Lambda: -.5}},
		"lambda of MMR 1.5 is not":       {MMR: tune.MMR{Lambda: 1.5}},
		"feedback weight 1 is not":       {FeedbackWeight: 1},
		"feedback weight -0.5 is not":    {FeedbackWeight: -.5},
		"adaptive threshold 2 is not":    {AdaptiveThreshold: 2},
		"adaptive threshold -0.5 is not": {AdaptiveThreshold: -.5},
		`salience "loud" is not`:         {Salience: "loud"},
	} {
		e, err := engine.New(engine.Config{Store: memstore.New(), Sources: []memoir.Source{source}, Ranking: tune.Rank{Signals: opts}})
		switch {
		case want == "" && err != nil:
			t.Errorf("options that nothing is wrong with: got %v", err)
		case want == "":
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		case !errors.Is(err, memoir.ErrInvalid) || !strings.Contains(err.Error(), want):
			t.Errorf("got %v, want ErrInvalid and %q", err, want)
		}
	}
}
