// Package setup connects agents to memoir, and can undo that. It adds memoir's
// part to the files in which an agent keeps its settings, and leaves every
// other byte of them alone (docs/design/agents.md).
//
// It keeps the bytes of a file before changing it, so that undoing can restore
// them. If others have changed the file since, undoing only removes memoir's
// part.
package setup

import (
	"maps"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/memoir-ai/memoir/internal/regular"
)

// A Place is the machine on which agents are looked for.
type Place struct {
	Home   string                      // the user's folder, absolute
	Lookup func(string) (string, bool) // looks up a variable, as [os.LookupEnv] does
	OS     string                      // as runtime.GOOS
}

// dir returns the folder that a variable names, else one below the home folder.
func (p Place) dir(value string, below ...string) string {
	if filepath.IsAbs(value) {
		return value
	}
	return filepath.Join(append([]string{p.Home}, below...)...)
}

func (p Place) get(name string) string {
	v, _ := p.Lookup(name)
	return v
}

// A Command is how agents start memoir. It stays the same from version to
// version, because some agents ask the user again when it changes.
type Command struct {
	Program  string   // absolute path
	Location []string // flags that select the notes

	server []string       // what follows the program for the server; nil: mcp and the location
	more   map[string]any // other members of the entry of the server
}

// words returns the command line of a command of memoir.
func (c Command) words(command ...string) []string {
	return append(append([]string{c.Program}, command...), c.Location...)
}

// serving returns the command line of the server.
func (c Command) serving() []string {
	if c.server != nil {
		return append([]string{c.Program}, c.server...)
	}
	return c.words("mcp")
}

// An Agent is a program that can be connected.
type Agent struct {
	Name  string // as in memoir setup NAME
	Title string // what people call it
	// Note is what the user still has to do; "" means nothing.
	Note string

	programs []string
	folder   func(Place) string
	files    func(Place, Command) []file
	wired    func(Place) []wire
}

// Agents returns every agent, in the order in which they are listed.
func Agents() []Agent {
	return []Agent{claudeCode(), codex(), gemini(), opencode(), cursor(), openclaw()}
}

// Names returns the names of all agents.
func Names() []string {
	var names []string
	for _, a := range Agents() {
		names = append(names, a.Name)
	}
	return names
}

// Find returns the agent of a name.
func Find(name string) (Agent, bool) {
	for _, a := range Agents() {
		if a.Name == name {
			return a, true
		}
	}
	return Agent{}, false
}

// On reports whether the agent is on the machine: whether its folder or its
// program is there.
func (a Agent) On(p Place) bool {
	if regular.Folder(a.folder(p)) == nil && exists(a.folder(p)) {
		return true
	}
	for _, name := range a.programs {
		if _, err := exec.LookPath(name); err == nil {
			return true
		}
	}
	return false
}

// shell writes words for the shell with which agents start hooks.
func shell(os string, words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if os == "windows" {
			w = strings.ReplaceAll(w, `\`, "/")
		}
		switch {
		case w != "" && strings.Trim(w, bare) == "":
		case os == "windows":
			w = `"` + w + `"`
		default:
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted[i] = w
	}
	return strings.Join(quoted, " ")
}

// powerShell writes words for PowerShell, which takes a quoted program as a
// text unless & stands before it.
func powerShell(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = w; w == "" || strings.Trim(w, bare) != "" {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", "''") + "'"
		}
	}
	return callPowerShell + strings.Join(quoted, " ")
}

// callPowerShell begins every line that powerShell writes.
const callPowerShell = "& "

// ending ends the line of a hook, so that no agent fails with memoir. Some agents take exit
// code 2 for a command to stop, and a Go program that crashes ends with it; others stop when
// the program is gone. All shells but cmd know it, and no agent prefers cmd.
const ending = "; exit 0"

// hookLine writes the words of a hook for the shell in which an agent starts it.
func hookLine(os, agent string, words []string) string {
	line, null := shell(os, words), " 2>/dev/null"
	if os == "windows" && agent != "claude-code" { // which prefers Git Bash to PowerShell
		line, null = powerShell(words), " 2>$null"
	}
	if agent == "gemini" { // which takes the trace of a crash for an answer
		line += null
	}
	return line + ending
}

// bare are the characters that need no quotes in any shell.
const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,"

// hooks are the commands for an agent's events, in the format of Claude Code's
// settings, which several agents share. Names of events come in pairs: the
// agent's, then memoir's.
func hooks(p Place, c Command, agent string, timeout int, more map[string]any, events ...string) []insertion {
	var all []insertion
	for i := 0; i < len(events); i += 2 {
		line := hookLine(p.OS, agent, c.words("hook", agent, events[i+1]))
		h := map[string]any{"type": "command", "command": line, "timeout": timeout}
		maps.Copy(h, more)
		all = append(all, insertion{Path: []string{"hooks", events[i]}, Element: true, Value: map[string]any{"hooks": []any{h}}})
	}
	return all
}

// server is the format in which most agents write an MCP server.
func server(c Command) map[string]any {
	words := c.serving()
	return with(with(c.more, "command", words[0]), "args", words[1:])
}

// with returns a copy with one more member.
func with(m map[string]any, key string, value any) map[string]any {
	out := map[string]any{}
	maps.Copy(out, m)
	out[key] = value
	return out
}
