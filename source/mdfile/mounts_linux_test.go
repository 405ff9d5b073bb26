package mdfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/memoir-ai/memoir/internal/mounttest"
	"github.com/memoir-ai/memoir/source/mdfile"
)

// TestMounts: a disk that is mounted below the folder, or not any more, is seen,
// though nothing happens in a folder. It runs in a process of its own, whose mounts
// are its own.
func TestMounts(t *testing.T) {
	if !mounttest.Own(t) {
		return
	}
	root := t.TempDir()
	must := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	disk := filepath.Join(root, "work", "disk")
	must(os.MkdirAll(disk, 0o700), os.WriteFile(filepath.Join(root, "a.md"), []byte("own"), 0o600))
	s, err := mdfile.Open(root, mdfile.Options{Watch: true})
	must(err)
	defer s.Close()
	mark := scanned(t, s)
	if !s.Unchanged(mark) {
		t.Fatal("changed after a scan")
	}
	if err := unix.Mount("none", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no disk can be mounted: %v", err)
	}
	if s.Unchanged(mark) {
		t.Error("a disk is mounted, and it is not seen")
	}
	must(os.WriteFile(filepath.Join(disk, "b.md"), []byte("on the disk"), 0o600))
	mark = scanned(t, s)
	if !s.Unchanged(mark) {
		t.Error("changed after a scan of the disk")
	}
	must(unix.Unmount(disk, unix.MNT_DETACH))
	if s.Unchanged(mark) {
		t.Error("the disk is gone, and it is not seen")
	}
}
