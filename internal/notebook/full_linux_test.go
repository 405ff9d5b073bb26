package notebook

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// fullDisk returns an empty folder on a disk of its own with so many bytes.
func fullDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "size="+size); err != nil {
		t.Skipf("only root makes a disk: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill leaves a disk no block.
func fill(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // whose last write failed
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

// TestFullDisk: whatever of a change does not fit, an error says so, notes and
// history are as before, and when there is room again both go on.
func TestFullDisk(t *testing.T) {
	large := strings.Repeat("0123456789abcde\n", 1<<10)
	for name, plan := range map[string]func(*Draft) error{
		"an addition":     func(d *Draft) error { return d.Append("memory/a.md", large) },
		"another content": func(d *Draft) error { return d.Write("memory/a.md", large) },
		"a new note":      func(d *Draft) error { return d.Append("memory/new.md", large) },
		"two notes": func(d *Draft) error {
			return errors.Join(d.Append("memory/a.md", "1\n"), d.Append("memory/new.md", large))
		},
	} {
		for _, full := range []string{"notes", "history"} {
			t.Run(name+", the disk of the "+full, func(t *testing.T) {
				disk, other := fullDisk(t, "64k"), t.TempDir()
				root, dir := disk, other
				if full == "history" {
					root, dir = other, disk
				}
				n, err := Open(root, dir, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if err := os.MkdirAll(filepath.Join(root, "memory"), 0o755); err != nil {
					t.Fatal(err)
				}
				do(t, n, func(d *Draft) error { return d.Append("memory/a.md", "a\n") })
				if err := os.WriteFile(filepath.Join(disk, "rest"), nil, 0o644); err != nil {
					t.Fatal(err)
				}
				fill(t, disk)
				if _, err := n.Do(context.Background(), "test", "", plan); !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("got %v", err)
				}
				if err := os.Remove(filepath.Join(disk, "filler")); err != nil {
					t.Fatal(err)
				}
				files, err := os.ReadDir(filepath.Join(root, "memory"))
				if err != nil || len(files) != 1 {
					t.Errorf("got %v, %v", files, err)
				}
				if text, err := n.Read("memory/a.md"); text != "a\n" || err != nil {
					t.Errorf("got %q, %v", text, err)
				}
				do(t, n, func(d *Draft) error { return d.Append("memory/a.md", "b\n") })
				if all, err := n.History(); err != nil || len(all) != 2 {
					t.Errorf("the history: got %v, %v", all, err)
				}
				undo(t, n, "")
				if text, err := n.Read("memory/a.md"); text != "a\n" || err != nil {
					t.Errorf("after undo: got %q, %v", text, err)
				}
			})
		}
	}
}

// TestReadOnlyDisk: where nothing may be written, an error says so, and nothing is
// left of the change.
func TestReadOnlyDisk(t *testing.T) {
	disk := fullDisk(t, "64k")
	n, err := Open(disk, t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	do(t, n, func(d *Draft) error { return d.Append("a.md", "a\n") })
	if err := unix.Mount("none", disk, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	for name, plan := range map[string]func(*Draft) error{
		"an addition":     func(d *Draft) error { return d.Append("a.md", "b\n") },
		"another content": func(d *Draft) error { return d.Write("a.md", "b\n") },
		"a new note":      func(d *Draft) error { return d.Append("memory/new.md", "b\n") },
		"none any more":   func(d *Draft) error { return d.Remove("a.md") },
	} {
		if _, err := n.Do(context.Background(), "test", "", plan); !errors.Is(err, syscall.EROFS) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if all, err := n.History(); err != nil || len(all) != 1 || notes(t, n)["a.md"] != "a\n" {
		t.Errorf("got %v, %v, %q", all, err, notes(t, n))
	}
}
