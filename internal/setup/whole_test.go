package setup_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/setup"
)

// twoFiles are the settings of agents that have two files, each with one that is broken.
var twoFiles = []struct{ agent, whole, text, broken, bad string }{
	{"claude-code", ".claude.json", "{\n  \"a\": 1\n}\n", ".claude/settings.json", "{\"model\": opus}\n"},
	{"claude-code", ".claude/settings.json", "{\n  \"a\": 1\n}\n", ".claude.json", "{\n"},
	{"codex", ".codex/config.toml", "model = \"a\"\n", ".codex/hooks.json", "[]"},
	{"codex", ".codex/hooks.json", "{\n  \"a\": 1\n}\n", ".codex/config.toml", "model = \n"},
	{"cursor", ".cursor/mcp.json", "{\n  \"a\": 1\n}\n", ".cursor/hooks.json", "{\"hooks\": 1}"},
	{"opencode", ".config/opencode/opencode.json", "{\n  \"a\": 1\n}\n", ".config/opencode/plugin/memoir.js", "export const Mine = 1\n"},
}

// TestNothingByHalves: where one file of an agent cannot be changed, none is.
func TestNothingByHalves(t *testing.T) {
	for _, tt := range twoFiles {
		opts := machine(t)
		put(t, filepath.Join(opts.Place.Home, tt.whole), tt.text)
		put(t, filepath.Join(opts.Place.Home, tt.broken), tt.bad)
		before := tree(t, opts.Place.Home)
		changes, err := agent(t, tt.agent).Connect(t.Context(), opts)
		if err == nil || !strings.Contains(err.Error(), filepath.FromSlash(tt.broken)) || memoir.Hint(err) == "" || len(changes) > 0 {
			t.Errorf("%s: %v, %+v", tt.broken, err, changes)
		}
		if diff := cmp.Diff(before, tree(t, opts.Place.Home)); diff != "" || exists(opts.Dir) {
			t.Errorf("%s (-before +after):\n%s", tt.broken, diff)
		}
	}
}

// TestUndoGoesOn: a file that is broken is named and stays as it is, and the others are given back. When it is
// mended, it is given back, too.
func TestUndoGoesOn(t *testing.T) {
	for _, tt := range twoFiles {
		if tt.agent == "opencode" {
			continue // a file of somebody's own is nothing to undo
		}
		opts := machine(t)
		put(t, filepath.Join(opts.Place.Home, tt.whole), tt.text)
		connect(t, tt.agent, opts)
		written := tree(t, opts.Place.Home)[tt.broken]
		put(t, filepath.Join(opts.Place.Home, tt.broken), "{ broken\n")
		changes, err := agent(t, tt.agent).Undo(t.Context(), opts)
		if err == nil || !strings.Contains(err.Error(), filepath.FromSlash(tt.broken)) || memoir.Hint(err) != "mend the file, then memoir setup --undo "+tt.agent {
			t.Errorf("%s: %v (hint %q)", tt.broken, err, memoir.Hint(err))
		}
		if len(changes) != 1 || changes[0].Change != setup.Restored {
			t.Errorf("%s: %+v", tt.broken, changes)
		}
		if diff := cmp.Diff(map[string]string{tt.whole: tt.text, tt.broken: "{ broken\n"}, tree(t, opts.Place.Home)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.broken, diff)
		}
		if c := setup.Connections(opts.Place, opts.Dir); len(c) != 1 {
			t.Errorf("%s: %+v", tt.broken, c)
		}
		put(t, filepath.Join(opts.Place.Home, tt.broken), written)
		undo(t, tt.agent, opts)
		if diff := cmp.Diff(map[string]string{tt.whole: tt.text}, tree(t, opts.Place.Home)); diff != "" {
			t.Errorf("%s, mended (-want +got):\n%s", tt.broken, diff)
		}
	}
}
