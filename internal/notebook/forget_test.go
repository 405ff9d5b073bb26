package notebook

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// without returns a scrub that leaves out lines with a word.
func without(word string) Scrub {
	return func(_, lines string) string {
		var rest string
		for line := range strings.Lines(lines) {
			if !strings.Contains(line, word) {
				rest += line
			}
		}
		return rest
	}
}

// stateHolds reports whether any file of the state folder holds a word.
func stateHolds(t *testing.T, n *Notebook, word string) bool {
	t.Helper()
	files, err := os.ReadDir(n.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(n.dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), word) {
			return true
		}
	}
	return false
}

func TestForget(t *testing.T) {
	n := openNotes(t, nil)
	for _, line := range []string{"- one\n", "- secret\n", "- two\n"} {
		do(t, n, func(d *Draft) error { return d.Append("a.md", line) })
	}
	do(t, n, func(d *Draft) error { return d.Write("a.md", "# T\n- one\n- secret!\n- 2\n") })
	other := do(t, n, func(d *Draft) error { return d.Append("b.md", "secret place\n") })
	c, err := n.Forget(context.Background(), "forget", "", func(d *Draft) error {
		text, _, err := d.Read("a.md")
		return errors.Join(err, d.Write("a.md", without("secret")("", text)), d.Remove("b.md"))
	}, without("secret"))
	if err != nil {
		t.Fatal(err)
	}
	if got := notes(t, n); len(got) != 1 || got["a.md"] != "# T\n- one\n- 2\n" {
		t.Errorf("got the notes %q", got)
	}
	if stateHolds(t, n, "secret") {
		t.Error("the history still has what was forgotten")
	}
	for _, id := range []string{c.ID, other.ID} {
		if _, err := n.Undo(context.Background(), id); err == nil {
			t.Errorf("change %s was taken back", id)
		}
	}
	if _, err := n.Undo(context.Background(), c.ID); !errors.Is(err, ErrForgotten) {
		t.Errorf("got %v, want %v", err, ErrForgotten)
	}
	// The changes before go on being what they were.
	undo(t, n, "")
	if got := notes(t, n)["a.md"]; got != "- one\n- two\n" {
		t.Errorf("after undo: got %q", got)
	}
	undo(t, n, "")
	undo(t, n, "")
	if got := notes(t, n); len(got) != 0 {
		t.Errorf("after undoing all: got %q", got)
	}
}

func TestForgetsTornLines(t *testing.T) {
	n := openNotes(t, nil)
	do(t, n, func(d *Draft) error { return d.Append("a.md", "- secret\n") })
	log, err := os.OpenFile(n.historyPath(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.WriteString(`{"id":"torn","edits":[{"new":"- secr`); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Forget(context.Background(), "forget", "", func(d *Draft) error { return d.Write("a.md", "") }, without("secret")); err != nil {
		t.Fatal(err)
	}
	if stateHolds(t, n, "secr") {
		t.Error("the history still has what was forgotten")
	}
}

func TestKeyed(t *testing.T) {
	n := openNotes(t, nil)
	if _, ok, _, err := n.Keyed("k1"); ok || err != nil {
		t.Errorf("without a history: got %v, %v", ok, err)
	}
	sign := func(key, line string) Change {
		return do(t, n, func(d *Draft) error {
			d.Sign(key, json.RawMessage(`{"path":"a.md"}`))
			return d.Append("a.md", line)
		})
	}
	first := sign("k1", `- a "key":"k2" b`+"\n")
	sign("k10", "- b\n")
	got, ok, _, err := n.Keyed("k1")
	if err != nil || !ok || got.ID != first.ID || string(got.Answer) != `{"path":"a.md"}` {
		t.Errorf("got %+v, %v, %v", got, ok, err)
	}
	if _, ok, _, err := n.Keyed("k2"); ok || err != nil {
		t.Errorf("a key inside of a note: got %v, %v", ok, err)
	}
	// A process was killed before it wrote the note.
	h, err := n.openHistory()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(h.add(t.Context(), Change{ID: "never", Key: "k3", Edits: []Edit{{Path: "a.md", At: 4, New: "c\n"}}}), h.Close()); err != nil {
		t.Fatal(err)
	}
	if _, ok, _, err := n.Keyed("k3"); ok || err != nil {
		t.Errorf("a change that was not made: got %v, %v", ok, err)
	}
	undone := undo(t, n, first.ID)
	if _, ok, back, err := n.Keyed("k1"); ok || !back || err != nil {
		t.Errorf("after it was taken back: got %v, %v, %v", ok, back, err)
	}
	undo(t, n, undone.ID)
	if _, err := n.Forget(context.Background(), "forget", "", func(d *Draft) error { return d.Remove("a.md") }, without("- ")); err != nil {
		t.Fatal(err)
	}
	if _, ok, _, err := n.Keyed("k1"); !ok || err != nil {
		t.Errorf("after its words were forgotten: got %v, %v", ok, err)
	}
}

func TestPreview(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "a\n"})
	err := n.Preview(func(d *Draft) error {
		if err := d.Append("a.md", "b\n"); err != nil {
			return err
		}
		text, _, err := d.Read("a.md")
		if text != "a\nb\n" {
			t.Errorf("got %q", text)
		}
		return err
	})
	if _, statErr := os.Stat(n.dir); err != nil || notes(t, n)["a.md"] != "a\n" || !os.IsNotExist(statErr) {
		t.Errorf("got %v, %q, %v", err, notes(t, n), statErr)
	}
}

func TestFolderIsGone(t *testing.T) {
	n := openNotes(t, nil)
	if err := os.Remove(n.root); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Do(context.Background(), "test", "", func(d *Draft) error { return d.Append("memory/a.md", "a\n") }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(n.root); !os.IsNotExist(err) {
		t.Errorf("the folder was made anew: %v", err)
	}
}
