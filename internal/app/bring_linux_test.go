package app_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/mounttest"
)

// TestBringFullDisk: on a full disk nothing is lost, and the index is found when there is
// room again.
func TestBringFullDisk(t *testing.T) {
	if !mounttest.Own(t) {
		return
	}
	settings := load(t, "")
	settings.StateDir = filepath.Join(mounttest.Disk(t, "8m"), "state")
	kept := earlier(t, settings)
	history, err := os.ReadFile(filepath.Join(kept, "notebook", "history.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(settings.StateDir, "filler")
	if err := os.WriteFile(filler, make([]byte, 16<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	if err := app.Bring(t.Context(), settings); err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	now, err := os.ReadFile(filepath.Join(kept, "notebook", "history.jsonl"))
	if err != nil || !bytes.Equal(now, history) {
		t.Errorf("the history is another one: %v", err)
	}
	if found := there(kept+"/main.sqlite", settings.IndexPath()); len(found) != 1 {
		t.Errorf("there are %v, want the index in one place", found)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	finds(t, settings)
}
