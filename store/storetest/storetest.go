// Package storetest is the contract of [memoir.Store] as a test suite. A store
// is done when it passes; the comments of the interface say the same in words.
package storetest

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir"
)

// Run checks a store. Open returns an empty one and is called once per case;
// the suite closes it.
func Run(t *testing.T, open func(t *testing.T) memoir.Store) {
	cases := []struct {
		name string
		run  func(*suite)
	}{
		{"Documents", testDocuments},
		{"Replace", testReplace},
		{"Batch", testBatch},
		{"View", testView},
		{"Touch", testTouch},
		{"Names", testNames},
		{"Delete", testDelete},
		{"Refused", testRefused},
		{"Chunks", testChunks},
		{"RoundTrip", testRoundTrip},
		{"Clear", testClear},
		{"Closed", testClosed},
		{"Cancelled", testCancelled},
		{"Pending", testPending},
		{"PendingPages", testPendingPages},
		{"SeveralTexts", testSeveralTexts},
		{"NewestPending", testNewestPending},
		{"VectorsKept", testVectorsKept},
		{"Spaces", testSpaces},
		{"ChangeOfModel", testChangeOfModel},
		{"Failures", testFailures},
		{"Limits", testLimits},
		{"Sample", testSample},
		{"Labels", testLabels},
		{"Revision", testRevision},
		{"BadVectors", testBadVectors},
		{"ZeroVectors", testZeroVectors},
		{"VectorOrder", testVectorOrder},
		{"VectorTies", testVectorTies},
		{"TextOrder", testTextOrder},
		{"Supports", testSupports},
		{"Alternative", testAlternative},
		{"Light", testLight},
		{"TextTies", testTextTies},
		{"Among", testAmong},
		{"Terms", testTerms},
		{"EmptyQueries", testEmptyQueries},
		{"FilterBeforeLimit", testFilterBeforeLimit},
		{"Filters", testFilters},
		{"Prefixes", testPrefixes},
		{"Conditions", testConditions},
		{"List", testList},
		{"Random", testRandom},
		{"Concurrent", testConcurrent},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(start(t, open(t))) })
	}
}

// suite is one case: a store and the shorthands to fill it and ask it.
type suite struct {
	*testing.T
	store memoir.Store
}

func start(t *testing.T, s memoir.Store) *suite {
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return &suite{t, s}
}

var (
	spaceA = memoir.Space{Provider: "test", Model: "a", Version: "1", Dimensions: 3}
	spaceB = memoir.Space{Provider: "test", Model: "b", Version: "1", Dimensions: 4}
)

// note is the metadata of a document with that id.
func note(id memoir.DocID) memoir.DocumentMeta {
	return memoir.DocumentMeta{
		ID: id, Kind: memoir.KindNote, Size: int64(len(id)),
		ModTime: time.Date(2026, 3, 2, 10, 0, 0, 123456789, time.UTC), Stamp: 1<<64 - 3, Hash: memoir.HashText(string(id)),
		Recipe: "1 180/40",
	}
}

// document makes a document of chunks and gives these its title, date and
// salience. Its names are those that its id suggests: the id, and the last part
// of it up to the last dot.
func document(meta memoir.DocumentMeta, chunks []memoir.IndexedChunk, names ...string) memoir.IndexedDocument {
	base := path.Base(string(meta.ID))
	doc := memoir.IndexedDocument{DocumentMeta: meta, Chunks: chunks, Names: append(names, "/"+string(meta.ID), "*/"+strings.TrimSuffix(base, path.Ext(base)))}
	if len(chunks) > 0 {
		doc.Title, doc.Date, doc.Salience = chunks[0].Title, chunks[0].Date, chunks[0].Salience
	}
	return doc
}

// chunks makes the chunks of a document, one per text; terms are the words
// between spaces, of the title and heading too.
func chunks(id memoir.DocID, title string, texts ...string) []memoir.IndexedChunk {
	out := make([]memoir.IndexedChunk, len(texts))
	for i, text := range texts {
		c := memoir.Chunk{
			ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: id, Ordinal: i}, Kind: memoir.KindNote, Digest: uint64(len(text))},
			StartLine: 1 + 2*i, EndLine: 2 + 2*i, Title: title, Text: text,
		}
		out[i] = index(c)
	}
	return out
}

func index(c memoir.Chunk) memoir.IndexedChunk {
	ic := memoir.IndexedChunk{Chunk: c, EmbedHashes: c.HashEmbedTexts(func(_, _ string) bool { return false })}
	ic.Terms[memoir.FieldTitle] = strings.Fields(c.Title)
	ic.Terms[memoir.FieldHeading] = strings.Fields(strings.Join(c.Heading, " "))
	ic.Terms[memoir.FieldDate] = strings.Fields(c.Date)
	ic.Terms[memoir.FieldBody] = strings.Fields(c.Text)
	return ic
}

// hash is the hash of the text of a chunk made by chunks without a title.
func hash(text string) memoir.Hash { return memoir.HashText(text) }

func (s *suite) put(id memoir.DocID, title string, texts ...string) {
	s.Helper()
	s.putMeta(note(id), chunks(id, title, texts...))
}

func (s *suite) putMeta(meta memoir.DocumentMeta, chunks []memoir.IndexedChunk) {
	s.Helper()
	s.putDocument(document(meta, chunks))
}

func (s *suite) putDocument(docs ...memoir.IndexedDocument) {
	s.Helper()
	if err := s.store.Write(s.Context(), memoir.Changes{Put: docs}); err != nil {
		s.Fatalf("put: %v", err)
	}
}

func (s *suite) delete(ids ...memoir.DocID) {
	s.Helper()
	if err := s.store.Write(s.Context(), memoir.Changes{Delete: ids}); err != nil {
		s.Fatalf("delete %s: %v", ids, err)
	}
}

func (s *suite) putVectors(space memoir.Space, vectors map[memoir.Hash][]float32) {
	s.Helper()
	if err := s.store.PutVectors(s.Context(), space, vectors, nil); err != nil {
		s.Fatalf("PutVectors: %v", err)
	}
}

func (s *suite) text(terms []memoir.Term, filter memoir.Filter, limit int) []memoir.Match {
	s.Helper()
	var ms []memoir.Match
	s.view(fmt.Sprintf("SearchText(%v)", terms), func(v memoir.View) (err error) {
		ms, err = s.searchText(v, terms, filter, limit)
		return err
	})
	return ms
}

// searchText searches. If the store scores chunks itself, it checks that the
// scores equal those computed from the store's candidates, to the last bit.
func (s *suite) searchText(v memoir.View, terms []memoir.Term, filter memoir.Filter, limit int) ([]memoir.Match, error) {
	s.Helper()
	ms, err := memoir.SearchText(s.Context(), v, terms, filter, limit)
	if _, ok := memoir.As[memoir.Scorer](v); !ok || err != nil {
		return ms, err
	}
	found, err := v.Terms(s.Context(), terms, filter, limit)
	if diff := cmp.Diff(ms, found.Ranked(terms, &found.Counts, limit), cmpopts.EquateEmpty()); diff != "" && err == nil {
		s.Errorf("SearchText(%v), got - and of the candidates +:\n%s", terms, diff)
	}
	return ms, err
}

// view looks at the index, which must not fail.
func (s *suite) view(what string, f func(memoir.View) error) {
	s.Helper()
	if err := s.store.View(s.Context(), f); err != nil {
		s.Fatalf("%s: %v", what, err)
	}
}

func (s *suite) chunks(ids ...memoir.ChunkID) []memoir.Chunk {
	s.Helper()
	var chunks []memoir.Chunk
	s.view(fmt.Sprintf("Chunks(%v)", ids), func(v memoir.View) (err error) {
		chunks, err = v.Chunks(s.Context(), ids)
		return err
	})
	return chunks
}

func (s *suite) list(filter memoir.Filter, limit int) []memoir.ChunkMeta {
	s.Helper()
	var listed []memoir.ChunkMeta
	s.view("List", func(v memoir.View) (err error) {
		listed, err = v.List(s.Context(), filter, limit)
		return err
	})
	return listed
}

func (s *suite) resolve(names []string, limit int) map[string][]memoir.LinkedDocument {
	s.Helper()
	var found map[string][]memoir.LinkedDocument
	s.view(fmt.Sprintf("Resolve(%q)", names), func(v memoir.View) (err error) {
		found, err = v.Resolve(s.Context(), names, limit)
		return err
	})
	return found
}

func (s *suite) vector(space memoir.Space, v []float32, filter memoir.Filter, limit int) []memoir.Match {
	s.Helper()
	var ms []memoir.Match
	s.view(fmt.Sprintf("SearchVector(%v)", v), func(view memoir.View) (err error) {
		ms, err = view.SearchVector(s.Context(), space, v, filter, limit)
		return err
	})
	return ms
}

func (s *suite) documents() []memoir.DocumentMeta {
	s.Helper()
	var out []memoir.DocumentMeta
	for meta, err := range s.store.Documents(s.Context()) {
		if err != nil {
			s.Fatalf("Documents: %v", err)
		}
		out = append(out, meta)
	}
	return out
}

// pending returns the pending texts, a page at a time.
func (s *suite) pending(space memoir.Space, page int) []memoir.PendingText {
	s.Helper()
	var out []memoir.PendingText
	var after memoir.Hash
	for {
		texts, err := s.store.PendingTexts(s.Context(), space, time.Now(), after, page)
		if err != nil || len(texts) > page {
			s.Fatalf("PendingTexts after %q: %d texts, %v; want at most %d", after, len(texts), err, page)
		}
		if len(texts) == 0 {
			return out
		}
		out = append(out, texts...)
		after = texts[len(texts)-1].Hash
	}
}

// wantStats compares what is counted; what else Stats says has its own cases.
func (s *suite) wantStats(space memoir.Space, want memoir.StoreStats) {
	s.Helper()
	got, err := s.store.Stats(s.Context(), space)
	got.Texts, got.Written, got.Calibration, got.Measured, got.Serving, got.Revision = want.Texts, want.Written, want.Calibration, want.Measured, want.Serving, want.Revision
	if err != nil || got != want {
		s.Errorf("Stats = %+v, %v; want %+v", got, err, want)
	}
}

// want compares the chunks found, in order, with "doc ordinal" each.
func (s *suite) want(what string, got []memoir.Match, want ...string) {
	s.Helper()
	if diff := cmp.Diff(ids(got), want, cmpopts.EquateEmpty()); diff != "" {
		s.Errorf("%s (-got +want):\n%s", what, diff)
	}
}

func ids(ms []memoir.Match) []string {
	out := make([]string, len(ms))
	for i, m := range ms {
		out[i] = fmt.Sprintf("%s %d", m.Doc, m.Ordinal)
	}
	return out
}

// terms makes query terms of weight 1.
func terms(texts ...string) []memoir.Term {
	out := make([]memoir.Term, len(texts))
	for i, t := range texts {
		out[i] = memoir.Term{Text: t, Weight: 1}
	}
	return out
}

// exact compares scores of words to 1e-12 and cosines as same does, and takes nil and empty
// for the same.
func exact() cmp.Options {
	return cmp.Options{cmpopts.EquateEmpty(), cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }), cmp.Comparer(cosine.same)}
}

// A cosine may be computed with 32 bits.
type cosine float64

func (c cosine) same(other cosine) bool { return math.Abs(float64(c-other)) <= 1e-6 }

// near is a match of a search by vector.
type near struct {
	memoir.ChunkMeta
	Cosine cosine
}

func nearest(ms []memoir.Match) []near {
	out := make([]near, len(ms))
	for i, m := range ms {
		out[i] = near{m.ChunkMeta, cosine(m.Score)}
	}
	return out
}

// ranked reports whether matches are in the order of the contract.
func ranked(ms []memoir.Match) bool {
	return slices.IsSortedFunc(ms, func(a, b memoir.Match) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return a.ChunkID.Compare(b.ChunkID)
	})
}
