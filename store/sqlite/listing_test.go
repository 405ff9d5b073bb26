package sqlite_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/memstore"
	"github.com/memoir-ai/memoir/tune"
)

// listed is a document with something of everything that a start has to know.
func listed(i int) memoir.IndexedDocument {
	id := memoir.DocID(fmt.Sprintf("%c/日记-%04d.md", 'a'+i*7%26, i))
	doc := memoir.IndexedDocument{
		DocumentMeta: memoir.DocumentMeta{
			ID: id, Kind: memoir.KindNote, Size: int64(i), ModTime: time.Unix(int64(i-500)*1e7, int64(i)).UTC(),
			Stamp: uint64(i) * 0x9e3779b97f4a7c15, Hash: memoir.HashText(string(id)), Recipe: fmt.Sprint(i%2, " 180/40"),
		},
		Date:     fmt.Sprintf("2026-03-%02d", i%30+1)[:10*min(i%5, 1)],
		Salience: memoir.Salience{Importance: float64(i%11) / 3, Reinforced: i % 3, Accessed: i % 4},
	}
	if i%10 == 0 {
		doc.Kind, doc.ModTime = memoir.KindSession, time.Time{}
	}
	for j := range i % 4 {
		c := memoir.IndexedChunk{Chunk: memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: id, Ordinal: j}, Labels: labels(i), Digest: uint64(i) << 40}}}
		c.Terms[memoir.FieldBody] = strings.Fields(fmt.Sprintf("word number%d and more", i))
		doc.Chunks = append(doc.Chunks, c)
	}
	return doc
}

func labels(i int) (labels memoir.Labels) {
	if i%5 == 0 {
		labels = append(labels, memoir.LabelAssistant)
	}
	if i%3 == 0 {
		labels = append(labels, memoir.Label(fmt.Sprintf("type:%d", i%7)))
	}
	return labels
}

// TestListing: opening an index reads many documents at once. That gives the
// same as reading their own rows, whatever was written since and by whomever.
func TestListing(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	const n = 1_500
	path := filepath.Join(t.TempDir(), "index.db")
	s, reference := open(t, path), memstore.New()
	both := func(do func(memoir.Store) error) {
		t.Helper()
		for _, s := range []memoir.Store{s, reference} {
			if err := do(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	pages := func(want int) {
		t.Helper()
		var got int
		if err := shell(t, path).QueryRow("SELECT count(*) FROM listing").Scan(&got); err != nil || got != want {
			t.Errorf("%d pages, %v, want %d", got, err, want)
		}
	}
	same := func(what string) {
		t.Helper()
		for _, s := range []memoir.Store{s, open(t, path)} { // what it has in memory, and what it reads
			if diff := cmp.Diff(allDocuments(t, reference), allDocuments(t, s)); diff != "" {
				t.Errorf("%s: documents (-want +got):\n%s", what, diff)
			}
			if diff := cmp.Diff(list(t, reference), list(t, s)); diff != "" {
				t.Errorf("%s: chunks (-want +got):\n%s", what, diff)
			}
		}
	}
	settle := func(s memoir.Store) error { return s.Settle(t.Context(), memoir.Space{}, tune.Cache{}) }

	var docs []memoir.IndexedDocument
	for i := range n {
		docs = append(docs, listed(i))
	}
	both(func(s memoir.Store) error { return s.Write(t.Context(), memoir.Changes{Put: docs}) })
	same("unlisted")
	both(settle)
	pages((n + 1 + 63) / 64) // ids begin with 1
	same("listed")

	touched, changed := docs[200].DocumentMeta, docs[300]
	touched.Size, touched.Stamp = 1<<40, 7
	changed.Salience, changed.Chunks = memoir.Salience{}, listed(303).Chunks
	for i := range changed.Chunks {
		changed.Chunks[i].Doc = changed.ID
	}
	both(func(s memoir.Store) error {
		return s.Write(t.Context(), memoir.Changes{Touch: []memoir.DocumentMeta{touched}})
	})
	both(func(s memoir.Store) error {
		return s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{changed}})
	})
	both(func(s memoir.Store) error {
		return s.Write(t.Context(), memoir.Changes{Delete: []memoir.DocID{docs[700].ID, docs[701].ID, docs[1499].ID}})
	})
	both(func(s memoir.Store) error {
		return s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{listed(5_000), listed(5_001)}})
	})
	pages(24 - 4)
	same("few changed")
	both(settle)
	pages(24 - 4) // they are few

	both(func(s memoir.Store) error { return s.Write(t.Context(), memoir.Changes{Put: docs[:1_200]}) })
	both(settle)
	pages(24)
	same("many changed")

	run(t, path, "UPDATE files SET size = 77 WHERE path = '"+string(docs[5].ID)+"'")
	run(t, path, "UPDATE listing SET data = CASE page % 3 WHEN 0 THEN CAST(substr(data, 1, 100) || x'00' || substr(data, 102) AS BLOB) WHEN 1 THEN x'' ELSE data END")
	if meta := docs[5].DocumentMeta; reference.Write(t.Context(), memoir.Changes{Touch: []memoir.DocumentMeta{{
		ID: meta.ID, Kind: meta.Kind, Size: 77, ModTime: meta.ModTime, Stamp: meta.Stamp, Hash: meta.Hash, Recipe: meta.Recipe,
	}}}) != nil {
		t.Fatal("the store in memory failed")
	}
	s = open(t, path)
	same("damaged")

	both(func(s memoir.Store) error { return s.Clear(t.Context()) })
	pages(0)
	both(func(s memoir.Store) error { return s.Write(t.Context(), memoir.Changes{Put: docs[:3]}) })
	same("cleared")
}

func allDocuments(t testing.TB, s memoir.Store) (all []memoir.DocumentMeta) {
	t.Helper()
	for meta, err := range s.Documents(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, meta)
	}
	return all
}

// list returns what is known of all chunks.
func list(t testing.TB, s memoir.Store) (all []memoir.ChunkMeta) {
	t.Helper()
	err := s.View(t.Context(), func(v memoir.View) (err error) {
		all, err = v.List(t.Context(), memoir.Filter{}, 1<<20)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
