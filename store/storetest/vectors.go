package storetest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
)

func testPending(s *suite) {
	s.put("a.md", "", "same", "one")
	s.put("b.md", "", "same")
	titled := chunks("c.md", "Title", "body")
	titled[0].Heading = []string{"H1", "H2"}
	titled[0] = index(titled[0].Chunk)
	unembedded := index(memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: "c.md", Ordinal: 1}}, Text: "no vector wanted"})
	unembedded.EmbedHashes = nil
	s.putMeta(note("c.md"), append(titled, unembedded))

	want := []memoir.PendingText{}
	for _, text := range []string{"same", "one", "Title\nH1 > H2\nbody"} {
		want = append(want, memoir.PendingText{Hash: hash(text), Text: text})
	}
	slices.SortFunc(want, func(a, b memoir.PendingText) int { return strings.Compare(string(a.Hash), string(b.Hash)) })
	if diff := cmp.Diff(s.pending(spaceA, 2), want); diff != "" {
		s.Errorf("pending texts (-got +want):\n%s", diff)
	}
	s.wantStats(spaceA, memoir.StoreStats{Documents: 3, Chunks: 5, Pending: 3})

	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("same"): {1, 0, 0}})
	s.want("equal texts share a vector", s.vector(spaceA, []float32{1, 0, 0}, memoir.Filter{}, 9), "a.md 0", "b.md 0")
	s.wantStats(spaceA, memoir.StoreStats{Documents: 3, Chunks: 5, Pending: 2})
	s.wantStats(spaceB, memoir.StoreStats{Documents: 3, Chunks: 5, Pending: 3})
	s.wantStats(memoir.Space{}, memoir.StoreStats{Documents: 3, Chunks: 5})
	if got := s.pending(memoir.Space{}, 9); len(got) != 0 {
		s.Errorf("texts are pending for no space: %v", got)
	}
}

// testSeveralTexts: a list of entries has a vector for each, and is as near as the nearest.
func testSeveralTexts(s *suite) {
	list := func(id memoir.DocID, texts ...string) []memoir.IndexedChunk {
		all := chunks(id, "Title", texts...)
		for i := range all {
			all[i].Labels = memoir.Labels{memoir.LabelEntries}
			all[i] = index(all[i].Chunk)
		}
		return all
	}
	s.putMeta(note("a.md"), append(list("a.md", "- one\n- two\n- one", "- three\n- two\n\nrest"), list("a.md", "", "", "no entry")[2:]...))
	s.put("b.md", "", "alone")
	var got []string
	for _, p := range s.pending(spaceA, 2) {
		if p.Hash != hash(p.Text) {
			s.Errorf("%q has the hash %s", p.Text, p.Hash)
		}
		got = append(got, p.Text)
	}
	slices.Sort(got)
	if diff := cmp.Diff(got, []string{"- one", "- three", "- two", "Title\nno entry", "Title\nrest", "alone"}); diff != "" {
		s.Errorf("pending texts (-got +want):\n%s", diff)
	}
	s.wantStats(spaceA, memoir.StoreStats{Documents: 2, Chunks: 4, Pending: 6})

	s.putVectors(spaceA, map[memoir.Hash][]float32{
		hash("- one"): {1, 0, 0}, hash("- two"): {1, 1, 0}, hash("- three"): {0, 1, 0}, hash("Title\nrest"): {0, 0, 1}, hash("alone"): {1, 0, 1},
	})
	s.wantStats(spaceA, memoir.StoreStats{Documents: 2, Chunks: 4, Pending: 1})
	near := func(limit int, v ...float32) []memoir.Match { return s.vector(spaceA, v, memoir.Filter{}, limit) }
	s.want("the nearest entry counts", near(9, 1, 0, 0), "a.md 0", "a.md 1", "b.md 0")
	if m := near(1, 1, 0, 0)[0]; !cosine(m.Score).same(1) {
		s.Errorf("the score is %v, want that of the nearest entry, 1", m.Score)
	}
	s.want("entries of one chunk take one place of the limit", near(2, 0, 1, 0), "a.md 1", "a.md 0")
	s.want("an entry that two lists have", near(9, 1, 1, 0), "a.md 0", "a.md 1", "b.md 0")
	s.want("what is no entry", near(1, 0, 0, 1), "a.md 1")
	s.want("some chunks", s.vector(spaceA, []float32{0, 1, 0}, memoir.Filter{Chunks: []memoir.ChunkID{{Doc: "a.md"}, {Doc: "b.md"}}}, 9), "a.md 0", "b.md 0")

	s.putMeta(note("a.md"), list("a.md", "- three\n- four"))
	s.want("replaced", near(9, 0, 1, 0), "a.md 0", "b.md 0")
	s.wantStats(spaceA, memoir.StoreStats{Documents: 2, Chunks: 2, Pending: 1})
	s.putMeta(note("a.md"), list("a.md", "- one\n- four"))
	s.want("a vector is kept", near(1, 1, 0, 0), "a.md 0")
	s.delete("a.md")
	s.want("deleted", near(9, 1, 0, 0), "b.md 0")
	s.wantStats(spaceA, memoir.StoreStats{Documents: 1, Chunks: 1})
}

// testPendingPages: pages follow each other while vectors arrive for some of
// what they listed, and the texts left over are listed again from the start.
func testPendingPages(s *suite) {
	for i := range 10 {
		id := memoir.DocID(fmt.Sprintf("%d.md", i))
		s.put(id, "", fmt.Sprintf("text %d", i), fmt.Sprintf("more %d", i), "same")
	}
	all := s.pending(spaceA, 100)
	if len(all) != 21 || !slices.IsSortedFunc(all, func(a, b memoir.PendingText) int { return strings.Compare(string(a.Hash), string(b.Hash)) }) {
		s.Errorf("%d pending texts, want 21 in the order of their hashes", len(all))
	}
	var seen, failed []memoir.PendingText
	var after memoir.Hash
	for {
		page, err := s.store.PendingTexts(s.Context(), spaceA, time.Now(), after, 4)
		if err != nil {
			s.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		seen, after = append(seen, page...), page[len(page)-1].Hash
		failed = append(failed, page[0]) // a text that cannot be embedded
		vectors := map[memoir.Hash][]float32{}
		for _, p := range page[1:] {
			vectors[p.Hash] = []float32{1, 0, 0}
		}
		s.putVectors(spaceA, vectors)
	}
	if diff := cmp.Diff(seen, all); diff != "" {
		s.Errorf("all pages (-got +want):\n%s", diff)
	}
	if diff := cmp.Diff(s.pending(spaceA, 4), failed); diff != "" {
		s.Errorf("left over (-got +want):\n%s", diff)
	}
	for _, limit := range []int{0, -1} {
		if got, err := s.store.PendingTexts(s.Context(), spaceA, time.Now(), "", limit); err != nil || len(got) != 0 {
			s.Errorf("PendingTexts with limit %d = %v, %v; want none", limit, got, err)
		}
	}
}

// testNewestPending: what is newest comes first, and leaves when it has a vector or
// failed.
func testNewestPending(s *suite) {
	put := func(id memoir.DocID, date string, modified time.Time, texts ...string) {
		meta := note(id)
		meta.ModTime = modified
		doc := document(meta, chunks(id, "", texts...))
		doc.Date = date
		s.putDocument(doc)
	}
	day := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	put("a.md", "2026-01-05", day, "january")
	put("b.md", "2026-03-01", day.AddDate(-1, 0, 0), "march, one", "march, two")
	put("c.md", "", day, "changed in march")
	put("d.md", "", day.AddDate(0, -1, 0), "changed in february")
	put("e.md", "", time.Time{}, "changed just now")
	newest := func(due time.Time, limit int) (texts []string) {
		pending, err := s.store.NewestPending(s.Context(), spaceA, due, limit)
		if err != nil {
			s.Fatal(err)
		}
		for _, p := range pending {
			if p.Hash != hash(p.Text) {
				s.Errorf("%q has the hash %s", p.Text, p.Hash)
			}
			texts = append(texts, fmt.Sprint(p.Text, p.Attempts))
		}
		return texts
	}
	all := []string{"changed just now0", "changed in march0", "march, one0", "march, two0", "changed in february0", "january0"}
	for _, limit := range []int{-1, 0, 1, 3, 6, 99} {
		want := all[:max(0, min(limit, len(all)))]
		if got := newest(day, limit); !slices.Equal(got, want) {
			s.Errorf("the newest %d: got %q, want %q", limit, got, want)
		}
	}
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("changed in march"): {1, 0, 0}, hash("march, one"): {1, 0, 0}})
	if err := s.store.PutVectors(s.Context(), spaceA, nil, []memoir.FailedText{{Hash: hash("changed just now"), Attempts: 1, NextTry: day}}); err != nil {
		s.Fatal(err)
	}
	if got, want := newest(day.Add(-time.Second), 2), []string{"march, two0", "changed in february0"}; !slices.Equal(got, want) {
		s.Errorf("got %q, want %q", got, want)
	}
	if got, want := newest(day, 2), []string{"changed just now1", "march, two0"}; !slices.Equal(got, want) {
		s.Errorf("when what failed is due: got %q, want %q", got, want)
	}
	if texts, err := s.store.NewestPending(s.Context(), memoir.Space{}, day, 9); err != nil || len(texts) > 0 {
		s.Errorf("for no space: %v, %v", texts, err)
	}
}

// testVectorsKept: a text that goes and comes back needs no second embedding.
func testVectorsKept(s *suite) {
	v := map[memoir.Hash][]float32{hash("one"): {1, 0, 0}, hash("future"): {0, 1, 0}}
	s.putVectors(spaceA, v)
	s.put("a.md", "", "one")
	s.wantStats(spaceA, memoir.StoreStats{Documents: 1, Chunks: 1})
	s.delete("a.md")
	s.put("b.md", "", "future")
	s.put("c.md", "", "one")
	s.wantStats(spaceA, memoir.StoreStats{Documents: 2, Chunks: 2})
	s.want("kept", s.vector(spaceA, []float32{1, 0, 0}, memoir.Filter{}, 9), "c.md 0", "b.md 0")

	v[hash("one")][0] = -1 // the store has its own copy
	s.want("kept", s.vector(spaceA, []float32{1, 0, 0}, memoir.Filter{}, 1), "c.md 0")
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("one"): {0, 0, 1}})
	s.want("replaced", s.vector(spaceA, []float32{0, 0, 1}, memoir.Filter{}, 1), "c.md 0")
}

// testSpaces changes the model: the old space serves while the new one fills,
// and no query ever sees vectors of the other.
func testSpaces(s *suite) {
	s.put("a.md", "", "one", "two")
	s.put("b.md", "", "three")
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("one"): {1, 0, 0}, hash("two"): {0, 1, 0}, hash("three"): {0, 0, 1}})
	check := func(when string, pendingB int, inB ...string) {
		s.Helper()
		s.want(when+": old space", s.vector(spaceA, []float32{3, 2, 1}, memoir.Filter{}, 9), "a.md 0", "a.md 1", "b.md 0")
		s.want(when+": new space", s.vector(spaceB, []float32{1, 2, 3, 0}, memoir.Filter{}, 9), inB...)
		s.wantStats(spaceA, memoir.StoreStats{Documents: 2, Chunks: 3})
		s.wantStats(spaceB, memoir.StoreStats{Documents: 2, Chunks: 3, Pending: pendingB})
	}
	check("before", 3)
	s.putVectors(spaceB, map[memoir.Hash][]float32{hash("two"): {0, 1, 0, 0}})
	check("one text", 2, "a.md 1")
	s.putVectors(spaceB, map[memoir.Hash][]float32{hash("one"): {1, 0, 0, 0}})
	check("two texts", 1, "a.md 1", "a.md 0")
	s.putVectors(spaceB, map[memoir.Hash][]float32{hash("three"): {0, 0, 1, 0}})
	check("complete", 0, "b.md 0", "a.md 1", "a.md 0")

	// Both spaces follow the documents.
	s.put("b.md", "", "two")
	s.want("old space", s.vector(spaceA, []float32{0, 1, 0}, memoir.Filter{}, 9), "a.md 1", "b.md 0", "a.md 0")
	s.want("new space", s.vector(spaceB, []float32{0, 1, 0, 0}, memoir.Filter{}, 9), "a.md 1", "b.md 0", "a.md 0")

	// A model of the same name and size with another version is another space.
	twin := spaceA
	twin.Version = "2"
	s.want("twin", s.vector(twin, []float32{1, 0, 0}, memoir.Filter{}, 9))
	s.wantStats(twin, memoir.StoreStats{Documents: 2, Chunks: 3, Pending: 2})
}

func testBadVectors(s *suite) {
	s.put("a.md", "", "one", "two")
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, bad := range [][]float32{nil, {}, {1, 0}, {1, 0, 0, 0}, {nan, 0, 0}, {0, inf, 0}, {0, 0, -inf}} {
		err := s.store.PutVectors(s.Context(), spaceA, map[memoir.Hash][]float32{hash("one"): {1, 0, 0}, hash("two"): bad}, nil)
		if !errors.Is(err, memoir.ErrInvalid) {
			s.Errorf("PutVectors(%v) = %v, want ErrInvalid", bad, err)
		}
		if err := s.store.View(s.Context(), func(v memoir.View) error {
			_, err := v.SearchVector(s.Context(), spaceA, bad, memoir.Filter{}, 9)
			return err
		}); !errors.Is(err, memoir.ErrInvalid) {
			s.Errorf("SearchVector(%v) = %v, want ErrInvalid", bad, err)
		}
	}
	s.wantStats(spaceA, memoir.StoreStats{Documents: 1, Chunks: 2, Pending: 2})
	s.putVectors(spaceA, nil)
}

func testZeroVectors(s *suite) {
	s.put("a.md", "", "one", "two", "three")
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("one"): {0, 0, 0}, hash("two"): {-1, 0, 0}, hash("three"): {1e-20, 0, 0}})
	s.wantStats(spaceA, memoir.StoreStats{Documents: 1, Chunks: 3})
	s.want("zero query", s.vector(spaceA, []float32{0, 0, 0}, memoir.Filter{}, 9))
	got := s.vector(spaceA, []float32{1, 0, 0}, memoir.Filter{}, 9)
	s.want("zero text", got, "a.md 2", "a.md 1")
	if len(got) == 2 && !(cosine(got[0].Score).same(1) && cosine(got[1].Score).same(-1)) {
		s.Errorf("scores %v and %v, want 1 and -1", got[0].Score, got[1].Score)
	}
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("two"): {0, 0, 0}, hash("one"): {1, 0, 0}})
	s.want("zero replaced and replacing", s.vector(spaceA, []float32{1, 0, 0}, memoir.Filter{}, 9), "a.md 0", "a.md 2")
}

// testVectorOrder: scores are cosines whatever the lengths.
func testVectorOrder(s *suite) {
	texts, vectors, want := []string{}, map[memoir.Hash][]float32{}, []string{}
	for i := range 30 {
		text := fmt.Sprintf("text %d", i)
		angle := float64(i) * .1
		length := float64(1 + (i*7)%5)
		texts = append(texts, text)
		vectors[hash(text)] = []float32{float32(length * math.Cos(angle)), float32(length * math.Sin(angle)), 0}
		want = append(want, fmt.Sprintf("a.md %d", i))
	}
	s.put("a.md", "", texts...)
	s.putVectors(spaceA, vectors)
	got := s.vector(spaceA, []float32{2, 0, 0}, memoir.Filter{}, 99)
	s.want("order", got, want...)
	for i, m := range got {
		v := vectors[hash(texts[i])]
		x, y := float64(v[0]), float64(v[1])
		if want := x / math.Sqrt(x*x+y*y); !cosine(want).same(cosine(m.Score)) {
			s.Errorf("score of %v is %v, want %v", m.ChunkID, m.Score, want)
		}
	}
	for _, limit := range []int{1, 7, 30} {
		s.want("head", s.vector(spaceA, []float32{2, 0, 0}, memoir.Filter{}, limit), want[:limit]...)
	}
	for _, limit := range []int{0, -1} {
		s.want("no limit", s.vector(spaceA, []float32{2, 0, 0}, memoir.Filter{}, limit))
	}
}

// testVectorTies: of equal texts the limit takes those with the smallest ids,
// whatever the order in which they came.
func testVectorTies(s *suite) {
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("same"): {1, 1, 0}, hash("near"): {1, 1, .5}})
	const n = 200
	for i := range n {
		s.put(memoir.DocID(fmt.Sprintf("%03d.md", (i*77)%n)), "", "near", "same")
	}
	want := []string{"000.md 1", "001.md 1", "002.md 1"}
	s.want("ties", s.vector(spaceA, []float32{1, 1, 0}, memoir.Filter{}, 3), want...)
	got := s.vector(spaceA, []float32{1, 1, 0}, memoir.Filter{}, 2*n)
	if len(got) != 2*n || !ranked(got) {
		s.Errorf("%d matches, in order: %v; want %d in order", len(got), ranked(got), 2*n)
	}
}
