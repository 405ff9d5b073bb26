//go:build unix

package regular_test

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/memoir-ai/memoir/internal/regular"
)

// strange makes one of every kind that is no ordinary file, and returns their
// paths by what they are.
func strange(t *testing.T, dir string) map[string]string {
	t.Helper()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("file"), "precious")
	made := map[string]error{
		"link":     os.Symlink(at("file"), at("link")),
		"dangling": os.Symlink(at("nowhere"), at("dangling")),
		"loop":     os.Symlink(at("loop"), at("loop")),
		"folder":   os.Mkdir(at("folder"), 0o700),
		"to-dir":   os.Symlink(at("folder"), at("to-dir")),
		"pipe":     unix.Mkfifo(at("pipe"), 0o600),
		"to-pipe":  os.Symlink(at("pipe"), at("to-pipe")),
		"to-zero":  os.Symlink("/dev/zero", at("to-zero")),
	}
	short, err := os.MkdirTemp("", "s") // the address of a socket has little room
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(short)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(short, "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	made["socket"] = errors.Join(l.Close(), os.Rename(filepath.Join(short, "s"), at("socket")))
	paths := map[string]string{"device": "/dev/zero", "terminal": "/dev/tty"}
	for kind, err := range made {
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		paths[kind] = at(kind)
	}
	return paths
}

func TestStrange(t *testing.T) {
	dir := t.TempDir()
	for kind, path := range strange(t, dir) {
		opens := map[string]func() (*os.File, error){
			"read":   func() (*os.File, error) { return regular.Open(path) },
			"write":  func() (*os.File, error) { return regular.OpenFile(path, os.O_WRONLY, 0) },
			"both":   func() (*os.File, error) { return regular.OpenFile(path, os.O_RDWR, 0) },
			"create": func() (*os.File, error) { return regular.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600) },
			"check":  func() (*os.File, error) { return nil, regular.Check(path) },
		}
		if kind != "link" && kind != "dangling" && kind != "loop" {
			opens["follow"] = func() (*os.File, error) { return regular.Follow(path) }
		}
		for how, open := range opens {
			f, err := open()
			if !errors.Is(err, regular.ErrKind) && kind != "terminal" { // without a terminal there is none
				t.Errorf("%s to %s: got %v, want %v", kind, how, err, regular.ErrKind)
			}
			if err == nil {
				f.Close()
			}
		}
		if err := regular.Folder(path); kind != "folder" && kind != "terminal" && !errors.Is(err, regular.ErrFolder) {
			t.Errorf("%s is taken for a folder", kind)
		}
	}
	if _, err := regular.Follow(filepath.Join(dir, "dangling")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("following a dangling link: got %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := regular.DirFS(dir).Open("to-pipe"); !errors.Is(err, regular.ErrKind) {
		t.Errorf("a pipe of a folder: got %v, want %v", err, regular.ErrKind)
	}
	f, err := regular.Follow(filepath.Join(dir, "link"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := io.ReadAll(f); err != nil || string(text) != "precious" {
		t.Errorf("got %q, %v", text, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file was made through a link that leads nowhere")
	}
}

// A path that is a file, a link and a pipe by turns is opened as a file or not
// at all.
func TestReplacedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("outside"), "outside")
	write(t, at("path"), "own")
	replace := []func() error{
		func() error { return os.Symlink(at("outside"), at("new")) },
		func() error { return unix.Mkfifo(at("new"), 0o600) },
		func() error { return os.WriteFile(at("new"), []byte("own"), 0o600) },
	}
	var turns sync.WaitGroup
	stop := make(chan struct{})
	turns.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := errors.Join(replace[i%len(replace)](), os.Rename(at("new"), at("path"))); err != nil {
				t.Error(err)
				return
			}
		}
	})
	opened := 0
	for i := 0; i < 20000 && (i < 2000 || opened == 0); i++ {
		got, err := regular.ReadFile(at("path"))
		if err != nil {
			continue
		}
		opened++
		if string(got) == "outside" {
			t.Fatal("a link was followed")
		}
		f, err := regular.OpenFile(at("path"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			continue
		}
		io.WriteString(f, "more")
		f.Close()
	}
	close(stop)
	turns.Wait()
	if got, err := os.ReadFile(at("outside")); err != nil || string(got) != "outside" || opened == 0 {
		t.Errorf("outside is %q, %v; opened %d times", got, err, opened)
	}
}
