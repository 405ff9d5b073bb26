package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/sqlite"
	"github.com/memoir-ai/memoir/tune"
)

// TestLabelsStayFew: labels that no chunk bears any more are removed when they are many, and
// at once when what was removed is to be gone. A process that has read the index before still
// knows what each chunk bears.
func TestLabelsStayFew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	s, other := open(t, path), open(t, path)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	rows := func() (n int) {
		t.Helper()
		if err := db.QueryRow("SELECT count(*) FROM labels").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	doc := func(id string, labels ...memoir.Label) memoir.IndexedDocument {
		d := memoir.IndexedDocument{DocumentMeta: memoir.DocumentMeta{ID: memoir.DocID(id), Kind: memoir.KindNote, Hash: memoir.HashText(id + fmt.Sprint(labels))}}
		c := memoir.IndexedChunk{Chunk: memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: d.ID}, Labels: labels}, Text: id}}
		c.Terms[memoir.FieldBody] = []string{"word"}
		d.Chunks = append(d.Chunks, c)
		return d
	}
	put := func(s *sqlite.Store, docs ...memoir.IndexedDocument) {
		t.Helper()
		if err := s.Write(t.Context(), memoir.Changes{Put: docs}); err != nil {
			t.Fatal(err)
		}
	}
	bears := func(s *sqlite.Store, want string) {
		t.Helper()
		got := ""
		err := s.View(t.Context(), func(v memoir.View) error {
			list, err := v.List(t.Context(), memoir.Filter{}, 100)
			for _, c := range list {
				got += fmt.Sprintf("%s %v; ", c.Doc, c.Labels)
			}
			return err
		})
		if err != nil || strings.TrimSuffix(got, "; ") != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	put(s, doc("stays.md", "type:decision"))
	const times, together = 3000, 100
	for i := 0; i < times; i += together {
		var docs []memoir.IndexedDocument
		for j := range together { // of one document, one after the other, would take long
			docs = append(docs, doc(fmt.Sprintf("shelf%d.md", j), memoir.Label(fmt.Sprintf("told:%d", i+j))))
		}
		put(s, docs...)
		if i == times/2 {
			_ = other.View(t.Context(), func(v memoir.View) error { _, err := v.Labels(t.Context()); return err })
		}
	}
	gone := make([]memoir.DocID, together)
	for j := range gone {
		gone[j] = memoir.DocID(fmt.Sprintf("shelf%d.md", j))
	}
	if err := s.Write(t.Context(), memoir.Changes{Delete: gone}); err != nil {
		t.Fatal(err)
	}
	put(s, doc("shelf.md", "told:last"))
	if n := rows(); n < times {
		t.Fatalf("%d rows, want %d before they are removed", n, times)
	}
	if err := s.Settle(t.Context(), memoir.Space{}, tune.Cache{}); err != nil {
		t.Fatal(err)
	}
	if n := rows(); n > 3 {
		t.Errorf("%d rows are left", n)
	}
	want := "shelf.md [told:last]; stays.md [type:decision]"
	bears(s, want)
	bears(other, want)
	bears(open(t, path), want)

	// A number is not given to other labels, whoever writes them.
	put(s, doc("shelf.md", "told:next"))
	bears(other, "shelf.md [told:next]; stays.md [type:decision]")
	if err := s.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := rows(); n > 3 {
		t.Errorf("%d rows are left", n)
	}
	put(other, doc("shelf.md", "told:after"), doc("more.md", "told:more"))
	for _, s := range []*sqlite.Store{s, other, open(t, path)} {
		bears(s, "more.md [told:more]; shelf.md [told:after]; stays.md [type:decision]")
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	// All of it may go.
	if err := s.Write(t.Context(), memoir.Changes{Delete: []memoir.DocID{"more.md", "shelf.md", "stays.md"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	put(s, doc("new.md", "told:new"))
	bears(other, "new.md [told:new]")
}
