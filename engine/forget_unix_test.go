//go:build unix

package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/embed/local/weights"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// TestForgetHalf: when something else cannot be forgotten after the notes are changed, the
// error says so, and the files of the index forget all the same.
func TestForgetHalf(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	index := filepath.Join(t.TempDir(), "main.sqlite")
	store, err := sqlite.Open(t.Context(), index, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	embedder, err := local.New(weights.File(), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Config{Store: store, Embedder: embedder, Sources: []memoir.Source{source}, Writing: engine.Writing{Dir: dir, State: state}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	told, err := e.Remember(t.Context(), engine.Statement{Text: "Quixotlaria grow behind the greenhouse", Type: "project"})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := e.Search(t.Context(), memoir.Query{Text: "quixotlaria"}); err != nil || len(res.Hits) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	if _, err := e.Similar(t.Context(), "greenhouse", 0); err != nil { // the vectors of entries are read
		t.Fatal(err)
	}
	vectors, err := filepath.Glob(filepath.Join(state, "*.vec"))
	if err != nil || len(vectors) != 1 {
		t.Fatalf("%v, %v", vectors, err)
	}
	// A link of the same size stands where they were: it is not replaced.
	info, err := os.Lstat(vectors[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(vectors[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(strings.Repeat("a", 200)+strings.Repeat("/", int(info.Size())-201)+"a", vectors[0]); err != nil {
		t.Fatal(err)
	}
	done, err := e.Forget(t.Context(), engine.Target{Ref: told.ID}, false)
	if err == nil {
		t.Errorf("got %+v, and no error", done)
	}
	inNone(t, index+"*", 1)
}
