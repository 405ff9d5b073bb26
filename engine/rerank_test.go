package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
	"github.com/memoir-ai/memoir/tune"
)

// A reranker as a function.
type reranker func(ctx context.Context, query string, passages []string) ([]float64, error)

func (r reranker) Rerank(ctx context.Context, query string, passages []string) ([]float64, error) {
	return r(ctx, query, passages)
}

// byNumber gives each passage the number that stands after its last blank.
func byNumber(_ context.Context, _ string, passages []string) ([]float64, error) {
	scores := make([]float64, len(passages))
	for i, p := range passages {
		p = strings.TrimSpace(p)
		if _, err := fmt.Sscan(p[strings.LastIndexByte(p, ' ')+1:], &scores[i]); err != nil {
			return nil, err
		}
	}
	return scores, nil
}

// harbours are notes of which the first says most of harbours and is worth least.
func harbours(n int) (files []string) {
	for i := range n {
		files = append(files, fmt.Sprintf("n%02d.md", i), fmt.Sprintf("Boats. %s %d\n", strings.Repeat("harbour ", 1+n-i), i))
	}
	return files
}

func paths(res memoir.Results) []string {
	out := []string{}
	for _, h := range res.Hits {
		out = append(out, strings.TrimSuffix(string(h.Doc), ".md"))
	}
	return out
}

// The first passages are ordered anew, and the others stay below them. Scores
// still fall, because each place keeps its score.
func TestRerank(t *testing.T) {
	plain := newNotes(t, engine.Config{}, harbours(8)...)
	plain.sync()
	before := plain.search(memoir.Query{Text: "harbour", Limit: 8})
	if diff := cmp.Diff([]string{"n00", "n01", "n02", "n03", "n04", "n05", "n06", "n07"}, paths(before)); diff != "" {
		t.Fatalf("without: want -, got +:\n%s", diff)
	}
	var asked []string
	n := newNotes(t, engine.Config{Rerank: tune.Rerank{Top: 4}, Reranker: reranker(func(ctx context.Context, query string, passages []string) ([]float64, error) {
		asked = append([]string{query}, passages...)
		return byNumber(ctx, query, passages)
	})}, harbours(8)...)
	n.sync()
	res := n.search(memoir.Query{Text: "harbour", Limit: 8, Explain: true})
	if diff := cmp.Diff([]string{"n03", "n02", "n01", "n00", "n04", "n05", "n06", "n07"}, paths(res)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if len(asked) != 5 || asked[0] != "harbour" || !strings.HasSuffix(strings.TrimSpace(asked[1]), "harbour  0") {
		t.Errorf("got asked %q", asked)
	}
	for i, h := range res.Hits {
		if h.Score != before.Hits[i].Score {
			t.Errorf("place %d: score %v, want %v", i, h.Score, before.Hits[i].Score)
		}
	}
	want := explain.Rerank{Rank: 4, Score: before.Hits[3].Score, Raw: 3}
	if diff := cmp.Diff(want, res.Hits[0].Explain.Rerank); diff != "" {
		t.Errorf("explained: want -, got +:\n%s", diff)
	}
	if got := res.Hits[4].Explain.Rerank; got != (explain.Rerank{}) {
		t.Errorf("below the reranked: got %+v", got)
	}
	if len(res.Degraded) != 0 {
		t.Errorf("got %v", res.Degraded)
	}
}

// A larger limit only appends, a higher minimum score only leaves out what was
// below it before.
func TestRerankPrefix(t *testing.T) {
	n := newNotes(t, engine.Config{Rerank: tune.Rerank{Top: 20}, Reranker: reranker(byNumber)}, harbours(60)...)
	n.sync()
	all := paths(n.search(memoir.Query{Text: "harbour boats", Limit: 60}))
	for _, limit := range []int{1, 2, 6, 19, 20, 21, 59} {
		if diff := cmp.Diff(all[:limit], paths(n.search(memoir.Query{Text: "harbour boats", Limit: limit}))); diff != "" {
			t.Errorf("limit %d: want -, got +:\n%s", limit, diff)
		}
	}
	plain := newNotes(t, engine.Config{}, harbours(60)...)
	plain.sync()
	least := plain.search(memoir.Query{Text: "harbour boats", Limit: 10}).Hits[9].Score
	want := paths(plain.search(memoir.Query{Text: "harbour boats", Limit: 60, MinScore: least}))
	got := paths(n.search(memoir.Query{Text: "harbour boats", Limit: 60, MinScore: least}))
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("minimum score %v: want -, got +:\n%s", least, diff)
	}
}

// What holds an identifier of the query stays above what a model prefers.
func TestRerankIdentifiers(t *testing.T) {
	n := newNotes(t, engine.Config{Reranker: reranker(byNumber)},
		"a.md", "The password of the database stands in DB_PASSWORD, says the password table 1\n",
		"b.md", "The password of the database is long 8\n",
		"c.md", "# About DB_PASSWORD\n\nThe database 2\n",
		"d.md", "The database 9\n")
	n.sync()
	got := paths(n.search(memoir.Query{Text: "which database password is DB_PASSWORD?"}))
	if diff := cmp.Diff([]string{"d", "b"}, got[2:]); diff != "" {
		t.Errorf("without it: want -, got +:\n%s", diff)
	}
	slices.Sort(got[:2])
	if diff := cmp.Diff([]string{"a", "c"}, got[:2]); diff != "" {
		t.Errorf("with it: want -, got +:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"d", "b", "c", "a"}, paths(n.search(memoir.Query{Text: "which database password?"}))); diff != "" {
		t.Errorf("no identifier: want -, got +:\n%s", diff)
	}
}

// So do a phrase in quotes and a note that the query names; filters are none of
// the reranker's business.
func TestRerankExact(t *testing.T) {
	var asked string
	n := newNotes(t, engine.Config{Reranker: reranker(func(ctx context.Context, query string, passages []string) ([]float64, error) {
		asked = query
		return byNumber(ctx, query, passages)
	})}, "n/a.md", "# Sailing\n\nThe blue harbour of sailing 1\n", "n/b.md", "The harbour is blue, for sailing 8\n", "n/c.md", "A harbour for sailing 9\n")
	n.sync()
	for text, want := range map[string]string{
		`"blue harbour" sailing path:n`: "n/a n/c n/b",
		"sailing":                       "n/a n/c n/b",
		"harbour sailing":               "n/c n/b n/a",
	} {
		if got := strings.Join(paths(n.search(memoir.Query{Text: text})), " "); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
		if strings.Contains(asked, "path:") {
			t.Errorf("%s: asked %q", text, asked)
		}
	}
}

// A question that is asked again, for more hits, costs nothing; another one does.
func TestRerankOnce(t *testing.T) {
	calls := 0
	n := newNotes(t, engine.Config{Reranker: reranker(func(ctx context.Context, query string, passages []string) ([]float64, error) {
		calls++
		return byNumber(ctx, query, passages)
	})}, harbours(5)...)
	n.sync()
	for i, q := range []memoir.Query{{Text: "harbour"}, {Text: "harbour", Limit: 50}, {Text: "harbour", Explain: true}} {
		if got := paths(n.search(q)); got[0] != "n04" || calls != 1 {
			t.Errorf("search %d: got %v after %d calls", i, got, calls)
		}
	}
	n.search(memoir.Query{Text: "a harbour for boats"})
	if calls != 2 {
		t.Errorf("another question: got %d calls", calls)
	}
	n.write("n01.md", "harbour harbour harbour 100\n")
	n.sync()
	if got := paths(n.search(memoir.Query{Text: "harbour"})); got[0] != "n01" || calls != 3 {
		t.Errorf("another passage: got %v after %d calls", got, calls)
	}
}

// Without an answer that can be used the order stays, and that is said.
func TestRerankFails(t *testing.T) {
	for _, tt := range []struct {
		name   string
		scores []float64
		err    error
		reason string
		action string
	}{
		{"error", nil, memoir.WithHint(errors.New("no money"), "earn some"), "no money", "earn some"},
		{"error without a hint", nil, errors.New("no money"), "no money", "memoir doctor"},
		{"too few", []float64{1, 2}, nil, "2 scores for 3 passages", "memoir doctor"},
		{"too many", []float64{1, 2, 3, 4}, nil, "4 scores for 3 passages", "memoir doctor"},
		{"none", nil, nil, "0 scores for 3 passages", "memoir doctor"},
		{"NaN", []float64{1, math.NaN(), 2}, nil, "not finite", "memoir doctor"},
		{"infinite", []float64{1, math.Inf(-1), 2}, nil, "not finite", "memoir doctor"},
	} {
		n := newNotes(t, engine.Config{Reranker: reranker(func(context.Context, string, []string) ([]float64, error) { return tt.scores, tt.err })}, harbours(3)...)
		n.sync()
		res := n.search(memoir.Query{Text: "harbour", Explain: true})
		if diff := cmp.Diff([]string{"n00", "n01", "n02"}, paths(res)); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", tt.name, diff)
		}
		if len(res.Degraded) != 1 || res.Degraded[0].Part != "rerank" || !strings.Contains(res.Degraded[0].Reason, tt.reason) || res.Degraded[0].Action != tt.action {
			t.Errorf("%s: got %+v", tt.name, res.Degraded)
		}
		if got := res.Hits[0].Explain.Rerank; got != (explain.Rerank{}) {
			t.Errorf("%s: explained as %+v", tt.name, got)
		}
	}
}

// latinReranker is one that reads no other script.
type latinReranker struct{ reranker }

func (latinReranker) Scripts() []string { return []string{"Latin"} }

// A question that the model cannot read is not reranked by it.
func TestRerankScripts(t *testing.T) {
	n := newNotes(t, engine.Config{Reranker: latinReranker{byNumber}}, "a.md", "港口 港口 harbour harbour 1\n", "b.md", "港口 harbour 2\n")
	n.sync()
	for text, want := range map[string]string{"harbour": "[b a] []", "港口码头 harbour": "[a b] [rerank]", "港口 the harbour": "[b a] []"} {
		res := n.search(memoir.Query{Text: text})
		if got := fmt.Sprint(paths(res), parts(res)); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// One passage has no order: nobody is asked, as for none.
func TestRerankNothing(t *testing.T) {
	n := newNotes(t, engine.Config{Reranker: reranker(func(context.Context, string, []string) ([]float64, error) {
		t.Error("asked")
		return nil, nil
	})}, harbours(1)...)
	n.sync()
	for _, text := range []string{"harbour", "mountain"} {
		if res := n.search(memoir.Query{Text: text}); len(res.Degraded) != 0 {
			t.Errorf("%s: got %v", text, res.Degraded)
		}
	}
}

// A reranker that hangs delays one search by the deadline, the next ones not at
// all until a pause is over, and answers again when it can.
func TestRerankDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := true
		n := newNotes(t, engine.Config{Rerank: tune.Rerank{Timeout: time.Second}, Reranker: reranker(func(ctx context.Context, query string, passages []string) ([]float64, error) {
			if hangs {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return byNumber(ctx, query, passages)
		})}, harbours(3)...)
		n.sync()
		search := func(first, reason string, wait time.Duration) {
			t.Helper()
			start := time.Now()
			res := n.search(memoir.Query{Text: "harbour"})
			if paths(res)[0] != first || time.Since(start) != wait {
				t.Errorf("got %v after %v; want %s first after %v", paths(res), time.Since(start), first, wait)
			}
			if said := fmt.Sprint(res.Degraded); reason == "" && len(res.Degraded) > 0 || !strings.Contains(said, reason) {
				t.Errorf("got %s, want …%s…", said, reason)
			}
		}
		search("n00", "no answer within 1s", time.Second)
		search("n00", "did not answer in time", 0)
		time.Sleep(3 * time.Second)
		search("n00", "no answer within 1s", time.Second)
		time.Sleep(3 * time.Second)
		search("n00", "did not answer in time", 0) // the pause grows
		time.Sleep(2 * time.Second)
		hangs = false
		search("n02", "", 0)
		search("n02", "", 0)
	})
}

// Who asked and left is no fault of the reranker.
func TestRerankCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := newNotes(t, engine.Config{Reranker: reranker(func(within context.Context, query string, passages []string) ([]float64, error) {
		if ctx.Err() == nil {
			cancel()
			return nil, within.Err()
		}
		return byNumber(within, query, passages)
	})}, harbours(3)...)
	n.sync()
	if _, err := n.engine.Search(ctx, memoir.Query{Text: "harbour"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := paths(n.search(memoir.Query{Text: "harbour"})); got[0] != "n02" {
		t.Errorf("got %v", got)
	}
}

func TestRerankOptions(t *testing.T) {
	for _, o := range []tune.Rerank{{Top: -1}, {Top: tune.MaxRerankTop + 1}, {Timeout: -1}} {
		src, err := mdfile.Open(t.TempDir(), mdfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := engine.New(engine.Config{Store: memstore.New(), Sources: []memoir.Source{src}, Rerank: o}); !errors.Is(err, memoir.ErrInvalid) {
			t.Errorf("%+v: got %v", o, err)
		}
	}
}
