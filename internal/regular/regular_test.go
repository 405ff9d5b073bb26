package regular_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir/internal/regular"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOrdinary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "笔记 #1")
	if _, err := regular.Open(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of nothing: got %v, want %v", err, fs.ErrNotExist)
	}
	if err := regular.Check(path); err != nil {
		t.Errorf("Check of nothing: %v", err)
	}
	for _, text := range []string{"one", "two"} { // made, then appended to
		f, err := regular.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.WriteString(f, text)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	got, err := regular.ReadFile(path)
	if err != nil || string(got) != "onetwo" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, flag := range []int{os.O_TRUNC, os.O_EXCL, os.O_CREATE | os.O_TRUNC} {
		if f, err := regular.OpenFile(path, os.O_WRONLY|flag, 0o600); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("flag %#x: got %v, %v; want it refused", flag, f, err)
		}
	}
	f, err := regular.Follow(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := regular.Check(path); err != nil {
		t.Error(err)
	}
	if err := regular.Folder(filepath.Dir(path)); err != nil {
		t.Error(err)
	}
	if err := regular.Folder(path); err == nil {
		t.Error("a file is taken for a folder")
	}
	if _, err := regular.Open(filepath.Dir(path)); !errors.Is(err, regular.ErrKind) {
		t.Errorf("a folder: got %v, want %v", err, regular.ErrKind)
	}
}

func TestDirFS(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "deep", "a"), "text")
	got, err := fs.ReadFile(regular.DirFS(dir), "deep/a")
	if err != nil || string(got) != "text" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, name := range []string{"../a", "/a", "", "deep//a", "deep"} {
		if f, err := regular.DirFS(dir).Open(name); err == nil {
			f.Close()
			t.Errorf("%q is opened", name)
		}
	}
	if _, err := regular.DirFS(dir).Open("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want %v", err, fs.ErrNotExist)
	}
}
