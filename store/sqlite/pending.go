package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/memoir-ai/memoir"
)

// PendingTexts implements [memoir.Store].
func (s *Store) PendingTexts(ctx context.Context, space memoir.Space, due time.Time, after memoir.Hash, limit int) (texts []memoir.PendingText, err error) {
	if space == (memoir.Space{}) || limit <= 0 {
		return nil, ctx.Err()
	}
	var start []byte
	if after != "" {
		if start, err = hashKey(after); err != nil {
			return nil, err
		}
	}
	return s.pendingTexts(ctx, space, `SELECT lower(hex(t.hash)), f.title, c.heading, c.text, l.names, coalesce(x.attempts, 0)
		FROM texts t CROSS JOIN chunks c ON c.id = (SELECT min(chunk) FROM uses WHERE text = t.id) CROSS JOIN files f ON f.id = c.file
			LEFT JOIN labels l ON l.id = c.labels LEFT JOIN failed_texts x ON x.space = ?1 AND x.text = t.id
		WHERE t.hash > coalesce(?4, x'') AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.space = ?1 AND v.text = t.id) AND coalesce(x.next_try, ?2) <= ?2
		ORDER BY t.hash LIMIT ?3`, due, limit, start)
}

// NewestPending implements [memoir.Store].
func (s *Store) NewestPending(ctx context.Context, space memoir.Space, due time.Time, limit int) ([]memoir.PendingText, error) {
	if space == (memoir.Space{}) || limit <= 0 {
		return nil, ctx.Err()
	}
	// Texts that are not returned are sorted without being read.
	return s.pendingTexts(ctx, space, `SELECT lower(hex(t.hash)), f.title, c.heading, c.text, l.names, p.attempts
		FROM (SELECT t.id AS text, c.id AS chunk, coalesce(x.attempts, 0) AS attempts,
				CASE WHEN f.date <> '' THEN f.date WHEN f.modified < '0002' THEN '9999' ELSE f.modified END AS day, f.path AS path
			FROM texts t CROSS JOIN chunks c ON c.id = (SELECT min(chunk) FROM uses WHERE text = t.id) CROSS JOIN files f ON f.id = c.file
				LEFT JOIN failed_texts x ON x.space = ?1 AND x.text = t.id
			WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.space = ?1 AND v.text = t.id) AND coalesce(x.next_try, ?2) <= ?2
			ORDER BY day DESC, path, c.id LIMIT ?3) p
			CROSS JOIN texts t ON t.id = p.text CROSS JOIN chunks c ON c.id = p.chunk CROSS JOIN files f ON f.id = c.file LEFT JOIN labels l ON l.id = c.labels
		ORDER BY p.day DESC, p.path, c.id`, due, limit)
}

// pendingTexts runs a query whose first parameters are the space, the time and
// the limit.
func (s *Store) pendingTexts(ctx context.Context, space memoir.Space, query string, due time.Time, limit int, more ...any) (texts []memoir.PendingText, err error) {
	err = s.read(ctx, "list pending texts", func(c *conn) error {
		id, err := spaceID(ctx, c, space)
		if err != nil {
			return err
		}
		texts = nil
		return c.each(ctx, query, append([]any{id, due.Unix(), limit}, more...), func(scan func(...any) error) error {
			var p memoir.PendingText
			var chunk memoir.Chunk
			var heading string
			var labels sql.Null[string]
			if err := scan(&p.Hash, &chunk.Title, &heading, &chunk.Text, &labels, &p.Attempts); err != nil {
				return err
			}
			if err := json.Unmarshal([]byte(heading), &chunk.Heading); err != nil {
				return err
			}
			if labels.Valid {
				if err := json.Unmarshal([]byte(labels.V), &chunk.Labels); err != nil {
					return err
				}
			}
			p.Text = chunk.EmbedTextOf(p.Hash)
			texts = append(texts, p)
			return nil
		})
	})
	return texts, err
}

// putFailures notes texts that could not be embedded.
func putFailures(ctx context.Context, c *conn, space int64, texts []int64, failures []memoir.FailedText) error {
	for i, f := range failures {
		if err := c.run(ctx, `INSERT INTO failed_texts (space, text, attempts, error, next_try) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (space, text) DO UPDATE SET attempts = excluded.attempts, error = excluded.error, next_try = excluded.next_try`,
			space, texts[i], f.Attempts, f.Reason, f.NextTry.Unix()); err != nil {
			return err
		}
	}
	return nil
}
