package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// unprivileged makes permissions count for the test's goroutine, also when
// the tests run as root. The folder of path stays within reach.
func unprivileged(t *testing.T, path string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	chmod(t, filepath.Dir(filepath.Dir(path)), 0o755)
	runtime.LockOSThread()
	const nobody = 65534
	if err := syscall.Setfsuid(nobody); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Setfsuid(0); err != nil {
			t.Error(err)
		}
		runtime.UnlockOSThread()
	})
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	path := sample(t)
	dir := filepath.Dir(path)
	chmod(t, path, 0o444)
	chmod(t, dir, 0o555)
	t.Cleanup(func() { chmod(t, dir, 0o755) })
	unprivileged(t, path)

	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatalf("Open in a read-only folder: %v", err)
	}
	readsOnly(t, s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for _, fresh := range []string{filepath.Join(dir, "fresh.db"), filepath.Join(dir, "deep", "fresh.db")} {
		_, err := sqlite.Open(t.Context(), fresh, sqlite.Options{})
		if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(memoir.Hint(err), "--state-dir") {
			t.Errorf("Open of a fresh index = %v, hint %q", err, memoir.Hint(err))
		}
	}
}

func TestReadOnlyFile(t *testing.T) {
	path := sample(t)
	chmod(t, path, 0o444)
	chmod(t, filepath.Dir(path), 0o777)
	unprivileged(t, path)
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatalf("Open of a read-only file: %v", err)
	}
	defer s.Close()
	readsOnly(t, s)
}

func TestUnreadableFile(t *testing.T) {
	path := sample(t)
	chmod(t, path, 0)
	unprivileged(t, path)
	if _, err := sqlite.Open(t.Context(), path, sqlite.Options{}); !errors.Is(err, memoir.ErrUnavailable) || memoir.Hint(err) == "" {
		t.Errorf("Open = %v, hint %q; want ErrUnavailable with a hint", err, memoir.Hint(err))
	}
}
