package setup_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/setup"
)

// TestHeldOpen: an agent that has its settings open reads on what it had, and the file
// is changed and given back beside it. Windows may refuse that, which is an error with
// a next step, and changes nothing.
func TestHeldOpen(t *testing.T) {
	const before = "{\n  \"theme\": \"x\"\n}\n"
	opts := machine(t)
	path := filepath.Join(opts.Place.Home, ".gemini", "settings.json")
	put(t, path, before)
	held, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	_, err = agent(t, "gemini").Connect(t.Context(), opts)
	if err != nil {
		if got := tree(t, opts.Place.Home)[".gemini/settings.json"]; runtime.GOOS != "windows" || memoir.Hint(err) == "" || got != before {
			t.Errorf("got %v (hint %q), and it is %q", err, memoir.Hint(err), got)
		}
		return
	}
	had := make([]byte, len(before))
	if _, err := held.Read(had); err != nil || string(had) != before {
		t.Errorf("the agent reads %q, %v", had, err)
	}
	undo(t, "gemini", opts)
	if got := tree(t, opts.Place.Home)[".gemini/settings.json"]; got != before {
		t.Errorf("it is %q after it was undone", got)
	}
}

// TestEditedEntry: an entry of memoir's that a person changed by hand goes with --undo,
// and the file as it was before memoir stays as a copy.
func TestEditedEntry(t *testing.T) {
	for _, tt := range []struct{ agent, file, before, from, to string }{
		{"cursor", ".cursor/mcp.json", "{\n  \"x\": 1\n}\n", `"mcp"`, `"mcp", "--read-only"`},
		{"codex", ".codex/config.toml", "model = \"a\"\n", `["mcp"`, `["mcp", "--read-only"`},
		{"claude-code", ".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n", "hook claude-code stop", "hook claude-code stop --state-dir /mine"},
	} {
		opts := machine(t)
		path := filepath.Join(opts.Place.Home, tt.file)
		put(t, path, tt.before)
		connect(t, tt.agent, opts)
		edited := strings.Replace(tree(t, opts.Place.Home)[tt.file], tt.from, tt.to, 1)
		if !strings.Contains(edited, tt.to) {
			t.Fatalf("%s: no %s in\n%s", tt.file, tt.from, edited)
		}
		put(t, path, edited)
		for _, c := range undo(t, tt.agent, opts) {
			if c.Path != path {
				continue
			}
			if kept, err := os.ReadFile(c.Backup); c.Change != setup.Cleaned || err != nil || string(kept) != tt.before {
				t.Errorf("%s: %+v, kept %q, %v", tt.file, c, kept, err)
			}
		}
		if got := tree(t, opts.Place.Home)[tt.file]; got != tt.before {
			t.Errorf("%s is %q", tt.file, got)
		}
	}
}

// TestTwoVersions: of two versions of memoir the one that was set up last is what agents
// start, once, whichever of them is asked to take it out again.
func TestTwoVersions(t *testing.T) {
	for _, name := range setup.Names() {
		older := machine(t)
		newer := older
		newer.Command.Program = "/opt/memoir-2/memoir"
		connect(t, name, older)
		connect(t, name, newer)
		connect(t, name, older)
		connect(t, name, newer)
		w, err := agent(t, name).Wiring(older.Place)
		if err != nil || len(w.Servers) != 1 || w.Servers[0].Words[0] != newer.Command.Program {
			t.Errorf("%s: %+v, %v", name, w.Servers, err)
		}
		events := map[string]int{}
		for _, h := range w.Hooks {
			events[h.Event]++
			if line := h.Line + strings.Join(h.Words, " "); events[h.Event] > 1 && h.Event != "session-start" || !strings.Contains(line, "memoir-2") {
				t.Errorf("%s: %s, the %d. of %s", name, line, events[h.Event], h.Event)
			}
		}
		undo(t, name, older)
		if left := tree(t, older.Place.Home); len(left) != 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}
}

// TestUndoElsewhere: what setup changed in another folder of an agent, as of one that a
// variable named then, is given back, too, and so is a file in whose place the agent reads
// another one by now.
func TestUndoElsewhere(t *testing.T) {
	for name, variable := range map[string]string{"claude-code": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME", "opencode": "XDG_CONFIG_HOME"} {
		opts := machine(t)
		here := opts.Place
		const before = "# mine\n"
		put(t, filepath.Join(here.Home, "other", "config.toml"), before)
		was := tree(t, here.Home)
		elsewhere := func(key string) (string, bool) { return filepath.Join(here.Home, "other"), key == variable }
		opts.Place.Lookup = elsewhere
		connect(t, name, opts)
		opts.Place = here
		connect(t, name, opts)
		if got := tree(t, here.Home); len(got) < len(was)+2 {
			t.Fatalf("%s: not connected twice: %v", name, got)
		}
		both := tree(t, here.Home)
		undo(t, name, opts) // of one folder
		if got := tree(t, here.Home); len(got) == len(both) || len(got) == len(was) {
			t.Errorf("%s: of %d files %d are left, and %d were there before", name, len(both), len(got), len(was))
		}
		connect(t, name, opts)
		opts.Everywhere = true
		undo(t, name, opts)
		if diff := cmp.Diff(was, tree(t, here.Home)); diff != "" {
			t.Errorf("%s (-before +after):\n%s", name, diff)
		}
		opts.Everywhere = false
		opts.Place.Lookup = elsewhere
		connect(t, name, opts)
		opts.Place = here
		undo(t, name, opts)
		if diff := cmp.Diff(was, tree(t, here.Home)); diff != "" {
			t.Errorf("%s, which is connected elsewhere alone (-before +after):\n%s", name, diff)
		}
	}
	opts := machine(t)
	folder := filepath.Join(opts.Place.Home, ".config", "opencode")
	put(t, filepath.Join(folder, "opencode.jsonc"), "{}\n")
	connect(t, "opencode", opts)
	put(t, filepath.Join(folder, "opencode.json"), "{}\n")
	undo(t, "opencode", opts)
	if diff := cmp.Diff(map[string]string{".config/opencode/opencode.json": "{}\n", ".config/opencode/opencode.jsonc": "{}\n"}, tree(t, opts.Place.Home)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}
