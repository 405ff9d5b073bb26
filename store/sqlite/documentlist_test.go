package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/memstore"
	"github.com/memoir-ai/memoir/tune"
)

// TestDocumentsAlone: listing a few documents does not read what searches need
// of their chunks. A look at the chunks afterwards sees all of them.
func TestDocumentsAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	reference := memstore.New()
	write := func(changes memoir.Changes) {
		t.Helper()
		for _, s := range []memoir.Store{open(t, path), reference} {
			if err := s.Write(t.Context(), changes); err != nil {
				t.Fatal(err)
			}
		}
	}
	var docs []memoir.IndexedDocument
	for i := range 40 {
		docs = append(docs, listed(i))
	}
	write(memoir.Changes{Put: docs})

	s := open(t, path)
	same := func(what string) {
		t.Helper()
		if diff := cmp.Diff(allDocuments(t, reference), allDocuments(t, s)); diff != "" {
			t.Errorf("%s: documents (-want +got):\n%s", what, diff)
		}
	}
	same("at first")
	if err := s.Settle(t.Context(), memoir.Space{}, tune.Cache{}); err != nil {
		t.Fatal(err)
	}
	write(memoir.Changes{Delete: []memoir.DocID{docs[7].ID}})
	same("after another process removed one")
	if s.Loaded() {
		t.Error("a list of the documents read what searches need")
	}
	if diff := cmp.Diff(list(t, reference), list(t, s)); diff != "" {
		t.Errorf("chunks after a list of the documents (-want +got):\n%s", diff)
	}
	if !s.Loaded() {
		t.Error("a search keeps what it needs for the next one")
	}
}
