package atomicfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/regular"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func check(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s: got %q, error %v; want %q", path, got, err, want)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "设置.toml")
	for _, content := range []string{"first", "second", ""} {
		if err := atomicfile.Write(path, 0o644, text(content)); err != nil {
			t.Fatal(err)
		}
		check(t, path, content)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("got %d files, error %v; want the one that was written", len(entries), err)
	}
}

// What fails half-way leaves the old file and nothing else.
func TestFailure(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := atomicfile.Write(path, 0o600, text("whole")); err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left")
	err := atomicfile.Write(path, 0o600, func(w io.Writer) error {
		return errors.Join(text("ha")(w), full)
	})
	if !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
	check(t, path, "whole")
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("got %d files, error %v; want 1", len(entries), err)
	}
	if err := atomicfile.Write(filepath.Join(dir, "nowhere", "a"), 0o600, text("")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in no folder: got %v, want %v", err, os.ErrNotExist)
	}
}

func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are made otherwise there")
	}
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, 0o600, text("new")); err != nil {
		t.Fatal(err)
	}
	check(t, path, "new")
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("got %v, error %v; want the permissions it had", info.Mode(), err)
	}
}

// A link is neither followed nor replaced, wherever it leads.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("precious"), []byte("old"), 0o600), os.Mkdir(at("folder"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"precious", "nowhere", "folder"} {
		link := at("to-" + target)
		if err := os.Symlink(at(target), link); err != nil {
			t.Skip("links cannot be made here: ", err)
		}
		if err := atomicfile.Write(link, 0o600, text("new")); !errors.Is(err, regular.ErrKind) {
			t.Errorf("link to %s: got %v, want %v", target, err, regular.ErrKind)
		}
		if got, err := os.Readlink(link); err != nil || got != at(target) {
			t.Errorf("the link leads to %q now, %v", got, err)
		}
	}
	check(t, at("precious"), "old")
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 5 {
		t.Errorf("got %v, error %v; want what was there", entries, err)
	}
	if err := atomicfile.Write(at("folder"), 0o600, text("new")); !errors.Is(err, regular.ErrKind) {
		t.Errorf("folder: got %v, want %v", err, regular.ErrKind)
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "kept.json")
	for _, name := range []string{
		"kept.json", ".kept.json.0a1b2c3d.new", ".kept.json.00000000.new", // the last two are left over
		".kept.json.0a1b2c3.new", ".kept.json.0a1b2c3g.new", ".kept.json.0a1b2c3d.new.md", "kept.json.0a1b2c3d.new", ".other.0a1b2c3d.new",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".kept.json.ffffffff.new"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Sweep(path); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := []string{".kept.json.0a1b2c3.new", ".kept.json.0a1b2c3d.new.md", ".kept.json.0a1b2c3g.new", ".kept.json.ffffffff.new", ".other.0a1b2c3d.new", "kept.json", "kept.json.0a1b2c3d.new"}
	if !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
	if err := atomicfile.Sweep(filepath.Join(dir, "not", "there.json")); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
}
