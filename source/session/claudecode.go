package session

import (
	"cmp"
	"encoding/json"
	"path"
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
	info   head
	tree   tree
	said   []claudeTurn
	before map[string]bool // uuids of the records read so far
}

type claudeTurn struct {
	Turn
	message string   // id of the assistant's message; each of its parts is a record
	uuids   []string // of its records
}

func newClaudeCode() parser {
	return &claudeCode{before: map[string]bool{}}
}

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
	c.tree.add(r.UUID, parent, talks)
	if talks {
		c.talk(line, &r)
	}
}

func (c *claudeCode) talk(line int, r *claudeRecord) {
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
	if r.UUID != "" && c.before[r.UUID] {
		return
	}
	c.before[r.UUID] = true
	if last := len(c.said) - 1; last >= 0 && r.Message.ID != "" && c.said[last].message == r.Message.ID {
		c.said[last].Text += "\n\n" + text
		c.said[last].uuids = append(c.said[last].uuids, r.UUID)
		return
	}
	c.said = append(c.said, claudeTurn{Turn{Role: role, Text: text, Time: at(r.Timestamp), Line: line}, r.Message.ID, []string{r.UUID}})
}

func (c *claudeCode) turns() []Turn {
	kept := c.tree.kept()
	var all []Turn
	for _, t := range c.said {
		for _, id := range t.uuids {
			if id == "" || kept[id] {
				all = append(all, t.Turn)
				break
			}
		}
	}
	return all
}
