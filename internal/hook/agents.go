package hook

import (
	"bytes"
	"encoding/json"
)

// An agent is how one program is answered.
type agent struct {
	name string
	// answer writes a text in the way that the agent takes it at an event; "" where
	// it takes none.
	answer func(event, text string) string
	// takesSummaryPrompt says that what is answered before compaction goes to the
	// model that sums up.
	takesSummaryPrompt bool
}

func agents() []agent { return []agent{claudeCode(), codex(), gemini(), opencode(), cursor()} }

// Agents returns the names of those that have hooks.
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

// specific is the output of Claude Code and of those that have its shape.
type specific struct {
	Output struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

// asContext writes a text as context for an event that an agent calls by a name.
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
