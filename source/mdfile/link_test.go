package mdfile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/source/mdfile"
)

const link = ": symbolic link; links are not followed"

// symlink makes a link and reports whether that is allowed here.
func symlink(t *testing.T, target, name string) bool {
	t.Helper()
	err := os.Symlink(target, name)
	if err != nil && runtime.GOOS != "windows" { // which lets only some users make links
		t.Fatal(err)
	}
	return err == nil
}

func TestLinksAreNotFollowed(t *testing.T) {
	dir := workspace(t, map[string]string{"w/a.md": "a", "w/sub/b.md": "b", "out/secret.md": "secret"})
	root := filepath.Join(dir, "w")
	made := symlink(t, filepath.Join(dir, "out", "secret.md"), filepath.Join(root, "leak.md")) &&
		symlink(t, filepath.Join(dir, "out"), filepath.Join(root, "out")) &&
		symlink(t, "sub", filepath.Join(root, "inside")) &&
		symlink(t, ".", filepath.Join(root, "loop")) &&
		symlink(t, "nowhere", filepath.Join(root, "broken.md")) &&
		symlink(t, "a.md", filepath.Join(root, "pic.png")) &&
		symlink(t, filepath.Join(dir, "out", "secret.md"), filepath.Join(root, ".gitignore"))
	if !made {
		return
	}
	src := open(t, root, mdfile.Options{})
	want := []string{"a.md", "broken.md" + link, "inside" + link, "leak.md" + link, "loop" + link, "out" + link, "sub/b.md"}
	if diff := cmp.Diff(want, scan(t, src)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	for _, id := range []memoir.DocID{"leak.md", "out/secret.md", "inside/b.md", "loop/a.md", "broken.md"} {
		if doc, err := src.Read(t.Context(), id); reason(t, err) == "" || doc.Text != "" {
			t.Errorf("Read(%q) = %q, want it refused", id, doc.Text)
		}
	}
}

func TestLinkThatReplacesANote(t *testing.T) {
	dir := workspace(t, map[string]string{"w/a.md": "a", "w/sub/b.md": "b", "out/b.md": "secret"})
	root := filepath.Join(dir, "w")
	src := open(t, root, mdfile.Options{})
	if diff := cmp.Diff([]string{"a.md", "sub/b.md"}, scan(t, src)); diff != "" {
		t.Fatalf("want -, got +:\n%s", diff)
	}
	for _, name := range []string{"a.md", "sub"} {
		if err := os.RemoveAll(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if !symlink(t, filepath.Join(dir, "out", "b.md"), filepath.Join(root, "a.md")) ||
		!symlink(t, filepath.Join(dir, "out"), filepath.Join(root, "sub")) {
		return
	}
	for _, id := range []memoir.DocID{"a.md", "sub/b.md"} {
		if doc, err := src.Read(t.Context(), id); reason(t, err) == "" || doc.Text != "" {
			t.Errorf("Read(%q) = %q, want it refused", id, doc.Text)
		}
	}
}

// The workspace itself may be reached through a link: its owner chose it.
func TestLinkToTheWorkspace(t *testing.T) {
	dir := workspace(t, map[string]string{"w/a.md": "a"})
	name := filepath.Join(dir, "link")
	if !symlink(t, "w", name) {
		return
	}
	src := open(t, name, mdfile.Options{})
	if diff := cmp.Diff([]string{"a.md"}, scan(t, src)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(name, "a.md"), filepath.Join(real, "a.md")} {
		if id, err := src.Locate(path); id != "a.md" || err != nil {
			t.Errorf("Locate(%q) = %q, %v", path, id, err)
		}
	}
}
