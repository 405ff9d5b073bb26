package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
	"github.com/memoir-ai/memoir/store/sqlite"
	"github.com/memoir-ai/memoir/tune"
)

// notes is a workspace with an engine over it.
type notes struct {
	*testing.T
	dir    string
	store  *memstore.Store
	engine *engine.Engine
}

// newNotes makes a workspace of the files, path and text in turn.
func newNotes(t *testing.T, cfg engine.Config, files ...string) *notes {
	t.Helper()
	n := &notes{T: t, dir: t.TempDir(), store: memstore.New()}
	for i := 0; i < len(files); i += 2 {
		n.write(files[i], files[i+1])
	}
	src, err := mdfile.Open(n.dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Store == nil {
		cfg.Store = n.store
	}
	cfg.Sources = []memoir.Source{src}
	if n.engine, err = engine.New(cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// write writes a file with a modification time long past, a minute later at each call.
func (n *notes) write(path, text string) {
	n.Helper()
	file := filepath.Join(n.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		n.Fatal(err)
	}
	past := time.Now().Add(-24 * time.Hour)
	if info, err := os.Stat(file); err == nil {
		past = info.ModTime().Add(time.Minute)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		n.Fatal(err)
	}
	if err := os.Chtimes(file, past, past); err != nil {
		n.Fatal(err)
	}
}

func (n *notes) sync() memoir.SyncStats {
	n.Helper()
	stats, err := n.engine.Sync(n.Context(), nil)
	if err != nil {
		n.Fatal(err)
	}
	return stats
}

func (n *notes) embed() memoir.EmbedStats {
	n.Helper()
	stats, err := n.engine.EmbedPending(n.Context(), nil)
	if err != nil {
		n.Fatal(err)
	}
	return stats
}

func (n *notes) search(q memoir.Query) memoir.Results {
	n.Helper()
	res, err := n.engine.Search(n.Context(), q)
	if err != nil {
		n.Fatalf("search %q: %v", q.Text, err)
	}
	return res
}

// citations returns where the hits stand.
func citations(res memoir.Results) []string {
	out := []string{}
	for _, h := range res.Hits {
		out = append(out, h.Citation())
	}
	return out
}

// parts returns the degraded parts.
func parts(res memoir.Results) []string {
	out := []string{}
	for _, d := range res.Degraded {
		if d.Reason == "" || d.Action == "" {
			out = append(out, "no reason or no action")
		}
		out = append(out, d.Part)
	}
	return out
}

func TestSyncReadsOnlyWhatChanged(t *testing.T) {
	n := newNotes(t, engine.Config{}, "a.md", "# A\n\nalpha\n", "b.md", "# B\n\nbeta\n")
	want := memoir.SyncStats{Scanned: 2, Added: 2}
	if diff := cmp.Diff(want, n.sync()); diff != "" {
		t.Errorf("first sync (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(memoir.SyncStats{Scanned: 2}, n.sync()); diff != "" {
		t.Errorf("nothing changed (-want +got):\n%s", diff)
	}
	n.write("a.md", "# A\n\ngamma\n")
	n.write("c.md", "# C\n\ndelta\n")
	if err := os.Remove(filepath.Join(n.dir, "b.md")); err != nil {
		t.Fatal(err)
	}
	want = memoir.SyncStats{Scanned: 2, Added: 1, Changed: 1, Removed: 1}
	if diff := cmp.Diff(want, n.sync()); diff != "" {
		t.Errorf("after edits (-want +got):\n%s", diff)
	}
	for query, want := range map[string][]string{"gamma": {"a.md#L1-L3"}, "alpha": {}, "beta": {}, "delta": {"c.md#L1-L3"}} {
		if diff := cmp.Diff(want, citations(n.search(memoir.Query{Text: query}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

// A file that is rewritten with the same size within the same tick of the
// clock must be noticed.
func TestSyncDoubtsYoungFiles(t *testing.T) {
	n := newNotes(t, engine.Config{}, "a.md", "alpha")
	n.engine = n.over(n.store, unstamped{n.source()})
	file := filepath.Join(n.dir, "a.md")
	now := time.Now()
	if err := os.Chtimes(file, now, now); err != nil {
		t.Fatal(err)
	}
	n.sync()
	if err := os.WriteFile(file, []byte("gamma"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, now, now); err != nil {
		t.Fatal(err)
	}
	if got := n.sync(); got.Changed != 1 {
		t.Errorf("got %+v, want one changed document", got)
	}
}

func TestTouchedFileIsNotIndexedAgain(t *testing.T) {
	counting := embedtest.NewCounting(&embedtest.Embedder{})
	n := newNotes(t, engine.Config{Embedder: counting}, "a.md", "# A\n\nalpha\n")
	n.sync()
	n.embed()
	n.write("a.md", "# A\n\nalpha\n")
	if got := n.sync(); got.Changed != 0 {
		t.Errorf("got %+v, want nothing changed", got)
	}
	if got := n.embed(); got.Embedded != 0 {
		t.Errorf("got %+v, want nothing embedded", got)
	}
}

// A section inserted on top moves the others: their lines are right, and only
// the new text is embedded.
func TestInsertedSection(t *testing.T) {
	counting := embedtest.NewCounting(&embedtest.Embedder{})
	n := newNotes(t, engine.Config{Embedder: counting}, "a.md", "## One\n\nalpha beta\n\n## Two\n\ngamma delta\n")
	n.sync()
	if got := n.embed(); got.Embedded != 2 {
		t.Fatalf("first: got %+v, want two embedded", got)
	}
	n.write("a.md", "## Zero\n\nnew section\n\n## One\n\nalpha beta\n\n## Two\n\ngamma delta\n")
	n.sync()
	if diff := cmp.Diff([]string{"a.md#L9-L11"}, citations(n.search(memoir.Query{Text: "gamma", Mode: memoir.ModeText}))); diff != "" {
		t.Errorf("citation (-want +got):\n%s", diff)
	}
	if got := n.embed(); got.Embedded+got.Failed != 1 && counting.Calls() != 2 {
		t.Errorf("after the insertion: got %+v in %d calls, want one text", got, counting.Calls())
	}
}

func TestSearchSaysWhatIsMissing(t *testing.T) {
	broken := embedtest.NewFailing(&embedtest.Embedder{}, errors.New("offline"))
	files := []string{"a.md", "# A\n\nalpha\n"}
	for _, c := range []struct {
		name  string
		cfg   engine.Config
		query memoir.Query
		mode  memoir.Mode
		parts []string
	}{
		{"no embedder", engine.Config{}, memoir.Query{Text: "alpha"}, memoir.ModeText, []string{}},
		{"no embedder, vectors asked for", engine.Config{}, memoir.Query{Text: "alpha", Mode: memoir.ModeVector}, memoir.ModeText, []string{"vectors"}},
		{"embedder fails", engine.Config{Embedder: broken}, memoir.Query{Text: "alpha"}, memoir.ModeText, []string{"vectors"}},
		{"embedder fails, words asked for", engine.Config{Embedder: broken}, memoir.Query{Text: "alpha", Mode: memoir.ModeText}, memoir.ModeText, []string{}},
		{"zero vector", engine.Config{Embedder: &embedtest.Embedder{}}, memoir.Query{Text: "!!!", NoSync: true}, memoir.ModeText, []string{"vectors"}},
		{"all there", engine.Config{Embedder: &embedtest.Embedder{}}, memoir.Query{Text: "alpha"}, memoir.ModeHybrid, []string{}},
		{"vectors only", engine.Config{Embedder: &embedtest.Embedder{}}, memoir.Query{Text: "alpha", Mode: memoir.ModeVector}, memoir.ModeVector, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newNotes(t, c.cfg, files...)
			n.sync()
			res := n.search(c.query)
			if res.Mode != c.mode {
				t.Errorf("mode: got %s, want %s", res.Mode, c.mode)
			}
			if diff := cmp.Diff(c.parts, parts(res)); diff != "" {
				t.Errorf("degraded (-want +got):\n%s", diff)
			}
			if c.query.Text == "alpha" && len(res.Hits) != 1 {
				t.Errorf("got %d hits, want 1", len(res.Hits))
			}
		})
	}
}

func TestSearchWithPendingVectors(t *testing.T) {
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}, SyncBudget: new(time.Duration(0))}, "a.md", "# A\n\nalpha\n")
	n.sync()
	res := n.search(memoir.Query{Text: "alpha"})
	if diff := cmp.Diff([]string{"vectors"}, parts(res)); diff != "" || len(res.Hits) != 1 {
		t.Errorf("got %d hits, degraded (-want +got):\n%s", len(res.Hits), diff)
	}
	n.embed()
	if res := n.search(memoir.Query{Text: "alpha"}); len(res.Degraded) != 0 {
		t.Errorf("after embedding: got %v, want nothing degraded", res.Degraded)
	}
}

// A provider that hangs costs a search its deadline, not more.
func TestHungEmbedder(t *testing.T) {
	hung := embedtest.NewBlocking(&embedtest.Embedder{})
	n := newNotes(t, engine.Config{Embedder: hung, EmbedTimeout: time.Millisecond, SyncBudget: new(time.Duration(0))}, "a.md", "# A\n\nalpha\n")
	n.sync()
	res := n.search(memoir.Query{Text: "alpha"})
	if len(res.Hits) != 1 || res.Mode != memoir.ModeText {
		t.Errorf("got %d hits by %s, want 1 by text", len(res.Hits), res.Mode)
	}
	if diff := cmp.Diff([]string{"vectors"}, parts(res)); diff != "" {
		t.Errorf("degraded (-want +got):\n%s", diff)
	}
}

func TestMeaningFindsWhatWordsDoNot(t *testing.T) {
	e := &embedtest.Embedder{Synonyms: map[string]string{"automobile": "car"}}
	n := newNotes(t, engine.Config{Embedder: e}, "a.md", "the car is red\n", "b.md", "the house is old\n")
	n.sync()
	n.embed()
	res := n.search(memoir.Query{Text: "automobile", Limit: 1})
	if diff := cmp.Diff([]string{"a.md#L1"}, citations(res)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNothingFoundSaysWhy(t *testing.T) {
	n := newNotes(t, engine.Config{}, "a.md", "# A\n\nalpha beta\n")
	n.sync()
	for _, c := range []struct {
		query memoir.Query
		want  string
	}{
		{memoir.Query{Text: "zebra"}, "no note holds any of the words"},
		{memoir.Query{Text: "?!"}, "no searchable word"},
		{memoir.Query{Text: "alpha", MinScore: 1}, "minimum score"},
		{memoir.Query{Text: "alpha", Filter: memoir.Filter{Prefix: "other/"}}, "filter"},
	} {
		if res := n.search(c.query); len(res.Hits) != 0 || !strings.Contains(res.Reason, c.want) {
			t.Errorf("%+v: got %d hits and %q, want none because of %q", c.query, len(res.Hits), res.Reason, c.want)
		}
	}
	if res := newNotes(t, engine.Config{}).search(memoir.Query{Text: "alpha"}); !strings.Contains(res.Reason, "empty") {
		t.Errorf("empty workspace: got %q", res.Reason)
	}
}

// What shares neither a word nor a meaning with the query does not fill the answer up.
func TestUnrelatedIsNoHit(t *testing.T) {
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{Dimensions: 4096}}, "a.md", "alpha beta\n", "b.md", "gamma delta\n")
	n.sync()
	n.embed()
	if diff := cmp.Diff([]string{"a.md#L1"}, citations(n.search(memoir.Query{Text: "alpha"}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if res := n.search(memoir.Query{Text: "zebra"}); len(res.Hits) != 0 || !strings.Contains(res.Reason, "meaning") {
		t.Errorf("got %d hits and %q, want none, near in neither word nor meaning", len(res.Hits), res.Reason)
	}
}

func TestInvalidQueries(t *testing.T) {
	n := newNotes(t, engine.Config{}, "a.md", "alpha\n")
	for _, q := range []memoir.Query{
		{}, {Text: " \t\n"}, {Text: "\x00"}, {Text: "\xff\xfe"}, {Text: "a", Limit: -1}, {Text: "a", Limit: 1001},
		{Text: "a", MinScore: 1.1}, {Text: "a", MinScore: -1}, {Text: "a", Mode: "semantic"},
		{Text: "a", Filter: memoir.Filter{Kinds: []memoir.Kind{"notes"}}}, {Text: "a", Filter: memoir.Filter{Kinds: []memoir.Kind{""}}},
		{Text: "a", Filter: memoir.Filter{From: "yesterday"}}, {Text: "a", Filter: memoir.Filter{To: "2026-02-30"}},
		{Text: "a", Filter: memoir.Filter{Phrases: []memoir.Phrase{{Terms: []string{"a"}, Fields: []memoir.Field{memoir.NumFields}}}}},
		{Text: "a", Filter: memoir.Filter{Phrases: []memoir.Phrase{{Terms: []string{"a"}, Fields: []memoir.Field{-1}}}}},
		{Text: "a", Path: "a\xff"}, {Text: "a", Path: "a\xff", Literal: true}, {Text: "a", Filter: memoir.Filter{Prefix: "\xff"}}, {Text: "a", Filter: memoir.Filter{Paths: []string{"a\xff"}}},
		{Text: "a", Filter: memoir.Filter{Without: []memoir.Filter{{Without: []memoir.Filter{{From: "2026"}}}}}},
	} {
		if _, err := n.engine.Search(t.Context(), q); !errors.Is(err, memoir.ErrInvalid) {
			t.Errorf("%+v: got %v, want ErrInvalid", q, err)
		}
	}
}

// An empty list filters nothing, wherever it comes from.
func TestEmptyFilter(t *testing.T) {
	n := newNotes(t, engine.Config{}, "a.md", "alpha\n")
	n.sync()
	var filter memoir.Filter
	if err := json.Unmarshal([]byte(`{"Kinds":[],"Paths":[],"Names":[],"Phrases":[],"Chunks":[],"Without":[]}`), &filter); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		query memoir.Query
		want  int
	}{
		"empty":         {memoir.Query{Text: "alpha", Filter: filter}, 1},
		"no chunk":      {memoir.Query{Text: "alpha", Filter: memoir.NoChunk()}, 0},
		"two kinds":     {memoir.Query{Text: "alpha type:session", Filter: memoir.Filter{Kinds: []memoir.Kind{memoir.KindNote}}}, 0},
		"kind and text": {memoir.Query{Text: "alpha type:note", Filter: filter}, 1},
	} {
		res := n.search(tt.query)
		if len(res.Hits) != tt.want || tt.want == 0 && !strings.Contains(res.Reason, "filter") && !strings.Contains(res.Reason, "type:session") {
			t.Errorf("%s: %d hits (%s), want %d", name, len(res.Hits), res.Reason, tt.want)
		}
	}
}

// Whatever a user types is answered.
func TestOddQueriesAreAnswered(t *testing.T) {
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}}, "a.md", "# A\n\nalpha beta \"gamma\"\n", "中文.md", "# 数据库\n\n生产数据库使用 Postgres。\n")
	n.sync()
	n.embed()
	const none, empty = "no note holds any of the words of the query", "the query holds no searchable word"
	for _, tt := range []struct{ query, want string }{ // what words find, or why nothing
		{`"unbalanced`, none}, {`"unbalanced alpha`, "a.md#L1-L3"}, {`""`, empty}, {`"`, empty}, {"alpha AND", "a.md#L1-L3"}, {"NEAR(alpha beta)", "a.md#L1-L3"},
		{"alpha*", "a.md#L1-L3"}, {"title:alpha", "a.md#L1-L3"}, {"-alpha", "a.md#L1-L3"}, {"alpha OR OR beta", "a.md#L1-L3"}, {"(((", empty},
		{"the of and", none}, {"什么", none}, {"的", none}, {"\xff\xfe a", "a.md#L1-L3"}, {"a\x00b", none}, {"'; DROP TABLE chunks; --", none},
		{strings.Repeat("alpha ", 20000), "a.md#L1-L3"}, {strings.Repeat("数据库", 30000), "中文.md#L1-L3"}, {"👩‍👩‍👧‍👦", none}, {"שלום", none}, {"\u202e", empty},
	} {
		words := n.search(memoir.Query{Text: tt.query, Mode: memoir.ModeText})
		if got := strings.Join(citations(words), " ") + words.Reason; got != tt.want {
			t.Errorf("%.40q: got %q, want %q", tt.query, got, tt.want)
		}
		// With vectors as well a reason stands where there are no hits, and what words find is found.
		both := n.search(memoir.Query{Text: tt.query})
		if found := citations(both); (len(found) == 0) != (both.Reason != "") || len(words.Hits) > 0 && !slices.Contains(found, tt.want) {
			t.Errorf("%.40q, with vectors: got %q and the reason %q", tt.query, found, both.Reason)
		}
	}
}

// A larger limit appends and never reorders; scores fall; ties go by place.
func TestLimitOnlyAppends(t *testing.T) {
	var files []string
	for i := range 60 {
		files = append(files, "n"+string(rune('a'+i%26))+string(rune('a'+i/26))+".md", strings.Repeat("alpha beta gamma delta ", 1+i%7)+strings.Repeat("filler ", i)+"\n")
	}
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}}, files...)
	n.sync()
	n.embed()
	all := n.search(memoir.Query{Text: "alpha gamma", Limit: 60})
	for _, limit := range []int{1, 2, 6, 17, 59} {
		got := n.search(memoir.Query{Text: "alpha gamma", Limit: limit})
		if diff := cmp.Diff(all.Hits[:limit], got.Hits); diff != "" {
			t.Errorf("limit %d (-prefix of all +got):\n%s", limit, diff)
		}
	}
	for i, h := range all.Hits[1:] {
		before := all.Hits[i]
		if h.Score > before.Score || h.Score == before.Score && h.ChunkID.Compare(before.ChunkID) < 0 {
			t.Errorf("%s (%v) stands behind %s (%v)", h.Citation(), h.Score, before.Citation(), before.Score)
		}
		if h.Score < 0 || h.Score > 1 {
			t.Errorf("%s: score %v", h.Citation(), h.Score)
		}
	}
}

// An answer has the best passages, until they come from as many notes as were
// asked for, but at most twice as many passages as notes. Asking for more notes
// only appends. The first depth of the lists changes nothing.
func TestLimitCountsNotes(t *testing.T) {
	var files []string
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 40 {
		var b strings.Builder
		for j := range 1 + 2*(i%8) {
			fmt.Fprintf(&b, "# %d %d\n\n%s%s\n\n", i, j, strings.Repeat("alpha ", 1+r.IntN(5+i)), strings.Repeat("filler ", 300))
		}
		files = append(files, fmt.Sprintf("%d.md", i), b.String())
	}
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}}, files...)
	n.sync()
	n.embed()
	deep := newNotes(t, engine.Config{Store: n.store, Embedder: &embedtest.Embedder{}, Ranking: tune.Rank{CandidateMultiplier: 1000}}, files...)
	for _, mode := range []memoir.Mode{memoir.ModeHybrid, memoir.ModeText} {
		all := n.search(memoir.Query{Text: "alpha", Mode: mode, Limit: 1000}).Hits
		crowded := false
		for _, limit := range []int{1, 2, 5, 12, 39, 40, 41} {
			want, notes := 0, map[memoir.DocID]bool{}
			for want < len(all) && want < 2*limit && len(notes) < limit {
				notes[all[want].Doc] = true
				want++
			}
			crowded = crowded || len(notes) < limit && want == 2*limit
			query := memoir.Query{Text: "alpha", Mode: mode, Limit: limit, NoSync: true}
			if diff := cmp.Diff(citations(memoir.Results{Hits: all[:want]}), citations(n.search(query))); diff != "" {
				t.Errorf("%s, limit %d (-want +got):\n%s", mode, limit, diff)
			}
			if diff := cmp.Diff(deep.search(query).Hits, n.search(query).Hits); diff != "" {
				t.Errorf("%s, limit %d (-all candidates +few):\n%s", mode, limit, diff)
			}
		}
		if !crowded {
			t.Errorf("%s: no answer ended for want of room", mode)
		}
	}
	// What passes a filter is counted in the same way, and so are the passages of one note.
	for limit, want := range map[int]int{1: 1, 3: 6} {
		res := n.search(memoir.Query{Text: "path:7.md", Limit: limit})
		if len(res.Hits) != want {
			t.Errorf("limit %d, a filter alone: got %d hits, want %d", limit, len(res.Hits), want)
		}
	}
}

func june() time.Time { return time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC) }

func TestExplainAddsUp(t *testing.T) {
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}}, "a.md", "alpha beta\n", "b.md", "beta gamma\n", "c.md", "delta\n")
	n.sync()
	n.embed()
	res := n.search(memoir.Query{Text: "alpha beta", Explain: true})
	if len(res.Terms) == 0 {
		t.Error("no terms explained")
	}
	// By words a.md and b.md are found, by vectors too: both parts of a sum count.
	if diff := cmp.Diff([]string{"a.md#L1", "b.md#L1"}, citations(res)); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	for _, h := range res.Hits {
		x := h.Explain
		if x.Text.Weight*x.Text.Score == 0 || x.Vector.Weight*x.Vector.Score == 0 {
			t.Errorf("%s: got %+v, want a part of words and one of vectors", h.Citation(), x)
		}
		if got := x.Text.Weight*x.Text.Score + x.Vector.Weight*x.Vector.Score; got-h.Score > 1e-6 || h.Score-got > 1e-6 {
			t.Errorf("%s: the parts give %v, the score is %v", h.Citation(), got, h.Score)
		}
	}
}

// An identifier is decided by words, whatever the vectors say.
func TestIdentifierBeatsMeaning(t *testing.T) {
	e := &embedtest.Embedder{Synonyms: map[string]string{"db_password": "lion", "password": "lion", "db": "lion"}}
	n := newNotes(t, engine.Config{Embedder: e}, "a.md", "set DB_PASSWORD in the vault and many other words about operations\n", "b.md", "lion lion lion\n")
	n.sync()
	n.embed()
	if diff := cmp.Diff([]string{"a.md#L1"}, citations(n.search(memoir.Query{Text: "DB_PASSWORD", Limit: 1}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What only looks like an identifier leaves vectors their weight.
func TestOrdinaryWordsLeaveMeaning(t *testing.T) {
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}}, "a.md", "real-time news on GitHub for IL-6\n")
	n.sync()
	n.embed()
	weight := func(query string) float64 {
		return n.search(memoir.Query{Text: query, Explain: true}).Hits[0].Explain.Vector.Weight
	}
	plain := weight("news for a friend")
	for _, query := range []string{"real-time news", "GitHub for IL-6", "news at 9:30", "18th news/views", "3.5 news"} {
		if got := weight(query); got != plain {
			t.Errorf("%s: vectors weigh %v, want %v as for plain words", query, got, plain)
		}
	}
	for _, query := range []string{"news v1.2.3", "news.md", "NEWS_PORT news", "`real-time` news"} {
		if got := weight(query); !(got < plain/2) {
			t.Errorf("%s: vectors weigh %v, want much less than %v", query, got, plain)
		}
	}
}

// Source code is decided by meaning, because it shares words with a question in
// prose only by chance. Identifiers are still decided by words.
func TestCodeIsDecidedByMeaning(t *testing.T) {
	e := &embedtest.Embedder{Synonyms: map[string]string{"tidy": "clean", "directory": "folder"}}
	n := newNotes(t, engine.Config{Embedder: e},
		"meant.md", "def clean(folder):\n    return [folder]\n",
		"words.md", "def how(python):\n    tidy = lion(tiger_bear)\n    return a(directory, fox(cat(dog)))\n")
	n.sync()
	n.embed()
	for query, want := range map[string]string{
		"tidy some old directory":       "meant.md#L1-L2",
		"tidy old directory tiger_bear": "words.md#L1-L3",
	} {
		if diff := cmp.Diff([]string{want}, citations(n.search(memoir.Query{Text: query, Limit: 1}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

func TestRebuildAnswersTheSame(t *testing.T) {
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}}, "a.md", "alpha\n", "b.md", "alpha beta\n")
	n.sync()
	n.write("a.md", "alpha gamma\n")
	n.write("b.md", "alpha beta delta\n")
	n.sync()
	n.embed()
	want := n.search(memoir.Query{Text: "alpha"})
	if _, err := n.engine.Rebuild(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := n.embed(); got.Embedded != 0 {
		t.Errorf("rebuild: got %+v, want every vector kept", got)
	}
	if diff := cmp.Diff(want.Hits, n.search(memoir.Query{Text: "alpha"}).Hits); diff != "" {
		t.Errorf("after the rebuild (-before +after):\n%s", diff)
	}
}

// A rebuild whose notes are away, or that nobody waits for any more, leaves the index as it is.
func TestRebuildOfNothing(t *testing.T) {
	n := newNotes(t, engine.Config{SyncBudget: new(time.Duration(0))}, "a.md", "alpha\n", "b.md", "alpha beta\n")
	n.sync()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := n.engine.Rebuild(gone, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	away := n.dir + "-away"
	if err := os.Rename(n.dir, away); err != nil {
		t.Fatal(err)
	}
	if _, err := n.engine.Rebuild(t.Context(), nil); err == nil {
		t.Error("notes that are away are indexed")
	}
	if err := os.Rename(away, n.dir); err != nil {
		t.Fatal(err)
	}
	if got := citations(n.search(memoir.Query{Text: "alpha"})); len(got) != 2 {
		t.Errorf("got %v, want both notes", got)
	}
}

// A rebuild that ends early leaves what was there: every note is found meanwhile.
func TestRebuildEndsEarly(t *testing.T) {
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "main.sqlite"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	var files []string
	for i := range 40 {
		files = append(files, fmt.Sprintf("%02d.md", i), fmt.Sprintf("alpha w%d\n", i))
	}
	n := newNotes(t, engine.Config{Store: store, SyncBudget: new(time.Duration(0))}, files...)
	n.sync()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	stats, err := n.engine.Rebuild(ctx, func(done, _ int) {
		if done > 0 {
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) || stats.Changed == 0 {
		t.Fatalf("Rebuild = %+v, %v; want an early end", stats, err)
	}
	if got := n.search(memoir.Query{Text: "alpha", Limit: 100}).Hits; len(got) != 40 {
		t.Errorf("%d notes are found, want all", len(got))
	}
	if stats, err := n.engine.Rebuild(t.Context(), nil); err != nil || stats.Changed != 40 {
		t.Errorf("Rebuild = %+v, %v; want every note indexed again", stats, err)
	}
}

// Other options cut the documents anew, without anybody asking for a rebuild.
func TestOtherChunkingIndexesAgain(t *testing.T) {
	text := ""
	for i := range 12 {
		text += fmt.Sprintf("Sentence %d about the alpha release follows another.\n\n", i)
	}
	n := newNotes(t, engine.Config{}, "a.md", text)
	n.sync()
	before := n.search(memoir.Query{Text: "alpha", Limit: 50})
	src, err := mdfile.Open(n.dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	finer, err := engine.New(engine.Config{Store: n.store, Sources: []memoir.Source{src}, Chunking: tune.Chunks{MaxTokens: 32, OverlapTokens: new(0)}})
	if err != nil {
		t.Fatal(err)
	}
	after, err := finer.Search(t.Context(), memoir.Query{Text: "alpha", Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	if len(after.Hits) <= len(before.Hits) {
		t.Errorf("got %d hits of finer chunks, want more than %d", len(after.Hits), len(before.Hits))
	}
	if stats, err := finer.Sync(t.Context(), nil); err != nil || stats.Changed != 0 {
		t.Errorf("next sync: got %+v, %v, want nothing changed", stats, err)
	}
}

func TestCancelledSync(t *testing.T) {
	n := newNotes(t, engine.Config{}, "a.md", "alpha\n", "b.md", "beta\n", "c.md", "gamma\n")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := n.engine.Sync(ctx, func(done, total int) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	if got := n.sync(); got.Scanned != 3 || got.Added > 2 {
		t.Errorf("next sync: got %+v, want it to go on", got)
	}
	if res := n.search(memoir.Query{Text: "gamma"}); len(res.Hits) != 1 {
		t.Errorf("got %d hits, want 1", len(res.Hits))
	}
}

func TestGet(t *testing.T) {
	n := newNotes(t, engine.Config{}, "a.md", "one\r\ntwo\r\n三\r\n", "empty.md", "")
	for _, c := range []struct {
		from, to int
		want     memoir.Excerpt
	}{
		{0, 0, memoir.Excerpt{ID: "a.md", StartLine: 1, EndLine: 3, TotalLines: 3, Text: "one\r\ntwo\r\n三\r\n"}},
		{2, 2, memoir.Excerpt{ID: "a.md", StartLine: 2, EndLine: 2, TotalLines: 3, Text: "two\r\n"}},
		{2, 99, memoir.Excerpt{ID: "a.md", StartLine: 2, EndLine: 3, TotalLines: 3, Text: "two\r\n三\r\n"}},
	} {
		got, err := n.engine.Get(t.Context(), "a.md", c.from, c.to)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%d to %d: %v (-want +got):\n%s", c.from, c.to, err, diff)
		}
	}
	for _, c := range []struct {
		id       memoir.DocID
		from, to int
		want     error
	}{{"a.md", 4, 0, memoir.ErrInvalid}, {"a.md", -1, 0, memoir.ErrInvalid}, {"a.md", 3, 2, memoir.ErrInvalid}, {"none.md", 1, 0, memoir.ErrNotFound}} {
		if _, err := n.engine.Get(t.Context(), c.id, c.from, c.to); !errors.Is(err, c.want) {
			t.Errorf("%s %d to %d: got %v, want %v", c.id, c.from, c.to, err, c.want)
		}
	}
	if got, err := n.engine.Get(t.Context(), "empty.md", 0, 0); err != nil || got.TotalLines != 0 {
		t.Errorf("empty document: got %+v, %v", got, err)
	}
}

func TestNewRefusesBadConfig(t *testing.T) {
	src, err := mdfile.Open(t.TempDir(), mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sources := []memoir.Source{src}
	for name, cfg := range map[string]engine.Config{
		"no store":        {Sources: sources},
		"no source":       {Store: memstore.New()},
		"tiny chunks":     {Store: memstore.New(), Sources: sources, Chunking: tune.Chunks{MaxTokens: 3}},
		"default overlap": {Store: memstore.New(), Sources: sources, Chunking: tune.Chunks{OverlapTokens: new(180)}},
		"overlap":         {Store: memstore.New(), Sources: sources, Chunking: tune.Chunks{MaxTokens: 100, OverlapTokens: new(100)}},
		"less overlap":    {Store: memstore.New(), Sources: sources, Chunking: tune.Chunks{OverlapTokens: new(-1)}},
		"sync budget":     {Store: memstore.New(), Sources: sources, SyncBudget: new(-time.Second)},
		"links":           {Store: memstore.New(), Sources: sources, Ranking: tune.Rank{LinkWeight: new(-.5)}},
		"fusion":          {Store: memstore.New(), Sources: sources, Ranking: tune.Rank{Fusion: "magic"}},
		"nil source":      {Store: memstore.New(), Sources: []memoir.Source{src, nil}},
		"typed nil":       {Store: memstore.New(), Sources: []memoir.Source{(*mdfile.Source)(nil)}},
		"nil store":       {Store: (*memstore.Store)(nil), Sources: sources},
		"nil embedder":    {Store: memstore.New(), Sources: sources, Embedder: (*embedtest.Embedder)(nil)},
		"embed timeout":   {Store: memstore.New(), Sources: sources, EmbedTimeout: -time.Second},
		"no number":       {Store: memstore.New(), Sources: sources, Ranking: tune.Rank{TextWeight: math.NaN()}},
		"negative weight": {Store: memstore.New(), Sources: sources, Ranking: tune.Rank{TextWeight: -1, VectorWeight: 1}},
		"no state":        {Store: memstore.New(), Sources: sources, Writing: engine.Writing{Dir: t.TempDir()}},
	} {
		if _, err := engine.New(cfg); !errors.Is(err, memoir.ErrInvalid) {
			t.Errorf("%s: got %v, want ErrInvalid", name, err)
		}
	}
}

// nameless is an embedder whose provider has never answered: its space is not known.
type nameless struct{ memoir.Embedder }

func (nameless) Space() memoir.Space { return memoir.Space{} }

// A provider that hangs from the beginning has no name yet, and searches say something all the same.
func TestHungEmbedderWithoutName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotes(t, engine.Config{Embedder: nameless{embedtest.NewBlocking(&embedtest.Embedder{})}, EmbedTimeout: time.Second, SyncBudget: new(time.Duration(0))}, "a.md", "# A\n\nalpha\n")
		n.sync()
		for _, want := range []string{"embedded: the provider of vectors gave no answer within 1s", "embedded: the provider of vectors did not answer in time"} {
			if got := reasons(n.search(memoir.Query{Text: "alpha"})); !strings.Contains(got, want) {
				t.Errorf("got %q, want …%s…", got, want)
			}
		}
	})
}

// miscounting is an embedder that gives two vectors for one text.
type miscounting struct{ memoir.Embedder }

func (m miscounting) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	vectors, err := m.Embedder.Embed(ctx, task, texts)
	return append(vectors, vectors...), err
}

// TestMiscountedVectors: a provider that gives too many vectors is named, and not the question blamed.
func TestMiscountedVectors(t *testing.T) {
	source, err := mdfile.Open(t.TempDir(), mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	store := memstore.New()
	e, err := engine.New(engine.Config{Store: store, Sources: []memoir.Source{source}, Embedder: miscounting{&embedtest.Embedder{}}, Writing: engine.Writing{Dir: t.TempDir(), State: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	res, err := e.Search(t.Context(), memoir.Query{Text: "tea"})
	if err != nil || len(res.Degraded) == 0 || !strings.Contains(fmt.Sprint(res.Degraded), "gave 2 vectors for one text") {
		t.Errorf("%+v, %v", res.Degraded, err)
	}
}
