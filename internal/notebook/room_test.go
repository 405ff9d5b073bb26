package notebook

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What makes more of the notes asks for room, and changes nothing where there is none;
// what makes less of them asks nobody.
func TestRoom(t *testing.T) {
	full := errors.New("full")
	var asked []string
	var answer error
	n, err := Open(t.TempDir(), filepath.Join(t.TempDir(), "state"), Options{Room: func(_ context.Context, notes int, bytes int64) error {
		asked = append(asked, fmt.Sprint(notes, " ", bytes))
		return answer
	}})
	if err != nil {
		t.Fatal(err)
	}
	put(t, n, "a.md", "tea\n")
	do := func(plan func(*Draft) error) error {
		asked = nil
		_, err := n.Do(t.Context(), "test", "a change", plan)
		return err
	}
	for _, c := range []struct {
		name  string
		plan  func(*Draft) error
		asked []string
	}{
		{"more of a note", func(d *Draft) error { return d.Append("a.md", "milk\n") }, []string{"0 5"}},
		{"a new note", func(d *Draft) error { return d.Write("b.md", "x\n") }, []string{"1 2"}},
		{"an empty new note", func(d *Draft) error { return d.Write("c.md", "") }, []string{"1 0"}},
		{"a new one in the place of an old one", func(d *Draft) error { return errors.Join(d.Remove("b.md"), d.Write("d.md", "xyz\n")) }, []string{"0 2"}},
		{"less", func(d *Draft) error { return d.Write("a.md", "tea\n") }, nil},
		{"nothing", func(d *Draft) error { return d.Write("a.md", "tea\n") }, nil},
		{"a note less", func(d *Draft) error { return d.Remove("c.md") }, nil},
	} {
		if err := do(c.plan); err != nil || !slices.Equal(asked, c.asked) {
			t.Errorf("%s asked for %q, want %q; %v", c.name, asked, c.asked, err)
		}
	}
	answer = full
	before := notes(t, n)
	changes, err := n.History()
	if err != nil {
		t.Fatal(err)
	}
	if err := do(func(d *Draft) error { return errors.Join(d.Append("a.md", "more\n"), d.Write("e.md", "y\n")) }); !errors.Is(err, full) {
		t.Errorf("without room: %v", err)
	}
	if diff := cmp.Diff(before, notes(t, n)); diff != "" {
		t.Errorf("it changed (-before +after):\n%s", diff)
	}
	if after, err := n.History(); err != nil || len(after) != len(changes) {
		t.Errorf("the history has %d changes, want %d; %v", len(after), len(changes), err)
	}
	if err := do(func(d *Draft) error { return d.Remove("a.md") }); err != nil {
		t.Errorf("who is full cannot remove: %v", err)
	}
	if _, err := n.Undo(t.Context(), ""); err != nil || len(asked) > 0 {
		t.Errorf("who is full cannot take back that something was removed: %v, asked for %q", err, asked)
	}
}
