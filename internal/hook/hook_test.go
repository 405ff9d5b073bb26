package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/prime"
)

var now = time.Date(2026, 3, 2, 14, 32, 0, 0, time.Local)

// memory answers with two lines, of which it leaves out what was given.
type memory struct {
	asked  *[]engine.RecallOptions
	search error
}

func text(lines ...string) engine.Primed {
	if len(lines) == 0 {
		return engine.Primed{}
	}
	return engine.Primed{Text: prime.Begin("") + "\n" + strings.Join(lines, "\n") + "\n" + prime.End + "\n"}
}

func (memory) Prime(context.Context, engine.PrimeOptions) (engine.Primed, error) {
	return text("- Ann <b>\"&\"</b> 林梅"), nil
}

func (m memory) Recall(_ context.Context, opts engine.RecallOptions) (engine.Primed, error) {
	*m.asked = append(*m.asked, opts)
	var lines []string
	for _, line := range []string{"- Ann <b>\"&\"</b> 林梅", "- Tea is green"} {
		if !opts.Given(line) {
			lines = append(lines, line)
		}
	}
	return text(lines...), m.search
}

func (memory) Close() error { return nil }

type machine struct {
	hook.Options
	asked  []engine.RecallOptions
	opened int
}

func newMachine(t *testing.T) *machine {
	m := &machine{}
	m.Options = hook.Options{
		Dir: filepath.Join(t.TempDir(), "hooks"), SearchTime: time.Minute, Now: func() time.Time { return now },
		Open: func(context.Context, bool) (hook.Memory, error) {
			m.opened++
			return memory{asked: &m.asked}, nil
		},
	}
	return m
}

func (m *machine) answer(t *testing.T, agent, event, in string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := hook.Answer(t.Context(), agent, event, strings.NewReader(in), &out, m.Options)
	return out.String(), err
}

// ask answers without an error.
func (m *machine) ask(t *testing.T, agent, event, in string) string {
	t.Helper()
	out, err := m.answer(t, agent, event, in)
	if err != nil {
		t.Errorf("%s %s: %v", agent, event, err)
	}
	return out
}

// TestGiven: nothing is given twice in a session, in each session anew, and again
// after it was compacted.
func TestGiven(t *testing.T) {
	m := newMachine(t)
	const start, message = `{"session_id":"林/../1"}`, `{"session_id":"林/../1","prompt":" tea "}`
	steps := []struct{ event, in, has, lacks string }{
		{hook.SessionStart, start, "Ann", "Tea"},
		{hook.Prompt, message, "Tea", "Ann"},
		{hook.Prompt, message, "", "Tea"},
		{hook.Prompt, `{"session_id":"2","prompt":"tea"}`, "Ann", ""},
		{hook.Prompt, `{"prompt":"tea"}`, "Ann", ""},
		{hook.Prompt, `{"prompt":"tea"}`, "Ann", ""}, // nobody knows which session it is
		{hook.SessionStart, `{"session_id":"林/../1","source":"resume"}`, "", "Ann"},
		{hook.Prompt, message, "", "Tea"},
		{hook.SessionStart, `{"session_id":"3","source":"resume"}`, "Ann", ""},
		{hook.SessionStart, `{"session_id":"林/../1","source":"compact"}`, "Ann", ""},
		{hook.Prompt, message, "Tea", "Ann"},
		{hook.SessionStart, `{"session_id":"林/../1","source":"clear"}`, "Ann", ""},
	}
	for i, s := range steps {
		out := m.ask(t, "claude-code", s.event, s.in)
		if s.has == "" && out != "" || !strings.Contains(out, s.has) || s.lacks != "" && strings.Contains(out, s.lacks) {
			t.Errorf("step %d gave %q", i, out)
		}
	}
	if m.asked[0].Message != "tea" || m.asked[0].MaxTokens != 0 {
		t.Errorf("asked %+v", m.asked[0])
	}
}

// TestHostileInput: whatever an agent sends, a start gives the notes, what is printed
// is whole, and what was wrong is said.
func TestHostileInput(t *testing.T) {
	for name, tt := range map[string]struct {
		in    string
		wrong bool
	}{
		"nothing":       {"", false},
		"white space":   {" \n\t", false},
		"null":          {"null", false},
		"an array":      {"[1,2]", true},
		"a word":        {"hello", true},
		"half":          {`{"session_id":"s`, true},
		"not UTF-8":     {"{\"session_id\":\"\xff\xfe\"}", false},
		"other types":   {`{"session_id":5,"source":{},"prompt":[],"cwd":null}`, false},
		"more behind":   {`{"session_id":"s"} and more`, false},
		"deep":          {`{"a":` + strings.Repeat("[", 100_000), true},
		"huge":          {`{"session_id":"s","x":"` + strings.Repeat("x", 9<<20) + `"}`, true},
		"a long name":   {`{"session_id":"` + strings.Repeat("../", 100_000) + `"}`, false},
		"a nul":         {`{"session_id":"a\u0000b"}`, false},
		"a mark":        {"\ufeff{\"session_id\":\"s\"}", false}, // as PowerShell puts before a text
		"a mark alone":  {"\ufeff", false},
		"a foreign one": {`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, event := range hook.Events() {
				m := newMachine(t)
				out, err := m.answer(t, "codex", event, tt.in)
				if (err != nil) != tt.wrong {
					t.Errorf("%s: %v", event, err)
				}
				if event == hook.SessionStart && !json.Valid([]byte(out)) || event != hook.SessionStart && out != "" {
					t.Errorf("%s printed %.200q", event, out)
				}
			}
		})
	}
}

// TestLongPrompt: of a pasted log the first words count.
func TestLongPrompt(t *testing.T) {
	m := newMachine(t)
	for i, word := range []string{"潮水很高 ", "🫖", "tea "} {
		in, _ := json.Marshal(map[string]string{"prompt": strings.Repeat(word, 200_000)})
		m.ask(t, "gemini", hook.Prompt, string(in))
		if got := len([]rune(m.asked[i].Message)); got != 2000 {
			t.Errorf("%s: %d characters were asked for", word, got)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, words := range [][2]string{{"clippy", hook.Prompt}, {"codex", "tea"}, {"", ""}} {
		out, err := newMachine(t).answer(t, words[0], words[1], "{}")
		if !errors.Is(err, memoir.ErrInvalid) || memoir.Hint(err) == "" || out != "" {
			t.Errorf("%q: %q, %v", words, out, err)
		}
	}

	gone := errors.New("there is no workspace")
	m := newMachine(t)
	m.Open = func(context.Context, bool) (hook.Memory, error) { return nil, gone }
	for _, event := range []string{hook.SessionStart, hook.Prompt} {
		if out, err := m.answer(t, "codex", event, `{"prompt":"tea"}`); !errors.Is(err, gone) || out != "" {
			t.Errorf("%s: %q, %v", event, out, err)
		}
	}

	// Where there is no index, the notes answer, and it is said.
	m = newMachine(t)
	m.Open = func(_ context.Context, words bool) (hook.Memory, error) {
		if words {
			return nil, gone
		}
		return memory{asked: &m.asked}, nil
	}
	if out, err := m.answer(t, "codex", hook.Prompt, `{"prompt":"tea"}`); !errors.Is(err, gone) || !strings.Contains(out, "Tea") {
		t.Errorf("%q, %v", out, err)
	}

	// What the triggers call is given, though the search came to no end.
	m = newMachine(t)
	m.Open = func(context.Context, bool) (hook.Memory, error) {
		return memory{&m.asked, fmt.Errorf("search: %w", context.DeadlineExceeded)}, nil
	}
	out, err := m.answer(t, "codex", hook.Prompt, `{"session_id":"s","prompt":"tea"}`)
	if !strings.Contains(out, "Tea") || err == nil || !strings.Contains(memoir.Hint(err), "hook.searchTime") {
		t.Errorf("%q, %v", out, err)
	}
}

// TestNoRoom: where nothing can be kept, a session is answered all the same.
func TestNoRoom(t *testing.T) {
	m := newMachine(t)
	if err := os.WriteFile(m.Dir, nil, 0o600); err != nil { // a file in the place of the folder
		t.Fatal(err)
	}
	for _, event := range []string{hook.SessionStart, hook.Prompt, hook.Stop, hook.PostCompact} {
		out, err := m.answer(t, "codex", event, `{"session_id":"s","prompt":"tea","compact_summary":"x"}`)
		if err == nil || (event == hook.SessionStart || event == hook.Prompt) && !json.Valid([]byte(out)) {
			t.Errorf("%s: %q, %v", event, out, err)
		}
	}
}

// failing takes no more than a few bytes.
type failing struct{ io.Writer }

func (failing) Write([]byte) (int, error) { return 0, errors.New("the agent is gone") }

// TestNobodyReads: what could not be printed was not given.
func TestNobodyReads(t *testing.T) {
	m := newMachine(t)
	if err := hook.Answer(t.Context(), "codex", hook.SessionStart, strings.NewReader(`{"session_id":"s"}`), failing{}, m.Options); err == nil {
		t.Error("no error")
	}
	if out := m.ask(t, "codex", hook.SessionStart, `{"session_id":"s","source":"resume"}`); out == "" {
		t.Error("it counts as given")
	}
}

func TestLog(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	if got, err := hook.Problems(state); len(got) != 0 || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	long := strings.Repeat("林", 1000)
	for i := range 200 {
		if err := hook.Log(state, hook.Problem{At: now.Add(time.Duration(i)), Agent: "codex", Event: "stop"}, fmt.Sprint(i, long), "memoir index"); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(hook.LogFile(state), append(must(os.ReadFile(hook.LogFile(state))), "no line\n{}\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := hook.Problems(state)
	if err != nil || len(got) < 20 || len(got) >= 200 || !strings.HasPrefix(got[len(got)-1].Message, "199林") || got[0].Action != "memoir index" {
		t.Errorf("%d problems, %v", len(got), err)
	}
	if info, err := os.Stat(hook.LogFile(state)); err != nil || info.Size() > 80<<10 {
		t.Errorf("%v, %v", info, err)
	}
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}
