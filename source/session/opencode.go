package session

import (
	"database/sql"
	"encoding/json"
)

// openCodeDB is the database in which OpenCode up to 1.18.33 keeps its
// sessions: messages, and the parts of each. A session with a parent is that of
// a sub-agent.
var openCodeDB = &schema{
	file: "opencode.db",
	tables: map[string][]string{
		"session": {"id", "parent_id", "directory", "revert", "time_created", "time_updated"},
		"message": {"id", "session_id", "time_created", "time_updated", "data"},
		"part":    {"id", "message_id", "data"},
	},
	// A message is written again when its parts are complete, so the parts need
	// not be checked.
	list: `SELECT CASE WHEN octet_length(s.id) <= 200 THEN CAST(s.id AS TEXT) END, sum(octet_length(m.data)),
		max(CAST(s.time_updated AS INTEGER), coalesce(max(CAST(m.time_updated AS INTEGER)), 0)), NULL
		FROM session s LEFT JOIN message m ON m.session_id = s.id
		WHERE s.id BETWEEN ?1 AND ?2 AND coalesce(s.parent_id, '') = '' GROUP BY s.id`,
	read: readOpenCode,
}

// openCode reads messages with their parts.
type openCode struct {
	info   head
	revert string // the first message that was taken back, with all after it; "": none
	back   bool   // that message was read
	said   spoken

	parts []string // of the message that began last
	size  int      // bytes of all its parts
}

func (c *openCode) head() *head { return &c.info }

func (c *openCode) turns() []Turn { return c.said.turns(everything) }

type openCodeMessage struct {
	Role    string          `json:"role"`
	Mode    string          `json:"mode"`
	Summary json.RawMessage `json:"summary"` // true for an assistant's message; an object for the user's
	Time    struct {
		Created json.RawMessage `json:"created"`
	} `json:"time"`
}

type openCodePart struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Synthetic bool   `json:"synthetic"` // not the user's
	Ignored   bool   `json:"ignored"`   // not for the model
}

// openCodeKnown are the known parts that are not part of the talk.
var openCodeKnown = map[string]bool{
	"reasoning": true, "tool": true, "step-start": true, "step-finish": true, "file": true, "patch": true, "snapshot": true, "agent": true, "subtask": true, "retry": true, "compaction": true,
}

// message begins a message; its parts follow.
func (c *openCode) message(line int, id string, data []byte) (role string) {
	c.info.Records++
	if id == c.revert && id != "" {
		c.back = true
	}
	var m openCodeMessage
	if data == nil || json.Unmarshal(data, &m) != nil {
		c.info.unknown("not readable")
		return ""
	}
	switch {
	case m.Role == Assistant && (m.Mode == "compaction" || string(m.Summary) == "true"):
		role = Summary
	case m.Role == User, m.Role == Assistant:
		role = m.Role
	default:
		c.info.unknown("role " + m.Role)
		return ""
	}
	c.said.add(Turn{Role: role, Time: at(m.Time.Created), Line: line})
	return role
}

// part adds a part to the message that began last.
func (c *openCode) part(role string, data []byte) {
	c.info.Records++
	var p openCodePart
	switch {
	case data == nil || json.Unmarshal(data, &p) != nil:
		c.info.unknown("not readable")
	case p.Type == "text" && role != "" && !p.Synthetic && !p.Ignored:
		if c.size += len(p.Text); c.size <= 4*maxTurn {
			c.parts = append(c.parts, p.Text)
		}
	case p.Type != "text" && !openCodeKnown[p.Type]:
		c.info.unknown("part " + p.Type)
	}
}

// end ends the message that began last.
func (c *openCode) end(role string) {
	if last := c.said.len() - 1; role != "" {
		if text := joined(role, c.parts); c.back || text == "" {
			c.said.cut(last)
		} else {
			c.said.at(last).text = text
		}
	}
	c.parts, c.size = nil, 0
}

func readOpenCode(l *look, session string, since int64) (talk, error) {
	c := &openCode{}
	var revert, directory sql.NullString
	var created sql.NullInt64
	err := l.conn.QueryRowContext(l.ctx, `SELECT CASE WHEN octet_length(revert) <= 65536 THEN revert END, CASE WHEN octet_length(directory) <= 65536 THEN directory END, CAST(time_created AS INTEGER)
		FROM session WHERE id = ?`, session).Scan(&revert, &directory, &created)
	if err != nil {
		return nil, err
	}
	var to struct {
		Message string `json:"messageID"`
	}
	if json.Unmarshal([]byte(revert.String), &to) == nil {
		c.revert = to.Message
	}
	c.info.folder = directory.String
	var version sql.NullString
	// A database without this column is read all the same.
	_ = l.conn.QueryRowContext(l.ctx, `SELECT CASE WHEN octet_length(version) <= 200 THEN CAST(version AS TEXT) END FROM session WHERE id = ?`, session).Scan(&version)
	c.info.version = version.String
	if created.Valid {
		c.info.started = l.time(created.Int64)
	}
	return c, c.messages(l, session, since)
}

// messages reads the messages that are younger than a time. It sorts only row
// numbers, because messages may be large.
func (c *openCode) messages(l *look, session string, since int64) error {
	var rows [][2]sql.NullInt64
	err := l.each(`SELECT m.rowid, p.rowid FROM message m LEFT JOIN part p ON p.message_id = m.id
		WHERE m.session_id = ? AND CAST(m.time_updated AS INTEGER) > ? ORDER BY m.time_created, m.id, p.id`, []any{session, since}, func(scan func(...any) error) error {
		var row [2]sql.NullInt64
		err := scan(&row[0], &row[1])
		rows = append(rows, row)
		if err != nil {
			return err
		}
		return l.count(16)
	})
	if err != nil {
		return err
	}
	message, err := l.conn.PrepareContext(l.ctx, `SELECT CASE WHEN octet_length(id) <= 200 THEN CAST(id AS TEXT) END, CASE WHEN octet_length(data) <= ? THEN data END FROM message WHERE rowid = ?`)
	if err != nil {
		return err
	}
	defer message.Close() // of a connection that is closed soon
	part, err := l.conn.PrepareContext(l.ctx, `SELECT CASE WHEN octet_length(data) <= ? THEN data END FROM part WHERE rowid = ?`)
	if err != nil {
		return err
	}
	defer part.Close() // as above
	role, line := "", 0
	for i, row := range rows {
		if i == 0 || row[0] != rows[i-1][0] {
			line++
			c.end(role)
			var id, data sql.NullString
			if err := message.QueryRowContext(l.ctx, maxLine, row[0].Int64).Scan(&id, &data); err != nil {
				return err
			}
			if err := l.count(len(data.String)); err != nil {
				return err
			}
			role = c.message(line, id.String, content(data))
		}
		if !row[1].Valid {
			continue
		}
		var data sql.NullString
		if err := part.QueryRowContext(l.ctx, maxLine, row[1].Int64).Scan(&data); err != nil {
			return err
		}
		if err := l.count(len(data.String)); err != nil {
			return err
		}
		c.part(role, content(data))
	}
	c.end(role)
	return nil
}
