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
