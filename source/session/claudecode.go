package session

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// isClaudeCode reports whether a file is PROJECT/SESSION.jsonl. Transcripts of
// sub-agents are in folders below, or in older versions have other names.
func isClaudeCode(file string) bool {
	return strings.Count(file, "/") == 1 && strings.HasSuffix(file, ".jsonl") && !strings.HasPrefix(path.Base(file), "agent-")
}

// claudeCode reads transcripts of Claude Code up to 2.1.329. Each line is a
// record with the uuid of the previous one.
type claudeCode struct {
	info    head
	tree    tree
	said    spoken
	records []int32           // of each turn the first of its records, as the tree numbers them
	more    map[int32][]int32 // by turn: further ones
	message string            // id of the last message; each of its parts is a record
}

func newClaudeCode() parser { return &claudeCode{} }

func (c *claudeCode) head() *head { return &c.info }

type claudeRecord struct {
	Type      string          `json:"type"`
	Subtype   string          `json:"subtype"`
	UUID      string          `json:"uuid"`
	Parent    string          `json:"parentUuid"`
	Logical   string          `json:"logicalParentUuid"`
	Sidechain bool            `json:"isSidechain"`
	Meta      bool            `json:"isMeta"`
	Compact   bool            `json:"isCompactSummary"`
	APIError  bool            `json:"isApiErrorMessage"`
	SessionID string          `json:"sessionId"`
	Version   json.RawMessage `json:"version"`
	Cwd       string          `json:"cwd"`
	Timestamp json.RawMessage `json:"timestamp"`
	Message   claudeMessage   `json:"message"`
}

type claudeMessage struct {
	ID      string          `json:"id"`
	Content json.RawMessage `json:"content"`
}

// claudeKnown are the known records that are not part of the talk.
var claudeKnown = map[string]bool{
	"summary": true, "attachment": true, "queue-operation": true, "last-prompt": true, "mode": true, "permission-mode": true, "atis-latch": true,
	"api-request": true, "api-request-shape": true, "api-request-blob": true, "tools-used": true, "cost-state": true,
	"file-history-snapshot": true, "progress": true, "system": true, "custom-title": true, "ai-title": true, "agent-name": true, "pr-link": true,
}

func (c *claudeCode) record(line int, data []byte) {
	var r claudeRecord
	if json.Unmarshal(data, &r) != nil {
		c.info.unknown("not readable")
		return
	}
	talks := r.Type == "user" || r.Type == "assistant"
	if !talks && !claudeKnown[r.Type] {
		c.info.unknown("type " + r.Type)
	}
	if c.info.id == "" {
		c.info.id = r.SessionID
	}
	c.info.version = cmp.Or(versionOf(r.Version), c.info.version)
	if c.info.folder == "" {
		c.info.folder = r.Cwd
	}
	if r.Sidechain {
		return
	}
	parent := r.Parent
	if parent == "" {
		parent = r.Logical // after a compaction, the talk continues from there
	}
	if n := c.tree.add(r.UUID, parent, talks); talks {
		c.talk(line, n, &r)
	}
}

// talk takes in a record of a talk, which has a number in the tree.
func (c *claudeCode) talk(line int, record int32, r *claudeRecord) {
	if r.Meta || r.APIError {
		return
	}
	parts, role := blocks(r.Message.Content), r.Type
	for _, p := range parts {
		if role == User && p.Type == "tool_result" {
			return
		}
	}
	if r.Compact {
		role = Summary
	}
	text := texts(role, parts, "text")
	if text == "" {
		return
	}
	if record != none && c.tree.said(record) {
		return
	}
	turn := c.said.len() - 1
	if turn < 0 || r.Message.ID == "" || c.message != r.Message.ID {
		c.said.add(Turn{Role: role, Text: text, Time: at(r.Timestamp), Line: line})
		c.records, c.message = append(c.records, record), r.Message.ID
		return
	}
	if last := c.said.at(turn); len(last.text) < maxTurn {
		last.text = shortened(last.text + "\n\n" + text)
	}
	if c.more == nil {
		c.more = map[int32][]int32{}
	}
	c.more[int32(turn)] = append(c.more[int32(turn)], record)
}

func (c *claudeCode) turns() []Turn {
	c.tree.keep()
	return c.said.turns(func(i int) bool {
		return c.tree.kept(c.records[i]) || slices.ContainsFunc(c.more[int32(i)], c.tree.kept)
	})
}
