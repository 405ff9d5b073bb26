package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/hook"
)

// TestAgentsKilledServer kills the server of each real agent in the middle of a session,
// between a prompt and the call of a tool. The session goes on and is given the notes, the
// next one has its tools, and what was captured is kept once.
func TestAgentsKilledServer(t *testing.T) {
	t.Parallel()
	dir, root, path := agentsFolder(t)
	for _, a := range realAgents {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			found, err := filepath.Glob(filepath.Join(dir, a.program))
			if err != nil {
				t.Fatal(err)
			}
			if len(found) == 0 {
				t.Skip("it is not in the folder")
			}
			m := newAgentMachine(t, a, found[0], root, path)
			m.run("memoir", "setup", a.name)
			m.tell()

			const prompt = "remember what my boat is called"
			killed := 0
			m.model.call("memory_remember", `{"text":"The boat of Ann is called Heron","type":"project"}`)
			m.model.before = func() { killed = m.killServers() }
			printed := m.say("second", prompt)
			asked := m.model.reset()
			if killed == 0 {
				t.Error("no server was there to be killed")
			}
			if !strings.Contains(asked, prompt) || !a.finds && !strings.Contains(asked, "Ann takes her tea without milk") {
				t.Errorf("the model was asked without the prompt or the notes:\n%.4000s\nprinted:\n%.4000s", asked, printed)
			}
			if waits := m.queue(); slices.Contains(hook.Agents(), a.name) && len(waits) == 0 {
				t.Error("nothing waits of the session")
			}

			m.model.call("memory_search", `{"query":"tea milk"}`)
			printed = m.say("third", "how does Ann take her tea?")
			if asked := m.model.reset(); !strings.Contains(asked, "memory/preferences.md#L") {
				t.Errorf("nothing was found after that:\n%.4000s\nprinted:\n%.4000s", asked, printed)
			}
			for range 2 {
				m.run("memoir", "index")
			}
			if left := m.queue(); len(left) > 0 {
				t.Errorf("left in the queue: %v", left)
			}
			told := strings.Contains(asked, "memory/projects.md#L")
			for text, want := range map[string]bool{"Ann takes her tea without milk": true, "The boat of Ann is called Heron": told} {
				if n := strings.Count(m.notes(), text); n > 1 || want && n != 1 {
					t.Errorf("%q is kept %d times", text, n)
				}
			}
			t.Logf("the call that met a dead server was answered: %t", told)
			if problems, err := hook.Problems(filepath.Join(m.home, ".local", "state", "memoir")); err != nil || len(problems) > 0 {
				t.Logf("the log of hooks: %v, %v", problems, err) // a busy machine has some
			}
		})
	}
}

// queue returns what hooks left to the next process.
func (m *agentMachine) queue() []string {
	m.Helper()
	all, err := filepath.Glob(filepath.Join(m.home, ".local", "state", "memoir", "*", "hooks", "queue", "*.json"))
	if err != nil {
		m.Fatal(err)
	}
	return all
}

// notes returns the text of all notes.
func (m *agentMachine) notes() string {
	m.Helper()
	below := filepath.Join(m.home, ".memoir", "workspace")
	var text strings.Builder
	for _, pattern := range []string{"*.md", "memory/*.md"} {
		files, err := filepath.Glob(filepath.Join(below, pattern))
		if err != nil {
			m.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				m.Fatal(err)
			}
			text.Write(data)
		}
	}
	return text.String()
}
