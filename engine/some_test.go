package engine_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// owner is a source that knows its ids by how they begin, and that must not be
// scanned.
type owner struct {
	inMemory
	t      *testing.T
	prefix string
	read   *reads
}

// reads are the documents that a source was asked for. It is safe for concurrent use.
type reads struct {
	mu  sync.Mutex // guards what follows
	ids []memoir.DocID
}

func (o owner) Owns(id memoir.DocID) bool { return strings.HasPrefix(string(id), o.prefix) }

func (o owner) Scan(context.Context) iter.Seq2[memoir.ScanEntry, error] {
	o.t.Error("the source was scanned")
	return o.inMemory.Scan(o.t.Context())
}

func (o owner) Read(ctx context.Context, id memoir.DocID) (memoir.Document, error) {
	o.read.mu.Lock()
	o.read.ids = append(o.read.ids, id)
	o.read.mu.Unlock()
	return o.inMemory.Read(ctx, id)
}

// TestSyncDocuments: some documents are brought into the index, and out of it,
// while no source is listed and none is asked for what is not its own.
func TestSyncDocuments(t *testing.T) {
	n := newNotes(t, engine.Config{})
	var ofA, ofB reads
	a := owner{inMemory{{"a/1.md", "alpha"}, {"a/2.md", "beta"}}, t, "a/", &ofA}
	b := owner{inMemory{{"b/1.md", "gamma"}}, t, "b/", &ofB}
	syncs := func(e *engine.Engine, want memoir.SyncStats, ids ...memoir.DocID) {
		t.Helper()
		got, err := e.SyncDocuments(t.Context(), ids)
		if diff := gocmp.Diff(got, want); diff != "" || err != nil {
			t.Errorf("SyncDocuments(%v): %v (-got +want):\n%s", ids, err, diff)
		}
	}
	indexed := func(want ...string) {
		t.Helper()
		var got []string
		for meta, err := range n.store.Documents(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(meta.ID))
		}
		if !slices.Equal(got, want) {
			t.Errorf("indexed are %v, want %v", got, want)
		}
	}
	both := n.over(n.store, a, b)
	syncs(both, memoir.SyncStats{})
	syncs(both, memoir.SyncStats{Scanned: 2, Added: 2}, "b/1.md", "a/1.md", "b/1.md")
	indexed("a/1.md", "b/1.md")
	syncs(both, memoir.SyncStats{Scanned: 1}, "a/1.md", "a/3.md")
	a.inMemory = inMemory{{"a/1.md", "delta"}}
	syncs(n.over(n.store, a, b), memoir.SyncStats{Scanned: 1, Changed: 1}, "a/1.md")
	syncs(n.over(n.store, owner{nil, t, "a/", &ofA}, b), memoir.SyncStats{Removed: 1}, "a/1.md", "nobody's.md")
	indexed("b/1.md")
	if slices.Contains(ofB.ids, "a/1.md") || slices.Contains(ofA.ids, "b/1.md") {
		t.Errorf("asked for what is another's: %v and %v", ofA.ids, ofB.ids)
	}
}
