package setup_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/memoir-ai/memoir/internal/setup"
)

// TestOlderLines: what an earlier memoir wrote, without an ending and for Cursor without a limit, is told, is
// renewed by another setup, and goes with --undo, as those files were.
func TestOlderLines(t *testing.T) {
	for name := range shells {
		for _, renewed := range []bool{true, false} {
			opts := machine(t)
			dir := filepath.Join(opts.Place.Home, map[string]string{"claude-code": ".claude", "codex": ".codex", "gemini": ".gemini", "cursor": ".cursor"}[name])
			for _, file := range []string{"settings.json", "hooks.json"} {
				put(t, filepath.Join(dir, file), "{\n  \"mine\": 1\n}\n")
			}
			before := tree(t, opts.Place.Home)
			connect(t, name, opts)
			after := tree(t, opts.Place.Home)
			older(t, opts, name)
			c := setup.Connections(opts.Place, opts.Dir)
			if len(c) != 1 || len(c[0].Older) != 1 || len(c[0].Changed) != 0 {
				t.Errorf("%s: %+v", name, c)
			}
			if renewed {
				connect(t, name, opts)
				if diff := cmp.Diff(after, tree(t, opts.Place.Home)); diff != "" {
					t.Errorf("%s, renewed (-want +got):\n%s", name, diff)
				}
				if c := setup.Connections(opts.Place, opts.Dir); len(c) != 1 || len(c[0].Older) != 0 {
					t.Errorf("%s, renewed: %+v", name, c)
				}
			}
			for _, c := range undo(t, name, opts) {
				if c.Change == setup.Cleaned {
					t.Errorf("%s: %+v", name, c)
				}
			}
			if diff := cmp.Diff(before, tree(t, opts.Place.Home)); diff != "" {
				t.Errorf("%s, undone (-want +got):\n%s", name, diff)
			}
		}
	}
}

// older makes settings and their record those of an earlier memoir.
func older(t *testing.T, opts setup.Options, name string) {
	t.Helper()
	record := filepath.Join(opts.Dir, name+".json")
	kept, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range tree(t, opts.Place.Home) {
		if !strings.Contains(text, " hook "+name) {
			continue
		}
		was := strings.NewReplacer(" 2>/dev/null; exit 0", "", "; exit 0", "").Replace(text)
		if name == "cursor" {
			was = strings.ReplaceAll(was, ",\n        \"timeout\": 10", "")
		}
		if was == text {
			t.Fatalf("%s is\n%s", file, text)
		}
		put(t, filepath.Join(opts.Place.Home, file), was)
		kept = bytes.ReplaceAll(kept, fmt.Appendf(nil, "%x", sha256.Sum256([]byte(text))), fmt.Appendf(nil, "%x", sha256.Sum256([]byte(was))))
	}
	if err := os.WriteFile(record, kept, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestWithoutRecord: when the folder of state is gone, what memoir setup wrote is found in the settings, and taken
// out: every file is as it was, and those that memoir made are gone.
func TestWithoutRecord(t *testing.T) {
	// That an object was there and empty is not known then.
	filled := strings.NewReplacer(`"mcpServers": {}`, `"mcpServers": {"a": {"command": "a"}}`, `"servers": {}`, `"servers": {"a": {"command": "a"}}`,
		`"hooks": {}`, `"hooks": {"stop": [{"command": "say done"}]}`)
	for _, suffix := range []string{"", "-new"} {
		opts := machine(t)
		for _, name := range setup.Names() {
			archive, err := txtar.ParseFile(filepath.Join("testdata", name+suffix+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range archive.Files {
				if below, ok := strings.CutPrefix(f.Name, "home/"); ok {
					put(t, filepath.Join(opts.Place.Home, below), filled.Replace(string(f.Data)))
				}
			}
		}
		before := tree(t, opts.Place.Home)
		for _, name := range setup.Names() {
			connect(t, name, opts)
		}
		if err := os.RemoveAll(filepath.Dir(opts.Dir)); err != nil {
			t.Fatal(err)
		}
		found := setup.Connections(opts.Place, opts.Dir)
		if len(found) != len(setup.Agents()) {
			t.Errorf("found %+v", found)
		}
		for _, c := range found {
			if c.Program != opts.Command.Program || len(c.Older)+len(c.Changed) > 0 {
				t.Errorf("%+v", c)
			}
			undo(t, c.Agent.Name, opts)
		}
		if diff := cmp.Diff(before, tree(t, opts.Place.Home)); diff != "" {
			t.Errorf("%q (-before +after):\n%s", suffix, diff)
		}
		if found := setup.Connections(opts.Place, opts.Dir); len(found) > 0 {
			t.Errorf("still there: %+v", found)
		}
	}
}

// TestNotWritten: without a record an entry by the bare name, a server at an address, one that another program
// starts, and files that only speak of memoir are nobody's to take out. A broken one that names memoir is looked at.
func TestNotWritten(t *testing.T) {
	for file, text := range map[string]string{
		".claude.json":                      `{"mcpServers": {"memoir": {"command": "memoir", "args": ["mcp"]}}}`,
		".claude/settings.json":             `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say memoir"}]}]}}`,
		".codex/config.toml":                "[mcp_servers.memoir]\ncommand = \"/usr/bin/memoir\"\nargs = [\"mcp\"]\n",
		".gemini/settings.json":             `{"mcpServers": {"memoir": {"command": "npx", "args": ["@memoir-ai/memoir", "mcp"]}}}`,
		".cursor/mcp.json":                  `{"mcpServers": {"memoir": {"url": "http://127.0.0.1:7077/mcp"}}}`,
		".cursor/hooks.json":                "{ broken",
		".config/opencode/plugin/memoir.js": "export const Mine = 1\n",
		".openclaw/openclaw.json":           "{agents: {list: [{workspace: '/home/me/memoir'}]}}",
	} {
		opts := machine(t)
		put(t, filepath.Join(opts.Place.Home, file), text)
		if found := setup.Connections(opts.Place, opts.Dir); len(found) > 0 {
			t.Errorf("%s: %+v", file, found)
		}
	}
	opts := machine(t)
	put(t, filepath.Join(opts.Place.Home, ".cursor", "mcp.json"), `{"mcpServers": {"memoir": {"command": "/usr/bin/memoir", `)
	if found := setup.Connections(opts.Place, opts.Dir); len(found) != 1 {
		t.Errorf("%+v", found)
	}
}
