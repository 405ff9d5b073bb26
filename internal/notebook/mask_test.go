package notebook

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hidden masks a word, and a line below one that announces it.
func hidden(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i := 1; i < len(lines); i++ {
		if strings.Contains(lines[i-1], "PIN:") {
			lines[i] = strings.ReplaceAll(lines[i], "4471", "[pin]")
		}
	}
	return strings.ReplaceAll(strings.Join(lines, ""), "fjord", "[word]")
}

func mask(t *testing.T, n *Notebook, plan func(*Draft) error) Change {
	t.Helper()
	c, err := n.Mask(context.Background(), "scan", "masked", plan, hidden)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// touch plans to write a note as it is, so that it is masked.
func touch(id string) func(*Draft) error {
	return func(d *Draft) error {
		text, _, err := d.Read(id)
		if err != nil {
			return err
		}
		return d.Write(id, hidden(text))
	}
}

func nowhere(t *testing.T, n *Notebook, words ...string) {
	t.Helper()
	history, err := os.ReadFile(n.historyPath())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, word := range words {
		if strings.Contains(string(history), word) {
			t.Errorf("the history has %q: %s", word, history)
		}
	}
}

// What is masked is in no copy any more, and all that was done beside it can be
// taken back as before.
func TestMask(t *testing.T) {
	for _, end := range []string{"\n", "\r\n"} {
		lines := func(l ...string) string { return "\ufeff" + strings.Join(l, end) + end }
		n := openNotes(t, map[string]string{"a.md": lines("one", "key fjord"), "日记.md": lines("PIN:", "4471", "潮水")})
		added := do(t, n, func(d *Draft) error { return d.Append("a.md", "two"+end) })
		below := do(t, n, func(d *Draft) error { return d.Write("日记.md", lines("PIN:", "4471 ", "潮水")) })
		done := mask(t, n, func(d *Draft) error { return errors.Join(touch("a.md")(d), touch("日记.md")(d)) })
		want := map[string]string{"a.md": lines("one", "key [word]", "two"), "日记.md": lines("PIN:", "[pin] ", "潮水")}
		if diff := cmp.Diff(want, notes(t, n)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		nowhere(t, n, "fjord", "4471")
		if len(done.Edits) != 2 || !done.Forgot {
			t.Errorf("got %+v", done)
		}
		if _, err := n.Undo(context.Background(), done.ID); !errors.Is(err, ErrForgotten) {
			t.Errorf("the mask is taken back: %v", err)
		}
		for _, c := range []Change{below, added} {
			if _, err := n.Undo(context.Background(), c.ID); err != nil {
				t.Errorf("undo of what stood beside it: %v", err)
			}
		}
		want = map[string]string{"a.md": lines("one", "key [word]"), "日记.md": lines("PIN:", "[pin]", "潮水")}
		if diff := cmp.Diff(want, notes(t, n)); diff != "" {
			t.Errorf("after undo (-want +got):\n%s", diff)
		}
		nowhere(t, n, "fjord", "4471")
	}
}

// A change that masks and does something else is taken back but for the mask.
func TestMaskAndMore(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "fjord 1\nmiddle\nfjord 2\nlast\n", "b.md": "fjord\n"})
	done := mask(t, n, func(d *Draft) error {
		if err := touch("b.md")(d); err != nil {
			return err
		}
		return d.Write("a.md", "fjord 1\nfjord 2\nlast\n") // masked on its way
	})
	if diff := cmp.Diff(map[string]string{"a.md": "[word] 1\n[word] 2\nlast\n", "b.md": "[word]\n"}, notes(t, n)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	nowhere(t, n, "fjord")
	if _, err := n.Undo(context.Background(), ""); err != nil || done.Forgot {
		t.Fatalf("undo: %v of %+v", err, done)
	}
	if diff := cmp.Diff(map[string]string{"a.md": "[word] 1\nmiddle\n[word] 2\nlast\n", "b.md": "[word]\n"}, notes(t, n)); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
}

// A change that did nothing but bring a secret is not what undo means, and the
// history alone is masked, too.
func TestMaskOfHistory(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "key fjord1\n"})
	kept := do(t, n, func(d *Draft) error { return d.Append("b.md", "b\n") })
	do(t, n, func(d *Draft) error { return d.Write("a.md", "key fjord\n") })
	do(t, n, func(d *Draft) error { return d.Remove("a.md") })
	if c := mask(t, n, func(*Draft) error { return nil }); c.ID != "" {
		t.Errorf("got %+v", c)
	}
	nowhere(t, n, "fjord")
	for _, want := range []map[string]string{{"a.md": "key [word]\n", "b.md": "b\n"}, {"a.md": "key [word]1\n", "b.md": "b\n"}} {
		if _, err := n.Undo(context.Background(), ""); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, notes(t, n)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if c, err := n.Undo(context.Background(), ""); err != nil || c.Undoes != kept.ID {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestWritable(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "a\n"})
	if err := os.Symlink("a.md", n.root+"/link.md"); err != nil {
		t.Skip(err)
	}
	err := n.Preview(func(d *Draft) error {
		for id, want := range map[string]bool{"a.md": true, "link.md": false, "none.md": false, "../a.md": false} {
			if err := d.Writable(id); (err == nil) != want {
				t.Errorf("%s: got %v", id, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
