package session

import (
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Mapping says where things stand in the transcripts of an agent that memoir
// does not know. A file is a session, and a line is a JSON record. A place is a
// list of fields, joined by dots; a number is an index of a list.
type Mapping struct {
	// Files is a pattern of [path.Match] for the paths of transcripts below the
	// folder.
	Files           string
	Role, Text      string   // places of who speaks, and of what was said
	Time, Session   string   // places of the time and of the session's id; "" means nowhere
	User, Assistant []string // the roles of both sides
}

// mapped returns the place of transcripts below a folder, and the folder above.
// The folder itself may be a link, because the user has named it.
func (m *Mapping) mapped(dir string) (above string, p place) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.Dir(dir), place{
		bases: []string{filepath.Base(dir)}, depth: strings.Count(m.Files, "/"),
		is: func(file string) bool {
			ok, err := path.Match(m.Files, file)
			return ok && err == nil
		},
		open: func() parser { return &mapped{Mapping: m} },
	}
}

// mapped reads records as a mapping describes them.
type mapped struct {
	*Mapping
	info head
	said spoken
}

func (c *mapped) head() *head { return &c.info }

func (c *mapped) turns() []Turn { return c.said.turns(everything) }

func (c *mapped) record(line int, data []byte) {
	var said string
	role := ""
	if json.Unmarshal(field(data, c.Role), &said) != nil {
		c.info.unknown("no role at " + c.Role)
		return
	}
	switch {
	case slices.Contains(c.User, said):
		role = User
	case slices.Contains(c.Assistant, said):
		role = Assistant
	default:
		c.info.unknown("role " + said)
		return
	}
	if c.info.id == "" && c.Session != "" {
		if err := json.Unmarshal(field(data, c.Session), &c.info.id); err != nil {
			c.info.id = "" // an id that is not text counts as none
		}
	}
	if text := texts(role, blocks(field(data, c.Text)), "text"); text != "" {
		c.said.add(Turn{Role: role, Text: text, Time: moment(field(data, c.Time)), Line: line})
	}
}

// moment does what [at] does for programs that may count in seconds.
func moment(data json.RawMessage) time.Time {
	t := at(data)
	if !t.IsZero() && t.Year() < 1980 {
		return time.Unix(t.UnixMilli(), 0)
	}
	return t
}

// field returns the value at a place of a record, or null when there is none.
func field(data json.RawMessage, place string) json.RawMessage {
	if place == "" {
		return nil
	}
	for _, name := range strings.Split(place, ".") {
		var fields map[string]json.RawMessage
		var list []json.RawMessage
		switch {
		case json.Unmarshal(data, &fields) == nil:
			data = fields[name]
		case json.Unmarshal(data, &list) == nil:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(list) {
				return nil
			}
			data = list[i]
		default:
			return nil
		}
	}
	return data
}
