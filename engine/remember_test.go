package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/embed/local/weights"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

// writing returns an engine over an empty folder that it may write to, by words.
func writing(t *testing.T, files map[string]string) (*engine.Engine, string) {
	t.Helper()
	return writingAt(t, files, func() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) })
}

// inside returns the model inside the binary.
func inside(t testing.TB) memoir.Embedder {
	t.Helper()
	e, err := local.New(weights.File(), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// writingAt does so with a clock.
func writingAt(t *testing.T, files map[string]string, now func() time.Time) (*engine.Engine, string) {
	t.Helper()
	dir := t.TempDir()
	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Config{
		Store: memstore.New(), Sources: []memoir.Source{source},
		Writing: engine.Writing{Dir: dir, State: t.TempDir(), Files: files},
		Now:     now, Reads: inside(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e, dir
}

// TestUndoAfterForget: what was forgotten is gone for good, so the last change cannot
// be taken back. The one before it stays until it is named.
func TestUndoAfterForget(t *testing.T) {
	e, dir := writing(t, nil)
	ctx := t.Context()
	kept, err := e.Remember(ctx, engine.Statement{Text: "The staging server is called heron", Type: "project"})
	if err != nil {
		t.Fatal(err)
	}
	gone, err := e.Remember(ctx, engine.Statement{Text: "Ann lives in Bergen", Type: "contact"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Forget(ctx, engine.Target{Ref: gone.ID}, false); err != nil {
		t.Fatal(err)
	}
	if change, err := e.Undo(ctx, ""); !errors.Is(err, memoir.ErrNotFound) {
		t.Errorf("after forget: %+v, %v", change, err)
	}
	note := filepath.Join(dir, "memory", "projects.md")
	if text, err := os.ReadFile(note); err != nil || !strings.Contains(string(text), "heron") {
		t.Errorf("another change was taken back: %q, %v", text, err)
	}
	if change, err := e.Undo(ctx, kept.Change); err != nil || change.Undoes != kept.Change {
		t.Errorf("by its id: %+v, %v", change, err)
	}
	if _, err := os.Stat(note); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it was not taken back: %v", err)
	}
}

// TestUndoBeforeForget: nor is the change before a forget what a second undo takes back.
func TestUndoBeforeForget(t *testing.T) {
	e, dir := writing(t, nil)
	ctx := t.Context()
	var told []engine.Outcome
	tell := func(text, typ string) {
		t.Helper()
		outcome, err := e.Remember(ctx, engine.Statement{Text: text, Type: typ})
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, outcome)
	}
	tell("The staging server is called heron", "project")
	tell("Ann lives in Bergen", "contact")
	if _, err := e.Forget(ctx, engine.Target{Ref: told[1].ID}, false); err != nil {
		t.Fatal(err)
	}
	tell("Prefers tabs over spaces", "preference")
	undone, err := e.Undo(ctx, "")
	if err != nil || undone.Undoes != told[2].Change {
		t.Fatalf("the first undo: %+v, %v", undone, err)
	}
	if change, err := e.Undo(ctx, ""); !errors.Is(err, memoir.ErrNotFound) {
		t.Errorf("the second undo: %+v, %v", change, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "memory", "projects.md")); err != nil || !strings.Contains(string(text), "heron") {
		t.Errorf("another change was taken back: %q, %v", text, err)
	}
	// An undo that is taken back leaves its change the last one again.
	if _, err := e.Undo(ctx, undone.ID); err != nil {
		t.Fatal(err)
	}
	if change, err := e.Undo(ctx, ""); err != nil || change.Undoes != told[2].Change {
		t.Errorf("after the undo of the undo: %+v, %v", change, err)
	}
	if change, err := e.Undo(ctx, told[0].Change); err != nil || change.Undoes != told[0].Change {
		t.Errorf("by its id: %+v, %v", change, err)
	}
}

// TestRemembered: what is told is on disk, found by the next search, given at the
// next start, and taken back byte for byte.
func TestRemembered(t *testing.T) {
	e, dir := writing(t, nil)
	ctx := t.Context()
	outcome, err := e.Remember(ctx, engine.Statement{Text: "The staging server is called heron", Type: "project"})
	if err != nil || outcome.Outcome != "added" || outcome.Path != "memory/projects.md" {
		t.Fatalf("%+v, %v", outcome, err)
	}
	before, err := os.ReadFile(filepath.Join(dir, "memory", "projects.md"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := e.Search(ctx, memoir.Query{Text: "staging server"})
	if err != nil || len(res.Hits) == 0 || res.Hits[0].Doc != "memory/projects.md" {
		t.Fatalf("not found: %+v, %v", res, err)
	}
	if hit := res.Hits[0]; strings.Contains(hit.Snippet, "<!--") || hit.StartLine > 3 || hit.EndLine < 3 {
		t.Errorf("the hit is lines %d to %d: %q", hit.StartLine, hit.EndLine, hit.Snippet)
	}
	if _, err := e.Remember(ctx, engine.Statement{Text: "Answer in short sentences", Type: "instruction"}); err != nil {
		t.Fatal(err)
	}
	primed, err := e.Prime(ctx, engine.PrimeOptions{})
	if err != nil || !strings.Contains(primed.Text, "Answer in short sentences") {
		t.Errorf("a session is given %q, %v", primed.Text, err)
	}
	again, err := e.Remember(ctx, engine.Statement{Text: primed.Text, Origin: "agent"})
	if err != nil || again.Outcome != "refused" || again.Reason.Code != "recalled" {
		t.Errorf("what was given is kept: %+v, %v", again, err)
	}
	changed, err := e.Remember(ctx, engine.Statement{Text: "The staging server is called osprey", Replaces: outcome.ID})
	if err != nil || changed.Outcome != "superseded" {
		t.Fatalf("%+v, %v", changed, err)
	}
	if _, err := e.Undo(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, "memory", "projects.md")); err != nil || string(after) != string(before) {
		t.Errorf("after undo: %q, %v; want %q", after, err, before)
	}
	if due := e.Flush(200_000, 176_000); !due.Due || due.Path != "memory/2026-03-02.md" {
		t.Errorf("%+v", due)
	}
}

// TestShelves: entries are kept where the caller says.
func TestShelves(t *testing.T) {
	e, dir := writing(t, map[string]string{"decision": "docs/why.md"})
	if _, err := e.Remember(t.Context(), engine.Statement{Text: "We use Postgres because its backups can be tested", Type: "decision"}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "docs", "why.md")); err != nil || !strings.Contains(string(text), "We use Postgres") {
		t.Errorf("%q, %v", text, err)
	}
	primed, err := e.Prime(t.Context(), engine.PrimeOptions{})
	if err != nil || !strings.Contains(primed.Text, "## Recent decisions\n- We use Postgres") {
		t.Errorf("%q, %v", primed.Text, err)
	}
}

// TestNothingIsWritten: an engine that was not told where to write says so, and one
// that is closed as well.
func TestNothingIsWritten(t *testing.T) {
	e, dir := writing(t, nil)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := engine.New(engine.Config{Store: memstore.New(), Sources: []memoir.Source{source}})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	ctx := t.Context()
	for name, call := range map[string]func(*engine.Engine) error{
		"Remember": func(e *engine.Engine) error { _, err := e.Remember(ctx, engine.Statement{Text: "We met"}); return err },
		"Entries":  func(e *engine.Engine) error { _, err := e.Entries(ctx, engine.EntryFilter{}); return err },
		"Similar":  func(e *engine.Engine) error { _, err := e.Similar(ctx, "We met", 0); return err },
		"Forget":   func(e *engine.Engine) error { _, err := e.Forget(ctx, engine.Target{Ref: "x"}, false); return err },
		"History":  func(e *engine.Engine) error { _, err := e.History(); return err },
		"Lost":     func(e *engine.Engine) error { _, err := e.Lost(ctx); return err },
		"Restore":  func(e *engine.Engine) error { _, err := e.Restore(ctx, nil); return err },
		"Undo":     func(e *engine.Engine) error { _, err := e.Undo(ctx, ""); return err },
	} {
		if err := call(reader); !errors.Is(err, memoir.ErrUnavailable) {
			t.Errorf("%s without a folder: %v", name, err)
		}
		if err := call(e); !errors.Is(err, memoir.ErrClosed) {
			t.Errorf("%s of a closed engine: %v", name, err)
		}
	}
	for _, files := range []map[string]string{{"poem": "a.md"}, {"decision": "../a.md"}, {"journal": "log.md"}} {
		_, err := engine.New(engine.Config{Store: memstore.New(), Sources: []memoir.Source{source}, Writing: engine.Writing{Dir: dir, State: t.TempDir(), Files: files}})
		if err == nil {
			t.Errorf("shelves %v are taken", files)
		}
	}
}
