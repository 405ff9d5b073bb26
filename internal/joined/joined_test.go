package joined_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/joined"
	"github.com/memoir-ai/memoir/store/memstore"
)

var (
	space = memoir.Space{Provider: "p", Model: "m", Version: "1", Dimensions: 2}
	other = memoir.Space{Provider: "p", Model: "n", Version: "1", Dimensions: 2}
)

func in(s memoir.Space) func() memoir.Space { return func() memoir.Space { return s } }

// note is a document of a chunk for each text, with a vector that the number gives.
func note(id memoir.DocID, date string, texts ...string) memoir.IndexedDocument {
	d := memoir.IndexedDocument{
		DocumentMeta: memoir.DocumentMeta{ID: id, Kind: memoir.KindNote, Hash: memoir.HashText(string(id))}, Date: date, Names: []string{"same", string(id)},
	}
	for i, text := range texts {
		c := memoir.IndexedChunk{EmbedHashes: []memoir.Hash{memoir.HashText(text)}}
		c.ChunkMeta = memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: id, Ordinal: i}, Labels: memoir.Labels{"type:decision"}, Digest: uint64(len(text))}
		c.Text, c.StartLine, c.EndLine = text, i+1, i+1
		c.Terms[memoir.FieldBody] = strings.Fields(text)
		d.Chunks = append(d.Chunks, c)
	}
	return d
}

var (
	mine = []memoir.IndexedDocument{note("a.md", "2026-03-01", "alpha beta", "alpha alpha gamma delta"), note("c.md", "2026-03-03", "beta gamma")}
	ours = []memoir.IndexedDocument{note("b.md", "2026-03-02", "alpha"), note("d.md", "", "delta epsilon", "gamma beta alpha", "zeta")}
)

// filled returns an index of documents with vectors that differ.
func filled(t *testing.T, docs ...memoir.IndexedDocument) memoir.Store {
	t.Helper()
	s := memstore.New()
	if err := s.Write(t.Context(), memoir.Changes{Put: docs}); err != nil {
		t.Fatal(err)
	}
	vectors := map[memoir.Hash][]float32{}
	for _, d := range docs {
		for _, c := range d.Chunks {
			vectors[c.EmbedHashes[0]] = []float32{1, float32(len(c.Text)) / 10}
		}
	}
	if err := s.PutVectors(t.Context(), space, vectors, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.PutSpace(t.Context(), space, memoir.SpaceFacts{TakesOver: true}); err != nil {
		t.Fatal(err)
	}
	return s
}

func both(t *testing.T) *joined.Store {
	return joined.New(
		joined.Part{Scope: memoir.ScopeUser, Store: filled(t, mine...), Space: in(space)},
		joined.Part{Scope: memoir.ScopeProject, Store: filled(t, ours...), Space: in(space)},
	)
}

type viewer interface {
	View(context.Context, func(memoir.View) error) error
}

func look[T any](t *testing.T, s viewer, ask func(memoir.View) (T, error)) (got T) {
	t.Helper()
	err := s.View(t.Context(), func(v memoir.View) (err error) {
		got, err = ask(v)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// scopeOf is whose memory each document is of.
func scopeOf(id memoir.DocID) memoir.Scope {
	if id == "a.md" || id == "c.md" {
		return memoir.ScopeUser
	}
	return memoir.ScopeProject
}

var terms = []memoir.Term{{Text: "alpha", Weight: 1}, {Text: "gamma", Weight: 2}, {Text: "nowhere", Weight: 1}}

// TestAsOne: two indexes answer as one index of all notes would, in the same order and
// with the same scores, and say of each chunk whose memory it is of.
func TestAsOne(t *testing.T) {
	one, two := filled(t, append(slices.Clone(mine), ours...)...), both(t)
	all := memoir.Filter{}
	exact := cmpopts.EquateEmpty()
	for _, limit := range []int{0, 1, 2, 99} {
		words := func(v memoir.View) ([]memoir.Match, error) {
			return memoir.SearchText(t.Context(), v, terms, all, limit)
		}
		vectors := func(v memoir.View) ([]memoir.Match, error) {
			return v.SearchVector(t.Context(), space, []float32{0, 1}, all, limit)
		}
		for what, ask := range map[string]func(memoir.View) ([]memoir.Match, error){"words": words, "vectors": vectors} {
			want := look(t, one, ask)
			for i := range want {
				want[i].Scope = scopeOf(want[i].Doc)
			}
			if diff := gocmp.Diff(want, look(t, two, ask), exact, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("%s, limit %d (-one +two):\n%s", what, limit, diff)
			}
		}
		list := func(v memoir.View) ([]memoir.ChunkMeta, error) { return v.List(t.Context(), all, limit) }
		want := look(t, one, list)
		for i := range want {
			want[i].Scope = scopeOf(want[i].Doc)
		}
		if diff := gocmp.Diff(want, look(t, two, list), exact); diff != "" {
			t.Errorf("list, limit %d (-one +two):\n%s", limit, diff)
		}
	}
	counts := func(v memoir.View) (memoir.WordCounts, error) {
		found, err := v.Terms(t.Context(), terms, all, 99)
		return found.Counts, err
	}
	if diff := gocmp.Diff(look(t, one, counts), look(t, two, counts), exact); diff != "" {
		t.Errorf("counts (-one +two):\n%s", diff)
	}
	words := func(v memoir.View) (memoir.WordCounts, error) { return memoir.CountWords(t.Context(), v, terms, nil) }
	if diff := gocmp.Diff(look(t, one, words), look(t, two, words), exact); diff != "" {
		t.Errorf("counts of words (-one +two):\n%s", diff)
	}
	labels := func(v memoir.View) (map[memoir.Label]memoir.LabelCount, error) { return v.Labels(t.Context()) }
	if diff := gocmp.Diff(look(t, one, labels), look(t, two, labels)); diff != "" {
		t.Errorf("labels (-one +two):\n%s", diff)
	}
	sample := func(v memoir.View) ([]memoir.SampledVector, error) { return v.Sample(t.Context(), space, 99) }
	if want, got := look(t, one, sample), look(t, two, sample); len(got) != len(want) || !slices.IsSortedFunc(got, func(a, b memoir.SampledVector) int { return cmp.Compare(a.Hash, b.Hash) }) {
		t.Errorf("%d vectors are sampled, want %d by their hashes", len(got), len(want))
	}
}

// TestIDs: chunks are read, twins and names found where they are, by ids that say whose
// memory that is.
func TestIDs(t *testing.T) {
	two := both(t)
	texts := look(t, two, func(v memoir.View) (texts []string, err error) {
		chunks, err := v.Chunks(t.Context(), []memoir.ChunkID{
			{Doc: "d.md", Ordinal: 1, Scope: memoir.ScopeProject}, {Doc: "a.md", Scope: memoir.ScopeUser},
			{Doc: "a.md", Scope: memoir.ScopeProject}, {Doc: "b.md"}, // there are none
		})
		for _, c := range chunks {
			texts = append(texts, fmt.Sprint(c.Scope, " ", c.Doc, " ", c.Text))
		}
		return texts, err
	})
	if diff := gocmp.Diff([]string{"user a.md alpha beta", "project d.md gamma beta alpha"}, texts); diff != "" {
		t.Errorf("chunks (-want +got):\n%s", diff)
	}
	twins := look(t, two, func(v memoir.View) ([]memoir.ChunkMeta, error) {
		return v.Twins(t.Context(), []uint64{5, 10}, memoir.Filter{})
	})
	var ids []string
	for _, c := range twins {
		ids = append(ids, fmt.Sprint(c.Scope, " ", c.Doc, " ", c.Ordinal))
	}
	if diff := gocmp.Diff([]string{"user a.md 0", "project b.md 0", "user c.md 0"}, ids); diff != "" {
		t.Errorf("twins (-want +got):\n%s", diff)
	}
	names := look(t, two, func(v memoir.View) (map[string][]memoir.LinkedDocument, error) {
		return v.Resolve(t.Context(), []string{"same", "d.md"}, 9)
	})
	want := map[string][]memoir.LinkedDocument{
		"same": {{Scope: memoir.ScopeUser, ID: "a.md", Chunks: 2}, {Scope: memoir.ScopeProject, ID: "b.md", Chunks: 1}, {Scope: memoir.ScopeUser, ID: "c.md", Chunks: 1}, {Scope: memoir.ScopeProject, ID: "d.md", Chunks: 3}},
		"d.md": {{Scope: memoir.ScopeProject, ID: "d.md", Chunks: 3}},
	}
	if diff := gocmp.Diff(want, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// TestFilters: a filter that names a memory passes nothing of the other, also within
// what is left out, and what is left out of one index is not left out of the other.
func TestFilters(t *testing.T) {
	user, project := filled(t, mine...), filled(t, ours...)
	two := joined.New(
		joined.Part{Scope: memoir.ScopeUser, Store: user, Space: in(space), Without: []memoir.Filter{{Prefix: "c"}}},
		joined.Part{Scope: memoir.ScopeProject, Store: project, Space: in(space)},
	)
	for what, tt := range map[string]struct {
		filter memoir.Filter
		want   string
	}{
		"all":          {memoir.Filter{}, "a.md b.md d.md"},
		"user":         {memoir.Filter{Scope: memoir.ScopeUser}, "a.md"},
		"project":      {memoir.Filter{Scope: memoir.ScopeProject}, "b.md d.md"},
		"not user":     {memoir.Filter{Without: []memoir.Filter{{Scope: memoir.ScopeUser}}}, "b.md d.md"},
		"chunks":       {memoir.Filter{Chunks: []memoir.ChunkID{{Doc: "d.md", Scope: memoir.ScopeProject}}}, "d.md"},
		"not chunks":   {memoir.Filter{Without: []memoir.Filter{{Chunks: []memoir.ChunkID{{Doc: "b.md", Scope: memoir.ScopeProject}}}}}, "a.md d.md"},
		"of no memory": {memoir.Filter{Chunks: []memoir.ChunkID{{Doc: "d.md"}}}, ""},
	} {
		found := look(t, two, func(v memoir.View) ([]memoir.ChunkMeta, error) { return v.List(t.Context(), tt.filter, 99) })
		var docs []string
		for _, c := range found {
			docs = append(docs, string(c.Doc))
		}
		slices.Sort(docs)
		if got := strings.Join(slices.Compact(docs), " "); got != tt.want {
			t.Errorf("%s: got %q, want %q", what, got, tt.want)
		}
	}
}

// broken is an index that cannot be looked at.
type broken struct {
	memoir.Store
	err error
}

func (b broken) View(context.Context, func(memoir.View) error) error { return b.err }

func (b broken) Stats(context.Context, memoir.Space) (memoir.StoreStats, error) {
	return memoir.StoreStats{}, b.err
}

// TestOneIsBroken: the other one answers, and once it is said which is missing.
func TestOneIsBroken(t *testing.T) {
	damaged := errors.New("the disk is gone")
	two := joined.New(
		joined.Part{Scope: memoir.ScopeUser, Store: broken{filled(t), damaged}, Space: in(space)},
		joined.Part{Scope: memoir.ScopeProject, Store: filled(t, ours...), Space: in(space)},
	)
	found := look(t, two, func(v memoir.View) ([]memoir.ChunkMeta, error) { return v.List(t.Context(), memoir.Filter{}, 99) })
	if len(found) != 4 {
		t.Errorf("%d chunks are found, want the 4 of the project", len(found))
	}
	want := []memoir.Degradation{{Part: "index", Reason: "the user's memory: the disk is gone", Action: "memoir --scope user index"}}
	if diff := gocmp.Diff(want, two.Degradations()); diff != "" {
		t.Errorf("what is missing (-want +got):\n%s", diff)
	}
	if again := two.Degradations(); len(again) != 0 {
		t.Errorf("it is said again: %v", again)
	}
	stats, err := two.Stats(t.Context(), space)
	if err != nil || stats.Chunks != 4 || stats.Revision != 0 {
		t.Errorf("got %+v, %v; want 4 chunks and no revision, which not all have", stats, err)
	}

	none := joined.New(
		joined.Part{Scope: memoir.ScopeUser, Store: broken{filled(t), damaged}, Space: in(space)},
		joined.Part{Scope: memoir.ScopeProject, Store: broken{filled(t), errors.New("another")}, Space: in(space)},
	)
	if err := none.View(t.Context(), func(memoir.View) error { return nil }); !errors.Is(err, damaged) {
		t.Errorf("nothing can be looked at: got %v, want the first error", err)
	}
	// A search that was given up says nothing of the index.
	late := joined.New(
		joined.Part{Scope: memoir.ScopeUser, Store: broken{filled(t), context.Canceled}, Space: in(space)},
		joined.Part{Scope: memoir.ScopeProject, Store: filled(t, ours...), Space: in(space)},
	)
	_ = late.View(t.Context(), func(memoir.View) error { return nil })
	if d := late.Degradations(); len(d) != 0 {
		t.Errorf("a search that was given up says that an index is broken: %v", d)
	}
}

// counted is an index that says how much it holds.
type counted struct {
	memoir.Store
	stats memoir.StoreStats
}

func (c counted) Stats(context.Context, memoir.Space) (memoir.StoreStats, error) { return c.stats, nil }

// TestMeasured: a calibration is that of all vectors it was measured on, and the index
// has a revision where both have one.
func TestMeasured(t *testing.T) {
	stats := func(measured int, unrelated float64, revision uint64) memoir.StoreStats {
		return memoir.StoreStats{Documents: 1, Measured: measured, Calibration: memoir.Calibration{Unrelated: unrelated}, Revision: revision}
	}
	sum := func(a, b memoir.StoreStats) memoir.StoreStats {
		t.Helper()
		two := joined.New(
			joined.Part{Scope: memoir.ScopeUser, Store: counted{stats: a}, Space: in(space)},
			joined.Part{Scope: memoir.ScopeProject, Store: counted{stats: b}, Space: in(space)},
		)
		got, err := two.Stats(t.Context(), space)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := sum(stats(30, .5, 7), stats(10, .9, 8))
	if got.Measured != 40 || got.Calibration.Unrelated < .5999 || got.Calibration.Unrelated > .6001 {
		t.Errorf("got %+v, want .6 of 40", got)
	}
	if turned := sum(stats(30, .5, 8), stats(10, .9, 7)); got.Revision == 0 || turned.Revision == got.Revision {
		t.Errorf("revisions %d and %d, want two", got.Revision, turned.Revision)
	}
	if got := sum(stats(1, .5, 7), stats(1, .5, 0)); got.Revision != 0 {
		t.Errorf("got revision %d where one index has none", got.Revision)
	}
}

// TestStats: what the indexes hold is added up; texts and vectors only of those whose
// space is the first one's, and the others are named.
func TestStats(t *testing.T) {
	same, err := both(t).Stats(t.Context(), space)
	if err != nil || same.Documents != 4 || same.Chunks != 7 || same.Texts != 7 || same.Serving != space {
		t.Errorf("of one space: got %+v, %v", same, err)
	}
	apart := joined.New(
		joined.Part{Scope: memoir.ScopeUser, Store: filled(t, mine...), Space: in(space)},
		joined.Part{Scope: memoir.ScopeProject, Store: filled(t, ours...), Space: in(other)},
	)
	two, err := apart.Stats(t.Context(), space)
	if err != nil || two.Documents != 4 || two.Chunks != 7 || two.Texts != 3 {
		t.Errorf("of two spaces: got %+v, %v", two, err)
	}
	want := []memoir.Degradation{{
		Part: "vectors", Action: "memoir --scope project config",
		Reason: "the project's memory: its vectors are of the model n, those of the other memory of m; words alone answer for it",
	}}
	if diff := gocmp.Diff(want, apart.Apart(t.Context())); diff != "" {
		t.Errorf("apart (-want +got):\n%s", diff)
	}
	if d := both(t).Apart(t.Context()); len(d) != 0 {
		t.Errorf("of one space nothing is apart, got %v", d)
	}
}

func TestCommand(t *testing.T) {
	for hint, want := range map[string]string{
		"memoir index":                "memoir --scope user index",
		"memoir --scope project scan": "memoir --scope project scan",
		"look at the disk":            "look at the disk",
		"":                            "",
	} {
		if got := joined.Command(memoir.ScopeUser, hint); got != want {
			t.Errorf("%q: got %q, want %q", hint, got, want)
		}
	}
}
