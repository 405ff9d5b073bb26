package sqlite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/sqlite"
	"github.com/memoir-ai/memoir/tune"
)

// longNote is a document of 40 chunks, mostly of words that no other has.
func longNote(i, version int) memoir.IndexedDocument {
	id := memoir.DocID(fmt.Sprintf("%d.md", i))
	chunks := make([]memoir.IndexedChunk, 40)
	for j := range chunks {
		c := &chunks[j]
		c.ChunkID = memoir.ChunkID{Doc: id, Ordinal: j}
		var words strings.Builder
		for k := range 40 {
			fmt.Fprintf(&words, "w%dx%dx%d ", i, j, k%20)
		}
		fmt.Fprintf(&words, "version%dx%d", i, version)
		c.Text = words.String()
		c.EmbedHashes = []memoir.Hash{memoir.HashText(c.Text)}
		c.Terms[memoir.FieldBody] = strings.Fields(c.Text)
	}
	return memoir.IndexedDocument{DocumentMeta: memoir.DocumentMeta{ID: id, Kind: memoir.KindNote}, Chunks: chunks}
}

func putNote(t *testing.T, s *sqlite.Store, i, version int) {
	t.Helper()
	if err := s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{longNote(i, version)}}); err != nil {
		t.Fatal(err)
	}
}

// wordIndex returns how many segments the word index has, and its size in bytes.
func wordIndex(t *testing.T, path string) (segments, size int) {
	t.Helper()
	if err := shell(t, path).QueryRow("SELECT (SELECT count(DISTINCT segid) FROM chunks_fts_idx), (SELECT sum(length(block)) FROM chunks_fts_data)").
		Scan(&segments, &size); err != nil {
		t.Fatal(err)
	}
	return segments, size
}

// TestMergedBySettle: after many writes one segment is left, and nothing of
// what was replaced.
func TestMergedBySettle(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	path := t.TempDir() + "/index.db"
	s := open(t, path)
	for i := range 30 {
		putNote(t, s, i, 0)
	}
	for range 2 { // the second has nothing to do
		if err := s.Settle(t.Context(), memoir.Space{}, tune.Cache{}); err != nil {
			t.Fatal(err)
		}
	}
	segments, size := wordIndex(t, path)
	want(t, "segments", segments, 1)
	for i := range 30 {
		putNote(t, s, i, 1)
	}
	settle(t, s, tune.Cache{})
	again, sizeAgain := wordIndex(t, path)
	want(t, "segments", again, 1)
	if sizeAgain > size+size/10 {
		t.Errorf("got %d bytes after all was replaced, %d before", sizeAgain, size)
	}
	for i := range 30 {
		want(t, "old version", len(found(t, s, fmt.Sprintf("version%dx0", i))), 0)
		want(t, "new version", len(found(t, s, fmt.Sprintf("version%dx1", i))), 40)
	}
}

// TestMergedByWrites: a note that changes over and over, as a search sees it,
// leaves few segments and little that is gone, without anyone settling.
func TestMergedByWrites(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	path := t.TempDir() + "/index.db"
	s := open(t, path)
	for i := range 10 {
		putNote(t, s, i, 0)
	}
	_, size := wordIndex(t, path)
	for version := range 200 {
		putNote(t, s, version%3, version)
	}
	segments, sizeAfter := wordIndex(t, path)
	if segments > 12 || sizeAfter > 3*size {
		t.Errorf("got %d segments, %d bytes where %d were; want 12 segments at most", segments, sizeAfter, size)
	}
	for i, version := range []int{198, 199, 197} {
		want(t, "last version", len(found(t, s, fmt.Sprintf("version%dx%d", i, version))), 40)
		want(t, "version before", len(found(t, s, fmt.Sprintf("version%dx%d", i, version-3))), 0)
	}
}
