package session

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"
)

// isGemini reports whether a file is PROJECT/chats/session-TIME-ID.jsonl, or
// .json in older versions.
func isGemini(file string) bool {
	dir, name := path.Split(file)
	return strings.Count(file, "/") == 2 && path.Base(dir) == "chats" && strings.HasPrefix(name, "session-") &&
		(strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".json"))
}

// gemini reads logs of Gemini CLI up to 0.61: a header, then messages, and
// changes of the list of messages. Of messages with the same id the last
// counts.
type gemini struct {
	info  head
	list  spoken
	ids   []idSum         // of each turn
	place map[idSum]int32 // in list, by id
}

func newGemini() parser { return &gemini{place: map[idSum]int32{}} }

func (g *gemini) head() *head { return &g.info }

type geminiRecord struct {
	geminiMessage
	geminiHeader
	Set *struct {
		geminiHeader
		Messages *[]json.RawMessage `json:"messages"`
	} `json:"$set"`
	RewindTo *string `json:"$rewindTo"`
}

type geminiHeader struct {
	SessionID   string          `json:"sessionId"`
	StartTime   json.RawMessage `json:"startTime"`
	LastUpdated json.RawMessage `json:"lastUpdated"`
	Kind        string          `json:"kind"`
	Directories []string        `json:"directories"`
}

type geminiMessage struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Timestamp json.RawMessage `json:"timestamp"`
	Content   json.RawMessage `json:"content"`
}

func (g *gemini) record(line int, data []byte) {
	var r geminiRecord
	if json.Unmarshal(data, &r) != nil {
		g.info.unknown("not readable")
		return
	}
	switch {
	case r.RewindTo != nil:
		from := g.place[sumOf(*r.RewindTo)] // an unknown id takes everything back
		for _, id := range g.ids[from:] {
			delete(g.place, id)
		}
		g.list.cut(int(from))
		g.ids = g.ids[:from]
	case r.Set != nil:
		g.header(&r.Set.geminiHeader)
		if r.Set.Messages != nil {
			g.replace(line, *r.Set.Messages)
		}
	case r.ID != "":
		g.message(line, &r.geminiMessage)
	case r.SessionID != "":
		g.header(&r.geminiHeader)
	default:
		g.info.unknown("type " + r.Type)
	}
}

func (g *gemini) header(h *geminiHeader) {
	if h.SessionID != "" {
		g.info.id = h.SessionID
	}
	if g.info.started.IsZero() {
		g.info.started = at(h.StartTime)
	}
	if len(h.Directories) > 0 {
		g.info.folder = h.Directories[0]
	}
	if h.Kind != "" {
		g.info.left = h.Kind != "main"
	}
}

// replace replaces all messages with others. Those that were there before keep
// their lines.
func (g *gemini) replace(line int, messages []json.RawMessage) {
	list, place := g.list, g.place
	g.list, g.ids, g.place = spoken{}, nil, map[idSum]int32{}
	for _, data := range messages {
		var m geminiMessage
		if json.Unmarshal(data, &m) != nil || m.ID == "" {
			g.info.unknown("not readable")
			continue
		}
		g.message(line, &m)
		id := sumOf(m.ID)
		before, ok := place[id]
		if now := g.list.at(int(g.place[id])); ok && now.text != "" && list.at(int(before)).text == now.text {
			now.line = list.at(int(before)).line
		}
	}
}

func (g *gemini) message(line int, m *geminiMessage) {
	t := Turn{Time: at(m.Timestamp), Line: line}
	switch m.Type {
	case "user":
		t.Role = User
	case "gemini":
		t.Role = Assistant
	case "info", "error", "warning":
	default:
		g.info.unknown("type " + m.Type)
	}
	if t.Role != "" {
		t.Text = geminiText(t.Role, m.Content)
	}
	id := sumOf(m.ID)
	if i, ok := g.place[id]; ok {
		*g.list.at(int(i)) = compact(t)
		return
	}
	g.place[id] = int32(g.list.len())
	g.list.add(t)
	g.ids = append(g.ids, id)
}

// geminiText joins the parts that are text.
func geminiText(role string, content json.RawMessage) string {
	parts := blocks(content)
	for i := range parts {
		parts[i].Type = "text"
	}
	return texts(role, parts, "text")
}

func (g *gemini) turns() []Turn {
	g.place, g.ids = nil, nil
	return g.list.turns(func(i int) bool { return g.list.at(i).text != "" })
}

// whole reads a log of an older version: one object. Its messages are decoded one at a
// time, because together they are nearly all of it.
func (g *gemini) whole(data []byte) bool {
	var h geminiHeader
	if json.Unmarshal(data, &h) != nil || h.SessionID == "" {
		return false
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	_, _ = dec.Token() // it is an object, and all of it is sound
	for dec.More() {
		if key, _ := dec.Token(); key != "messages" {
			var other json.RawMessage
			_ = dec.Decode(&other)
			continue
		}
		switch start, _ := dec.Token(); start {
		case json.Delim('['):
			g.messages(dec, data)
			_, _ = dec.Token() // the end of the list
		case nil: // there are none
		default:
			return false
		}
	}
	g.header(&h)
	return true
}

// messages reads the members of a list, each at the line of data on which it begins.
func (g *gemini) messages(dec *json.Decoder, data []byte) {
	for line, from := 1, 0; dec.More(); {
		to := int(dec.InputOffset())
		to += len(data[to:]) - len(bytes.TrimLeft(data[to:], ", \t\r\n"))
		line += bytes.Count(data[from:to], []byte("\n"))
		from = to
		g.info.Records++
		var m geminiMessage
		if dec.Decode(&m) != nil {
			g.info.unknown("not readable")
			continue
		}
		g.message(line, &m)
	}
}
