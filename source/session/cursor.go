package session

import (
	"encoding/json"
	"path"
	"strings"
)

// isCursor reports whether a file is
// PROJECT/agent-transcripts/SESSION/SESSION.jsonl, or in older versions only
// the last part. Sub-agents have a folder below.
func isCursor(file string) bool {
	parts := strings.Split(file, "/")
	if len(parts) < 3 || parts[1] != "agent-transcripts" || path.Ext(file) != ".jsonl" {
		return false
	}
	return len(parts) == 3 || len(parts) == 4 && parts[3] == parts[2]+".jsonl"
}

// cursor reads transcripts of Cursor's agent: a message a line, without times,
// ids or the project's folder.
type cursor struct {
	info head
	said spoken
}

func newCursor() parser { return &cursor{} }

func (c *cursor) head() *head { return &c.info }

func (c *cursor) turns() []Turn { return c.said.turns(everything) }

type cursorRecord struct {
	Role    string `json:"role"`
	Type    string `json:"type"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

func (c *cursor) record(line int, data []byte) {
	var r cursorRecord
	switch {
	case json.Unmarshal(data, &r) != nil:
		c.info.unknown("not readable")
		return
	case r.Role != User && r.Role != Assistant:
		c.info.unknown(strings.TrimSpace("type " + r.Type + " " + r.Role))
		return
	}
	parts := blocks(r.Message.Content)
	if r.Role == User {
		for i := range parts {
			parts[i].Text = typed(parts[i].Text)
		}
	}
	if text := texts(r.Role, parts, "text"); text != "" {
		c.said.add(Turn{Role: r.Role, Text: text, Line: line})
	}
}

// typed returns the part of a message that the user typed. Cursor puts it into
// a tag between tags of its own. Without such a tag it is the whole message.
func typed(text string) string {
	const open, shut = "<user_query>", "</user_query>"
	var said []string
	for rest := text; ; {
		_, behind, ok := strings.Cut(rest, open)
		if !ok {
			break
		}
		var query string
		query, rest, _ = strings.Cut(behind, shut)
		said = append(said, strings.TrimSpace(query))
	}
	if len(said) == 0 {
		return text
	}
	return strings.Join(said, "\n\n")
}
