package transfer_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/transfer"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

var now = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// workspace returns an engine over an empty folder.
func workspace(t *testing.T) (*engine.Engine, string) {
	t.Helper()
	dir := t.TempDir()
	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Config{
		Store: memstore.New(), Sources: []memoir.Source{source}, Writing: engine.Writing{Dir: dir, State: t.TempDir()}, Now: func() time.Time { return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e, dir
}

// put writes files below a folder.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// tree returns all files below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func brought(t *testing.T, m transfer.Memory, from, path string, opts transfer.Options) transfer.Imported {
	t.Helper()
	opts.Now = now
	out, err := transfer.Import(t.Context(), m, from, path, opts)
	if err != nil {
		t.Fatalf("import %s: %v", from, err)
	}
	return out
}

// TestNothingStops: what cannot be brought is named, and the rest is brought.
func TestNothingStops(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	put(t, dir, map[string]string{
		"a.md": "one\n", "deep/er/b.markdown": "two\r\n", "latin1.md": "caf\xe9\n", "photo.jpg": "x", "node_modules/x.md": "x", ".trash/y.md": "y",
		"large.md": strings.Repeat("0123456789abcde\n", 2<<20) + "x", "zz.md": "last\n",
	})
	e, ws := workspace(t)
	got := brought(t, e, "vault", dir, transfer.Options{Workspace: ws})
	want := []transfer.Item{
		{Name: "large.md", Outcome: "skipped", Reason: "larger than 32 MiB"},
		{Name: "latin1.md", Outcome: "skipped", Reason: "not valid UTF-8"},
	}
	if diff := cmp.Diff(want, got.Items); diff != "" || got.Counts != (transfer.Counts{Added: 3, Skipped: 2}) {
		t.Errorf("got %+v (-want +got):\n%s", got.Counts, diff)
	}
	base := "memory/imports/vault/vault/"
	if diff := cmp.Diff(map[string]string{base + "a.md": "one\n", base + "deep/er/b.markdown": "two\r\n", base + "zz.md": "last\n"}, tree(t, ws)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// TestTheLaterHolds: facts are told in the order of their days, whatever that of
// the export.
func TestTheLaterHolds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.json")
	put(t, filepath.Dir(file), map[string]string{"m.json": `[
		{"id": "2", "memory": "The meeting room is on the third floor", "created_at": "2025-06-01T12:00:00Z", "metadata": {"type": "project"}},
		{"id": "1", "memory": "The printer is in the cellar", "created_at": "2024-06-01T12:00:00Z", "metadata": {"type": "project"}},
		{"id": "3", "memory": "The coffee machine is beside the lift", "created_at": 5e300, "metadata": {"type": "project"}},
		{"id": "4", "memory": "The tea is in the kitchen", "created_at": "the day before", "metadata": {"type": ["project"]}}]`})
	e, ws := workspace(t)
	got := brought(t, e, "mem0", file, transfer.Options{Workspace: ws})
	if got.Counts.Added+got.Counts.Superseded != 4 {
		t.Fatalf("got %+v", got)
	}
	text := tree(t, ws)["memory/projects.md"]
	if printer, room := strings.Index(text, "printer"), strings.Index(text, "meeting"); printer < 0 || room < printer {
		t.Errorf("got\n%s", text)
	}
	if !strings.Contains(text, "printer is in the cellar <!-- id: ") || !strings.Contains(text, "observed: 2024-06-01") {
		t.Errorf("got\n%s", text)
	}
}

// TestUndoOfAll: an import of notes and facts is taken back as one, and nothing of
// what others wrote meanwhile goes.
func TestUndoOfAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".openclaw_memory")
	put(t, dir, map[string]string{
		"user/preferences.md":   "---\ntype: preference\nupdated: 2026-02-01\n---\n- Ann prefers tea without milk\n- 小林喜欢简短的回答\n",
		"journal/2026-02-12.md": "## 10:00 | x\n", "other.md": "a\n",
	})
	e, ws := workspace(t)
	put(t, ws, map[string]string{"memory/preferences.md": "# Preferences\n\n- Short answers\n"})
	before := tree(t, ws)
	got := brought(t, e, "openclaw-memory", dir, transfer.Options{Workspace: ws})
	if got.Counts != (transfer.Counts{Added: 4}) || got.Undo == "" {
		t.Fatalf("got %+v", got)
	}
	if _, err := e.Remember(t.Context(), engine.Statement{Text: "The server is called heron", Type: "project"}); err != nil {
		t.Fatal(err)
	}
	before["memory/projects.md"] = tree(t, ws)["memory/projects.md"]
	if _, err := e.Undo(t.Context(), got.Undo); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(t, ws)); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
	if again := brought(t, e, "openclaw-memory", dir, transfer.Options{Workspace: ws}); again.Counts != got.Counts {
		t.Errorf("imported again: got %+v, want %+v", again.Counts, got.Counts)
	}
}

// TestNamesThatAreTheSame: of two notes whose names a file system may take for the
// same, none overwrites the other.
func TestNamesThatAreTheSame(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"Note.md": "one\n", "note.md": "two\n"})
	want := len(tree(t, dir)) // one, where capitals do not count
	e, ws := workspace(t)
	if got := brought(t, e, "vault", dir, transfer.Options{Workspace: ws}); got.Counts.Added != want {
		t.Errorf("got %+v", got)
	}
	if got := tree(t, ws); len(got) != want {
		t.Errorf("got %q", got)
	}
}

// rewording is a memory that knows everything about ships already.
type rewording struct {
	transfer.Memory
	dry bool
}

func (r *rewording) Remember(_ context.Context, st engine.Statement) (engine.Outcome, error) {
	r.dry = st.DryRun
	out := engine.Outcome{Outcome: engine.Added, Path: "memory/projects.md", Change: "c"}
	if strings.Contains(st.Text, "ship") {
		out.Outcome, out.Told, out.Known = engine.Reinforced, st.Text, "The vessel sails in May"
	}
	return out, nil
}

// TestReworded: what an entry says in other words is counted and shown with both
// texts, also before anything is written; the rest is kept.
func TestReworded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.json")
	put(t, filepath.Dir(file), map[string]string{"m.json": `[{"id": "1", "memory": "In May the ship sails"}, {"id": "2", "memory": "The train leaves in May"}]`})
	for _, dry := range []bool{true, false} {
		m := &rewording{}
		m.Memory, _ = workspace(t)
		got := brought(t, m, "mem0", file, transfer.Options{DryRun: dry})
		want := []transfer.Item{{
			Name: "1", Outcome: "reworded", Path: "memory/projects.md", Reason: "an entry says it in other words",
			Text: "In May the ship sails", Known: "The vessel sails in May",
		}}
		if diff := cmp.Diff(want, got.Items); diff != "" || got.Counts != (transfer.Counts{Added: 1, Reinforced: 1, Reworded: 1}) || m.dry != dry {
			t.Errorf("dry run %t: got %+v (-want +got):\n%s", dry, got.Counts, diff)
		}
	}
}
