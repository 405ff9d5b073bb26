//go:build unix

package doctor_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/doctor"
)

// TestFix: afterwards other users cannot read memoir's files, and what a killed writer
// left is gone. Nothing else is touched. A dry run returns the same repairs and does
// nothing.
func TestFix(t *testing.T) {
	settings := settingsOf(t, "", "", nil)
	opts := app.Options{Embedder: embedder}
	if all := doctor.Fix(t.Context(), settings, opts, false); len(all) == 0 || slices.ContainsFunc(all, func(r doctor.Repair) bool { return !r.Done }) {
		t.Fatalf("got %+v of a memory that was never indexed", all)
	}
	if all := doctor.Fix(t.Context(), settings, opts, false); len(all) != 0 {
		t.Fatalf("got %+v when all was well", all)
	}
	index := settings.IndexPath()
	dir := filepath.Dir(index)
	old := filepath.Join(dir, ".main.sqlite.0123abcd.new")
	young := filepath.Join(dir, ".main.sqlite.4567abcd.new")
	strangers := filepath.Join(dir, "notes.new")
	outside := filepath.Join(t.TempDir(), "outside.md")
	note := filepath.Join(settings.Workspace, "MEMORY.md")
	for _, path := range []string{old, young, strangers, outside} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hours := time.Now().Add(-2 * time.Hour)
	if err := errors.Join(os.Chtimes(old, hours, hours), os.Chtimes(strangers, hours, hours), os.Chmod(index, 0o644), os.Chmod(dir, 0o755),
		os.Chmod(outside, 0o644), os.Chmod(note, 0o644), os.Symlink(outside, filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	check := func(repairs []doctor.Repair, done bool) {
		t.Helper()
		var said []string
		for _, r := range repairs {
			said = append(said, r.What)
			if r.Done != done || r.Err != nil {
				t.Errorf("%s: done is %v, want %v; %v", r.What, r.Done, done, r.Err)
			}
		}
		if text := strings.Join(said, "\n"); len(said) != 2 || !strings.Contains(text, " files and folders in "+settings.StateDir) || !strings.Contains(text, "remove "+old) {
			t.Errorf("got %q", said)
		}
	}
	check(doctor.Fix(t.Context(), settings, opts, true), false)
	mode := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	if _, err := os.Stat(old); err != nil || mode(index) != 0o644 {
		t.Fatalf("a dry run did something: %v, %v", err, mode(index))
	}
	check(doctor.Fix(t.Context(), settings, opts, false), true)
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", old, err)
	}
	for _, path := range []string{young, strangers, outside} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if mode(index) != 0o600 || mode(dir) != 0o700 || mode(outside) != 0o644 || mode(note) != 0o644 {
		t.Errorf("index %v, folder %v, a file behind a link %v, a note %v", mode(index), mode(dir), mode(outside), mode(note))
	}
	if after, err := os.ReadFile(note); err != nil || string(after) != string(before) {
		t.Errorf("the note has %q, %v", after, err)
	}
}
