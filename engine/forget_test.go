package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// onDisk returns an engine over an empty folder that it may write to, with its index, main.sqlite,
// in the folder of its state.
func onDisk(t *testing.T) (e *engine.Engine, dir, state string) {
	t.Helper()
	state = t.TempDir()
	e, dir = over(t, openStore(t, state), state)
	return e, dir, state
}

func openStore(t *testing.T, state string) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(state, "main.sqlite"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// over returns an engine with that store over an empty folder that it may write to.
func over(t *testing.T, store memoir.Store, state string) (e *engine.Engine, dir string) {
	t.Helper()
	dir = t.TempDir()
	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err = engine.New(engine.Config{Store: store, Sources: []memoir.Source{source}, Writing: engine.Writing{Dir: dir, State: state}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e, dir
}

// halting is an index that cannot be written to for a while, as if the process had been
// killed by then.
type halting struct {
	*sqlite.Store
	halts bool
}

var errHalted = errors.New("halted")

func (h *halting) Write(ctx context.Context, c memoir.Changes) error {
	if h.halts {
		return errHalted
	}
	return h.Store.Write(ctx, c)
}

func (h *halting) Purge(ctx context.Context) error {
	if h.halts {
		return errHalted
	}
	return h.Store.Purge(ctx)
}

// inNone checks that none of the files of a pattern, of which there are at least some, holds
// the word quixotlaria.
func inNone(t *testing.T, pattern string, least int) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) < least {
		t.Fatalf("%q, %v", files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(bytes.ToLower(data), []byte("quixotlaria")) {
			t.Errorf("%s still holds it", filepath.Base(file))
		}
	}
}

// TestForgottenOnDisk: no file holds a word of what was forgotten, neither among the notes
// nor in the index or the state.
func TestForgottenOnDisk(t *testing.T) {
	e, dir, state := onDisk(t)
	var told engine.Outcome
	var err error
	for _, text := range []string{"The greenhouse is heated with gas", "Quixotlaria grow behind the greenhouse, 在暖房后面"} {
		if told, err = e.Remember(t.Context(), engine.Statement{Text: text, Type: "project"}); err != nil {
			t.Fatal(err)
		}
		if res, err := e.Search(t.Context(), memoir.Query{Text: text}); err != nil || len(res.Hits) == 0 {
			t.Fatalf("%+v, %v", res, err)
		}
	}
	// A killed process and a damaged index leave copies.
	index, err := os.ReadFile(filepath.Join(state, "main.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"main.sqlite.corrupt-20350210T015834.110Z":     string(index),
		"main.sqlite.corrupt-20350210T015834.110Z-wal": "Quixotlaria, 暖房",
		".history.jsonl.0a1b2c3d.new":                  "Quixotlaria, 暖房",
		".tidy.json.f0a1b2c3.new":                      "Quixotlaria, 暖房",
	} {
		if err := os.WriteFile(filepath.Join(state, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	holding := func() (files []string) {
		for _, root := range []string{dir, state} {
			err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				data, err := os.ReadFile(path)
				for _, word := range []string{"quixotlaria", "暖房"} {
					if bytes.Contains(bytes.ToLower(data), []byte(word)) {
						files = append(files, filepath.Base(path)+": "+word)
					}
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return files
	}
	if got := holding(); len(got) < 6 {
		t.Fatalf("only %q hold it before", got)
	}
	done, err := e.Forget(t.Context(), engine.Target{Ref: told.ID}, false)
	if err != nil || len(done.Entries) != 1 || done.InIndex {
		t.Fatalf("%+v, %v", done, err)
	}
	if got := holding(); len(got) > 0 {
		t.Errorf("it is in %q", got)
	}
	res, err := e.Search(t.Context(), memoir.Query{Text: "greenhouse"})
	if err != nil || len(res.Hits) != 1 {
		t.Errorf("what stays is not found: %+v, %v", res, err)
	}
}

// TestForgottenBehindIndex: what was taken out of a note by hand, or taken back, since the
// index was last made to agree with it is in no file after it is forgotten.
func TestForgottenBehindIndex(t *testing.T) {
	e, dir, state := onDisk(t)
	told, err := e.Remember(t.Context(), engine.Statement{Text: "Quixotlaria grow behind the greenhouse", Type: "project"})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := e.Search(t.Context(), memoir.Query{Text: "quixotlaria"}); err != nil || len(res.Hits) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "memory", "projects.md"), []byte("# Projects\n\n- The greenhouse is heated with gas\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	done, err := e.Forget(t.Context(), engine.Target{Ref: told.ID}, false)
	if err != nil || len(done.InHistory) != 1 || done.InIndex {
		t.Fatalf("%+v, %v", done, err)
	}
	inNone(t, filepath.Join(state, "*"), 3)
}

// TestForgottenHalfway: what was taken out of the notes, but not of the index any more, is in
// no file once the same or something else is forgotten, or secrets are masked.
func TestForgottenHalfway(t *testing.T) {
	for name, next := range map[string]func(e *engine.Engine, id string) error{
		"the same": func(e *engine.Engine, id string) error {
			if _, err := e.Forget(t.Context(), engine.Target{Ref: id}, false); !errors.Is(err, memoir.ErrNotFound) {
				return fmt.Errorf("want that it is not found, got %w", err)
			}
			return nil
		},
		"its words": func(e *engine.Engine, _ string) error {
			done, err := e.Forget(t.Context(), engine.Target{Query: "Quixotlaria"}, false)
			if done.InIndex {
				t.Error("the index is said to have it")
			}
			return err
		},
		"something else": func(e *engine.Engine, _ string) error {
			_, err := e.Forget(t.Context(), engine.Target{Query: "The greenhouse is heated with gas"}, false)
			return err
		},
		"secrets": func(e *engine.Engine, _ string) error {
			_, err := e.MaskSecrets(t.Context())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			store := &halting{Store: openStore(t, state)}
			e, _ := over(t, store, state)
			var told engine.Outcome
			for _, text := range []string{"The greenhouse is heated with gas", "Quixotlaria grow behind the house"} {
				var err error
				if told, err = e.Remember(t.Context(), engine.Statement{Text: text, Type: "project"}); err != nil {
					t.Fatal(err)
				}
			}
			if res, err := e.Search(t.Context(), memoir.Query{Text: "quixotlaria"}); err != nil || len(res.Hits) != 1 {
				t.Fatalf("%+v, %v", res, err)
			}
			store.halts = true
			if done, err := e.Forget(t.Context(), engine.Target{Ref: told.ID}, false); err != nil || !done.InIndex {
				t.Fatalf("%+v, %v", done, err)
			}
			store.halts = false
			if err := next(e, told.ID); err != nil {
				t.Error(err)
			}
			inNone(t, filepath.Join(state, "*"), 3)
		})
	}
}
