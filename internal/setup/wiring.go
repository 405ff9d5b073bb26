package setup

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// A Start is how an agent starts memoir, or reaches it at an address, according
// to its settings.
type Start struct {
	File  string            // the file that says so
	Name  string            // of a server that starts memoir through another program
	Event string            // the event of a hook, as in memoir hook AGENT EVENT
	Line  string            // the command line of a hook that runs in a shell; otherwise Words is set
	Words []string          // the program and its arguments
	Env   map[string]string // variables in addition to those of the agent
	Off   bool              // the settings switch it off

	URL     string            // the address of a server that the agent does not start
	Headers map[string]string // what the agent sends there

	entry map[string]any // of a server, as the settings have it
}

// Shell returns the words that start it on a system, which is named as in
// runtime.GOOS. Unlike the agent's shell, that one tells when it fails.
func (s Start) Shell(os string) []string {
	line := strings.TrimSuffix(s.Line, ending)
	switch {
	case line == "":
		return s.Words
	case os == "windows" && strings.HasPrefix(line, callPowerShell):
		return []string{"powershell", "-NoProfile", "-NonInteractive", "-Command", line}
	case os == "windows":
		return []string{"cmd", "/D", "/C", line}
	}
	return []string{"sh", "-c", line}
}

// A Wiring is everything of memoir that an agent starts.
type Wiring struct {
	Files   []string // the files that were looked for
	Servers []Start
	Hooks   []Start
}

// wire is a file that may say what an agent starts.
type wire struct {
	path   string
	server []string // the object that has servers by their names; nil: there are none
	hooks  bool     // it has hooks
	module bool     // it is the module that memoir setup writes for OpenCode
}

// pluginWires returns the files of an installed plugin that say what is
// started. hooks is "" when the agent takes none.
func pluginWires(dir, hooks string) []wire {
	all := []wire{{path: filepath.Join(dir, ".mcp.json"), server: []string{"mcpServers"}}}
	if hooks != "" {
		all = append(all, wire{path: filepath.Join(dir, "hooks", hooks), hooks: true})
	}
	return all
}

// Wiring reads from the agent's settings what it starts of memoir, whether
// memoir setup, a plugin or a person has added that. Missing files count as
// empty.
func (a Agent) Wiring(p Place) (Wiring, error) {
	var all Wiring
	for _, w := range a.wired(p) {
		all.Files = append(all.Files, w.path)
		now, err := read(w.path)
		if err == nil && now.there {
			err = w.read(now.data, a.Name, &all)
		}
		if err != nil {
			hint := cmp.Or(memoir.Hint(err), "mend the file, then memoir setup "+a.Name)
			return all, memoir.WithHint(fmt.Errorf("%s: %w", w.path, err), hint)
		}
	}
	return all, nil
}

// command is what the module for OpenCode starts.
var command = lazyregexp.New(`(?m)^const command = (\[.*\])$`)

func (w wire) read(data []byte, agent string, all *Wiring) error {
	data = bytes.TrimPrefix(data, byteOrderMark)
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	if w.module {
		return w.readModule(data, all)
	}
	root, err := strictRoot(data, w.path)
	if err == nil {
		w.readRoot(root, agent, all)
	}
	return err
}

func (w wire) readRoot(root any, agent string, all *Wiring) {
	if w.server != nil {
		at := root
		for _, name := range append(slices.Clone(w.server), "memoir") {
			at = inside(at, name)
		}
		if entry, ok := at.(map[string]any); ok {
			s := startOf(entry)
			s.File = w.path
			all.Servers = append(all.Servers, s)
		}
	}
	if w.hooks {
		w.readHooks(inside(root, "hooks"), agent, all)
	}
}

func (w wire) readModule(data []byte, all *Wiring) error {
	m := command().FindSubmatch(data)
	var words []string
	if m == nil || json.Unmarshal(m[1], &words) != nil || len(words) < 3 {
		return nil // somebody's own file, or changed until it cannot be read
	}
	for _, event := range []string{"session-start", "prompt", "pre-compact", "stop", "session-end"} {
		all.Hooks = append(all.Hooks, Start{File: w.path, Event: event, Words: slices.Concat(words[:3], []string{event}, words[3:])})
	}
	return nil
}

// readHooks finds the lines that start memoir, at any depth.
func (w wire) readHooks(x any, agent string, all *Wiring) {
	switch x := x.(type) {
	case []any:
		for _, e := range x {
			w.readHooks(e, agent, all)
		}
	case map[string]any:
		if line, ok := x["command"].(string); ok {
			_, rest, found := strings.Cut(line, " hook "+agent+" ")
			if found && strings.Contains(line, "memoir") {
				event, _, _ := strings.Cut(strings.TrimSpace(strings.TrimSuffix(rest, ending)), " ")
				all.Hooks = append(all.Hooks, Start{File: w.path, Event: event, Line: line})
			}
			return
		}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			w.readHooks(x[name], agent, all)
		}
	}
}

// startOf reads the entry of a server, in the spellings of all agents.
func startOf(entry map[string]any) Start {
	s := Start{Off: entry["enabled"] == false || entry["disabled"] == true, Headers: map[string]string{}, entry: entry}
	for _, name := range []string{"url", "httpUrl"} {
		if url, ok := entry[name].(string); ok {
			s.URL = url
		}
	}
	for _, name := range []string{"headers", "http_headers"} {
		headers, _ := entry[name].(map[string]any) // what is no object has none
		for k, v := range headers {
			s.Headers[k] = expand(fmt.Sprint(v))
		}
	}
	if name, ok := entry["bearer_token_env_var"].(string); ok {
		s.Headers["Authorization"] = "Bearer " + os.Getenv(name)
	}
	switch c := entry["command"].(type) {
	case string:
		s.Words = append([]string{c}, texts(entry["args"])...)
	case []any:
		s.Words = texts(c)
	}
	if len(s.Words) > 0 {
		s.URL = ""
	}
	for _, name := range []string{"env", "environment"} {
		if env, ok := entry[name].(map[string]any); ok {
			s.Env = map[string]string{}
			for k, v := range env {
				s.Env[k] = fmt.Sprint(v)
			}
		}
	}
	return s
}

// expand puts in variables that are written as ${NAME}.
func expand(text string) string {
	if !strings.Contains(text, "${") {
		return text
	}
	return os.Expand(text, os.Getenv)
}

func inside(x any, name string) any {
	m, _ := x.(map[string]any) // what is no object has no members
	return m[name]
}

func texts(x any) []string {
	list, _ := x.([]any) // what is no list has no words
	var all []string
	for _, e := range list {
		all = append(all, fmt.Sprint(e))
	}
	return all
}
