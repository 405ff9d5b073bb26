package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memoir-ai/memoir/internal/syserr"
)

// eventNames are the agents' own names of events. Agents that use the names of
// Claude Code are not listed.
var eventNames = map[string]map[string]string{
	"":       {SessionStart: "SessionStart", Prompt: "UserPromptSubmit", PreCompact: "PreCompact", PostCompact: "PostCompact", Stop: "Stop", SessionEnd: "SessionEnd"},
	"gemini": {Prompt: "BeforeAgent", Stop: "AfterAgent"},
	"cursor": {SessionStart: "sessionStart", Stop: "stop", SessionEnd: "sessionEnd"},
}

func eventName(agent, event string) string {
	if name := eventNames[agent][event]; name != "" {
		return name
	}
	return eventNames[""][event]
}

// Input returns what an agent sends at an event of a session, in its own
// spelling, for callers that play the agent. dir is the folder in which the
// agent works.
func Input(agent, event, session, dir, prompt string) []byte {
	x := map[string]any{"hook_event_name": eventName(agent, event), "session_id": session, "cwd": dir, "transcript_path": ""}
	switch agent {
	case "cursor":
		x = map[string]any{"hook_event_name": eventName(agent, event), "conversation_id": session, "generation_id": session, "workspace_roots": []string{dir}}
	case "opencode":
		x = map[string]any{"session_id": session, "cwd": dir}
	}
	switch event {
	case SessionStart:
		x["source"] = "startup"
	case Prompt:
		x["prompt"] = prompt
	case Stop:
		x["stop_hook_active"] = false
	case SessionEnd:
		x["reason"] = "other"
	}
	return []byte(line(x))
}

// Given reads the answer of a hook as the agent would, and returns the context
// that the session gets. It returns an error when the agent would not accept
// the answer.
func Given(agent, event string, answer []byte) (string, error) {
	if len(bytes.TrimSpace(answer)) == 0 || agent == "opencode" {
		return string(answer), nil
	}
	d := json.NewDecoder(bytes.NewReader(answer))
	d.DisallowUnknownFields()
	var x struct {
		specific
		Context string `json:"additional_context"`
	}
	if err := d.Decode(&x); err != nil {
		return "", fmt.Errorf("the agent does not take the answer: %w", err)
	}
	if d.More() {
		return "", errors.New("the answer is more than one object")
	}
	if agent == "cursor" {
		return x.Context, nil
	}
	if name := eventName(agent, event); x.Output.Event != name {
		return "", fmt.Errorf("the answer is for the event %q, and %q was asked", x.Output.Event, name)
	}
	return x.Output.Context, nil
}

// Waits reports whether an item of a session waits in the folder of hooks.
func Waits(dir, agent, session string) bool {
	_, err := os.Lstat(sessionItem(dir, agent, session))
	return err == nil
}

// Forget removes everything in the folder of hooks about a session that was not
// a user's.
func Forget(dir, agent, session string) error {
	var failed error
	for _, path := range []string{sessionItem(dir, agent, session), newGiven(dir, agent, session).path} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, syserr.Reason(err))
		}
	}
	return failed
}

func sessionItem(dir, agent, session string) string {
	item := Item{Kind: kindSession, Agent: agent, Session: session}
	return filepath.Join(Queue(dir).dir(), item.name())
}

// Takes reports whether an agent takes context at an event.
func Takes(name, event string) bool {
	a, ok := find(name)
	return ok && strings.TrimSpace(a.answer(event, "x")) != ""
}
