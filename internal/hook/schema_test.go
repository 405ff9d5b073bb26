package hook_test

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/memoir-ai/memoir/internal/hook"
)

// published returns what an agent takes at each event: "text", "none", or a schema.
func published(t *testing.T, agent string) map[string]any {
	t.Helper()
	var all map[string]json.RawMessage
	var events map[string]json.RawMessage
	data, err := os.ReadFile("testdata/answers.json")
	if err := errors.Join(err, json.Unmarshal(data, &all), json.Unmarshal(all[agent], &events)); err != nil {
		t.Fatalf("%s: %v", agent, err)
	}
	takes := map[string]any{}
	for _, event := range hook.Events() {
		var word string
		if json.Unmarshal(events[event], &word) == nil {
			takes[event] = word
			continue
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(events[event], &schema); err != nil {
			t.Fatalf("%s %s: %v", agent, event, err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatalf("%s %s: %v", agent, event, err)
		}
		takes[event] = resolved
	}
	return takes
}

// TestSchemas: at every event every agent is printed what it takes by what it publishes,
// and nothing else, whatever the notes hold and whatever is sent.
func TestSchemas(t *testing.T) {
	inputs := []string{
		`{"session_id":"s","prompt":"tea","compact_summary":"s","hook_event_name":"x","cwd":"/"}`,
		`{"sessionId":"t","user_prompt":"tea"}`, `{"source":"compact","prompt":"tea"}`, `[`, "",
	}
	for _, agent := range hook.Agents() {
		takes := published(t, agent)
		for _, event := range hook.Events() {
			for i, in := range inputs {
				m := newMachine(t)
				out, err := m.answer(t, agent, event, in)
				if (err != nil) != (in == "[") {
					t.Errorf("%s %s: %v", agent, event, err)
				}
				switch form := takes[event].(type) {
				case *jsonschema.Resolved:
					if out == "" && i > 0 && event == hook.Prompt {
						continue // no prompt was sent
					}
					var x any
					if err := json.Unmarshal([]byte(out), &x); err != nil || strings.Count(out, "\n") != 1 {
						t.Errorf("%s %s: %v in %q", agent, event, err, out)
					}
					if err := form.Validate(x); err != nil {
						t.Errorf("%s %s: %v in %q", agent, event, err, out)
					}
					if !strings.Contains(out, "林梅") {
						t.Errorf("%s %s is given nothing: %q", agent, event, out)
					}
				case string:
					if !slices.Contains([]string{"text", "none"}, form) || form == "none" && out != "" || form == "text" && i == 0 && (out == "" || out[0] == '{') {
						t.Errorf("%s %s takes %s, and was printed %q", agent, event, form, out)
					}
				}
			}
		}
	}
}

// TestSchemasRefuse: the schemas are none that let everything through.
func TestSchemasRefuse(t *testing.T) {
	for _, agent := range hook.Agents() {
		for event, form := range published(t, agent) {
			schema, ok := form.(*jsonschema.Resolved)
			if !ok {
				continue
			}
			for _, text := range []string{`{"context":"x"}`, `"x"`, `{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"x"}}`, `{"hookSpecificOutput":{"additionalContext":5}}`} {
				var x any
				if err := json.Unmarshal([]byte(text), &x); err != nil || schema.Validate(x) == nil {
					t.Errorf("%s %s takes %s (%v)", agent, event, text, err)
				}
			}
		}
	}
}
