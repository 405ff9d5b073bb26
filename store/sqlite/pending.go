package sqlite

import (
	"context"
	"encoding/json"
	"time"

	"github.com/memoir-ai/memoir"
)

// PendingTexts implements [memoir.Store].
func (s *Store) PendingTexts(ctx context.Context, space memoir.Space, due time.Time, after memoir.Hash, limit int) (texts []memoir.PendingText, err error) {
	if space == (memoir.Space{}) || limit <= 0 {
		return nil, ctx.Err()
	}
	err = s.read(ctx, "list pending texts", func(c *conn) error {
		id, err := spaceID(ctx, c, space)
		if err != nil {
			return err
		}
		texts, err = pendingTexts(ctx, c, id, due, after, limit)
		return err
	})
	return texts, err
}

func pendingTexts(ctx context.Context, c *conn, space int64, due time.Time, after memoir.Hash, limit int) (texts []memoir.PendingText, err error) {
	var start []byte
	if after != "" {
		if start, err = hashKey(after); err != nil {
			return nil, err
		}
	}
	err = c.each(ctx, `SELECT lower(hex(t.hash)), f.title, c.heading, c.text, coalesce(x.attempts, 0)
		FROM texts t CROSS JOIN chunks c ON c.id = (SELECT min(id) FROM chunks WHERE embed_text = t.id) CROSS JOIN files f ON f.id = c.file
			LEFT JOIN failed_texts x ON x.space = ?1 AND x.text = t.id
		WHERE t.hash > coalesce(?2, x'') AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.space = ?1 AND v.text = t.id) AND coalesce(x.next_try, ?4) <= ?4
		ORDER BY t.hash LIMIT ?3`,
		[]any{space, start, limit, due.Unix()}, func(scan func(...any) error) error {
			var p memoir.PendingText
			var chunk memoir.Chunk
			var heading string
			if err := scan(&p.Hash, &chunk.Title, &heading, &chunk.Text, &p.Attempts); err != nil {
				return err
			}
			if err := json.Unmarshal([]byte(heading), &chunk.Heading); err != nil {
				return err
			}
			p.Text = chunk.EmbedText()
			texts = append(texts, p)
			return nil
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
