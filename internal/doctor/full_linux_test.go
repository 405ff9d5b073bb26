package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/mounttest"
)

// TestFullDisk: a disk on which a file can be made and nothing written to it is named.
func TestFullDisk(t *testing.T) {
	if !mounttest.Own(t) {
		return
	}
	dir := mounttest.Disk(t, "256k")
	settings := &config.Loaded{Settings: config.Settings{Workspace: filepath.Join(dir, "notes"), StateDir: filepath.Join(dir, "state"), Agent: "main"}}
	var before, after Diagnosis
	before.state(settings)
	if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	after.state(settings)
	if before.Broken() || !after.Broken() || !strings.Contains(after.Checks[0].Detail, "no space") {
		t.Errorf("before %+v, after %+v", before.Checks, after.Checks)
	}
	entries, err := os.ReadDir(filepath.Dir(settings.IndexPath()))
	if err != nil || len(entries) > 0 {
		t.Errorf("left are %v, %v", entries, err)
	}
}

// TestReadOnlyNotes: notes that cannot be written to are named, and nothing is left in them.
func TestReadOnlyNotes(t *testing.T) {
	if !mounttest.Own(t) {
		return
	}
	notes := mounttest.Disk(t, "256k")
	if err := errors.Join(os.Mkdir(filepath.Join(notes, "memory"), 0o777), os.WriteFile(filepath.Join(notes, "MEMORY.md"), []byte("- We use SQLite.\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	settings := &config.Loaded{Settings: config.Settings{Workspace: notes, StateDir: t.TempDir(), Agent: "main", Include: []string{"*.md"}}}
	var before, after Diagnosis
	before.workspace(t.Context(), settings)
	if err := syscall.Mount("", notes, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("no disk can be made read-only: %v", err)
	}
	after.workspace(t.Context(), settings)
	if len(before.Checks) != 1 || before.Checks[0].Health != Healthy {
		t.Errorf("before: %+v", before.Checks)
	}
	if len(after.Checks) != 2 || after.Checks[0].Health != Warning || !strings.Contains(after.Checks[0].Detail, "read-only file system") || after.Checks[1].Health != Healthy {
		t.Errorf("after: %+v", after.Checks)
	}
}
