package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/tune"
)

func testDocuments(s *suite) {
	if got := s.documents(); len(got) != 0 {
		s.Fatalf("a new store has documents: %v", got)
	}
	s.wantStats(spaceA, memoir.StoreStats{})
	metas := []memoir.DocumentMeta{
		note("b.md"), note("a/é.md"), note("a.md"), note("日记/2026-03-02.md"), note("a/%_'\"?#.md"), note("عربى.md"),
		{ID: "s.jsonl", Kind: memoir.KindSession, Size: 1 << 40, Hash: "h"}, // no time
	}
	for _, m := range metas {
		s.putMeta(m, nil)
	}
	slices.SortFunc(metas, func(a, b memoir.DocumentMeta) int { return strings.Compare(string(a.ID), string(b.ID)) })
	if diff := cmp.Diff(s.documents(), metas); diff != "" {
		s.Errorf("Documents (-got +want):\n%s", diff)
	}
	s.wantStats(spaceA, memoir.StoreStats{Documents: len(metas)})
	for range s.store.Documents(s.Context()) {
		// The store can be written to and searched while its documents are listed.
		s.put("b.md", "", "word")
		s.want("in the loop", s.text(terms("word"), memoir.Filter{}, 9), "b.md 0")
		break
	}
}

func testReplace(s *suite) {
	s.put("a.md", "", "one two", "three four")
	s.want("three", s.text(terms("three"), memoir.Filter{}, 9), "a.md 1")

	// A heading inserted on top moves the chunks down and renames none of their vectors.
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("one two"): {1, 0, 0}, hash("three four"): {0, 1, 0}})
	next := chunks("a.md", "", "heading", "one two", "three four")
	meta := note("a.md")
	meta.Hash, meta.Size = "changed", 99
	s.putMeta(meta, next)
	if diff := cmp.Diff(s.documents(), []memoir.DocumentMeta{meta}); diff != "" {
		s.Errorf("Documents (-got +want):\n%s", diff)
	}
	got := s.text(terms("three"), memoir.Filter{}, 9)
	s.want("three", got, "a.md 2")
	if c := s.chunks(memoir.ChunkID{Doc: "a.md", Ordinal: 2}); len(c) != 1 || c[0].StartLine != 5 || c[0].EndLine != 6 {
		s.Errorf("the third chunk is %+v, want one of the lines 5-6", c)
	}
	s.want("by meaning", s.vector(spaceA, []float32{0, 1, 0}, memoir.Filter{}, 1), "a.md 2")
	s.wantStats(spaceA, memoir.StoreStats{Documents: 1, Chunks: 3, Pending: 1})

	s.put("a.md", "", "five")
	for _, gone := range []string{"one", "three", "heading"} {
		s.want(gone, s.text(terms(gone), memoir.Filter{}, 9))
	}
	s.want("five", s.text(terms("five"), memoir.Filter{}, 9), "a.md 0")
	s.want("by meaning", s.vector(spaceA, []float32{0, 1, 0}, memoir.Filter{}, 9))
	s.wantStats(spaceA, memoir.StoreStats{Documents: 1, Chunks: 1, Pending: 1})
}

func testTouch(s *suite) {
	s.put("a.md", "", "one")
	meta := note("a.md")
	meta.Size, meta.ModTime, meta.Kind, meta.Hash = 77, time.Date(2027, 1, 1, 0, 0, 0, 1, time.UTC), memoir.KindSession, "other"
	meta.Stamp, meta.Recipe = 12345, "2 180/40"
	s.put("b.md", "", "two")
	other := note("b.md")
	other.ModTime, other.Stamp = time.Time{}, 0
	for _, list := range [][]memoir.DocumentMeta{nil, {other, note("absent.md"), meta}} {
		if err := s.store.Write(s.Context(), memoir.Changes{Touch: list}); err != nil {
			s.Fatalf("touch %v: %v", list, err)
		}
	}
	if diff := cmp.Diff(s.documents(), []memoir.DocumentMeta{meta, other}); diff != "" {
		s.Errorf("Documents (-got +want):\n%s", diff)
	}
	got := s.text(terms("one"), memoir.Filter{Kinds: []memoir.Kind{memoir.KindSession}}, 9)
	s.want("of the new kind", got, "a.md 0")
	if len(got) == 1 && got[0].Kind != memoir.KindSession {
		s.Errorf("kind %q, want %q", got[0].Kind, memoir.KindSession)
	}
	s.wantStats(spaceA, memoir.StoreStats{Documents: 2, Chunks: 2, Pending: 2})
}

func testDelete(s *suite) {
	s.delete()
	s.delete("absent.md")
	s.put("a.md", "", "one", "same")
	s.put("b.md", "", "two", "same")
	s.delete("a.md")
	s.delete("a.md")
	s.want("one", s.text(terms("one"), memoir.Filter{}, 9))
	s.want("same", s.text(terms("same"), memoir.Filter{}, 9), "b.md 1")
	s.wantStats(spaceA, memoir.StoreStats{Documents: 1, Chunks: 2, Pending: 2})
	s.delete("b.md")
	s.want("same", s.text(terms("same"), memoir.Filter{}, 9))
	s.wantStats(spaceA, memoir.StoreStats{})

	// Many at once, out of order, known and unknown, one of them twice.
	for _, id := range []memoir.DocID{"e.md", "a.md", "d.md", "c.md", "b.md"} {
		s.put(id, "", "same", "only "+string(id))
	}
	s.delete("d.md", "absent.md", "a.md", "e.md", "d.md")
	s.want("same", s.text(terms("same"), memoir.Filter{}, 9), "b.md 0", "c.md 0")
	s.want("d.md", s.text(terms("d.md"), memoir.Filter{}, 9))
	s.wantNames("*/d")
	s.wantNames("*/c", "c.md 2")
	s.wantStats(spaceA, memoir.StoreStats{Documents: 2, Chunks: 4, Pending: 3})
	if got := s.documents(); len(got) != 2 || got[0].ID != "b.md" || got[1].ID != "c.md" {
		s.Errorf("Documents = %v, want b.md and c.md", got)
	}
}

// testRefused puts documents that are wrong in themselves. Nothing of them may
// be stored.
func testRefused(s *suite) {
	s.put("a.md", "", "old")
	other, gap := chunks("b.md", "", "new"), chunks("a.md", "", "new", "newer")
	gap[1].Ordinal = 5
	for _, bad := range [][]memoir.IndexedChunk{other, gap} {
		docs := []memoir.IndexedDocument{document(note("b.md"), chunks("b.md", "", "new")), document(note("a.md"), bad, "new")}
		if err := s.store.Write(s.Context(), memoir.Changes{Put: docs}); !errors.Is(err, memoir.ErrInvalid) {
			s.Errorf("Write with chunks that belong elsewhere = %v, want ErrInvalid", err)
		}
	}
	s.want("old", s.text(terms("old"), memoir.Filter{}, 9), "a.md 0")
	s.want("new", s.text(terms("new"), memoir.Filter{}, 9))
	s.wantNames("new")
}

// testBatch puts several documents at once, new ones and known ones.
func testBatch(s *suite) {
	s.put("b.md", "", "old")
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("one"): {1, 0, 0}})
	s.putDocument()
	s.putDocument(document(note("c.md"), chunks("c.md", "", "one", "new")), document(note("b.md"), chunks("b.md", "", "new"), "=b"), document(note("a.md"), nil))
	s.want("old", s.text(terms("old"), memoir.Filter{}, 9))
	s.want("new", s.text(terms("new"), memoir.Filter{}, 9), "b.md 0", "c.md 1")
	s.want("by meaning", s.vector(spaceA, []float32{1, 0, 0}, memoir.Filter{}, 9), "c.md 0")
	s.wantNames("=b", "b.md 1")
	s.wantStats(spaceA, memoir.StoreStats{Documents: 3, Chunks: 3, Pending: 1})
}

// testView: a view sees the same until it ends, whatever others write
// meanwhile. If it is not a snapshot, chunks may vanish from it.
func testView(s *suite) {
	s.put("a.md", "", "word one")
	written := make(chan error, 1)
	s.view("View", func(v memoir.View) error {
		for i := range 3 {
			ms, err := memoir.SearchText(s.Context(), v, terms("word"), memoir.Filter{}, 9)
			if err != nil {
				return err
			}
			texts, err := v.Chunks(s.Context(), []memoir.ChunkID{{Doc: "a.md"}})
			if err != nil {
				return err
			}
			if _, ok := memoir.As[ability.Snapshotter](v); ok || i == 0 || len(ms) > 0 {
				s.want(fmt.Sprint("look ", i), ms, "a.md 0")
			}
			if _, ok := memoir.As[ability.Snapshotter](v); ok && len(texts) != 1 || len(texts) > 1 || len(texts) == 1 && texts[0].Text != "word one" {
				s.Errorf("look %d: chunks %+v; want the one there was", i, texts)
			}
			if i == 0 {
				docs := []memoir.IndexedDocument{document(note("a.md"), chunks("a.md", "", "word two", "word three"))}
				go func() { written <- s.store.Write(s.Context(), memoir.Changes{Put: docs}) }()
			}
		}
		return nil
	})
	if err := <-written; err != nil {
		s.Fatal(err)
	}
	s.want("after it", s.text(terms("word"), memoir.Filter{}, 9), "a.md 0", "a.md 1")
	failed := errors.New("failed")
	if err := s.store.View(s.Context(), func(memoir.View) error { return failed }); !errors.Is(err, failed) {
		s.Errorf("View = %v, want the error of what was done in it", err)
	}
}

// testRoundTrip: a chunk comes back whole, and a match with what is known of it.
func testRoundTrip(s *suite) {
	want := memoir.Chunk{
		ChunkMeta: memoir.ChunkMeta{
			ChunkID: memoir.ChunkID{Doc: "日记/a b.md", Ordinal: 0}, Kind: memoir.KindSession, Date: "2026-03-02",
			Salience: memoir.Salience{Importance: 7.5, Reinforced: 3, Accessed: 1 << 30}, Labels: memoir.Labels{"assistant", "code", "数据:\"x\" <y>"}, Digest: 1<<64 - 2,
		},
		StartLine: 7, EndLine: 1 << 20, Title: "Tïtle \"quoted\" \x00", Heading: []string{"Entscheidungen", "数据库 > x", "", "👩‍💻"},
		Text: "line\r\nnext\x00line\n\tde\u0301ja\u0300 vu \u200f\u05e9\u05dc\u05d5\u05dd",
	}
	meta := note(want.Doc)
	meta.Kind = memoir.KindSession
	ic := index(want)
	ic.Terms[memoir.FieldBody] = []string{"line"}
	s.putMeta(meta, []memoir.IndexedChunk{ic})
	s.putVectors(spaceA, map[memoir.Hash][]float32{ic.EmbedHashes[0]: {1, 2, 3}})

	for name, got := range map[string][]memoir.Match{
		"text":   s.text(terms("line"), memoir.Filter{}, 9),
		"vector": s.vector(spaceA, []float32{1, 2, 3}, memoir.Filter{}, 9),
	} {
		if len(got) != 1 {
			s.Fatalf("%s: %d matches, want 1", name, len(got))
		}
		if diff := cmp.Diff(got[0].ChunkMeta, want.ChunkMeta); diff != "" {
			s.Errorf("%s (-got +want):\n%s", name, diff)
		}
	}
	s.put("plain.md", "", "no code")
	s.view("Twins", func(v memoir.View) error {
		for filter, most := range map[string]int{"": 1, "日记/": 1, "plain": 0} {
			twins, err := v.Twins(s.Context(), []uint64{want.Digest, want.Digest + 1}, memoir.Filter{Prefix: filter})
			if diff := cmp.Diff(twins, []memoir.ChunkMeta{want.ChunkMeta}[:most], cmpopts.EquateEmpty()); diff != "" || err != nil {
				s.Errorf("Twins below %q: %v (-got +want):\n%s", filter, err, diff)
			}
		}
		return nil
	})
	for range 2 {
		got := s.chunks(want.ChunkID)
		if diff := cmp.Diff(got, []memoir.Chunk{want}); diff != "" {
			s.Fatalf("chunk (-got +want):\n%s", diff)
		}
		got[0].Heading[0] = "mine now"
	}
}

// testChunks: chunks are had by their ids, in the order of the index; what is
// not there is left out.
func testChunks(s *suite) {
	s.put("b.md", "B", "four", "five")
	s.put("a.md", "A", "one", "two", "three")
	read := func(what string, ids []memoir.ChunkID, want ...string) {
		s.Helper()
		var got []string
		for _, c := range s.chunks(ids...) {
			got = append(got, c.Title+" "+c.Text)
		}
		if diff := cmp.Diff(got, want); diff != "" {
			s.Errorf("%s (-got +want):\n%s", what, diff)
		}
	}
	all := []memoir.ChunkID{{Doc: "b.md", Ordinal: 1}, {Doc: "a.md", Ordinal: 2}, {Doc: "a.md", Ordinal: 0}, {Doc: "a.md", Ordinal: 2}}
	read("in any order, one twice", all, "A one", "A three", "B five")
	read("beyond the ends", []memoir.ChunkID{{Doc: "a.md", Ordinal: -1}, {Doc: "a.md", Ordinal: 3}, {Doc: "a.md", Ordinal: 1 << 40}, {Doc: "c.md"}})
	read("none", nil)
	s.delete("a.md")
	read("after a document was removed", all, "B five")
}

// testNames: documents are found by the names that they bear now.
func testNames(s *suite) {
	put := func(id memoir.DocID, texts []string, names ...string) {
		s.putDocument(memoir.IndexedDocument{DocumentMeta: note(id), Names: names, Chunks: chunks(id, "", texts...)})
	}
	s.wantNames("=mia")
	put("b/mia.md", []string{"one", "two"}, "=mia", "=mia", "*/mia", "=计划 \"x\" %_'", "", "=👩‍💻\u0000z")
	put("a/mia.md", nil, "=mia", "*/mia")
	put("c.md", []string{"one"}, "=c")
	s.wantNames("=mia", "a/mia.md 0", "b/mia.md 2")
	s.wantNames("=计划 \"x\" %_'", "b/mia.md 2")
	s.wantNames("", "b/mia.md 2")
	s.wantNames("=MIA")
	s.wantNames("=mi")
	if got := s.resolve([]string{"=c", "=mia", "=mia", "=nobody"}, 1); len(got) != 2 || len(got["=c"]) != 1 || len(got["=mia"]) != 1 {
		s.Errorf("with a limit of 1: got %v, want one document for =c and for =mia", got)
	}
	if got := s.resolve([]string{"=mia"}, 0); len(got) != 0 {
		s.Errorf("with a limit of 0: got %v, want nothing", got)
	}
	if err := s.store.Write(s.Context(), memoir.Changes{Touch: []memoir.DocumentMeta{note("a/mia.md")}}); err != nil {
		s.Fatal(err)
	}
	s.wantNames("*/mia", "a/mia.md 0", "b/mia.md 2")
	put("b/mia.md", []string{"one"}, "=mia brown")
	s.wantNames("=mia", "a/mia.md 0")
	s.wantNames("=mia brown", "b/mia.md 1")
	s.delete("a/mia.md")
	s.wantNames("*/mia")
	if err := s.store.Clear(s.Context()); err != nil {
		s.Fatal(err)
	}
	s.wantNames("=c")
}

// wantNames compares the documents that bear a name, "id chunks" each.
func (s *suite) wantNames(name string, want ...string) {
	s.Helper()
	var got []string
	for _, d := range s.resolve([]string{name}, 9)[name] {
		got = append(got, fmt.Sprintf("%s %d", d.ID, d.Chunks))
	}
	if diff := cmp.Diff(got, want); diff != "" {
		s.Errorf("Resolve(%q) (-got +want):\n%s", name, diff)
	}
}

func testClear(s *suite) {
	s.put("a.md", "", "one", "two")
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("one"): {1, 0, 0}})
	if err := s.store.Clear(s.Context()); err != nil {
		s.Fatalf("Clear: %v", err)
	}
	s.wantStats(spaceA, memoir.StoreStats{})
	s.want("cleared", s.text(terms("one"), memoir.Filter{}, 9))
	s.want("cleared", s.vector(spaceA, []float32{1, 0, 0}, memoir.Filter{}, 9))
	s.put("a.md", "", "zero", "one")
	s.wantStats(spaceA, memoir.StoreStats{Documents: 1, Chunks: 2, Pending: 1})
	s.want("back again", s.vector(spaceA, []float32{1, 0, 0}, memoir.Filter{}, 9), "a.md 1")
}

// testRevision: the revision changes with every change of the index, of
// whatever kind, and reading does not change it.
func testRevision(s *suite) {
	seen := map[uint64]string{}
	last := s.stats(spaceA).Revision
	if last == 0 {
		s.Logf("%T does not know its revision", s.store)
		return
	}
	change := func(what string, do func()) {
		s.Helper()
		seen[last] = what
		do()
		if last = s.stats(spaceB).Revision; last == 0 || seen[last] != "" {
			s.Errorf("after %s the revision is %d, as before %q", what, last, seen[last])
		}
	}
	change("a document", func() { s.put("a.md", "", "one") })
	change("the same again", func() { s.put("a.md", "", "one") })
	change("its vector", func() { s.putVectors(spaceA, map[memoir.Hash][]float32{hash("one"): {1, 0, 0}}) })
	change("a touch", func() {
		if err := s.store.Write(s.Context(), memoir.Changes{Touch: []memoir.DocumentMeta{note("a.md")}}); err != nil {
			s.Fatal(err)
		}
	})
	change("a removal", func() { s.delete("a.md") })
	change("all forgotten", func() {
		if err := s.store.Clear(s.Context()); err != nil {
			s.Fatal(err)
		}
	})
	s.text(terms("one"), memoir.Filter{}, 9)
	s.documents()
	if got := s.stats(spaceA).Revision; got != last {
		s.Errorf("looking changed the revision from %d to %d", last, got)
	}
}

func testClosed(s *suite) {
	s.put("a.md", "", "one")
	for range 2 {
		if err := s.store.Close(); err != nil {
			s.Fatalf("Close: %v", err)
		}
	}
	for name, err := range callAll(s.Context(), s.store) {
		if err == nil {
			s.Errorf("%s of a closed store succeeds", name)
		}
	}
}

func testCancelled(s *suite) {
	s.put("a.md", "", "one")
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	for name, err := range callAll(ctx, s.store) {
		if !errors.Is(err, context.Canceled) {
			s.Errorf("%s with a cancelled context = %v, want %v", name, err, context.Canceled)
		}
	}
	s.want("unchanged", s.text(terms("one"), memoir.Filter{}, 9), "a.md 0")
	s.wantStats(spaceA, memoir.StoreStats{Documents: 1, Chunks: 1, Pending: 1})
}

// callAll calls every method once and returns the errors by name.
func callAll(ctx context.Context, s memoir.Store) map[string]error {
	errs := map[string]error{
		"View":           s.View(ctx, func(memoir.View) error { return nil }),
		"Write, put":     s.Write(ctx, memoir.Changes{Put: []memoir.IndexedDocument{document(note("a.md"), chunks("a.md", "", "two"))}}),
		"Write, touch":   s.Write(ctx, memoir.Changes{Touch: []memoir.DocumentMeta{{ID: "a.md"}}}),
		"Write, delete":  s.Write(ctx, memoir.Changes{Delete: []memoir.DocID{"a.md"}}),
		"PutVectors":     s.PutVectors(ctx, spaceA, map[memoir.Hash][]float32{hash("one"): {1, 0, 0}}, nil),
		"PutVectors, no": s.PutVectors(ctx, spaceA, nil, []memoir.FailedText{{Hash: hash("one"), Attempts: 1}}),
		"PutSpace":       s.PutSpace(ctx, spaceA, memoir.SpaceFacts{TakesOver: true}),
		"Settle":         s.Settle(ctx, spaceA, tune.Cache{}),
		"Clear":          s.Clear(ctx),
	}
	_, errs["Stats"] = s.Stats(ctx, spaceA)
	_, errs["PendingTexts"] = s.PendingTexts(ctx, spaceA, time.Now(), "", 9)
	for _, err := range s.Documents(ctx) {
		errs["Documents"] = err
	}
	return errs
}

// Reopen checks that a durable store keeps what it was given. Open opens the
// store at a place; each case has a place of its own.
func Reopen(t *testing.T, open func(t *testing.T, dir string) memoir.Store) {
	dir := t.TempDir()
	s := &suite{t, open(t, dir)}
	s.put("a.md", "Title", "one two", "three")
	s.put("b.md", "", "two")
	s.put("gone.md", "", "two")
	s.delete("gone.md")
	h := chunks("a.md", "Title", "one two")[0].EmbedHashes[0]
	s.putVectors(spaceA, map[memoir.Hash][]float32{h: {1, 0, 0}, hash("later"): {0, 1, 0}})
	documents := s.documents()
	s.wantNames("*/a", "a.md 2")
	words := s.text(terms("two"), memoir.Filter{}, 9)
	near := s.vector(spaceA, []float32{1, 1, 0}, memoir.Filter{}, 9)
	if err := s.store.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}

	s = start(t, open(t, dir))
	s.wantNames("*/a", "a.md 2")
	s.wantNames("*/gone")
	for _, d := range []struct{ name, diff string }{
		{"documents", cmp.Diff(s.documents(), documents)},
		{"words", cmp.Diff(s.text(terms("two"), memoir.Filter{}, 9), words)},
		{"vectors", cmp.Diff(s.vector(spaceA, []float32{1, 1, 0}, memoir.Filter{}, 9), near)},
	} {
		if d.diff != "" {
			t.Errorf("%s after reopening (-got +want):\n%s", d.name, d.diff)
		}
	}
	s.put("c.md", "", "later")
	s.wantStats(spaceA, memoir.StoreStats{Documents: 3, Chunks: 4, Pending: 2})
	s.want("kept for later", s.vector(spaceA, []float32{0, 1, 0}, memoir.Filter{}, 1), "c.md 0")
}
