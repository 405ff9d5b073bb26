//go:build unix

package transfer_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/transfer"
)

// TestStrangeFiles: links, pipes and devices are neither followed, waited for nor
// read, in a source and in the workspace.
func TestStrangeFiles(t *testing.T) {
	out := t.TempDir()
	put(t, out, map[string]string{"secret.md": "theirs\n", "folder/x.md": "theirs\n"})
	dir := filepath.Join(t.TempDir(), "v")
	put(t, dir, map[string]string{"a.md": "one\n", "no\x07bell.md": "x"})
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.Symlink(filepath.Join(out, "secret.md"), at("link.md")), os.Symlink(filepath.Join(out, "folder"), at("linked")),
		os.Symlink("a.md", at("inside.md")), os.Symlink("/dev/zero", at("zero.md")), unix.Mkfifo(at("pipe.md"), 0o600), os.Symlink(".", at("loop")),
	); err != nil {
		t.Fatal(err)
	}
	e, ws := workspace(t)
	got := brought(t, e, "vault", dir, transfer.Options{Workspace: ws})
	const link = "a symbolic link; links are not followed"
	want := []transfer.Item{
		{Name: "inside.md", Outcome: "skipped", Reason: link}, {Name: "link.md", Outcome: "skipped", Reason: link}, {Name: "linked", Outcome: "skipped", Reason: link},
		{Name: "loop", Outcome: "skipped", Reason: link}, {Name: "no\abell.md", Outcome: "skipped", Reason: "its name has a control character"},
		{Name: "pipe.md", Outcome: "skipped", Reason: "not an ordinary file"}, {Name: "zero.md", Outcome: "skipped", Reason: link},
	}
	if diff := cmp.Diff(want, got.Items); diff != "" || got.Counts.Added != 1 {
		t.Errorf("got %+v (-want +got):\n%s", got.Counts, diff)
	}

	// Below a link in the workspace nothing is written.
	into, ws2 := workspace(t)
	if err := os.Symlink(out, filepath.Join(ws2, "memory")); err != nil {
		t.Fatal(err)
	}
	if got := brought(t, into, "vault", dir, transfer.Options{Workspace: ws2}); got.Counts.Added != 0 || got.Counts.Skipped != 8 {
		t.Errorf("below a link: got %+v", got)
	}
	if diff := cmp.Diff(map[string]string{"secret.md": "theirs\n", "folder/x.md": "theirs\n"}, tree(t, out)); diff != "" {
		t.Errorf("outside (-want +got):\n%s", diff)
	}
}

// TestExportIsSafe: an archive is its owner's alone, and is never written through
// a link.
func TestExportIsSafe(t *testing.T) {
	e, ws := workspace(t)
	put(t, ws, map[string]string{"a.md": "one\n"})
	file, target := filepath.Join(t.TempDir(), "x.tar.gz"), filepath.Join(t.TempDir(), "target")
	if _, err := transfer.Export(t.Context(), ws, e.Owns, file, false); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
	put(t, filepath.Dir(target), map[string]string{"target": "precious"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	for _, force := range []bool{false, true} {
		if _, err := transfer.Export(t.Context(), ws, e.Owns, link, force); err == nil || force && !errors.Is(err, regular.ErrKind) {
			t.Errorf("through a link, force %v: got %v", force, err)
		}
	}
	if b, _ := os.ReadFile(target); string(b) != "precious" {
		t.Errorf("the target of the link is %q", b)
	}
	if left, _ := os.ReadDir(filepath.Dir(link)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}
