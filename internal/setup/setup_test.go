package setup_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/setup"
)

var update = flag.Bool("update", false, "rewrite what agents' settings become")

// machine is a home folder with a name that needs quoting.
func machine(t *testing.T) setup.Options {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home of 林梅's")
	if err := os.MkdirAll(home, 0o777); err != nil {
		t.Fatal(err)
	}
	return setup.Options{
		Place:   setup.Place{Home: home, Lookup: func(string) (string, bool) { return "", false }, OS: "linux"},
		Command: setup.Command{Program: "/usr/local/bin/memoir", Location: []string{"--workspace", "/home/me/笔记 & mine"}},
		Dir:     filepath.Join(filepath.Dir(home), "state", "setup"),
		Run:     func(context.Context, []string) error { return errors.New("no such program") },
	}
}

// tree reads all files below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func agent(t *testing.T, name string) setup.Agent {
	t.Helper()
	a, ok := setup.Find(name)
	if !ok {
		t.Fatalf("there is no agent %s", name)
	}
	return a
}

func connect(t *testing.T, name string, opts setup.Options) []setup.Change {
	t.Helper()
	changes, err := agent(t, name).Connect(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func undo(t *testing.T, name string, opts setup.Options) []setup.Change {
	t.Helper()
	changes, err := agent(t, name).Undo(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

// verbs returns what became of each file.
func verbs(changes []setup.Change) string {
	var all []string
	for _, c := range changes {
		all = append(all, c.Change)
	}
	return strings.Join(all, " ")
}

// TestAgents: each agent's settings become those of its archive, once; undoing gives
// every byte back, and no file more.
func TestAgents(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) != 2*len(setup.Agents()) {
		t.Fatalf("%d archives, %v; want two for each agent", len(archives), err)
	}
	for _, path := range archives {
		base := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(base, func(t *testing.T) {
			golden(t, path, strings.TrimSuffix(base, "-new"))
		})
	}
}

func golden(t *testing.T, path, name string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	opts, want := machine(t), map[string]string{}
	kept := []txtar.File{}
	for _, f := range archive.Files {
		if below, ok := strings.CutPrefix(f.Name, "want/"); ok {
			want[below] = string(f.Data)
			continue
		}
		kept = append(kept, f)
		put(t, filepath.Join(opts.Place.Home, strings.TrimPrefix(f.Name, "home/")), string(f.Data))
	}
	before := tree(t, opts.Place.Home)

	dry := opts
	dry.DryRun = true
	for _, c := range connect(t, name, dry) {
		if c.Diff == "" || !strings.Contains(c.Diff, "\n+") {
			t.Errorf("the difference of %s is %q", c.Path, c.Diff)
		}
	}
	if diff := cmp.Diff(before, tree(t, opts.Place.Home)); diff != "" || exists(opts.Dir) {
		t.Fatalf("a dry run wrote (-before +after):\n%s", diff)
	}

	connect(t, name, opts)
	after := tree(t, opts.Place.Home)
	if *update {
		archive.Files = kept
		for _, c := range connect(t, name, opts) {
			rel, _ := filepath.Rel(opts.Place.Home, c.Path)
			archive.Files = append(archive.Files, txtar.File{Name: "want/" + filepath.ToSlash(rel), Data: []byte(after[filepath.ToSlash(rel)])})
		}
		if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
		want = after
	}
	if diff := cmp.Diff(want, after); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := connect(t, name, opts); strings.TrimSpace(strings.ReplaceAll(verbs(again), setup.Unchanged, "")) != "" {
		t.Errorf("the second time: %s", verbs(again))
	}
	if diff := cmp.Diff(after, tree(t, opts.Place.Home)); diff != "" {
		t.Errorf("the second time changed (-first +second):\n%s", diff)
	}

	// Another command takes the place of the one before, and the bytes before are
	// still known.
	moved := opts
	moved.Command.Program = "/opt/memoir"
	connect(t, name, moved)
	for path, text := range tree(t, opts.Place.Home) {
		if strings.Contains(text, "/usr/local/bin/memoir") {
			t.Errorf("%s still has the old command:\n%s", path, text)
		}
	}
	undo(t, name, opts)
	if diff := cmp.Diff(before, tree(t, opts.Place.Home)); diff != "" {
		t.Errorf("after it was undone (-before +after):\n%s", diff)
	}
	if left := tree(t, opts.Dir); len(left) != 0 {
		t.Errorf("%v is left in %s", left, opts.Dir)
	}
	if again := undo(t, name, opts); strings.TrimSpace(strings.ReplaceAll(verbs(again), setup.Unchanged, "")) != "" {
		t.Errorf("undone twice: %s", verbs(again))
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestUndoAfterOthers: what others changed since stays, and only memoir's part goes.
func TestUndoAfterOthers(t *testing.T) {
	for _, tt := range []struct{ agent, file, before, from, to string }{
		{"claude-code", ".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n", `"opus"`, `"sonnet"`},
		{"claude-code", ".claude.json", "{\n  \"a\": 1\n}\n", "\"a\": 1", "\"a\": 2"},
		{"gemini", ".gemini/settings.json", "{\n  \"theme\": \"x\"\n}\n", `"x"`, `"y"`},
		{"codex", ".codex/config.toml", "model = \"a\"\n", `"a"`, `"b"`},
		{"opencode", ".config/opencode/opencode.json", "{\n  \"share\": \"auto\" // x\n}\n", `"auto"`, `"manual"`},
		{"openclaw", ".openclaw/openclaw.json", "{\n  \"agents\": {}\n}\n", "{}", "{ }"},
		{"cursor", ".cursor/hooks.json", "{\n  \"version\": 1,\n  \"x\": 1\n}\n", `"x": 1`, `"x": 2`},
	} {
		for _, known := range []bool{true, false} {
			opts := machine(t)
			path := filepath.Join(opts.Place.Home, tt.file)
			put(t, path, tt.before)
			connect(t, tt.agent, opts)
			put(t, path, strings.Replace(tree(t, opts.Place.Home)[tt.file], tt.from, tt.to, 1))
			if !known { // the folder of state may be deleted
				if err := os.RemoveAll(opts.Dir); err != nil {
					t.Fatal(err)
				}
			}
			changes := undo(t, tt.agent, opts)
			want := strings.Replace(tt.before, tt.from, tt.to, 1)
			if diff := cmp.Diff(want, tree(t, opts.Place.Home)[tt.file]); diff != "" {
				t.Errorf("%s, known %v (-want +got):\n%s", tt.file, known, diff)
			}
			for _, c := range changes {
				if c.Path != path {
					continue
				}
				if kept, err := os.ReadFile(c.Backup); c.Change != setup.Cleaned || known && string(kept) != tt.before || !known && !strings.Contains(string(kept), "memoir") {
					t.Errorf("%s: %+v, kept %q, %v", tt.file, c, kept, err)
				}
			}
		}
	}
}

// TestUndoLeavesEmpty: an empty object or array that was there before is the user's own.
func TestUndoLeavesEmpty(t *testing.T) {
	for _, before := range []string{
		"{\n  \"mcpServers\": {},\n  \"hooks\": {},\n  \"theme\": \"x\"\n}\n",
		"{\n  \"hooks\": {\"AfterAgent\": [], \"SessionStart\": []}, // mine\n  \"theme\": \"x\"\n}\n",
	} {
		opts := machine(t)
		path := filepath.Join(opts.Place.Home, ".gemini", "settings.json")
		put(t, path, before)
		connect(t, "gemini", opts)
		put(t, path, strings.Replace(tree(t, opts.Place.Home)[".gemini/settings.json"], `"x"`, `"y"`, 1))
		opts.Command.Program = "/opt/memoir"
		connect(t, "gemini", opts)
		put(t, path, strings.Replace(tree(t, opts.Place.Home)[".gemini/settings.json"], `"y"`, `"z"`, 1))
		undo(t, "gemini", opts)
		want := strings.Replace(before, `"x"`, `"z"`, 1)
		if diff := cmp.Diff(want, tree(t, opts.Place.Home)[".gemini/settings.json"]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestDamagedBackup: bytes that are not those that were kept are not given back; memoir's
// part is taken out, and the rest stays.
func TestDamagedBackup(t *testing.T) {
	for name, damage := range map[string]func(string) error{
		"emptied":   func(backup string) error { return os.Truncate(backup, 0) },
		"cut short": func(backup string) error { return os.Truncate(backup, 5) },
		"foreign":   func(backup string) error { return os.WriteFile(backup, []byte("{}"), 0o600) },
		"gone":      os.Remove,
	} {
		opts := machine(t)
		settings := filepath.Join(opts.Place.Home, ".cursor", "mcp.json")
		put(t, settings, `{"mcpServers": {"mine": {"command": "mine"}}}`)
		connect(t, "cursor", opts)
		backups, err := filepath.Glob(filepath.Join(opts.Dir, "cursor-mcp.json-*.bak"))
		if err != nil || len(backups) != 1 {
			t.Fatalf("the backups are %v, %v", backups, err)
		}
		if err := damage(backups[0]); err != nil {
			t.Fatal(err)
		}
		undo(t, "cursor", opts)
		if got, err := os.ReadFile(settings); err != nil || !strings.Contains(string(got), "mine") || strings.Contains(string(got), "memoir") {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

// TestConnectAfterOthers: what others changed since is part of what is given back.
func TestConnectAfterOthers(t *testing.T) {
	opts := machine(t)
	path := filepath.Join(opts.Place.Home, ".gemini", "settings.json")
	put(t, path, "{\n  \"theme\": \"x\"\n}\n")
	connect(t, "gemini", opts)
	put(t, path, strings.Replace(tree(t, opts.Place.Home)[".gemini/settings.json"], `"x"`, `"y"`, 1))
	if got := verbs(connect(t, "gemini", opts)); got != setup.Unchanged {
		t.Errorf("it was %s", got)
	}
	opts.Command.Program = "/opt/memoir"
	connect(t, "gemini", opts)
	if got := verbs(undo(t, "gemini", opts)); got != setup.Restored {
		t.Errorf("it was %s", got)
	}
	if got := tree(t, opts.Place.Home)[".gemini/settings.json"]; got != "{\n  \"theme\": \"y\"\n}\n" {
		t.Errorf("got %q", got)
	}
}

// TestOwnEntry: an entry that the user made by hand comes back.
func TestOwnEntry(t *testing.T) {
	opts := machine(t)
	const mine = `{"mcpServers": {"memoir": {"command": "memoir", "args": ["mcp", "--read-only"]}}}`
	path := filepath.Join(opts.Place.Home, ".cursor", "mcp.json")
	put(t, path, mine)
	connect(t, "cursor", opts)
	undo(t, "cursor", opts)
	if got := tree(t, opts.Place.Home)[".cursor/mcp.json"]; got != mine {
		t.Errorf("got %q", got)
	}
}

// TestRefused: what cannot be changed safely stays as it is, and the error says what
// to do.
func TestRefused(t *testing.T) {
	for _, tt := range []struct{ name, agent, file, text, says string }{
		{"no JSON", "claude-code", ".claude/settings.json", "{\"model\": opus}\n", "line 1, column 11: JSON has no value opus"},
		{"half of it", "gemini", ".gemini/settings.json", "{\"theme\": \"x\",", "it ends in the middle"},
		{"an array of servers", "codex", ".codex/config.toml", "[[mcp_servers]]\na = 1\n", "mcp_servers"},
		{"an array", "cursor", ".cursor/mcp.json", "[]", "no object"},
		{"servers are none", "cursor", ".cursor/mcp.json", `{"mcpServers": "none"}`, "mcpServers is no object"},
		{"hooks are none", "claude-code", ".claude/settings.json", `{"hooks": {"Stop": "x"}}`, "hooks.Stop is no array"},
		{"no TOML", "codex", ".codex/config.toml", "model = \n", "line 1, column 9: not valid TOML: "},
		{"a table of its own", "codex", ".codex/config.toml", "[mcp_servers.memoir]\ncommand = \"mine\"\n", "a table [mcp_servers.memoir] of its own"},
		{"an inline table", "codex", ".codex/config.toml", "mcp_servers = { a = { command = \"b\" } }\n", "no table can be added"},
		{"a plugin of their own", "opencode", ".config/opencode/plugin/memoir.js", "export const Mine = 1\n", "a file of your own"},
		{"JSON5", "openclaw", ".openclaw/openclaw.json", "{agents: {}}", "own command"},
		{"bytes", "gemini", ".gemini/settings.json", "\x00\xff", "line 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opts := machine(t)
			put(t, filepath.Join(opts.Place.Home, tt.file), tt.text)
			_, err := agent(t, tt.agent).Connect(t.Context(), opts)
			if err == nil || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), filepath.Base(tt.file)) || memoir.Hint(err) == "" {
				t.Errorf("got %v (hint %q), want …%s…", err, memoir.Hint(err), tt.says)
			}
			if got := tree(t, opts.Place.Home)[tt.file]; got != tt.text {
				t.Errorf("it is %q now", got)
			}
		})
	}
}

func TestReadOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are made otherwise there")
	}
	opts := machine(t)
	path := filepath.Join(opts.Place.Home, ".gemini", "settings.json")
	put(t, path, "{}")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	dry := opts
	dry.DryRun = true
	for _, opts := range []setup.Options{dry, opts} {
		_, err := agent(t, "gemini").Connect(t.Context(), opts)
		if err == nil || !strings.Contains(err.Error(), "read-only") || memoir.Hint(err) == "" {
			t.Errorf("dry run %v: got %v", opts.DryRun, err)
		}
	}
	if got := tree(t, opts.Place.Home)[".gemini/settings.json"]; got != "{}" || len(tree(t, filepath.Dir(path))) != 1 || exists(opts.Dir) {
		t.Errorf("it is %q now; beside it %v", got, tree(t, filepath.Dir(path)))
	}
}

// TestCannotWrite: nothing is known of a file that could not be written.
func TestCannotWrite(t *testing.T) {
	opts := machine(t)
	put(t, filepath.Join(opts.Place.Home, ".gemini"), "a file in the place of the folder")
	_, err := agent(t, "gemini").Connect(t.Context(), opts)
	if err == nil || exists(opts.Dir) {
		t.Errorf("got %v", err)
	}

	// In a folder that lets nobody write, though root can.
	opts = machine(t)
	path := filepath.Join(opts.Place.Home, ".gemini", "settings.json")
	put(t, path, "{}")
	if err := os.Chmod(filepath.Dir(path), 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Dir(path), 0o755)
	if _, err = agent(t, "gemini").Connect(t.Context(), opts); err == nil {
		t.Skip("this user can write everywhere")
	}
	if !strings.Contains(memoir.Hint(err), "writable") || tree(t, opts.Place.Home)[".gemini/settings.json"] != "{}" || len(tree(t, opts.Dir)) != 0 {
		t.Errorf("got %v (hint %q); kept %v", err, memoir.Hint(err), tree(t, opts.Dir))
	}
}

// TestMode: a file keeps its permissions, a new one is the user's alone.
func TestMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are made otherwise there")
	}
	opts := machine(t)
	path := filepath.Join(opts.Place.Home, ".cursor", "mcp.json")
	put(t, path, "{}")
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	changes := connect(t, "cursor", opts)
	for file, want := range map[string]fs.FileMode{path: 0o640, filepath.Join(filepath.Dir(path), "hooks.json"): 0o600, changes[0].Backup: 0o600} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", file, info.Mode(), err, want)
		}
	}
}

// TestLinks: a link to a repository of settings stays one, and its file is what is
// changed and given back.
func TestLinks(t *testing.T) {
	opts := machine(t)
	dotfiles := filepath.Join(opts.Place.Home, "dotfiles 文")
	target, link := filepath.Join(dotfiles, "gemini.json"), filepath.Join(opts.Place.Home, ".gemini", "settings.json")
	put(t, target, "{\n  \"theme\": \"x\"\n}\n")
	if err := os.Mkdir(filepath.Dir(link), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..", "dotfiles 文", "gemini.json"), link); err != nil {
		t.Skip("links cannot be made here: ", err)
	}
	isLink := func() bool {
		info, err := os.Lstat(link)
		return err == nil && info.Mode()&fs.ModeSymlink != 0
	}
	connect(t, "gemini", opts)
	if text := tree(t, dotfiles)["gemini.json"]; !isLink() || !strings.Contains(text, "memoir") {
		t.Errorf("a link: %v; its file: %s", isLink(), text)
	}
	undo(t, "gemini", opts)
	if text := tree(t, dotfiles)["gemini.json"]; !isLink() || text != "{\n  \"theme\": \"x\"\n}\n" {
		t.Errorf("undone, a link: %v; its file: %s", isLink(), text)
	}

	// One that leads nowhere, or to a folder, is an error, and stays.
	for _, to := range []string{"nowhere", dotfiles} {
		if err := errors.Join(os.Remove(link), os.Symlink(to, link)); err != nil {
			t.Fatal(err)
		}
		if _, err := agent(t, "gemini").Connect(t.Context(), opts); err == nil || memoir.Hint(err) == "" || !isLink() {
			t.Errorf("link to %s: %v, a link: %v", to, err, isLink())
		}
	}
}

// TestEditedPlugin: a file of memoir's own that a person changed is kept aside.
func TestEditedPlugin(t *testing.T) {
	opts := machine(t)
	connect(t, "opencode", opts)
	path := filepath.Join(opts.Place.Home, ".config", "opencode", "plugin", "memoir.js")
	edited := tree(t, filepath.Dir(path))["memoir.js"] + "// mine\n"
	put(t, path, edited)
	changes := undo(t, "opencode", opts)
	last := changes[0]
	if kept, err := os.ReadFile(last.Backup); exists(path) || err != nil || string(kept) != edited {
		t.Errorf("%+v: %v", last, err)
	}
}

// TestTableMoved: Codex writes its file anew, and puts tables before the last comments.
func TestTableMoved(t *testing.T) {
	opts := machine(t)
	path := filepath.Join(opts.Place.Home, ".codex", "config.toml")
	put(t, path, "model = \"a\"\n")
	connect(t, "codex", opts)
	put(t, path, tree(t, filepath.Dir(path))["config.toml"]+"\n[mcp_servers.memoir.env]\nA = \"\"\"\n[not.a.table]\n\"\"\"\n\n# of the project\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n")
	undo(t, "codex", opts)
	want := "model = \"a\"\n\n# of the project\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n"
	if diff := cmp.Diff(want, tree(t, filepath.Dir(path))["config.toml"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOwnCommand: settings in JSON5 are changed by OpenClaw itself, and given back.
func TestOwnCommand(t *testing.T) {
	opts := machine(t)
	const mine = "{agents: {}, // mine\n}\n"
	path := filepath.Join(opts.Place.Home, ".openclaw", "openclaw.json")
	put(t, path, mine)
	var ran [][]string
	opts.Run = func(_ context.Context, words []string) error {
		ran = append(ran, words)
		text := "{agents: {}, mcp: {servers: {memoir: 1}}}"
		if words[2] == "unset" {
			text = "{agents: {}}"
		}
		return os.WriteFile(path, []byte(text), 0o600)
	}
	changes := connect(t, "openclaw", opts)
	if len(ran) != 1 || changes[0].Change != setup.Ran || !strings.Contains(strings.Join(ran[0], " "), `mcp set memoir {"args":["mcp","--workspace"`) {
		t.Fatalf("%+v after %q", changes, ran)
	}
	undo(t, "openclaw", opts)
	if got := tree(t, filepath.Dir(path))["openclaw.json"]; got != mine || len(ran) != 1 {
		t.Errorf("got %q after %q", got, ran)
	}

	connect(t, "openclaw", opts)
	put(t, path, "{agents: {}, mcp: {servers: {memoir: 1}}, other: 1}")
	undo(t, "openclaw", opts)
	if last := ran[len(ran)-1]; strings.Join(last, " ") != "openclaw mcp unset memoir" {
		t.Errorf("it ran %q", last)
	}
}

func TestPlaces(t *testing.T) {
	opts := machine(t)
	elsewhere := t.TempDir()
	vars := map[string]string{"CLAUDE_CONFIG_DIR": elsewhere, "CODEX_HOME": elsewhere, "OPENCLAW_CONFIG_PATH": filepath.Join(elsewhere, "claw.json"), "XDG_CONFIG_HOME": elsewhere}
	opts.Place.Lookup = func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	for _, name := range []string{"claude-code", "codex", "openclaw", "opencode"} {
		for _, c := range connect(t, name, opts) {
			if !strings.HasPrefix(c.Path, elsewhere) {
				t.Errorf("%s: wrote %s", name, c.Path)
			}
		}
	}
	if !agent(t, "codex").On(opts.Place) || agent(t, "gemini").On(setup.Place{Home: elsewhere, Lookup: opts.Place.Lookup}) {
		t.Error("an agent is not found by its folder, or is without one")
	}
}

// TestWindows: paths with backslashes, spaces and Chinese reach memoir whole through the
// shell that each agent has there: PowerShell, but for Claude Code's Git Bash, whose hooks
// have / in the place of \; servers as they are.
func TestWindows(t *testing.T) {
	opts := machine(t)
	opts.Place.OS = "windows"
	opts.Command = setup.Command{Program: `C:\Program Files\memoir.exe`, Location: []string{"--workspace", `\\nas\Ann's\笔记`}}
	const hook = `"command": "& 'C:\\Program Files\\memoir.exe' hook %s stop --workspace '\\\\nas\\Ann''s\\笔记'%s; exit 0"`
	for name, want := range map[string][]string{
		"claude-code": {`"command": "\"C:/Program Files/memoir.exe\" hook claude-code stop --workspace \"//nas/Ann's/笔记\"; exit 0"`, `"command": "C:\\Program Files\\memoir.exe"`, `"\\\\nas\\Ann's\\笔记"`},
		"codex":       {fmt.Sprintf(hook, "codex", ""), `command = 'C:\Program Files\memoir.exe'`},
		"cursor":      {fmt.Sprintf(hook, "cursor", ""), `"command": "C:\\Program Files\\memoir.exe"`},
		"gemini":      {fmt.Sprintf(hook, "gemini", " 2>$null")},
		"opencode":    {`const command = ["C:\\Program Files\\memoir.exe","hook","opencode"`},
		"openclaw":    {`"command": "C:\\Program Files\\memoir.exe"`},
	} {
		all := ""
		for _, c := range connect(t, name, opts) {
			data, err := os.ReadFile(c.Path)
			if err != nil {
				t.Fatal(err)
			}
			all += string(data)
		}
		for _, w := range want {
			if !strings.Contains(all, w) {
				t.Errorf("%s: no %s in\n%s", name, w, all)
			}
		}
		undo(t, name, opts)
	}
	if left := tree(t, opts.Place.Home); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// TestPowerShell: doctor --live starts a line of PowerShell in it.
func TestPowerShell(t *testing.T) {
	opts := machine(t)
	opts.Place.OS = "windows"
	connect(t, "gemini", opts)
	w, err := agent(t, "gemini").Wiring(opts.Place)
	if err != nil || len(w.Hooks) == 0 {
		t.Fatalf("%+v, %v", w, err)
	}
	if words := w.Hooks[0].Shell("windows"); words[0] != "powershell" || !strings.HasPrefix(words[len(words)-1], "& /usr/local/bin/memoir hook gemini ") {
		t.Errorf("%q", words)
	}
}

func TestPrint(t *testing.T) {
	c := machine(t).Command
	var all bytes.Buffer
	for _, name := range setup.Clients() {
		s, ok := setup.Print(name, c)
		if !ok || s.File == "" || !strings.Contains(s.Text, "memoir") {
			t.Errorf("%s: %+v", name, s)
		}
		all.WriteString("== " + name + "\n" + s.Text)
	}
	if _, ok := setup.Print("nobody", c); ok {
		t.Error("nobody is known")
	}
	const file = "testdata/print.golden"
	if *update {
		if err := os.WriteFile(file, all.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), all.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
