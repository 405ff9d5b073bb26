package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/store/memstore"
	"github.com/memoir-ai/memoir/store/sqlite"
	"github.com/memoir-ai/memoir/tune"
)

// Somebody who switches to another branch and back has each text embedded once,
// because vectors of texts that are in no note now are kept.
func TestBranchThereAndBack(t *testing.T) {
	const notes, changed, removed, added = 200, 50, 30, 20
	file, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "main.sqlite"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, store := range map[string]memoir.Store{"memory": memstore.New(), "SQLite": file} {
		t.Run(name, func(t *testing.T) {
			model := &paced{}
			n := newNotes(t, engine.Config{Store: store, Embedder: model, Cache: tune.Cache{MaxEntries: 50_000, MaxAge: 2160 * time.Hour}})
			path := func(i int) string { return fmt.Sprintf("memory/%03d.md", i) }
			ours := func() {
				for i := range notes {
					n.write(path(i), fmt.Sprintf("Entry %d is about tea.\n", i))
				}
				for i := range added {
					if err := os.Remove(filepath.Join(n.dir, path(notes+i))); err != nil && !os.IsNotExist(err) {
						t.Fatal(err)
					}
				}
			}
			theirs := func() {
				for i := range changed {
					n.write(path(i), fmt.Sprintf("Entry %d is about coffee, on the other branch.\n", i))
				}
				for i := range removed {
					if err := os.Remove(filepath.Join(n.dir, path(notes-1-i))); err != nil {
						t.Fatal(err)
					}
				}
				for i := range added {
					n.write(path(notes+i), fmt.Sprintf("Entry %d is new on the other branch.\n", notes+i))
				}
			}
			for step, s := range []struct {
				checkOut    func()
				texts, docs int
			}{{ours, notes, notes}, {theirs, changed + added, notes - removed + added}, {ours, 0, notes}, {theirs, 0, notes - removed + added}} {
				s.checkOut()
				before, _ := model.given()
				if _, err := n.engine.Sync(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				if _, err := n.engine.EmbedPending(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				after, _ := model.given()
				stats, err := n.engine.Stats(t.Context())
				if err != nil || stats.Documents != s.docs || stats.Pending != 0 || len(after)-len(before) != s.texts {
					t.Errorf("step %d: %d texts were embedded, %d are pending, of %d notes; want %d of %d, %v", step, len(after)-len(before), stats.Pending, stats.Documents, s.texts, s.docs, err)
				}
			}
		})
	}
}
