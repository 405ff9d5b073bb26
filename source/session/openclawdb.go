package session

import (
	"database/sql"

	"github.com/klauspost/compress/zstd"
)

// openClawDB is the database in which OpenClaw keeps its sessions since 2026.9.
// Each record of a transcript is a row, as text or compressed. Each of
// OpenClaw's agents has a database.
var openClawDB = &schema{
	file: "agents/*/agent/openclaw-agent.sqlite",
	tables: map[string][]string{
		"transcript_events": {"session_id", "seq", "event_json", "created_at", "event_zstd"},
		"session_windows":   {"session_id", "session_key", "transcript_updated_at"},
	},
	// Records are only counted, because the index is enough for that. To ask for
	// their lengths would read the whole database at every search.
	list: `SELECT CASE WHEN octet_length(g.session_id) <= 200 THEN CAST(g.session_id AS TEXT) END, g.records,
		max(coalesce(CAST(w.transcript_updated_at AS INTEGER), 0), coalesce((SELECT CAST(l.created_at AS INTEGER) FROM transcript_events l WHERE l.session_id = g.session_id ORDER BY l.seq DESC LIMIT 1), 0)),
		substr(w.session_key, 1, 4096)
		FROM (SELECT session_id, count(*) AS records FROM transcript_events WHERE session_id BETWEEN ?1 AND ?2 GROUP BY session_id) g
		LEFT JOIN session_windows w ON w.session_id = g.session_id`,
	left: left().MatchString,
	read: readOpenClaw,
}

func readOpenClaw(l *look, session string, since int64) (talk, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxLine), zstd.WithDecoderMaxWindow(maxLine), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	p, line := newOpenClaw(), 0
	err = l.each(`SELECT CASE WHEN octet_length(event_json) <= ?3 THEN CAST(event_json AS TEXT) END, CASE WHEN octet_length(event_zstd) <= ?3 THEN CAST(event_zstd AS BLOB) END
		FROM transcript_events WHERE session_id = ?1 AND CAST(created_at AS INTEGER) > ?2 ORDER BY seq`, []any{session, since, maxLine}, func(scan func(...any) error) error {
		var text sql.NullString
		var packed []byte
		if err := scan(&text, &packed); err != nil {
			return err
		}
		line++
		data := content(text)
		if packed != nil && data == nil {
			data, _ = d.DecodeAll(packed, nil) // what is invalid, or too large when unpacked, is counted below
		}
		h := p.head()
		h.Records++
		if len(data) == 0 {
			h.unknown("not readable")
			return nil
		}
		if err := l.count(len(data)); err != nil {
			return err
		}
		p.record(line, data)
		return nil
	})
	return p, err
}
