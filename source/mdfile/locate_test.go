package mdfile_test

import (
	"errors"
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
