package hook

import (
	"bytes"
	"encoding/json"
)

// An agent is how a program is answered.
type agent struct {
	name string
	// answer writes a text in the form that the agent takes at an event, or ""
	// when it takes none.
	answer func(event, text string) string
	// takesSummaryPrompt says that the answer before a compaction goes to the
	// model that writes the summary.
	takesSummaryPrompt bool
}

func agents() []agent { return []agent{claudeCode(), codex(), gemini(), opencode(), cursor()} }

// Agents returns the names of the agents that have hooks.
func Agents() []string {
	var names []string
	for _, a := range agents() {
		names = append(names, a.name)
	}
	return names
}

func find(name string) (agent, bool) {
	for _, a := range agents() {
		if a.name == name {
			return a, true
		}
	}
	return agent{}, false
}

// specific is the output for Claude Code and for agents with the same format.
type specific struct {
	Output struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

// asContext writes a text as context for an event, which the agent knows by
// name.
func asContext(event, text string) string {
	var x specific
	x.Output.Event, x.Output.Context = event, text
	return line(x)
}

// line writes a value as one line of JSON.
func line(value any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(value) != nil {
		return "" // strings always can be written
	}
	return b.String()
}
