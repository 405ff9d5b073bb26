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

	"github.com/google/go-cmp/cmp"
)

// TestBundle: the changes of a bundle are one in the history, whatever else is
// changed between them, and are taken back as one.
func TestBundle(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "# A\n"})
	b := NewBundle("import", "imported 3 things")
	join := func(plan func(*Draft) error) {
		do(t, n, func(d *Draft) error {
			d.Join(b)
			return plan(d)
		})
	}
	join(func(d *Draft) error { return d.Append("a.md", "- one\n") })
	do(t, n, func(d *Draft) error { return d.Append("a.md", "- mine\n") })
	join(func(d *Draft) error { return d.Append("a.md", "- two\n") })
	join(func(d *Draft) error {
		return errors.Join(d.Create("in/b.md", "a long note\n"), d.Create("in/空.md", ""))
	})

	all, err := n.History()
	if err != nil || len(all) != 2 {
		t.Fatalf("got %d changes, %v; want 2", len(all), err)
	}
	if c := all[0]; c.ID != b.ID || c.Who != "import" || c.Why != "imported 3 things" || len(c.Edits) != 4 {
		t.Errorf("got the bundle %+v", c)
	}
	if stateHolds(t, n, "a long note") {
		t.Error("the history has a copy of a note that was created")
	}
	c := undo(t, n, b.ID)
	if diff := cmp.Diff(map[string]string{"a.md": "# A\n- mine\n"}, notes(t, n)); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
	if _, err := n.Undo(context.Background(), b.ID); !errors.Is(err, ErrUnknown) {
		t.Errorf("undone twice: got %v, want %v", err, ErrUnknown)
	}
	// What was made without a copy cannot be brought back.
	if _, err := n.Undo(context.Background(), c.ID); !errors.Is(err, ErrForgotten) {
		t.Errorf("undo of the undo: got %v, want %v", err, ErrForgotten)
	}
	undo(t, n, "") // and the change of before is the last
	if got := notes(t, n)["a.md"]; got != "# A\n" {
		t.Errorf("got %q", got)
	}
}

func TestUndoOfLinesTogetherCanBeUndone(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "# A\n"})
	b := NewBundle("import", "")
	for _, line := range []string{"- one\n", "- two\n"} {
		do(t, n, func(d *Draft) error { d.Join(b); return d.Append("a.md", line) })
	}
	before := notes(t, n)
	c := undo(t, n, "")
	if got := notes(t, n)["a.md"]; got != "# A\n" {
		t.Errorf("after undo: got %q", got)
	}
	undo(t, n, c.ID)
	if diff := cmp.Diff(before, notes(t, n)); diff != "" {
		t.Errorf("after undoing the undo (-want +got):\n%s", diff)
	}
	undo(t, n, b.ID) // once more
	if got := notes(t, n)["a.md"]; got != "# A\n" {
		t.Errorf("after undo: got %q", got)
	}
}

func TestUndoOfCreated(t *testing.T) {
	tests := []struct {
		name, now, want string // "" of want: a conflict
	}{
		{"changed since", "text\nmore\n", ""},
		{"gone since", "", "b.md"},
	}
	for _, test := range tests {
		n := openNotes(t, map[string]string{"b.md": "x\n"})
		do(t, n, func(d *Draft) error { return errors.Join(d.Create("a.md", "text\n"), d.Create("c.md", "other\n")) })
		if test.now != "" {
			put(t, n, "a.md", test.now)
		} else if err := removeNote(n, "a.md"); err != nil {
			t.Fatal(err)
		}
		before := notes(t, n)
		_, err := n.Undo(context.Background(), "")
		if test.want == "" {
			if diff := cmp.Diff(before, notes(t, n)); diff != "" || !errors.Is(err, ErrConflict) {
				t.Errorf("%s: got %v, want a conflict and nothing done (-want +got):\n%s", test.name, err, diff)
			}
			continue
		}
		if got := notes(t, n); err != nil || len(got) != 1 || got[test.want] == "" {
			t.Errorf("%s: got %q, %v", test.name, got, err)
		}
	}
}

func TestCreateWhatIsThere(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "mine\n"})
	_, err := n.Do(context.Background(), "test", "", func(d *Draft) error { return d.Create("a.md", "theirs\n") })
	if !errors.Is(err, fs.ErrExist) || notes(t, n)["a.md"] != "mine\n" {
		t.Errorf("got %v and %q", err, notes(t, n))
	}
}

// TestKeyOfUndoneBundle: what was taken back with its bundle may come again.
func TestKeyOfUndoneBundle(t *testing.T) {
	n := openNotes(t, nil)
	bring := func() Bundle {
		b := NewBundle("import", "")
		do(t, n, func(d *Draft) error {
			d.Join(b)
			d.Sign("k1", json.RawMessage(`"added"`))
			return d.Append("a.md", "- one\n")
		})
		return b
	}
	known := func(want bool) {
		t.Helper()
		if _, ok, _, err := n.Keyed("k1"); ok != want || err != nil {
			t.Errorf("known: got %v, %v; want %v", ok, err, want)
		}
	}
	first := bring()
	known(true)
	c := undo(t, n, first.ID)
	known(false)
	undo(t, n, c.ID)
	known(true)
	undo(t, n, first.ID)
	known(false)
	bring()
	known(true)
	if got := notes(t, n)["a.md"]; strings.Count(got, "one") != 1 {
		t.Errorf("got %q", got)
	}
}

func removeNote(n *Notebook, name string) error { return os.Remove(filepath.Join(n.root, name)) }
