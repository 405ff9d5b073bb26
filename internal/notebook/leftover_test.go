package notebook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/regular"
)

// killed runs a change as a process does that is killed when it has written the new
// text beside the note: the history has a change that nothing is known of.
func killed(t *testing.T, n *Notebook, change func() error) {
	t.Helper()
	stop := errors.New("killed")
	n.sync = func(f *os.File) error {
		_ = f.Close() // as the system does
		panic(stop)
	}
	defer func() {
		n.sync = (*os.File).Sync
		if got := recover(); got != any(stop) {
			t.Fatalf("the change was not killed: %v", got)
		}
	}()
	err := change()
	t.Errorf("the change came to its end: %v", err)
}

func rewrite(n *Notebook, id, text string) func() error {
	return func() error {
		_, err := n.Do(context.Background(), "test", "killed", func(d *Draft) error { return d.Write(id, text) })
		return err
	}
}

// step goes on where [killed] ended, and stops at a later step of the rewrite.
func step(t *testing.T, n *Notebook, id, old, text, step string) {
	t.Helper()
	full := filepath.Join(n.root, filepath.FromSlash(id))
	part := single(t, filepath.Join(filepath.Dir(full), ".*.part"))
	name := staged(part)
	var err error
	switch step {
	case "written":
	case "half written":
		err = os.Truncate(part, int64(len(text)/2))
	case "named":
		err = os.Rename(part, name)
	case "exchanged":
		err = errors.Join(os.Rename(full, name), os.Rename(part, full))
	default:
		t.Fatal(step)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func single(t *testing.T, pattern string) string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) != 1 {
		t.Fatalf("%s: got %q, %v", pattern, names, err)
	}
	return names[0]
}

// TestKilledRewrite: whatever a rewrite was killed in, the next change, of any note,
// removes what it left, and the note holds the one text or the other.
func TestKilledRewrite(t *testing.T) {
	const old, text = "one\ntwo\n", "1\ntwo and more\n"
	for _, id := range []string{"a.md", "memory/a.md", "memory/" + strings.Repeat("日", 83) + ".md"} {
		for where, want := range map[string]string{"written": old, "half written": old, "named": old, "exchanged": text} {
			t.Run(fmt.Sprintf("%.12s, %s", id, where), func(t *testing.T) {
				n := openNotes(t, map[string]string{id: old})
				killed(t, n, rewrite(n, id, text))
				step(t, n, id, old, text, where)
				do(t, n, func(d *Draft) error { return d.Append("b.md", "else\n") })
				if diff := cmp.Diff(map[string]string{id: want, "b.md": "else\n"}, notes(t, n)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if kept, err := n.Leftovers(t.Context()); len(kept) != 0 || err != nil {
					t.Errorf("got %+v, %v", kept, err)
				}
			})
		}
	}
}

// TestKilledForget: a text that is to be forgotten goes from what a killed process
// left, too, and so does one that is to be masked.
func TestKilledForget(t *testing.T) {
	const old, text = "the pin is 4711\nrest\n", "the pin is ####\nrest\n"
	hide := func(s string) string { return strings.ReplaceAll(s, "4711", "####") }
	for name, change := range map[string]func(n *Notebook, plan func(*Draft) error) error{
		"forget": func(n *Notebook, plan func(*Draft) error) error {
			_, err := n.Forget(context.Background(), "test", "", plan, func(_, lines string) string { return hide(lines) })
			return err
		},
		"mask": func(n *Notebook, plan func(*Draft) error) error {
			_, err := n.Mask(context.Background(), "test", "", plan, hide)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := openNotes(t, map[string]string{"a.md": ""})
			do(t, n, func(d *Draft) error { return d.Append("a.md", old) })
			killed(t, n, func() error { return change(n, func(d *Draft) error { return d.Write("a.md", text) }) })
			step(t, n, "a.md", old, text, "exchanged")
			do(t, n, func(d *Draft) error { return d.Append("b.md", "else\n") })
			if diff := cmp.Diff(map[string]string{"a.md": text, "b.md": "else\n"}, notes(t, n)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestLeftoverOfAnEditor: what an editor saved in the moment of the exchange stays,
// whatever is written after that, and is named until somebody decides.
func TestLeftoverOfAnEditor(t *testing.T) {
	const old, text, saved = "one\n", "1\n", "one\nand what the person wrote\n"
	n := openNotes(t, map[string]string{"memory/a.md": old})
	killed(t, n, rewrite(n, "memory/a.md", text))
	put(t, n, "memory/a.md", saved)
	step(t, n, "memory/a.md", old, text, "exchanged")
	for range 2 {
		do(t, n, func(d *Draft) error { return d.Write("memory/a.md", "1\n2\n") })
		do(t, n, func(d *Draft) error { return d.Write("memory/a.md", "1\n2\n3\n") })
		for _, look := range []func() ([]Leftover, error){
			func() ([]Leftover, error) { return Strays(n.root) },
			func() ([]Leftover, error) { return n.Leftovers(t.Context()) },
		} {
			kept, err := look()
			if err != nil || len(kept) != 1 || kept[0].Text != saved || kept[0].Of != "memory/a.md" || kept[0].Time.IsZero() || kept[0].Err != nil {
				t.Fatalf("got %+v, %v", kept, err)
			}
		}
	}
	kept, err := n.Leftovers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other := kept[0]
	other.Text += "x"
	if err := n.Discard(t.Context(), other); !errors.Is(err, errChanged) {
		t.Errorf("discard of what it does not hold: got %v", err)
	}
	if err := n.Discard(t.Context(), kept[0]); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]string{"memory/a.md": "1\n2\n3\n"}, notes(t, n)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLeftoversOfBefore: what an earlier version left says nothing in its name. A copy
// of the note goes, anything else stays. What only looks alike is nobody's left-over.
func TestLeftoversOfBefore(t *testing.T) {
	files := map[string]string{
		"a.md": "one\n", ".a.md.0123abcd.new": "one\n", ".a.md.0123abce.new": "two\n", "memory/.b.md.0123abcd.part": "be",
		".gone.md.0123abcd.new": "", ".holiday.mp4.1a2b3c4d.part": "video", ".empty.1a2b3c4d.part": "",
		".a.md.new": "x", ".a.md.0123ABCD.new": "x", "a.md.0123abcd.new": "x", ".git/.a.md.0123abcd.part": "x", ".note.md": "x",
	}
	n := openNotes(t, files)
	kept, err := n.Leftovers(t.Context())
	if err != nil || len(kept) != 2 || kept[0].Path != ".a.md.0123abce.new" || kept[0].Of != "a.md" || kept[1].Path != ".gone.md.0123abcd.new" {
		t.Errorf("got %+v, %v", kept, err)
	}
	delete(files, ".a.md.0123abcd.new")
	if diff := cmp.Diff(files, notes(t, n)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLeftoverParts: the beginning of a text that memoir was writing goes when it stands
// beside the note that was read, or is whole. Any other file of such a name stays.
func TestLeftoverParts(t *testing.T) {
	mark := func(old, text string) string { return ".0123abcd-" + nameMark(old) + "-" + nameMark(text) + ".part" }
	files := map[string]string{
		"a.md":                         "one\n",
		".a.md" + mark("one\n", "two"): "tw",      // goes
		".b.md" + mark("one\n", "two"): "two",     // goes
		".c.md" + mark("one\n", "two"): "tw",      // beside no such note
		".a.md" + mark("three", "two"): "strange", // beside another text
	}
	n := openNotes(t, files)
	kept, err := n.Leftovers(t.Context())
	if err != nil || len(kept) != 2 {
		t.Errorf("got %+v, %v", kept, err)
	}
	delete(files, ".a.md"+mark("one\n", "two"))
	delete(files, ".b.md"+mark("one\n", "two"))
	if diff := cmp.Diff(files, notes(t, n)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestStrangeLeftovers: a link, and whatever else is no file, is neither followed nor
// removed.
func TestStrangeLeftovers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	n := openNotes(t, map[string]string{"a.md": "one\n"})
	outside := filepath.Join(t.TempDir(), "else.md")
	link, folder := filepath.Join(n.root, ".a.md.0123abcd.new"), filepath.Join(n.root, ".b.md.0123abcd.new")
	if err := errors.Join(os.WriteFile(outside, []byte("one\n"), 0o600), os.Symlink(outside, link), os.Mkdir(folder, 0o700)); err != nil {
		t.Fatal(err)
	}
	kept, err := n.Leftovers(t.Context())
	if err != nil || len(kept) != 1 || !errors.Is(kept[0].Err, regular.ErrKind) || kept[0].Text != "" {
		t.Errorf("got %+v, %v", kept, err)
	}
	for _, name := range []string{outside, link, folder} {
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was removed", name)
		}
	}
}

// TestNothingLeftOver: a rewrite that comes to its end leaves nothing, also of a note
// with the longest name.
func TestNothingLeftOver(t *testing.T) {
	id := strings.Repeat("a", maxName-3) + ".md"
	n := openNotes(t, map[string]string{id: "one\n"})
	do(t, n, func(d *Draft) error { return d.Write(id, "1\n") })
	if diff := cmp.Diff(map[string]string{id: "1\n"}, notes(t, n)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of an addition of which a process that was killed has written a part, the next change writes
// the rest, unless others have written to the note since.
func TestTorn(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"added":       {"a.md": "# A\n\n- before\n"},
		"no line end": {"a.md": "# A"},
		"created":     nil,
	} {
		for _, edited := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, edited %t", name, edited), func(t *testing.T) {
				n := openNotes(t, files)
				before := notes(t, n)["a.md"]
				if name == "no line end" {
					do(t, n, func(d *Draft) error { return d.Write("a.md", "# A\n- one of two\n  lines\n") })
				} else {
					do(t, n, func(d *Draft) error { return d.Append("a.md", "- one of two\n  lines\n") })
				}
				whole := notes(t, n)["a.md"]
				history, err := os.ReadFile(n.historyPath())
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(n.historyPath(), history[:strings.LastIndex(string(history), `{"done"`)], 0o600); err != nil {
					t.Fatal(err)
				}
				for cut := len(before) + 1; cut <= len(whole); cut += 5 {
					text := whole[:cut]
					if edited {
						text += "x\n"
					}
					put(t, n, "a.md", text)
					if err := n.clearKilled(); err != nil {
						t.Fatal(err)
					}
					want := whole
					if edited {
						want = text
					}
					if got := notes(t, n)["a.md"]; got != want {
						t.Errorf("%q becomes %q", text, got)
					}
				}
			})
		}
	}
}
