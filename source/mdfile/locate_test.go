package mdfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/source/mdfile"
)

func TestLocate(t *testing.T) {
	dir := workspace(t, map[string]string{"w/a.md": "", "w/memory/a.md": "", "w/memory/only.md": "", "out.md": ""})
	root := filepath.Join(dir, "w")
	src := open(t, root, mdfile.Options{})
	for _, tt := range []struct {
		name, cwd, path string
		want            memoir.DocID // "": ErrInvalid
	}{
		{"as cited", dir, "memory/a.md", "memory/a.md"},
		{"workspace before working directory", filepath.Join(root, "memory"), "a.md", "a.md"},
		{"a dot means the working directory", filepath.Join(root, "memory"), "./a.md", "memory/a.md"},
		{"only in the working directory", filepath.Join(root, "memory"), "only.md", "memory/only.md"},
		{"from above", dir, "w/memory/a.md", "memory/a.md"},
		{"up and down", filepath.Join(root, "memory"), "../a.md", "a.md"},
		{"a dot, as cited", dir, "./memory/a.md", "memory/a.md"},
		{"absolute", dir, filepath.Join(root, "memory", "a.md"), "memory/a.md"},
		{"unclean", dir, "memory//../memory/./a.md", "memory/a.md"},
		{"not there yet", dir, "memory/new.md", "memory/new.md"},
		{"decomposed", dir, "cafe\u0301.md", "caf\u00e9.md"},
		{"Chinese", dir, "日记/三月.md", "日记/三月.md"},

		{"empty", dir, "", ""},
		{"the workspace", dir, ".", ""},
		{"outside", dir, "../out.md", ""},
		{"outside, absolute", dir, filepath.Join(dir, "out.md"), ""},
		{"sibling with the same start", dir, root + "x/a.md", ""},
		{"up through the workspace", dir, "memory/../../out.md", ""},
		{"zero byte", dir, "a\x00.md", ""},
		{"not UTF-8", dir, "\xff.md", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(tt.cwd)
			got, err := src.Locate(filepath.FromSlash(tt.path))
			if got != tt.want || errors.Is(err, memoir.ErrInvalid) != (tt.want == "") {
				t.Errorf("Locate(%q) = %q, %v, want %q", tt.path, got, err, tt.want)
			}
		})
	}
}

// A file is named as the disk spells it, and what is no note has none.
func TestFile(t *testing.T) {
	dir := workspace(t, map[string]string{"w/memory/cafe\u0301.md": "x", "w/a.txt": "", "out.md": ""})
	root := filepath.Join(dir, "w")
	src := open(t, root, mdfile.Options{})
	got, err := src.File("memory/caf\u00e9.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(got); err != nil || filepath.Dir(got) != filepath.Join(root, "memory") {
		t.Errorf("got %q, %v", got, err)
	}
	for id, want := range map[memoir.DocID]error{
		"memory/none.md": memoir.ErrNotFound, "none/a.md": memoir.ErrNotFound, "a.txt": memoir.ErrInvalid,
		"../out.md": memoir.ErrInvalid, "/out.md": memoir.ErrInvalid, "": memoir.ErrInvalid, "a\x00.md": memoir.ErrInvalid,
	} {
		if got, err := src.File(id); !errors.Is(err, want) {
			t.Errorf("File(%q) = %q, %v, want %v", id, got, err, want)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "out.md"), filepath.Join(root, "link.md")); err == nil {
		var skip *memoir.SkipError
		if got, err := src.File("link.md"); !errors.As(err, &skip) {
			t.Errorf("a link gives %q, %v", got, err)
		}
	}
}
