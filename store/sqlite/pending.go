package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
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
	err = c.each(ctx, `SELECT embed_hash, title, heading, text,
			coalesce((SELECT attempts FROM failed_texts t WHERE t.space = ?1 AND t.hash = embed_hash), 0)
		FROM chunks WHERE id IN (
			SELECT min(id) FROM chunks INDEXED BY chunks_by_hash WHERE embed_hash > ?2
			AND NOT EXISTS (SELECT 1 FROM embedding_cache e WHERE e.space = ?1 AND e.hash = embed_hash)
			AND NOT EXISTS (SELECT 1 FROM failed_texts t WHERE t.space = ?1 AND t.hash = embed_hash AND t.next_try > ?4)
			GROUP BY embed_hash ORDER BY embed_hash LIMIT ?3)
		ORDER BY embed_hash`,
		[]any{space, string(after), limit, due.Unix()}, func(scan func(...any) error) error {
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

// PutFailures implements [memoir.Store].
func (s *Store) PutFailures(ctx context.Context, space memoir.Space, failures []memoir.FailedText) error {
	if space == (memoir.Space{}) && len(failures) > 0 {
		return fmt.Errorf("put failures of no space: %w", memoir.ErrInvalid)
	}
	if len(failures) == 0 {
		return ctx.Err()
	}
	return s.write(ctx, "note failed texts", func(c *conn) error {
		ctx := context.WithoutCancel(ctx) // write watches it
		id, err := putSpace(ctx, c, space, false)
		if err != nil {
			return err
		}
		for _, f := range failures {
			if err := c.run(ctx, `INSERT INTO failed_texts (space, hash, attempts, error, next_try) VALUES (?, ?, ?, ?, ?)
				ON CONFLICT (space, hash) DO UPDATE SET attempts = excluded.attempts, error = excluded.error, next_try = excluded.next_try`,
				id, string(f.Hash), f.Attempts, f.Reason, f.NextTry.Unix()); err != nil {
				return err
			}
		}
		return nil
	})
}
