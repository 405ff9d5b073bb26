package setup_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/mounttest"
	"github.com/memoir-ai/memoir/internal/setup"
)

// TestFullDisk: on a full disk no agent is connected, the error says what to do, and the
// settings are as they were, to the byte. The disk is one of 64 kB, in a process of its own.
func TestFullDisk(t *testing.T) {
	if !mounttest.Own(t) {
		return
	}
	dir := mounttest.Disk(t, "64k")
	opts := machine(t)
	opts.Place.Home, opts.Dir = filepath.Join(dir, "home"), filepath.Join(dir, "state", "setup")
	for file, text := range map[string]string{
		".claude.json": "{\"a\": 1}\n", ".claude/settings.json": "{\"model\": \"opus\"}\n", ".gemini/settings.json": "{}\n",
		".codex/config.toml": "model = \"a\"\n", ".cursor/mcp.json": "{}", ".config/opencode/opencode.json": "{}\n", ".openclaw/openclaw.json": "{}\n",
	} {
		put(t, filepath.Join(opts.Place.Home, file), text)
	}
	before := tree(t, opts.Place.Home)
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	for _, name := range setup.Names() {
		if _, err := agent(t, name).Connect(t.Context(), opts); err == nil || !strings.HasPrefix(memoir.Hint(err), "make room") {
			t.Errorf("%s: got %v (hint %q)", name, err, memoir.Hint(err))
		}
	}
	if diff := cmp.Diff(before, tree(t, opts.Place.Home)); diff != "" {
		t.Errorf("on a full disk (-before +after):\n%s", diff)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	for _, name := range setup.Names() {
		connect(t, name, opts)
		undo(t, name, opts)
	}
	if diff := cmp.Diff(before, tree(t, opts.Place.Home)); diff != "" {
		t.Errorf("with room again (-before +after):\n%s", diff)
	}
}
