package session

import (
	"database/sql"
	"encoding/json"
	"errors"
	"math"
)

// cursorDB is the database in which the editor Cursor keeps its sessions since
// version 3. The head of each session is a row of a table. The order of its
// messages, and the messages, are values of keys in another table, which holds
// much else. A session without messages is a draft, or has its talk elsewhere.
var cursorDB = &schema{
	file: "state.vscdb",
	tables: map[string][]string{
		"composerHeaders": {"composerId", "createdAt", "lastUpdatedAt", "isSubagent", "value"},
		"cursorDiskKV":    {"key", "value"},
	},
	// The order grows with every message, and its length is known without
	// reading it.
	list: `SELECT CASE WHEN octet_length(h.composerId) <= 200 THEN CAST(h.composerId AS TEXT) END, octet_length(d.value),
		max(coalesce(CAST(h.lastUpdatedAt AS INTEGER), 0), coalesce(CAST(h.createdAt AS INTEGER), 0)), NULL
		FROM composerHeaders h JOIN cursorDiskKV d ON d.key = 'composerData:' || h.composerId
		WHERE h.composerId BETWEEN ?1 AND ?2 AND coalesce(CAST(h.isSubagent AS INTEGER), 0) = 0
		AND EXISTS (SELECT 1 FROM cursorDiskKV b WHERE b.key > 'bubbleId:' || h.composerId || ':' AND b.key < 'bubbleId:' || h.composerId || ';')`,
	read: readCursor,
}

// cursorOrder is what the head of a session, and its order, tell of it.
type cursorOrder struct {
	Version json.RawMessage `json:"_v"`
	Order   []struct {
		ID string `json:"bubbleId"`
	} `json:"fullConversationHeadersOnly"`
	Workspace struct {
		URI struct {
			Path string `json:"fsPath"`
		} `json:"uri"`
	} `json:"workspaceIdentifier"`
}

// readCursor reads the messages of a session in order. Messages that were taken
// back are not in the order any more.
func readCursor(l *look, session string, since int64) (talk, error) {
	c := &cursor{}
	var head, order sql.NullString
	var created sql.NullInt64
	err := l.conn.QueryRowContext(l.ctx, `SELECT CASE WHEN octet_length(h.value) <= ?2 THEN CAST(h.value AS TEXT) END, CASE WHEN octet_length(d.value) <= ?2 THEN CAST(d.value AS TEXT) END, CAST(h.createdAt AS INTEGER)
		FROM composerHeaders h JOIN cursorDiskKV d ON d.key = 'composerData:' || h.composerId WHERE h.composerId = ?1`, session, maxLine).Scan(&head, &order, &created)
	if err != nil {
		return nil, err
	}
	if err := l.count(len(head.String) + len(order.String)); err != nil {
		return nil, err
	}
	if created.Valid {
		c.info.started = l.time(created.Int64)
	}
	var said cursorOrder
	if json.Unmarshal(content(head), &said) == nil {
		c.info.folder = said.Workspace.URI.Path
	}
	said.Order, said.Version = nil, nil
	c.info.Records++
	if json.Unmarshal(content(order), &said) != nil {
		c.info.unknown("not readable")
		return c, nil
	}
	c.info.version = versionOf(said.Version)
	message, err := l.conn.PrepareContext(l.ctx, `SELECT CASE WHEN octet_length(value) <= ? THEN CAST(value AS TEXT) END FROM cursorDiskKV WHERE key = ?`)
	if err != nil {
		return nil, err
	}
	defer message.Close() // of a connection that is closed soon
	known := map[string]bool{}
	for i, next := range said.Order {
		if known[next.ID] {
			continue
		}
		known[next.ID] = true
		var data sql.NullString
		err := message.QueryRowContext(l.ctx, maxLine, "bubbleId:"+session+":"+next.ID).Scan(&data)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := l.count(len(data.String)); err != nil {
			return nil, err
		}
		c.bubble(i+1, content(data), since)
	}
	return c, nil
}

type cursorBubble struct {
	Type    int             `json:"type"`
	Text    string          `json:"text"`
	Created json.RawMessage `json:"createdAt"` // missing in older ones
}

// bubble reads a message. A message without text belongs to a tool or is a
// thought. Messages not younger than since, in milliseconds since 1970, are
// left out if their time is known.
func (c *cursor) bubble(line int, data []byte, since int64) {
	c.info.Records++
	var b cursorBubble
	if data == nil || json.Unmarshal(data, &b) != nil {
		c.info.unknown("not readable")
		return
	}
	role := map[int]string{1: User, 2: Assistant}[b.Type]
	if role == "" {
		c.info.unknown("another type of message")
		return
	}
	created := at(b.Created)
	if since != math.MinInt64 && !created.IsZero() && created.UnixMilli() <= since {
		return
	}
	text := b.Text
	if role == User {
		text = typed(text)
	}
	if text = clean(role, text); text != "" {
		c.said.add(Turn{Role: role, Text: text, Time: created, Line: line})
	}
}
