package cli_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/wire"
)

// TestAgentSessions has each real agent hold two sessions, as [TestAgents] does, but
// knowing nothing of memoir. What was said in each is found afterwards by a question, and
// the session in which it was said is cited.
func TestAgentSessions(t *testing.T) {
	t.Parallel()
	dir, root, path := agentsFolder(t)
	said := map[string]string{ // by the words that a question has
		"harbour master":       "The harbour master of Vardo is called Ragnhild Moe.",
		"key of the boathouse": "The key of the boathouse hangs behind the green door.",
	}
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
			for _, text := range said {
				m.say(fmt.Sprintf("session-%d", len(text)), text)
			}
			m.env = append(m.env, "MEMOIR_SESSIONS_ENABLED=true", "MEMOIR_SESSIONS_AGENTS="+a.name)
			m.run("memoir", "init")
			m.run("memoir", "index") // a search leaves what has grown by little for later
			var sessions []wire.Session
			if err := json.Unmarshal([]byte(m.output("memoir", "sessions", "--json")), &sessions); err != nil {
				t.Fatal(err)
			}
			if len(sessions) != len(said) {
				t.Fatalf("%d sessions, want %d: %+v", len(sessions), len(said), sessions)
			}
			for question, text := range said {
				m.findsSession(sessions, "Where or who is the "+question+"?", text)
			}
			out, _ := m.command(t.Context(), "memoir", "doctor").CombinedOutput() // whose exit is about other parts, too
			if !strings.Contains(string(out), a.name) || strings.Contains(string(out), "a form that memoir does not know") {
				t.Errorf("of %s it says:\n%s", a.name, out)
			}
		})
	}
}

// findsSession asks a question of the sessions, whose answer was said in one of them.
func (m *agentMachine) findsSession(sessions []wire.Session, question, said string) {
	m.Helper()
	var answer wire.Answer
	if err := json.Unmarshal([]byte(m.output("memoir", "search", "--source", "sessions", "--json", question)), &answer); err != nil {
		m.Fatal(err)
	}
	if len(answer.Results) == 0 || !strings.Contains(answer.Results[0].Snippet, said) {
		m.Fatalf("%q: %+v", question, answer)
	}
	for _, s := range sessions {
		// OpenCode puts what it is given on its command line into quotes.
		if s.Path == answer.Results[0].Path && strings.Trim(s.Title, `"`) == said {
			m.Logf("%q: %s#L%d", question, s.Path, answer.Results[0].StartLine)
			return
		}
	}
	m.Errorf("%q cites %s, which none of %+v is", question, answer.Results[0].Path, sessions)
}

// output runs a program of the machine and returns what it answers.
func (m *agentMachine) output(words ...string) string {
	m.Helper()
	out, err := m.command(m.Context(), words...).Output()
	if err != nil {
		m.Fatalf("%q: %v", words, err)
	}
	return string(out)
}
