package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

// batches notes how many documents were put together, and refuses one.
type batches struct {
	memoir.Store
	sizes  []int
	refuse memoir.DocID
}

func (b *batches) Write(ctx context.Context, c memoir.Changes) error {
	if slices.ContainsFunc(c.Put, func(d memoir.IndexedDocument) bool { return d.ID == b.refuse }) {
		return fmt.Errorf("put documents: %s: %w", b.refuse, memoir.ErrUnavailable)
	}
	b.sizes = append(b.sizes, len(c.Put))
	return b.Store.Write(ctx, c)
}

// unreadable fails to read one document.
type unreadable struct {
	memoir.Source
	id memoir.DocID
}

func (u unreadable) Read(ctx context.Context, id memoir.DocID) (memoir.Document, error) {
	if id == u.id {
		return memoir.Document{}, errors.New("disk on fire")
	}
	return u.Source.Read(ctx, id)
}

// manyNotes are 200 notes of 4 KB.
func manyNotes() (files []string) {
	for i := range 200 {
		files = append(files, fmt.Sprintf("%03d.md", i), fmt.Sprintf("# Note %d\n\nthe word number%d\n\n", i, i)+strings.Repeat("some more words\n", 250))
	}
	return files
}

// TestSyncInBatches: the first documents are found by their words while later
// ones are not indexed; the more there are, the more are committed together.
func TestSyncInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // a batch waits for others as long as they are read, not by the clock
		store := &batches{Store: memstore.New()}
		n := newNotes(t, engine.Config{Store: store}, manyNotes()...)
		last, early := 0, false
		stats, err := n.engine.Sync(t.Context(), func(done, total int) {
			if done < last || total != 200 {
				t.Errorf("progress %d of %d after %d", done, total, last)
			}
			last = done
			res := n.search(memoir.Query{Text: "number0", NoSync: true})
			early = early || done < total && len(res.Hits) == 1
		})
		if err != nil || stats.Added != 200 || last != 200 || !early {
			t.Errorf("got %+v, %v, progress to %d, found before the end: %v", stats, err, last, early)
		}
		total := 0
		for _, size := range store.sizes {
			total += size
		}
		if total != 200 || store.sizes[0] > 20 || slices.Max(store.sizes) < 40 || len(store.sizes) > 12 {
			t.Errorf("got batches of %v, want few and growing", store.sizes)
		}
	})
}

// TestLargeNoteAmongSmall: a note that needs all the memory of a sync does not
// wait for those before it, which wait for it.
func TestLargeNoteAmongSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	large := "# Large\n\n" + strings.Repeat("some more words\n", 80_000)
	n := newNotes(t, engine.Config{Store: memstore.New()}, "a.md", "# A\n\nsmall", "b.md", large, "c.md", "# C\n\nsmall", "d.md", large, "e.md", "# E\n\nsmall")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stats, err := n.engine.Sync(ctx, nil)
	if err != nil || stats.Added != 5 {
		t.Errorf("got %+v, %v; want five notes", stats, err)
	}
}

// TestUnreadableInABatch: what was read before a document that fails is indexed.
func TestUnreadableInABatch(t *testing.T) {
	n := newNotes(t, engine.Config{}, manyNotes()...)
	src, err := mdfile.Open(n.dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	memory, err := engine.New(engine.Config{Store: n.store, Sources: []memoir.Source{unreadable{src, "150.md"}}})
	if err != nil {
		t.Fatal(err)
	}
	stats, err := memory.Sync(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "150.md: disk on fire") || stats.Added != 150 {
		t.Errorf("got %+v, %v, want 150 added and the path of the next", stats, err)
	}
	if got := n.sync(); got.Added != 50 {
		t.Errorf("next sync: got %+v, want the other 50", got)
	}
}

// TestRefusedInABatch: the error of the store, with its path, ends the sync.
func TestRefusedInABatch(t *testing.T) {
	store := &batches{Store: memstore.New(), refuse: "150.md"}
	n := newNotes(t, engine.Config{Store: store}, manyNotes()...)
	stats, err := n.engine.Sync(t.Context(), nil)
	if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error(), ": 150.md: ") || stats.Added == 0 || stats.Added > 150 {
		t.Errorf("got %+v, %v, want what came before and the path", stats, err)
	}
	store.refuse = ""
	if got := n.sync(); got.Added != 200-stats.Added {
		t.Errorf("next sync: got %+v after %+v, want the others", got, stats)
	}
}

// TestChangedLineEmbedsOneChunk: the vectors of the other passages stay.
func TestChangedLineEmbedsOneChunk(t *testing.T) {
	embedder := embedtest.NewCounting(&embedtest.Embedder{})
	n := newNotes(t, engine.Config{Embedder: embedder, SyncBudget: new(time.Duration(0))}, "a.md", "## One\n\nalpha\n\n## Two\n\nbeta\n\n## Three\n\ngamma\n", "b.md", "delta\n")
	n.sync()
	if got := n.embed(); got.Embedded != 4 {
		t.Fatalf("first: got %+v, want four texts embedded", got)
	}
	n.write("a.md", "## One\n\nalpha\n\n## Two\n\nepsilon\n\n## Three\n\ngamma\n")
	if got := n.sync(); got.Changed != 1 {
		t.Errorf("got %+v, want one changed", got)
	}
	if got := n.embed(); got.Embedded != 1 {
		t.Errorf("after the change: got %+v, want one text embedded", got)
	}
}

// TestStatusNamesConflictCopies: what a synced folder could not merge is named.
func TestStatusNamesConflictCopies(t *testing.T) {
	n := newNotes(t, engine.Config{}, "MEMORY.md", "a\n", "MEMORY.sync-conflict-20260302-101112-ABCDEF7.md", "b\n", "MEMORY 2.md", "c\n")
	if _, err := n.engine.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	st, err := n.engine.Status(t.Context())
	want := []memoir.Degradation{{
		Part: "notes", Reason: "MEMORY.sync-conflict-20260302-101112-ABCDEF7.md is a conflict copy of MEMORY.md: two machines changed it at once", Action: "memoir tidy --kind conflict-copy",
	}}
	if diff := cmp.Diff(want, st.Degraded); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
