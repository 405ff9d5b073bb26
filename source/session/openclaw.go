package session

import (
	"encoding/json"
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// openClawFile matches a transcript, also one that was archived when its
// session was reset or deleted, and one that was compressed.
var openClawFile = lazyregexp.New(`^[^/]+/sessions/[^/]+\.jsonl(\.(reset|deleted)\.[^/]+?)?(\.zst)?$`)

// isOpenClaw reports whether a file is AGENT/sessions/SESSION.jsonl.
func isOpenClaw(file string) bool {
	return openClawFile().MatchString(file) && !strings.Contains(file, ".checkpoint.") && !strings.Contains(file, ".trajectory.")
}

// openClaw reads transcripts of OpenClaw up to 2026.9.6. Each line is a record
// with the id of the previous one.
type openClaw struct {
	info head
	tree tree
	said spoken
	of   []int32 // the record of each turn, as the tree numbers it
}

func newOpenClaw() parser { return &openClaw{} }

func (c *openClaw) head() *head { return &c.info }

type openClawRecord struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Parent    string          `json:"parentId"`
	Cwd       string          `json:"cwd"`
	Key       string          `json:"sessionKey"`
	Timestamp json.RawMessage `json:"timestamp"`
	Summary   string          `json:"summary"`
	Version   json.RawMessage `json:"version"`
	Message   struct {
		Role      string          `json:"role"`
		Content   json.RawMessage `json:"content"`
		Timestamp json.RawMessage `json:"timestamp"`
	} `json:"message"`
}

// openClawKnown are the known records that are not part of the talk.
var openClawKnown = map[string]bool{
	"session": true, "model_change": true, "thinking_level_change": true, "custom": true, "custom_message": true, "label": true, "session_info": true, "reset": true, "leaf": true,
}

// left matches parts of the keys of sessions in which no person talks.
var left = lazyregexp.New(`:(cron|heartbeat|subagent)(:|$)`)

func (c *openClaw) record(line int, data []byte) {
	var r openClawRecord
	if json.Unmarshal(data, &r) != nil {
		c.info.unknown("not readable")
		return
	}
	role, text := "", ""
	switch {
	case r.Type == "session":
		c.info.id, c.info.folder, c.info.started = r.ID, r.Cwd, at(r.Timestamp)
		c.info.left, c.info.version = left().MatchString(r.Key), versionOf(r.Version)
		return
	case r.Type == "compaction" || r.Type == "branch_summary":
		role = Summary
		text = clean(role, r.Summary)
	case r.Type == "message" && (r.Message.Role == User || r.Message.Role == Assistant):
		role = r.Message.Role
		text = texts(role, blocks(r.Message.Content), "text")
	case r.Type == "message":
	case !openClawKnown[r.Type]:
		c.info.unknown("type " + r.Type)
	}
	record := c.tree.add(r.ID, r.Parent, r.Type == "message" || role != "")
	if text == "" {
		return
	}
	when := at(r.Timestamp)
	if when.IsZero() {
		when = at(r.Message.Timestamp)
	}
	c.said.add(Turn{Role: role, Text: text, Time: when, Line: line})
	c.of = append(c.of, record)
}

func (c *openClaw) turns() []Turn {
	c.tree.keep()
	return c.said.turns(func(i int) bool { return c.tree.kept(c.of[i]) })
}
