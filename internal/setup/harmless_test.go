package setup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/setup"
)

// failing are programs in memoir's place, as scripts; "" is none. Some agents take 2 for "block", and Go's
// runtime ends with it; 127 and 139 are what shells say of a program that is not there and of one that crashed.
var failing = map[string]string{
	"is missing":             "",
	"ends with 2":            "echo fatal error: out of memory >&2\nexit 2\n",
	"ends with 127":          "echo a library was not found >&2\nexit 127\n",
	"crashes":                "echo fatal error >&2\nkill -SEGV $$\n",
	"prints and ends with 2": "echo 'garbage {'\necho more >&2\nexit 2\n",
}

// shells are those in which an agent starts its hooks here, with the words before a line.
var shells = map[string][][]string{
	"claude-code": {{"sh", "-c"}},
	"codex":       {{"sh", "-lc"}, {"bash", "-lc"}, {"zsh", "-lc"}, {"fish", "-lc"}}, // the user's own
	"gemini":      {{"bash", "-c"}},
	"cursor":      {{"sh", "-c"}},
}

// program makes a script that can be run.
func program(t *testing.T, path, script string) {
	t.Helper()
	put(t, path, "#!/bin/sh\n"+script)
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

// lines returns the hooks that setup writes for an agent that is to start a program.
func lines(t *testing.T, name, path string) []setup.Start {
	t.Helper()
	opts := machine(t)
	opts.Command.Program = path
	connect(t, name, opts)
	w, err := agent(t, name).Wiring(opts.Place)
	if err != nil || len(w.Hooks) == 0 {
		t.Fatalf("%s: %+v, %v", name, w.Hooks, err)
	}
	return w.Hooks
}

// TestFailingProgram: no line that setup writes fails, whatever becomes of memoir, in any shell that its agent
// uses, and nothing of a failure is printed where the agent would read it.
func TestFailingProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are scripts, and the shells those of other systems")
	}
	for fails, script := range failing {
		path := filepath.Join(t.TempDir(), "bin of 林梅's", "memoir")
		if script != "" {
			program(t, path, script)
		}
		for name, all := range shells {
			for _, shell := range all {
				if _, err := exec.LookPath(shell[0]); err != nil {
					continue
				}
				for _, h := range lines(t, name, path) {
					cmd := exec.CommandContext(t.Context(), shell[0], shell[1], h.Line)
					cmd.Stdin = bytes.NewReader(hook.Input(name, h.Event, "s", "/", "hello"))
					var out, errs bytes.Buffer
					cmd.Stdout, cmd.Stderr = &out, &errs
					if err := cmd.Run(); err != nil {
						t.Errorf("memoir %s: %s of %s in %v: %v, %s", fails, h.Event, name, shell, err, &errs)
					}
					if out.Len() > 0 != strings.HasPrefix(fails, "prints") {
						t.Errorf("memoir %s: %s of %s in %v prints %q", fails, h.Event, name, shell, &out)
					}
					// Where nothing is printed Gemini CLI takes what is said for an answer.
					if name == "gemini" && (strings.Contains(errs.String(), "fatal") || strings.Contains(errs.String(), "more")) {
						t.Errorf("memoir %s: %s of %s says %q", fails, h.Event, name, &errs)
					}
				}
			}
		}
	}
	if len(shells) != len(hook.Agents())-1 { // OpenCode has a module
		t.Errorf("the agents with hooks are %v", hook.Agents())
	}
}

// TestAnswer: what memoir prints reaches the agent as it is, and what it is sent reaches memoir.
func TestAnswer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a script")
	}
	path := filepath.Join(t.TempDir(), "memoir")
	program(t, path, "echo \"$#\"\ncat\n")
	for name, all := range shells {
		for _, h := range lines(t, name, path) {
			cmd := exec.CommandContext(t.Context(), all[0][0], all[0][1], h.Line)
			cmd.Stdin = strings.NewReader("{}")
			if out, err := cmd.Output(); err != nil || string(out) != "5\n{}" {
				t.Errorf("%s of %s: %q, %v", h.Event, name, out, err)
			}
		}
	}
}

// TestPatience: every hook has a limit of the agent's own, of ten seconds at most, for a program that hangs.
func TestPatience(t *testing.T) {
	for name, unit := range map[string]float64{"claude-code": 1, "codex": 1, "gemini": 1000, "cursor": 1} {
		opts := machine(t)
		connect(t, name, opts)
		limits := 0
		for path, text := range tree(t, opts.Place.Home) {
			if !strings.Contains(text, " hook "+name) {
				continue
			}
			var root any
			if err := json.Unmarshal([]byte(text), &root); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			limits += limited(t, root, unit)
		}
		if events := len(lines(t, name, "memoir")); limits != events {
			t.Errorf("%s: %d of %d hooks have a limit", name, limits, events)
		}
	}
}

// limited counts the hooks with a limit.
func limited(t *testing.T, x any, unit float64) (n int) {
	t.Helper()
	switch x := x.(type) {
	case []any:
		for _, e := range x {
			n += limited(t, e, unit)
		}
	case map[string]any:
		if limit, ok := x["timeout"].(float64); ok && strings.Contains(x["command"].(string), " hook ") {
			if n++; limit <= 0 || limit > 10*unit {
				t.Errorf("the limit is %v", limit)
			}
		}
		for _, e := range x {
			n += limited(t, e, unit)
		}
	}
	return n
}

// TestFailingPowerShell: the lines for Windows fail in PowerShell no more than the others do.
func TestFailingPowerShell(t *testing.T) {
	shell, err := exec.LookPath("pwsh")
	if err != nil && runtime.GOOS == "windows" {
		shell, err = exec.LookPath("powershell")
	}
	if err != nil {
		t.Skip("there is no PowerShell")
	}
	opts := machine(t)
	opts.Place.OS, opts.Command.Program = "windows", filepath.Join(t.TempDir(), "none", "memoir")
	for _, name := range []string{"claude-code", "codex", "gemini", "cursor"} {
		connect(t, name, opts)
		w, err := agent(t, name).Wiring(opts.Place)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range w.Hooks {
			if out, err := exec.CommandContext(t.Context(), shell, "-NoProfile", "-Command", h.Line).Output(); err != nil || len(out) > 0 {
				t.Errorf("%s of %s: %q, %v", h.Event, name, out, err)
			}
		}
	}
}

// play has the module see a whole session, and prints what it gives.
const play = `
const { Memoir } = await import(process.argv[2])
const hooks = await Memoir({ directory: "/" })
const system = [], context = []
await hooks["chat.message"]({ sessionID: "s" }, { parts: [{ type: "text", text: "hello" }] })
await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, { system })
await hooks["experimental.session.compacting"]({ sessionID: "s" }, { context })
for (const type of ["session.compacted", "session.idle", "session.deleted"]) await hooks.event({ event: { type, properties: { sessionID: "s" } } })
console.log(JSON.stringify([...system, ...context]))
process.exit(0)
`

// TestFailingModule: OpenCode's module gives nothing and throws nothing, whatever becomes of memoir, and waits for
// it no longer than it says, also for what the program has started.
func TestFailingModule(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no Node.js, or the programs are no scripts")
	}
	pipe := filepath.Join(t.TempDir(), "pipe") // whoever reads from it hangs until the test ends
	if out, err := exec.CommandContext(t.Context(), "mkfifo", pipe).CombinedOutput(); err != nil {
		t.Skipf("no pipe can be made here: %v, %s", err, out)
	}
	defer func() {
		if end, err := os.OpenFile(pipe, os.O_RDWR, 0); err == nil {
			_ = end.Close() // and what still hangs ends
		}
	}()
	programs := map[string]string{
		"hangs": "exec cat " + pipe, "prints and hangs": "echo half\nexec cat " + pipe,
		"starts what hangs": "cat " + pipe + " & wait", "answers": "cat > /dev/null\necho said\n",
	}
	maps.Copy(programs, failing)
	for fails, script := range programs {
		dir := t.TempDir()
		path := filepath.Join(dir, "memoir")
		if script != "" {
			program(t, path, script)
		}
		opts := machine(t)
		opts.Command.Program = path
		connect(t, "opencode", opts)
		module := tree(t, opts.Place.Home)[".config/opencode/plugin/memoir.js"]
		if strings.Contains(fails, "hang") { // nobody waits for the whole limit
			short := strings.Replace(module, "const patience = 5000\n", "const patience = 200\n", 1)
			if short == module {
				t.Fatal("the module has no limit")
			}
			module = short
		}
		put(t, filepath.Join(dir, "memoir.mjs"), module)
		put(t, filepath.Join(dir, "play.mjs"), play)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // or the test would hang with it
		cmd := exec.CommandContext(ctx, node, filepath.Join(dir, "play.mjs"), filepath.Join(dir, "memoir.mjs"))
		cmd.WaitDelay = time.Second
		out, err := cmd.Output()
		cancel()
		want := "[]\n"
		if fails == "answers" {
			want = `["said\n","said\n","said\n"]` + "\n"
		}
		if err != nil || string(out) != want {
			t.Errorf("memoir %s: %v, %s", fails, err, out)
		}
	}
}
