package setup_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/setup"
)

// keeping connects an agent as memoir setup does: what its entry says stays, but for over.
func keeping(t *testing.T, name string, opts setup.Options, over ...string) []setup.Change {
	t.Helper()
	entry, _ := agent(t, name).Entry(opts.Place)
	opts.Command = opts.Command.Keeping(entry, over)
	return connect(t, name, opts)
}

// TestKept: an entry that starts memoir keeps its workspace, its other flags and what
// else it holds, whoever wrote it, and the hooks get the same notes.
func TestKept(t *testing.T) {
	const mine = `{"mcpServers": {"memoir": {"command": "memoir", "args": ["--workspace=/data", "mcp", "--read-only"], "env": {"MEMOIR_AGENT": "ann"}, "timeout": 60000}}}`
	opts := machine(t)
	path := filepath.Join(opts.Place.Home, ".gemini", "settings.json")
	put(t, path, mine)
	keeping(t, "gemini", opts)
	got := tree(t, opts.Place.Home)[".gemini/settings.json"]
	for _, want := range []string{`"--workspace=/data",`, `"mcp",`, `"--read-only"`, `"MEMOIR_AGENT": "ann"`, `"timeout": 60000`, `"command": "/usr/local/bin/memoir"`,
		`/usr/local/bin/memoir hook gemini stop --workspace /data --agent ann 2>/dev/null; exit 0"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "笔记") {
		t.Errorf("it has another workspace, too:\n%s", got)
	}
	if again := verbs(keeping(t, "gemini", opts)); again != setup.Unchanged {
		t.Errorf("the second time it was %s", again)
	}
	undo(t, "gemini", opts)
	if got := tree(t, opts.Place.Home)[".gemini/settings.json"]; got != mine {
		t.Errorf("undone it is %s", got)
	}
}

// TestKeptVariable: where a flag takes the place of a variable of an entry, the server and
// the hooks get the same notes.
func TestKeptVariable(t *testing.T) {
	opts := machine(t)
	put(t, filepath.Join(opts.Place.Home, ".gemini", "settings.json"), `{"mcpServers": {"memoir": {"command": "memoir", "args": ["mcp"], "env": {"MEMOIR_WORKSPACE": "/data", "A": "b"}}}}`)
	keeping(t, "gemini", opts, "--scope", "user")
	got := tree(t, opts.Place.Home)[".gemini/settings.json"]
	if strings.Contains(got, "/data") || !strings.Contains(got, `"A": "b"`) || !strings.Contains(got, `"--scope"`) || !strings.Contains(got, "hook gemini stop --scope user") {
		t.Errorf("the settings are\n%s", got)
	}
}

// TestKeptByTable: Codex's table keeps what a person added to it.
func TestKeptByTable(t *testing.T) {
	opts := machine(t)
	path := filepath.Join(opts.Place.Home, ".codex", "config.toml")
	put(t, path, "model = \"a\"\n")
	connect(t, "codex", opts)
	put(t, path, tree(t, filepath.Dir(path))["config.toml"]+"tool_timeout_sec = 9\n\n[mcp_servers.memoir.env]\nA = \"b\"\n")
	opts.Command = setup.Command{Program: "/opt/memoir"}
	keeping(t, "codex", opts)
	want := "model = \"a\"\n\n# Written by memoir setup, which takes it out again with --undo.\n[mcp_servers.memoir]\ncommand = \"/opt/memoir\"\n" +
		"args = [\"mcp\", \"--workspace\", \"/home/me/笔记 & mine\"]\nenv = {A = 'b'}\ntool_timeout_sec = 9\n"
	if diff := cmp.Diff(want, tree(t, filepath.Dir(path))["config.toml"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := verbs(keeping(t, "codex", opts)); again != "unchanged unchanged" {
		t.Errorf("the second time it was %s", again)
	}
}

// TestKeptEverywhere: every agent keeps its workspace when memoir has moved, and gets
// another when one is named.
func TestKeptEverywhere(t *testing.T) {
	for _, a := range setup.Agents() {
		opts := machine(t)
		connect(t, a.Name, opts)
		moved := opts
		moved.Command = setup.Command{Program: "/opt/memoir"}
		keeping(t, a.Name, moved)
		entry, ok := a.Entry(opts.Place)
		if !ok || !entry.Ours() || entry.Words[0] != "/opt/memoir" || entry.Flag("--workspace") != "/home/me/笔记 & mine" {
			t.Errorf("%s: %+v", a.Name, entry)
		}
		keeping(t, a.Name, moved, "--scope", "user")
		if entry, _ := a.Entry(opts.Place); entry.Flag("--workspace") != "" || entry.Flag("--scope") != "user" {
			t.Errorf("%s: %+v", a.Name, entry)
		}
		keeping(t, a.Name, moved, "--workspace", "/new")
		if entry, _ := a.Entry(opts.Place); entry.Flag("--workspace") != "/new" || entry.Flag("--scope") != "" {
			t.Errorf("%s: %+v", a.Name, entry)
		}
		for path, text := range tree(t, opts.Place.Home) {
			if strings.Contains(text, "笔记") || strings.Contains(text, "scope") {
				t.Errorf("%s: %s is for other notes:\n%s", a.Name, path, text)
			}
		}
	}
}

// TestNotOurs: an entry that starts something else keeps nothing.
func TestNotOurs(t *testing.T) {
	for _, args := range []string{`"command": "other", "args": ["mcp", "--workspace", "/data"]`, `"command": "memoir", "args": ["serve"]`, `"httpUrl": "http://127.0.0.1:7077/mcp"`, `"command": 1`} {
		opts := machine(t)
		put(t, filepath.Join(opts.Place.Home, ".gemini", "settings.json"), `{"mcpServers": {"memoir": {`+args+`, "timeout": 5}}}`)
		keeping(t, "gemini", opts)
		if got := tree(t, opts.Place.Home)[".gemini/settings.json"]; strings.Contains(got, "timeout\": 5}") || !strings.Contains(got, "笔记") {
			t.Errorf("%s became\n%s", args, got)
		}
	}
}
