package app_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// earlier makes an index with vectors and a history, and puts the index where earlier
// versions had it. It returns that folder.
func earlier(t *testing.T, settings *config.Loaded) string {
	t.Helper()
	a, err := app.Open(t.Context(), settings, app.Options{Embedder: embedder, Write: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Engine.Remember(t.Context(), engine.Statement{Text: "The heron nests by the weir in April"})
	if _, syncErr := a.Engine.Sync(t.Context(), nil); err == nil {
		err = syncErr
	}
	if _, embedErr := a.Engine.EmbedPending(t.Context(), nil); err == nil {
		err = embedErr
	}
	if err := errors.Join(err, a.Close()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(settings.IndexPath() + "*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if err := os.Rename(file, filepath.Join(settings.KeptDir(), filepath.Base(file))); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(settings.KeptDir(), "main.sqlite.jobs"), "{}")
	put(t, filepath.Join(settings.KeptDir(), "main.sqlite.queries.jsonl"), "{}\n")
	if err := os.Remove(filepath.Dir(settings.IndexPath())); err != nil {
		t.Fatal(err)
	}
	return settings.KeptDir()
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// there returns which of some files are there.
func there(paths ...string) (found []string) {
	for _, path := range paths {
		if _, err := os.Lstat(path); err == nil {
			found = append(found, filepath.Base(path))
		}
	}
	return found
}

// finds reports whether a search by words and vectors finds the entry of earlier, and
// computes no vector of a note anew.
func finds(t *testing.T, settings *config.Loaded) {
	t.Helper()
	counting := embedtest.NewCounting(&embedtest.Embedder{})
	opened := func(context.Context) (memoir.Embedder, error) { return counting, nil }
	a, err := app.Open(t.Context(), settings, app.Options{Embedder: opened})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close() //nolint:errcheck // of what was only read
	res, err := a.Engine.Search(t.Context(), memoir.Query{Text: "heron"})
	if err != nil || len(res.Hits) == 0 || !strings.Contains(res.Hits[0].Text, "weir") || len(res.Degraded) > 0 {
		t.Errorf("got %+v, %v", res, err)
	}
	if stats, err := a.Engine.EmbedPending(t.Context(), nil); err != nil || stats.Embedded != 0 {
		t.Errorf("%+v vectors were computed, error %v", stats, err)
	}
}

// TestBring: the index of an earlier version moves to the cache with its vectors and the
// jobs of a provider. What cannot be made again stays.
func TestBring(t *testing.T) {
	settings := load(t, "")
	kept := earlier(t, settings)
	history, err := os.ReadFile(filepath.Join(kept, "notebook", "history.jsonl"))
	if err != nil || len(history) == 0 {
		t.Fatal(err)
	}
	if !app.HasIndex(settings) {
		t.Error("the index of an earlier version is not seen")
	}
	finds(t, settings)
	old := kept + "/main.sqlite"
	if left := there(old, old+"-wal", old+".synced", old+".jobs"); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	if moved := there(settings.IndexPath(), settings.IndexPath()+".jobs"); len(moved) != 2 {
		t.Errorf("moved were only %v", moved)
	}
	if stays := there(kept+"/main.sqlite.queries.jsonl", kept+"/workspace"); len(stays) != 2 {
		t.Errorf("only %v stay", stays)
	}
	now, err := os.ReadFile(filepath.Join(kept, "notebook", "history.jsonl"))
	if err != nil || !bytes.Equal(now, history) {
		t.Errorf("the history is another one: %v", err)
	}
}

// TestBringCutShort: a move that was cut short after any file is ended by who comes next.
func TestBringCutShort(t *testing.T) {
	for _, first := range []string{".jobs", ".synced"} {
		settings := load(t, "")
		kept := earlier(t, settings)
		if err := os.MkdirAll(filepath.Dir(settings.IndexPath()), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(kept+"/main.sqlite"+first, settings.IndexPath()+first); err != nil {
			t.Fatal(err)
		}
		finds(t, settings)
		index := settings.IndexPath()
		if moved := there(index, index+".jobs", index+".synced"); len(moved) != 3 {
			t.Errorf("after %s, moved were only %v", first, moved)
		}
	}
}

// TestBringBeside: an index in the cache counts, and the earlier one is removed, so that
// what is forgotten does not stay in it.
func TestBringBeside(t *testing.T) {
	settings := load(t, "")
	kept := earlier(t, settings)
	finds(t, settings)
	before, err := os.ReadFile(settings.IndexPath())
	if err != nil {
		t.Fatal(err)
	}
	put(t, kept+"/main.sqlite", "an earlier version ran again")
	put(t, kept+"/main.sqlite-wal", "its log")
	if err := app.Bring(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	if left := there(kept+"/main.sqlite", kept+"/main.sqlite-wal"); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	if now, err := os.ReadFile(settings.IndexPath()); err != nil || !bytes.Equal(now, before) {
		t.Errorf("the index is another one: %v", err)
	}
}

// TestBringHeld: an index that an earlier version has open stays until that ends.
func TestBringHeld(t *testing.T) {
	settings := load(t, "")
	kept := earlier(t, settings)
	lock, ok, err := statedir.TryShare(kept + "/main.sqlite.kept.lock")
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	err = app.Bring(t.Context(), settings)
	if found := there(kept+"/main.sqlite", settings.IndexPath()); err != nil || len(found) != 1 {
		t.Errorf("%v; there are %v", err, found)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	finds(t, settings)
}

// TestBringStrange: what is behind a link is nobody's index, and stays as it is.
func TestBringStrange(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	settings := load(t, "")
	kept := earlier(t, settings)
	if err := os.Rename(kept+"/main.sqlite", elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, kept+"/main.sqlite"); err != nil {
		t.Skip(err)
	}
	if err := app.Bring(t.Context(), settings); err != nil || len(there(elsewhere, settings.IndexPath())) != 1 {
		t.Errorf("a linked database: %v; there are %v", err, there(elsewhere, settings.IndexPath()))
	}
	for _, which := range []func(*config.Loaded) string{
		func(s *config.Loaded) string { return s.KeptDir() },
		func(s *config.Loaded) string { return filepath.Dir(s.IndexPath()) },
	} {
		settings := load(t, "")
		earlier(t, settings)
		dir, away := which(settings), filepath.Join(t.TempDir(), "away")
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.Rename(dir, away), os.Symlink(away, dir)); err != nil {
			t.Fatal(err)
		}
		if err := app.Bring(t.Context(), settings); err == nil || memoir.Hint(err) == "" {
			t.Errorf("%s is a link: got %v, and want the next step", dir, err)
		}
		if len(there(settings.KeptDir()+"/main.sqlite")) != 1 || len(there(settings.IndexPath())) != 0 {
			t.Errorf("%s is a link, and the index was moved", dir)
		}
	}
}

// TestBringOthers: in a folder that this user cannot change, all stays as it is, and the
// error says what to do.
func TestBringOthers(t *testing.T) {
	if os.Getuid() <= 0 {
		t.Skip("everything can be written")
	}
	settings := load(t, "")
	kept := earlier(t, settings)
	for _, dir := range []string{kept, filepath.Dir(settings.IndexPath())} {
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		err := app.Bring(t.Context(), settings)
		if hint := memoir.Hint(err); !errors.Is(err, fs.ErrPermission) || hint == "" {
			t.Errorf("%s: got %v, and try %q", dir, err, hint)
		}
		if len(there(kept+"/main.sqlite")) != 1 {
			t.Errorf("%s: the index is gone", dir)
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	finds(t, settings)
}
