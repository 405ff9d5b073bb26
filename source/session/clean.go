package session

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/secret"
	"github.com/memoir-ai/memoir/internal/tag"
)

// injected are the tags round what hooks and agents put into messages. What
// memoir itself adds stands between the first of them.
var injected = []string{"memory", "hook_context", "system-reminder", "hook_prompt", "environment_context", "user_instructions", "session_context", "untrusted_context"}

// notSaid are the beginnings of messages that nobody typed.
var notSaid = []string{
	"<command-name>", "<command-message>", "<command-args>", "<local-command-", "<bash-input>", "<bash-stdout>", "<bash-stderr>", "<task-notification>", "<user-memory-input>",
	"Caveat: The messages below were generated", "[Request interrupted", "<environment_context>", "<user_instructions>", "# AGENTS.md", "<hook_prompt", "<skill",
	"<permissions", "<turn_aborted", "<session_context>", "<INSTRUCTIONS>",
	"Read HEARTBEAT.md", "A new session was started via", "Pre-compaction memory flush", "System: [",
}

// notAnswered are whole answers without content.
var notAnswered = map[string]bool{"HEARTBEAT_OK": true, "NO_REPLY": true, "No response requested.": true, "(no content)": true}

// metadata is what OpenClaw puts before a message from a channel.
var metadata = lazyregexp.New("^[A-Z][^\n`]{0,80}\\(untrusted[^\n]{0,80}\\):\n```json\n(?s:.*?)\n```\\s*")

// clean returns what was said, "" for nothing: without what is private, without what
// hooks added, and with secrets masked.
func clean(role, text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text[:min(len(text), 4*maxTurn)], "\ufffd"), "\r\n", "\n")
	text = tag.WithoutPrivate(text)
	if text = tag.WithoutOurs(text); role == User {
		text = typedIn(text)
	}
	text = strings.TrimSpace(text)
	if role == Assistant && notAnswered[text] {
		return ""
	}
	masked, _ := secret.Mask(text)
	return shortened(masked)
}

// typedIn returns a message of the user without what hooks and agents added, "" when nobody
// typed it.
func typedIn(text string) string {
	for _, name := range injected[1:] {
		text = tag.Without(text, name, "", false)
	}
	for range 4 {
		text = metadata().ReplaceAllString(text, "")
	}
	text = strings.TrimSpace(text)
	for _, start := range notSaid {
		if strings.HasPrefix(text, start) {
			return ""
		}
	}
	return text
}

// shortened returns as much of a text as a turn may have.
func shortened(text string) string {
	if len(text) > maxTurn {
		return strings.ToValidUTF8(text[:maxTurn], "") + "…"
	}
	return text
}

// block is a part of a message.
type block struct {
	Type             string          `json:"type"`
	Text             string          `json:"text"`
	FunctionResponse json.RawMessage `json:"functionResponse"`
}

// blocks reads a message that is a text or a list of parts; a text is a part of type "text".
func blocks(data json.RawMessage) []block {
	var text string
	if json.Unmarshal(data, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	var raw []json.RawMessage
	if json.Unmarshal(data, &raw) != nil {
		return nil
	}
	var all []block
	for _, r := range raw {
		var b block
		if json.Unmarshal(r, &b) == nil {
			all = append(all, b)
		}
	}
	return all
}

// texts joins the parts of some types, each cleaned.
func texts(role string, parts []block, types ...string) string {
	var all []string
	for _, p := range parts {
		if slices.Contains(types, p.Type) {
			all = append(all, p.Text)
		}
	}
	return joined(role, all)
}

// joined joins the parts of one message, each cleaned. What the user marks as private in one
// part is so up to the part in which that ends.
func joined(role string, parts []string) string {
	if role == User && len(parts) > 1 {
		for i, text := range parts {
			parts[i] = typedIn(tag.WithoutOurs(text)) // what nobody typed marks nothing
		}
		const between = "\n\x00\n"
		parts = strings.Split(tag.WithoutPrivate(strings.Join(parts, between)), between)
	}
	var said []string
	for _, text := range parts {
		if text := clean(role, text); text != "" {
			said = append(said, text)
		}
	}
	return shortened(strings.Join(said, "\n\n"))
}

// at reads a time as agents write it: in words, or in milliseconds since 1970. One
// that is none is zero.
func at(data json.RawMessage) time.Time {
	var text string
	if json.Unmarshal(data, &text) == nil {
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return time.Time{}
		}
		return t
	}
	var ms float64
	if json.Unmarshal(data, &ms) == nil && ms > 0 && ms < math.MaxInt64/2_000_000 {
		return time.UnixMilli(int64(ms))
	}
	return time.Time{}
}
