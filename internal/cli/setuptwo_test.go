package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestSetupAtOnce: setups and undos of one agent at once leave what one after another leaves:
// an undo at the end gives every byte back.
func TestSetupAtOnce(t *testing.T) {
	const before = `{"mcpServers": {"x": {"command": "y"}, "n": {"command": "npx", "args": ["memoir", "mcp"]}}}`
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	b := &bench{t: t, self: self, home: filepath.Join(dir, "home"), notes: filepath.Join(dir, "notes")}
	folder := filepath.Join(b.home, ".cursor")
	settings := filepath.Join(folder, "mcp.json")
	for _, d := range []string{folder, b.notes} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for range 8 {
		if err := os.WriteFile(settings, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		var all []*exec.Cmd
		for _, flag := range []string{"--replace", "--undo", "--replace"} {
			cmd := b.command("state", "setup", flag, "cursor")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			all = append(all, cmd)
		}
		for _, cmd := range all {
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v: %v", cmd.Args, err)
			}
		}
		b.run("state", "", "setup", "--undo", "cursor")
		now, err := os.ReadFile(settings)
		if err != nil || string(now) != before {
			t.Fatalf("undone it is %s, %v", now, err)
		}
		if _, err := os.Lstat(filepath.Join(folder, "hooks.json")); err == nil {
			t.Fatal("the hooks are left")
		}
	}
}
