package notebook

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzHistory: whatever stands in the history, it is read, and to take a change back
// changes nothing outside the notes; with an error it changes nothing at all, and
// without one it can be taken back, too.
func FuzzHistory(f *testing.F) {
	f.Add([]byte(`{"id":"a","who":"remember","why":"x","edits":[{"path":"a.md","at":0,"new":"one\n"}]}`+"\n"+`{"done":"a"}`+"\n"), "one\ntwo\n")
	f.Add([]byte(`{"id":"a","edits":[{"path":"../out.md","at":0,"old":"x","new":"one\n"}]}`+"\n"), "one\n")
	f.Add([]byte(`{"id":"a","edits":[{"path":"a.md","at":-9,"removed":true,"old":"one\n"}]}`+"\n"+`{"id":"b","undoes":"a","edits":null}`+"\n"), "")
	f.Add([]byte("\n{\"id\":\"a\",\"bundle\":\"b\",\"edits\":[{}]}\nnull\n[]\n{\"id\":1}\n{\"cut"), "x")
	dir := f.TempDir() // the text of the history that memoir itself writes
	n, err := Open(filepath.Join(dir, "notes"), filepath.Join(dir, "state"), Options{})
	if err != nil {
		f.Fatal(err)
	}
	if err := os.Mkdir(n.root, 0o755); err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"one\n", "two\n"} {
		if _, err := n.Do(f.Context(), "test", "", func(d *Draft) error { return d.Append("a.md", text) }); err != nil {
			f.Fatal(err)
		}
	}
	written, err := os.ReadFile(n.historyPath())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(written, "one\ntwo\n")
	f.Fuzz(func(t *testing.T, history []byte, text string) {
		n := openNotes(t, map[string]string{"a.md": text, "memory/b.md": text})
		outside := filepath.Join(filepath.Dir(n.root), "out.md")
		for path, data := range map[string][]byte{outside: []byte("outside"), n.historyPath(): history} {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		all, err := n.History()
		if err != nil {
			return
		}
		ids := []string{""}
		for _, c := range all[:min(len(all), 3)] {
			ids = append(ids, c.ID)
		}
		for _, id := range ids {
			before := notes(t, n)
			c, err := n.Undo(t.Context(), id)
			if diff := cmp.Diff(before, notes(t, n)); err != nil && diff != "" {
				t.Fatalf("undo %q failed with %v and changed (-before +after):\n%s", id, err, diff)
			}
			if err == nil {
				if _, err := n.Undo(t.Context(), c.ID); err != nil {
					t.Fatalf("undo %q cannot be taken back: %v", id, err)
				}
				if diff := cmp.Diff(before, notes(t, n)); diff != "" {
					t.Fatalf("undo %q taken back (-before +after):\n%s", id, diff)
				}
			}
		}
		if data, err := os.ReadFile(outside); err != nil || string(data) != "outside" {
			t.Errorf("a file outside the notes: %q, %v", data, err)
		}
	})
}
