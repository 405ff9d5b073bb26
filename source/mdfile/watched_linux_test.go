package mdfile_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/source/mdfile"
)

// scanned marks a source and scans it.
func scanned(t *testing.T, s *mdfile.Source) (mark uint64) {
	t.Helper()
	mark = s.Mark()
	for _, err := range s.Scan(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return mark
}

// TestUnchanged: whatever can change what a scan lists is seen, the first time
// after a scan; and nothing is seen where nothing happened.
func TestUnchanged(t *testing.T) {
	must := func(errs ...error) {
		t.Helper()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	const note = "memory/2026/a.md"
	for _, tt := range []struct {
		name string
		do   func(root string)
	}{
		{"a new note", func(root string) { must(os.WriteFile(filepath.Join(root, "b.md"), nil, 0o600)) }},
		{"a note written in place", func(root string) {
			path := filepath.Join(root, note)
			info, err := os.Stat(path)
			must(err, os.WriteFile(path, []byte("tree"), 0o600), os.Chtimes(path, time.Time{}, info.ModTime()))
		}},
		{"a removed note", func(root string) { must(os.Remove(filepath.Join(root, note))) }},
		{"a moved folder", func(root string) { must(os.Rename(filepath.Join(root, "memory"), filepath.Join(root, "notes"))) }},
		{"a new folder with a note", func(root string) {
			must(os.MkdirAll(filepath.Join(root, "x", "y"), 0o700), os.WriteFile(filepath.Join(root, "x", "y", "b.md"), nil, 0o600))
		}},
		{"an ignore file", func(root string) {
			must(os.WriteFile(filepath.Join(root, "memory", ".memoirignore"), []byte("a.md"), 0o600))
		}},
		{"another folder in its place", func(root string) { must(os.Rename(root, root+"-old"), os.Mkdir(root, 0o700)) }},
		{"another folder in the place of one above", func(root string) {
			above := filepath.Dir(root)
			must(os.Rename(above, above+"-old"), os.MkdirAll(root, 0o700))
			t.Cleanup(func() { os.RemoveAll(above + "-old") })
		}},
		{"gone", func(root string) { must(os.RemoveAll(root)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "above", "workspace")
			must(os.MkdirAll(filepath.Join(root, "memory", "2026"), 0o700), os.WriteFile(filepath.Join(root, note), []byte("tees"), 0o600))
			s, err := mdfile.Open(root, mdfile.Options{Watch: true})
			must(err)
			defer s.Close()
			if s.Unchanged(s.Mark()) {
				t.Error("unchanged before the first scan")
			}
			mark := scanned(t, s)
			if mark == 0 || !s.Unchanged(mark) {
				t.Fatalf("mark %d is not unchanged after a scan", mark)
			}
			tt.do(root)
			if moved := tt.name == "another folder in the place of one above"; !moved && !s.Wait(t.Context(), mark) {
				t.Error("nothing to wait for")
			}
			for range 2 {
				if s.Unchanged(mark) {
					t.Error("unchanged, and it is not")
				}
			}
		})
	}
}

// TestChangesAreSeenAgain: what was changed once and scanned is watched on, new
// folders too.
func TestChangesAreSeenAgain(t *testing.T) {
	root := t.TempDir()
	s, err := mdfile.Open(root, mdfile.Options{Watch: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	scanned(t, s)
	deep := filepath.Join(root, "a", "b", "c")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		mark := scanned(t, s)
		if !s.Unchanged(mark) {
			t.Fatalf("%d: changed after a scan", i)
		}
		if err := os.WriteFile(filepath.Join(deep, "a.md"), []byte{byte('a' + i)}, 0o600); err != nil {
			t.Fatal(err)
		}
		if s.Unchanged(mark) {
			t.Errorf("%d: the new note is not seen", i)
		}
	}
}

// TestCannotTell: a source that was not asked to watch, or whose notes can be
// written to under other names, is never sure.
func TestCannotTell(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	note := filepath.Join(root, "a.md")
	if err := os.WriteFile(note, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	plain, err := mdfile.Open(root, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if mark := scanned(t, plain); mark != 0 || plain.Unchanged(mark) {
		t.Errorf("mark %d of a source that does not watch", mark)
	}
	if plain.Blind() == nil || plain.Wait(t.Context(), 1) {
		t.Error("a source that does not watch waits for changes")
	}
	if err := os.Link(note, filepath.Join(elsewhere, "b.md")); err != nil {
		t.Skip(err)
	}
	s, err := mdfile.Open(root, mdfile.Options{Watch: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if mark := scanned(t, s); s.Unchanged(mark) || s.Mark() != 0 || s.Blind() == nil {
		t.Error("sure of a note with two names")
	}
}
