package notebook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func openNotes(t *testing.T, files map[string]string) *Notebook {
	t.Helper()
	n, err := Open(t.TempDir(), filepath.Join(t.TempDir(), "state"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		put(t, n, name, text)
	}
	return n
}

// put writes a note as an editor does.
func put(t *testing.T, n *Notebook, name, text string) {
	t.Helper()
	full := filepath.Join(n.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// notes returns all files below the root.
func notes(t *testing.T, n *Notebook) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(n.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(n.root, path)
		all[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func do(t *testing.T, n *Notebook, plan func(*Draft) error) Change {
	t.Helper()
	c, err := n.Do(context.Background(), "test", "a test", plan)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func undo(t *testing.T, n *Notebook, id string) Change {
	t.Helper()
	c, err := n.Undo(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDo(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "# A\n", "b.md": "one\ntwo\n", "gone.md": "x\n"})
	before := notes(t, n)
	c := do(t, n, func(d *Draft) error {
		return errors.Join(
			d.Append("a.md", "- x\n"), d.Append("a.md", "- y\n"),
			d.Write("b.md", "one\n2\n"), d.Append("b.md", "three\n"),
			d.Append("memory/2026-03-02.md", "new\n"), d.Remove("gone.md"),
		)
	})
	want := map[string]string{"a.md": "# A\n- x\n- y\n", "b.md": "one\n2\nthree\n", "memory/2026-03-02.md": "new\n"}
	if diff := cmp.Diff(want, notes(t, n)); diff != "" {
		t.Errorf("after the change (-want +got):\n%s", diff)
	}
	if len(c.Edits) != 4 || c.ID == "" || c.Time.IsZero() {
		t.Errorf("got the change %+v", c)
	}
	undo(t, n, "")
	if diff := cmp.Diff(before, notes(t, n)); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
	if _, err := n.Undo(context.Background(), ""); !errors.Is(err, ErrUnknown) {
		t.Errorf("a second undo: got %v, want %v", err, ErrUnknown)
	}
	all, err := n.History()
	if err != nil || len(all) != 2 {
		t.Fatalf("got %d changes, %v", len(all), err)
	}
	undo(t, n, all[1].ID) // the undo
	if diff := cmp.Diff(want, notes(t, n)); diff != "" {
		t.Errorf("after undoing the undo (-want +got):\n%s", diff)
	}
}

func TestNothingIsNoChange(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "a\n"})
	c := do(t, n, func(d *Draft) error {
		return errors.Join(d.Write("a.md", "a\n"), d.Append("b.md", ""), d.Remove("c.md"))
	})
	if all, err := n.History(); len(c.Edits) != 0 || len(all) != 0 || err != nil {
		t.Errorf("got the change %+v, a history of %d, %v", c, len(all), err)
	}
}

func TestPlanThatFails(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "a\n"})
	failed := errors.New("no")
	_, err := n.Do(context.Background(), "test", "", func(d *Draft) error { return errors.Join(d.Append("a.md", "b"), failed) })
	if !errors.Is(err, failed) || notes(t, n)["a.md"] != "a\n" {
		t.Errorf("got %v and %q", err, notes(t, n)["a.md"])
	}
}

func TestPaths(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "a\n"})
	outside := t.TempDir()
	bad := []string{"", ".", "..", "../x.md", "/etc/x.md", "a/../../x.md", ".hidden.md", "memory/.x/a.md", "a//b.md", "a/"}
	if runtime.GOOS != "windows" {
		if err := errors.Join(os.Symlink(outside, filepath.Join(n.root, "link")), os.Symlink(filepath.Join(outside, "x.md"), filepath.Join(n.root, "link.md"))); err != nil {
			t.Fatal(err)
		}
		bad = append(bad, "link/x.md", "link.md")
	}
	for _, id := range bad {
		if _, err := n.Do(context.Background(), "test", "", func(d *Draft) error { return d.Append(id, "x") }); err == nil {
			t.Errorf("%q was taken for a note", id)
		}
	}
	if left, _ := os.ReadDir(outside); len(left) != 0 {
		t.Errorf("something was written outside: %v", left)
	}
}

// TestManyWriters: of what many add at once nothing is lost, torn or twice.
func TestManyWriters(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "# A\n"})
	const writers, each = 8, 25
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			n, err := Open(n.root, n.dir, Options{})
			for i := range each {
				if err == nil {
					line := fmt.Sprintf("- %d.%d %s\n", w, i, strings.Repeat("x", 200))
					_, err = n.Do(context.Background(), "test", "", func(d *Draft) error {
						if i%5 != 0 {
							return d.Append("a.md", line)
						}
						text, _, err := d.Read("a.md")
						if err != nil {
							return err
						}
						head, rest, _ := strings.Cut(text, "\n")
						return d.Write("a.md", head+"!\n"+rest+line)
					})
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	lines := strings.Split(strings.TrimSuffix(notes(t, n)["a.md"], "\n"), "\n")
	seen := map[string]bool{}
	for _, line := range lines[1:] {
		if seen[line] || len(line) < 200 {
			t.Errorf("line %q is torn or there twice", line)
		}
		seen[line] = true
	}
	if len(seen) != writers*each || lines[0] != "# A"+strings.Repeat("!", writers*each/5) {
		t.Errorf("got %d of %d lines, head %q", len(seen), writers*each, lines[0])
	}
	if all, err := n.History(); err != nil || len(all) != writers*each {
		t.Errorf("the history has %d of %d changes, %v", len(all), writers*each, err)
	}
}

// TestEditorBetween: an editor that saves while a change is planned loses
// nothing, and neither does the change.
func TestEditorBetween(t *testing.T) {
	saves := map[string]func(t *testing.T, n *Notebook, text string){
		"in place": func(t *testing.T, n *Notebook, text string) { put(t, n, "a.md", text) },
		"by rename": func(t *testing.T, n *Notebook, text string) {
			put(t, n, "a.md~", text)
			if err := os.Rename(filepath.Join(n.root, "a.md~"), filepath.Join(n.root, "a.md")); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, save := range saves {
		t.Run(name, func(t *testing.T) {
			n := openNotes(t, map[string]string{"a.md": "one\ntwo\n"})
			calls := 0
			do(t, n, func(d *Draft) error {
				text, _, err := d.Read("a.md")
				if calls++; calls == 1 {
					save(t, n, "one\ntwo\nthree\n")
				}
				return errors.Join(err, d.Write("a.md", strings.Replace(text, "one", "1", 1)))
			})
			if got := notes(t, n); calls != 2 || len(got) != 1 || got["a.md"] != "1\ntwo\nthree\n" {
				t.Errorf("after %d calls: %q", calls, got)
			}
		})
	}
}

func TestEditorAddsBetween(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "one\n"})
	do(t, n, func(d *Draft) error {
		_, _, err := d.Read("a.md")
		put(t, n, "a.md", "one\ntwo\n")
		return errors.Join(err, d.Append("a.md", "three\n"))
	})
	if got := notes(t, n)["a.md"]; got != "one\ntwo\nthree\n" {
		t.Errorf("got %q", got)
	}
	undo(t, n, "")
	if got := notes(t, n)["a.md"]; got != "one\ntwo\n" {
		t.Errorf("after undo: got %q", got)
	}
}

func TestUndoBesideOtherChanges(t *testing.T) {
	tests := []struct {
		name, before, after, edited, want string // want "" is a conflict
	}{
		{"line added above", "a\nb\n", "a\nb\nc\n", "x\na\nb\nc\n", "x\na\nb\n"},
		{"line removed, another added", "a\nb\nc\n", "a\nc\n", "a\nc\nd\n", "a\nb\nc\nd\n"},
		{"line changed, another too", "a\nb\nc\n", "a\nB\nc\n", "A\nB\nc\n", "A\nb\nc\n"},
		{"its line changed", "a\nb\n", "a\nB\n", "a\nBB\n", ""},
		{"its line removed", "a\n", "a\nb\n", "a\n", ""},
		{"its line twice", "a\n", "a\nb\n", "a\nc\nb\nd\nb\n", ""},
		{"part of a longer line", "a\n", "a\nb", "a\nbb", ""},
		{"chinese", "甲\n乙\n", "甲\n丙\n", "甲\n丙\n丁\n", "甲\n乙\n丁\n"},
	}
	for _, test := range tests {
		n := openNotes(t, map[string]string{"a.md": test.before})
		do(t, n, func(d *Draft) error { return d.Write("a.md", test.after) })
		put(t, n, "a.md", test.edited)
		_, err := n.Undo(context.Background(), "")
		got := notes(t, n)["a.md"]
		switch {
		case test.want == "" && (!errors.Is(err, ErrConflict) || got != test.edited):
			t.Errorf("%s: got %q, %v; want a conflict", test.name, got, err)
		case test.want != "" && (err != nil || got != test.want):
			t.Errorf("%s: got %q, %v; want %q", test.name, got, err, test.want)
		}
	}
}

// TestRandomChanges: after each of a thousand changes undo gives the bytes back.
func TestRandomChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	n := openNotes(t, map[string]string{"a.md": "# A\r\n\r\n- 一\r\n", "b.md": "no end"})
	n.sync = func(*os.File) error { return nil } // a thousand changes need not outlive a loss of power
	n.opts.HistoryBytes = 64 << 10
	rng := rand.New(rand.NewPCG(1, 2))
	words := []string{"- x\n", "", "\n", "文字\n", "a\r\nb\r\n", "tail", "\ufeff", "😀 emoji\n\n"}
	for i := range 1000 {
		before := notes(t, n)
		c := do(t, n, func(d *Draft) error {
			for range 1 + rng.IntN(3) {
				id := []string{"a.md", "b.md", "memory/c.md"}[rng.IntN(3)]
				text, exists, err := d.Read(id)
				if err != nil {
					return err
				}
				piece := words[rng.IntN(len(words))]
				lines := strings.SplitAfter(text, "\n")
				at := rng.IntN(len(lines))
				switch rng.IntN(5) {
				case 0:
					err = d.Append(id, piece)
				case 1:
					err = d.Write(id, strings.Join(lines[:at], "")+piece+strings.Join(lines[at:], ""))
				case 2:
					err = d.Write(id, strings.Join(append(lines[:at:at], lines[at+1:]...), ""))
				case 3:
					err = d.Write(id, piece)
				case 4:
					if exists {
						err = d.Remove(id)
					}
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if len(c.Edits) == 0 {
			continue
		}
		after := notes(t, n)
		undo(t, n, "")
		if diff := cmp.Diff(before, notes(t, n)); diff != "" {
			t.Fatalf("change %d undone (-want +got):\n%s", i, diff)
		}
		all, err := n.History()
		if err != nil {
			t.Fatal(err)
		}
		undo(t, n, all[len(all)-1].ID)
		if diff := cmp.Diff(after, notes(t, n)); diff != "" {
			t.Fatalf("change %d done again (-want +got):\n%s", i, diff)
		}
	}
}

func TestCrash(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "a\n"})
	do(t, n, func(d *Draft) error { return d.Append("a.md", "b\n") })
	h, err := n.openHistory()
	if err != nil {
		t.Fatal(err)
	}
	// A process was killed before it wrote the note, and another in the middle of a line.
	if err := errors.Join(h.add(t.Context(), Change{ID: "never", Edits: []Edit{{Path: "a.md", At: 4, New: "c\n"}}}), h.Close()); err != nil {
		t.Fatal(err)
	}
	log, err := os.OpenFile(n.historyPath(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.WriteString(`{"id":"torn","edi`); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	undo(t, n, "")
	if got := notes(t, n)["a.md"]; got != "a\n" {
		t.Errorf("after undo: got %q", got)
	}
	do(t, n, func(d *Draft) error { return d.Append("a.md", "d\n") })
	all, err := n.History()
	if err != nil || len(all) != 4 {
		t.Errorf("the history has %d changes, %v", len(all), err)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "a\n"})
	n.opts.HistoryBytes = 4 << 10
	for i := range 100 {
		do(t, n, func(d *Draft) error { return d.Append("a.md", fmt.Sprintf("line %d\n", i)) })
	}
	info, err := os.Stat(n.historyPath())
	if err != nil || info.Size() > 5<<10 {
		t.Errorf("the history has %d bytes, %v", info.Size(), err)
	}
	before := notes(t, n)["a.md"]
	undo(t, n, "")
	if got := notes(t, n)["a.md"]; got != strings.TrimSuffix(before, "line 99\n") {
		t.Errorf("after undo: got %q", got)
	}
}

func TestKeepsMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such permissions")
	}
	n := openNotes(t, map[string]string{"a.md": "a\n"})
	full := filepath.Join(n.root, "a.md")
	if err := os.Chmod(full, 0o640); err != nil {
		t.Fatal(err)
	}
	do(t, n, func(d *Draft) error { return d.Write("a.md", "b\n") })
	if info, err := os.Stat(full); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
}

// TestUnsure: a disk that does not confirm what it was given is no reason to say that
// nothing was written; the change can be taken back like any other.
func TestUnsure(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "- one\n"})
	refused := errors.New("input/output error")
	for _, file := range []string{"a.md", "history.jsonl"} {
		n.sync = func(f *os.File) error {
			if filepath.Base(f.Name()) == file {
				return refused
			}
			return nil
		}
		before := notes(t, n)["a.md"]
		_, err := n.Do(t.Context(), "test", "why", func(d *Draft) error { return d.Append("a.md", "- "+file+"\n") })
		if !errors.Is(err, ErrUnsure) || !errors.Is(err, refused) {
			t.Errorf("%s: got %v, want ErrUnsure", file, err)
		}
		if got := notes(t, n)["a.md"]; got != before+"- "+file+"\n" {
			t.Errorf("%s: the note is %q", file, got)
		}
		n.sync = (*os.File).Sync
		if _, err := n.Undo(t.Context(), ""); err != nil {
			t.Errorf("%s: undo: %v", file, err)
		}
		if got := notes(t, n)["a.md"]; got != before {
			t.Errorf("%s: after undo the note is %q", file, got)
		}
	}
}
