package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// TestOutdated: an engine that must leave the index to others takes nothing in or out of it
// and embeds nothing, says why, and goes on where it left off once it need not any more.
func TestOutdated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		older, embedder := errors.New("older settings"), &paced{}
		var outdated atomic.Bool
		n := newNotes(t, engine.Config{Embedder: embedder, Outdated: func() error {
			if outdated.Load() {
				return memoir.WithHint(older, "start again")
			}
			return nil
		}}, "kept.md", "tea\n", "gone.md", "coffee\n")
		n.maintain()
		time.Sleep(time.Second)
		holds := func(want int, embedded int) {
			t.Helper()
			stats, err := n.engine.Stats(t.Context())
			texts, _ := embedder.given()
			if err != nil || stats.Documents != want || len(texts) != embedded {
				t.Errorf("%d documents are indexed, %d texts embedded, want %d and %d: %v", stats.Documents, len(texts), want, embedded, err)
			}
		}
		holds(2, 2)

		outdated.Store(true)
		n.write("new.md", "cocoa\n")
		if err := os.Remove(filepath.Join(n.dir, "gone.md")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if res := n.search(memoir.Query{Text: "coffee"}); reasons(res) != "older settings [start again]" || len(res.Hits) == 0 || res.Hits[0].Doc != "gone.md" {
			t.Errorf("a search: %v, %q", citations(res), reasons(res))
		}
		if _, err := n.engine.Sync(t.Context(), nil); !errors.Is(err, older) {
			t.Errorf("a sync: %v", err)
		}
		if _, err := n.engine.Rebuild(t.Context(), nil); !errors.Is(err, older) {
			t.Errorf("a rebuild: %v", err)
		}
		if st, err := n.engine.Status(t.Context()); err != nil || len(st.Degraded) == 0 || st.Degraded[0].Reason != "older settings" {
			t.Errorf("its status: %+v, %v", st.Degraded, err)
		}
		holds(2, 2)
		// What it was told itself is found.
		if _, err := n.engine.SyncDocuments(t.Context(), []memoir.DocID{"new.md"}); err != nil {
			t.Error(err)
		}
		holds(3, 2)

		outdated.Store(false)
		time.Sleep(2 * time.Minute)
		holds(2, 3)
		if res := n.search(memoir.Query{Text: "cocoa"}); len(res.Degraded) > 0 || len(res.Hits) == 0 {
			t.Errorf("afterwards: %v, %q", citations(res), reasons(res))
		}
	})
}

// TestOutdatedNoMore: an engine that has left the index to others takes it up again soon after
// it may, though it looks at no notes by the clock.
func TestOutdatedNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		embedder := &paced{}
		var outdated atomic.Bool
		outdated.Store(true)
		n := newNotes(t, engine.Config{Embedder: embedder, Outdated: func() error {
			if outdated.Load() {
				return errors.New("others keep it")
			}
			return nil
		}}, "kept.md", "tea\n")
		if err := n.engine.Maintain(0); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if texts, _ := embedder.given(); len(texts) > 0 {
			t.Errorf("%q are embedded", texts)
		}
		outdated.Store(false)
		time.Sleep(15 * time.Second)
		if texts, _ := embedder.given(); len(texts) != 1 {
			t.Errorf("%q are embedded, want one text", texts)
		}
	})
}
