package session

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// isCodex reports whether a file is YEAR/MONTH/DAY/rollout-TIME-ID.jsonl, or,
// when archived, only the last part.
func isCodex(file string) bool {
	name := path.Base(file)
	return strings.HasPrefix(name, "rollout-") && (strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".jsonl.zst"))
}

// codex reads rollouts of Codex up to 0.169, a record a line. Each turn stands
// there up to three times: as items of the model, as events, and in newer
// versions as items of the thread.
type codex struct {
	info  head
	done  spoken    // each once
	said  spoken    // since then
	from  []channel // of each of those
	items bool      // done has items of the thread
}

// A channel is one of the kinds of records in which Codex writes turns.
type channel uint8

const (
	responses channel = iota // response_item
	events                   // event_msg of user_message, agent_message
	items                    // event_msg of item_completed
	numChannels
)

func newCodex() parser { return &codex{} }

func (c *codex) head() *head { return &c.info }

type codexRecord struct {
	Type      string          `json:"type"`
	Timestamp json.RawMessage `json:"timestamp"`
	Payload   codexPayload    `json:"payload"`
}

type codexPayload struct {
	Version   json.RawMessage `json:"cli_version"`
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Timestamp json.RawMessage `json:"timestamp"`
	Cwd       string          `json:"cwd"`
	Source    json.RawMessage `json:"source"`
	Thread    string          `json:"thread_source"`
	Role      string          `json:"role"`
	Message   json.RawMessage `json:"message"`
	Content   json.RawMessage `json:"content"`
	NumTurns  int             `json:"num_turns"`
	Passed    struct {
		Kinds []string `json:"content_item_kinds"`
	} `json:"internal_chat_message_metadata_passthrough"`
	Item struct {
		Type    string          `json:"type"`
		Content json.RawMessage `json:"content"`
	} `json:"item"`
}

// codexKnown are the known records that are not part of the talk.
var codexKnown = map[string]bool{
	"turn_context": true, "world_state": true, "token_usage_record": true, "state": true, "ghost_snapshot": true,
}

func (c *codex) record(line int, data []byte) {
	var r codexRecord
	if json.Unmarshal(data, &r) != nil {
		c.info.unknown("not readable")
		return
	}
	t := Turn{Time: at(r.Timestamp), Line: line}
	p := &r.Payload
	switch {
	case r.Type == "session_meta":
		if c.info.id == "" { // in a fork, later ids are those of the sessions it came from
			c.info.id, c.info.folder, c.info.started, c.info.version = p.ID, p.Cwd, at(p.Timestamp), versionOf(p.Version)
			c.info.left = strings.Contains(string(p.Source), `"subagent"`) || p.Thread == "subagent"
		}
	case r.Type == "compacted":
		var summary string
		if json.Unmarshal(p.Message, &summary) == nil {
			t.Role, t.Text = Summary, clean(Summary, summary)
			if last := c.said.len() - 1; last >= 0 && c.from[last] == responses && strings.Contains(t.Text, c.said.at(last).text) {
				c.said.cut(last) // in which the model gave it
				c.from = c.from[:last]
			}
			c.add(t, items)
		}
	case r.Type == "response_item" && p.Type == "message" && (p.Role == User || p.Role == Assistant):
		t.Role, t.Text = p.Role, codexText(p)
		c.add(t, responses)
	case r.Type == "event_msg":
		c.event(t, p)
	case r.Type == "response_item" || codexKnown[r.Type]:
	default:
		c.info.unknown("type " + r.Type)
	}
}

func (c *codex) event(t Turn, p *codexPayload) {
	roles := map[string]string{"user_message": User, "agent_message": Assistant, "UserMessage": User, "AgentMessage": Assistant}
	switch p.Type {
	case "user_message", "agent_message":
		var text string
		if json.Unmarshal(p.Message, &text) == nil {
			t.Role = roles[p.Type]
			t.Text = clean(t.Role, text)
			c.add(t, events)
		}
	case "item_completed":
		if t.Role = roles[p.Item.Type]; t.Role != "" {
			t.Text = texts(t.Role, blocks(p.Item.Content), "text", "Text")
			c.add(t, items)
		}
	case "thread_rolled_back":
		c.back(p.NumTurns)
	}
}

func (c *codex) add(t Turn, from channel) {
	if t.Text != "" {
		c.said.add(t)
		c.from = append(c.from, from)
	}
}

// codexText returns what was typed or answered. Newer versions tell which parts are
// the user's own.
func codexText(p *codexPayload) string {
	parts := blocks(p.Content)
	if kinds := p.Passed.Kinds; p.Role == User && len(kinds) == len(parts) {
		for i := range parts {
			if !strings.HasPrefix(kinds[i], "user.") {
				parts[i] = block{}
			}
		}
	}
	return texts(p.Role, parts, "input_text", "output_text", "text")
}

// back takes back the last prompts and everything after them.
func (c *codex) back(prompts int) {
	c.settle()
	for ; c.done.len() > 0 && prompts > 0; c.done.cut(c.done.len() - 1) {
		if spokenRoles[c.done.at(c.done.len()-1).role] == User {
			prompts--
		}
	}
}

func (c *codex) turns() []Turn {
	c.settle()
	return c.done.turns(everything)
}

// settle takes each turn once. From the first item of the thread on, only those
// items count, because the other channels also hold what a model answers to
// Codex itself. Before that, a turn counts as often as it occurs in the channel
// that has it most often.
func (c *codex) settle() {
	type key struct {
		text idSum
		role spokenRole
	}
	type times struct {
		said  [numChannels]int32
		given int32
	}
	all := map[key]times{}
	one := !slices.ContainsFunc(c.from, func(from channel) bool { return from != c.from[0] }) // then each turn counts as often as it was said
	for i := range c.said.len() {
		t, from := c.said.at(i), c.from[i]
		var k key
		var n times
		if !one {
			k = key{sumOf(t.text), t.role}
			n = all[k]
			n.said[from]++
		}
		anew := one || n.said[from] > n.given
		switch {
		case spokenRoles[t.role] == Summary || c.items && from == items:
			anew = true
		case c.items:
			anew = false
		case from == items:
			c.items = true
		}
		if anew {
			n.given++
			c.done.push(*t)
		}
		if !one {
			all[k] = n
		}
		c.said.passed(i)
	}
	c.said, c.from = spoken{}, nil
}
