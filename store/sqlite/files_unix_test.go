//go:build unix

package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// outside makes a file that an index must not touch, and what checks that it
// did not.
func outside(t *testing.T) (dir string, untouched func(what string)) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "precious"), []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, func(what string) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, "precious"))
		entries, listErr := os.ReadDir(dir)
		if err != nil || listErr != nil || string(data) != "precious" || len(entries) != 1 {
			t.Errorf("%s: outside are %v, %q, %v, %v; want what was there", what, entries, data, err, listErr)
		}
	}
}

// zeros makes a device that gives zeros without an end, as /dev/zero does. It is
// the test's own: what goes wrong must not befall the machine's. Only root may
// make one.
func zeros(path string) error { return unix.Mknod(path, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 5))) }

// strange are the makers of what is no ordinary file.
func strange(t *testing.T, outside string) map[string]func(path string) error {
	link := func(to string) func(string) error {
		return func(path string) error { return os.Symlink(to, path) }
	}
	makers := map[string]func(string) error{
		"link":             link(filepath.Join(outside, "precious")),
		"dangling link":    link(filepath.Join(outside, "nowhere")),
		"link to a folder": link(outside),
		"pipe":             func(path string) error { return unix.Mkfifo(path, 0o600) },
		"folder":           func(path string) error { return os.Mkdir(path, 0o700) },
	}
	if device := filepath.Join(t.TempDir(), "zeros"); zeros(device) == nil {
		makers["device"], makers["link to a device"] = zeros, link(device)
	}
	return makers
}

// Where something else than an ordinary file stands in the place of the index,
// or of a file beside it, it is left as it is and nothing is opened.
func TestStrangeIndex(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	dir, untouched := outside(t)
	for kind, make := range strange(t, dir) {
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			what := kind + " for main.sqlite" + suffix
			path := sample(t)
			if err := errors.Join(os.RemoveAll(path+suffix), make(path+suffix)); err != nil {
				t.Fatal(err)
			}
			before, err := os.Lstat(path + suffix)
			if err != nil {
				t.Fatal(err)
			}
			for _, opts := range []sqlite.Options{{}, {ReadOnly: true}} {
				s, err := sqlite.Open(t.Context(), path, opts)
				if !errors.Is(err, memoir.ErrUnavailable) || !errors.Is(err, regular.ErrKind) || !strings.HasPrefix(memoir.Hint(err), "move "+path+suffix+" away") {
					t.Errorf("%s: Open = %v, hint %q", what, err, memoir.Hint(err))
				}
				if err == nil {
					s.Close()
				}
			}
			if after, err := os.Lstat(path + suffix); err != nil || after.Mode() != before.Mode() || len(setAside(t, path)) > 0 {
				t.Errorf("%s: it is %v now, %v; want it left as it was", what, after, err)
			}
			untouched(what)
		}
	}
}

// Rows are neither read nor written through a link, and never waited for: they
// are made in memory, the answers are the same, and the index says so.
func TestStrangeRows(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	dir, untouched := outside(t)
	for kind, make := range strange(t, dir) {
		path := rowsIndex(t, 40, 3)
		rows := path + ".vectors-1"
		if err := errors.Join(os.Remove(rows), make(rows)); err != nil {
			t.Fatal(err)
		}
		s := open(t, path).ScanAll()
		findsAll(t, kind, s)
		fillRows(t, s, 40, 2000, 3)
		findsAll(t, kind, s)
		told := s.Degradations()
		if len(told) != 1 || told[0].Action != "memoir doctor" || !strings.Contains(told[0].Reason, "not an ordinary file") {
			t.Errorf("%s: Degradations = %+v, want one of the rows", kind, told)
		}
		if _, err := s.Size(); err != nil {
			t.Errorf("%s: Size: %v", kind, err)
		}
		if _, err := os.Lstat(rows); err != nil {
			t.Errorf("%s: it is gone: %v", kind, err)
		}
		untouched(kind)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// An index behind a link has nothing to give to others.
func TestStrangeSiblings(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name, "main.sqlite") }
	siblingAt(t, at("self"), "own", 9, 9, 9).Close()
	elsewhere := t.TempDir()
	siblingAt(t, filepath.Join(elsewhere, "main.sqlite"), "alpha", 1, 0, 0).Close()
	if err := errors.Join(
		os.Symlink(elsewhere, filepath.Join(dir, "linked folder")),
		os.Mkdir(filepath.Join(dir, "linked"), 0o700), os.Symlink(filepath.Join(elsewhere, "main.sqlite"), at("linked")),
		os.Mkdir(filepath.Join(dir, "pipe"), 0o700), unix.Mkfifo(at("pipe"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	siblings := sqlite.NewSiblings(filepath.Join(dir, "*", "*.sqlite"), at("self"))
	if got := siblings.Vectors(t.Context(), space, []memoir.Hash{memoir.HashText("alpha")}); len(got) != 0 {
		t.Errorf("got %v through a link", got)
	}
}
