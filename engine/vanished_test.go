package engine_test

import (
	"context"
	"errors"

	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/trace"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
	"github.com/memoir-ai/memoir/store/weaviate"
	"github.com/memoir-ai/memoir/store/weaviate/weaviatetest"
)

// A losing store is one whose views are no snapshots: of some of them the passages that
// were found cannot be read, as when their notes have just changed.
type losing struct {
	memoir.Store
	lose  func(view int, id memoir.ChunkID) bool
	fail  func(view int) error // why there is no view; nil: there always is one
	ages  bool                 // its views say whether they are outdated,
	old   func(view int) bool  // and which of them are
	views int
}

func (s *losing) View(ctx context.Context, f func(memoir.View) error) error {
	s.views++
	n := s.views
	if s.fail != nil {
		if err := s.fail(n); err != nil {
			return err
		}
	}
	return s.Store.View(ctx, func(v memoir.View) error {
		l := losingView{v, func(id memoir.ChunkID) bool { return s.lose(n, id) }}
		if s.ages {
			return f(agingView{l, s.old(n)})
		}
		return f(l)
	})
}

type losingView struct {
	memoir.View
	lost func(memoir.ChunkID) bool
}

func (v losingView) Chunks(ctx context.Context, ids []memoir.ChunkID) ([]memoir.Chunk, error) {
	return v.View.Chunks(ctx, slices.DeleteFunc(slices.Clone(ids), v.lost))
}

type agingView struct {
	losingView
	old bool
}

func (v agingView) Outdated(context.Context) bool { return v.old }

func everything(int, memoir.ChunkID) bool { return true }

func nothing(int, memoir.ChunkID) bool { return false }

// inFirst loses passages in the first views alone, as many as n.
func inFirst(n int, lose func(int, memoir.ChunkID) bool) func(int, memoir.ChunkID) bool {
	return func(view int, id memoir.ChunkID) bool { return view <= n && lose(view, id) }
}

func only(doc memoir.DocID) func(int, memoir.ChunkID) bool {
	return func(_ int, id memoir.ChunkID) bool { return id.Doc == doc }
}

// birds is a workspace whose index is in a store that loses what lose says.
func birds(t *testing.T, s *losing) (*notes, *embedtest.Counting) {
	t.Helper()
	counter := embedtest.NewCounting(&embedtest.Embedder{})
	lose, fail := s.lose, s.fail
	s.Store, s.lose, s.fail = memstore.New(), nothing, nil
	n := newNotes(t, engine.Config{Store: s, Embedder: counter},
		"reeds.md", "---\ntags: [water]\n---\n# Reeds\n\nThe heron stands in the reeds.\n",
		"pond.md", "# Pond\n\nA heron at the pond, see [the reeds](reeds.md).\n",
		"memory/2026-03-02.md", "# 2026-03-02\n\nSaw a grey heron by the lake.\n",
		"other.md", "# Other\n\nThe ferry leaves at nine.\n",
	)
	n.sync()
	n.embed()
	s.lose, s.fail, s.views = lose, fail, 0
	return n, counter
}

// changing are the queries whose search changes what it was asked before it finds
// anything: a search that begins again must not do so twice.
var changing = []memoir.Query{
	{Text: "heron"}, {Text: "heron", Mode: memoir.ModeText}, {Text: "heron", Mode: memoir.ModeVector}, {Text: `"grey heron"`}, {Text: "#water heron"}, {Text: "tag:water"},
	{Text: "heron -pond"}, {Text: "everything of 2026-03-02"}, {Text: "on:2026-03-02"}, {Text: "status:superseded heron"}, {Text: "reeds"}, {Text: "what happened on 2026-03-02"},
}

// A search whose passages have just changed looks again by itself, and answers as if they
// had been there all the time. It does not embed the query again.
func TestSearchAgain(t *testing.T) {
	for name, lose := range map[string]func(int, memoir.ChunkID) bool{
		"everything once": inFirst(1, everything), "everything twice": inFirst(2, everything), "one note once": inFirst(1, only("reeds.md")),
	} {
		t.Run(name, func(t *testing.T) {
			whole, _ := birds(t, &losing{lose: nothing})
			for _, q := range changing {
				q.Explain = true
				want := whole.search(q)
				s := &losing{lose: lose}
				n, counter := birds(t, s)
				before := counter.Calls()
				got := n.search(q)
				if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(memoir.Results{}, "Took")); diff != "" {
					t.Errorf("%q (-whole +lost):\n%s", q.Text, diff)
				}
				if calls := counter.Calls() - before; calls > 1 {
					t.Errorf("%q: the query was embedded %d times", q.Text, calls)
				}
			}
		})
	}
}

// When it finds them gone each time it says so, after three looks.
func TestSearchAgainInVain(t *testing.T) {
	s := &losing{lose: everything}
	n, _ := birds(t, s)
	_, err := n.engine.Search(t.Context(), memoir.Query{Text: "heron"})
	if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error(), "have just changed") || memoir.Hint(err) != "search again" || s.views != 3 {
		t.Errorf("after %d looks: %v, hint %q", s.views, err, memoir.Hint(err))
	}
	// What is left answers, and the answer says that something is missing.
	s.lose, s.views = only("reeds.md"), 0
	res := n.search(memoir.Query{Text: "heron", Mode: memoir.ModeText})
	if diff := cmp.Diff(citations(res), []string{"memory/2026-03-02.md#L1-L3", "pond.md#L1-L3"}); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
	if len(res.Degraded) != 1 || res.Degraded[0].Part != "documents" || res.Degraded[0].Action != "search again" {
		t.Errorf("degraded: %+v", res.Degraded)
	}
}

// A view that knows says whether the index has changed. When it has, the search looks again
// even if it could read all that it found, for it may not have found what was replaced. When
// it has not, what is missing is damage, and looking again would be in vain.
func TestSearchAgainAsTheViewSays(t *testing.T) {
	s := &losing{lose: nothing, ages: true, old: func(view int) bool { return view == 1 }}
	n, _ := birds(t, s)
	if res := n.search(memoir.Query{Text: "heron"}); len(res.Degraded) > 0 {
		t.Errorf("degraded: %+v", res.Degraded)
	}
	if s.views < 2 {
		t.Errorf("it looked %d times", s.views)
	}
	s.old = func(int) bool { return true }
	if got := parts(n.search(memoir.Query{Text: "heron"})); !slices.Equal(got, []string{"documents"}) {
		t.Errorf("degraded: %v", got)
	}
	s.lose, s.old, s.views = everything, func(int) bool { return false }, 0
	_, err := n.engine.Search(t.Context(), memoir.Query{Text: "heron", NoSync: true})
	if !errors.Is(err, memoir.ErrCorrupt) || s.views != 1 {
		t.Errorf("after %d looks: %v", s.views, err)
	}
	s.lose = only("reeds.md")
	if res := n.search(memoir.Query{Text: "heron"}); len(res.Hits) == 0 || len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0].Reason, "damaged") || res.Degraded[0].Action != "memoir rebuild" {
		t.Errorf("%v, degraded: %+v", citations(res), res.Degraded)
	}
}

// A caller who has no more time gets what there was, or the reason why there was nothing.
func TestSearchAgainInTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := &losing{lose: func(int, memoir.ChunkID) bool { cancel(); return true }}
	n, _ := birds(t, s)
	if _, err := n.engine.Search(ctx, memoir.Query{Text: "heron"}); err == nil || s.views != 1 {
		t.Errorf("after %d looks: %v", s.views, err)
	}
	// A store that is gone when the search begins again does not take away what it had found.
	s.lose, s.views = only("reeds.md"), 0
	s.fail = func(view int) error {
		if view == 2 {
			return memoir.ErrUnavailable
		}
		return nil
	}
	res := n.search(memoir.Query{Text: "heron", Mode: memoir.ModeText})
	if diff := cmp.Diff(citations(res), []string{"memory/2026-03-02.md#L1-L3", "pond.md#L1-L3"}); diff != "" || !slices.Equal(parts(res), []string{"documents"}) {
		t.Errorf("degraded %v; got, want:\n%s", res.Degraded, diff)
	}
	s.lose, s.views = everything, 0
	if _, err := n.engine.Search(t.Context(), memoir.Query{Text: "heron"}); !errors.Is(err, memoir.ErrUnavailable) || s.views != 2 {
		t.Errorf("after %d looks: %v", s.views, err)
	}
}

// A trace shows that a search began again, and how many passages were gone.
func TestSearchAgainTraced(t *testing.T) {
	n, _ := birds(t, &losing{lose: inFirst(1, only("reeds.md"))})
	ctx, traced := trace.With(t.Context())
	if _, err := n.engine.Search(ctx, memoir.Query{Text: "heron"}); err != nil {
		t.Fatal(err)
	}
	var again []int
	for _, s := range traced.Stages() {
		if s.Name == "again" {
			again = append(again, s.Count)
		}
	}
	if !slices.Equal(again, []int{1}) {
		t.Errorf("it began again after %v passages were gone, want once after one", again)
	}
}

// Of two memories that answer as one either may lose passages.
func TestSearchAgainJoined(t *testing.T) {
	for _, ages := range []bool{false, true} {
		whole := newNotes(t, engine.Config{}, "reeds.md", "The heron stands in the reeds.\n")
		whole.sync()
		old := func(view int) bool { return view == 1 }
		s := &losing{lose: inFirst(1, everything), ages: ages, old: old}
		n, _ := birds(t, s)
		j := join(t, whole.engine, n.engine)
		res, err := j.Search(t.Context(), memoir.Query{Text: "heron", Mode: memoir.ModeText})
		if err != nil || len(res.Hits) != 4 || len(res.Degraded) > 0 {
			t.Errorf("ages %v: %v, %v, degraded %+v", ages, citations(res), err, res.Degraded)
		}
		s.lose, s.old = everything, func(int) bool { return true }
		res, err = j.Search(t.Context(), memoir.Query{Text: "heron", Mode: memoir.ModeText})
		if err != nil || len(res.Hits) != 1 || !slices.Equal(parts(res), []string{"documents"}) {
			t.Errorf("ages %v, each time: %v, %v, degraded %+v", ages, citations(res), err, res.Degraded)
		}
	}
}

// Two memories that are snapshots are looked at once, and what cannot be read there is damage.
func TestSearchAgainJoinedSnapshots(t *testing.T) {
	user := newNotes(t, engine.Config{}, "reeds.md", "The heron stands in the reeds.\n")
	s := &snapshots{Store: memstore.New()}
	project := newNotes(t, engine.Config{Store: s}, "pond.md", "A heron at the pond.\n")
	user.sync()
	project.sync()
	s.lose = true
	res, err := join(t, user.engine, project.engine).Search(t.Context(), memoir.Query{Text: "heron", Mode: memoir.ModeText})
	if err != nil || len(res.Hits) != 1 || len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0].Reason, "damaged") {
		t.Errorf("%v, %v, degraded %+v", citations(res), err, res.Degraded)
	}
}

// snapshots is a store whose views are snapshots and lose everything nevertheless.
type snapshots struct {
	memoir.Store
	lose bool
}

func (s *snapshots) View(ctx context.Context, f func(memoir.View) error) error {
	return s.Store.View(ctx, func(v memoir.View) error {
		return f(snapshot{losingView{v, func(memoir.ChunkID) bool { return s.lose }}})
	})
}

type snapshot struct{ losingView }

func (snapshot) Snapshot() {}

// A process that has just looked at an index in Weaviate finds what another one writes into
// it right after, by its words alone, too.
func TestSearchAgainWeaviate(t *testing.T) {
	f := weaviatetest.New(t)
	opened := func() *weaviate.Store {
		s, err := weaviate.Open(t.Context(), weaviate.Options{URL: f.URL, Tenant: "one", Fresh: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	n := newNotes(t, engine.Config{Store: opened()}, "reeds.md", "The heron stands in the reeds.\n", "pond.md", "A heron at the pond.\n")
	n.sync()
	src, err := mdfile.Open(n.dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := engine.New(engine.Config{Store: opened(), Sources: []memoir.Source{src}})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for i, text := range []string{"", "The heron has left the reeds.\n", "\n\nThe heron is back.\n"} {
		if text != "" {
			n.write("reeds.md", text)
			n.sync()
		}
		for _, q := range []memoir.Query{{Text: "heron", NoSync: true}, {Text: "reeds", NoSync: true}} {
			want, err := n.engine.Search(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			got, err := reader.Search(t.Context(), q)
			if err != nil || !slices.Equal(citations(got), citations(want)) || len(got.Degraded) > 0 {
				t.Errorf("after %d writes %q finds %v, %v, degraded %v; want %v", i, q.Text, citations(got), err, got.Degraded, citations(want))
			}
		}
	}
}
