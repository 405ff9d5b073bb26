package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/internal/vector"
	"github.com/memoir-ai/memoir/tune"
)

// settlement is the work that [Store.Settle] has to do.
type settlement struct {
	id      int64 // of the space; 0: nothing was ever stored for it
	surplus int   // vectors beyond the limit
	oldest  int64 // unused vectors with an earlier used_at are removed
	free    int   // free pages of the file
	rows    bool  // the file of rows may lack some, or have too many
}

// Settle implements [memoir.Store].
func (s *Store) Settle(ctx context.Context, space memoir.Space, limits tune.Cache) error {
	if ok, err := s.canWrite(ctx); err != nil || !ok {
		return err
	}
	s.settled()
	if err := s.mergeAll(ctx); err != nil {
		return err
	}
	if err := s.settleLabels(ctx); err != nil {
		return err
	}
	if err := s.settleListing(ctx); err != nil || space == (memoir.Space{}) && limits == (tune.Cache{}) {
		return err
	}
	var todo settlement
	err := s.read(ctx, "look at the vectors", func(c *conn) (err error) {
		todo, err = s.settlement(ctx, c, space, limits)
		return err
	})
	if err == nil && (todo.surplus > 0 || todo.oldest > 0 || todo.free > 0) {
		err = s.write(ctx, "trim the vectors", func(c *conn) error { return trim(ctx, c, todo) })
		todo.rows = todo.id != 0
	}
	if err == nil && todo.rows {
		err = s.read(ctx, "keep rows of the vectors", func(c *conn) error { return s.settleRows(ctx, c, space, todo.id) })
	}
	return err
}

// canWrite reports whether the index can be written to.
func (s *Store) canWrite(ctx context.Context) (bool, error) {
	if err := s.hold(ctx, true); err != nil {
		return false, s.fault(ctx, "put the index in order", err)
	}
	defer s.mu.RUnlock()
	return s.writer != nil, ctx.Err()
}

// settlement determines the work for a space and changes nothing.
func (s *Store) settlement(ctx context.Context, c *conn, space memoir.Space, limits tune.Cache) (todo settlement, err error) {
	if todo.id, err = spaceID(ctx, c, space); err != nil {
		return todo, err
	}
	if todo.id != 0 {
		stats, err := count(ctx, c, space)
		if err != nil {
			return todo, err
		}
		todo.rows = s.rows.stale.Swap(false) || stats.Texts-stats.Pending-stats.Failed > s.fewRows && !nonEmpty(s.rowsPath(todo.id))
	}
	return todo, todo.limit(ctx, c, limits)
}

// PutSpace implements [memoir.Store].
func (s *Store) PutSpace(ctx context.Context, space memoir.Space, facts memoir.SpaceFacts) error {
	if ok, err := s.canWrite(ctx); err != nil || !ok {
		return err
	}
	var id int64
	err := s.write(ctx, "note what is known of the model", func(c *conn) (err error) {
		if id, err = spaceID(ctx, c, space); err != nil || id == 0 {
			return err
		}
		if err := c.run(ctx, "UPDATE spaces SET unrelated = iif(?2 > 0, ?1, NULL), measured = ?2 WHERE id = ?3", facts.Calibration.Unrelated, facts.Measured, id); err != nil {
			return err
		}
		if !facts.TakesOver {
			return nil
		}
		return takeOver(ctx, c, id)
	})
	if err == nil && facts.TakesOver && id != 0 {
		s.removeRows(id)
	}
	return err
}

// limit determines which vectors are beyond the limits. Without limits it does
// nothing.
func (t *settlement) limit(ctx context.Context, c *conn, limits tune.Cache) error {
	if limits.MaxAge > 0 {
		t.oldest = time.Now().Add(-limits.MaxAge).UTC().Truncate(24 * time.Hour).Unix()
	}
	if limits.MaxEntries > 0 {
		entries := 0
		if err := c.one(ctx, "SELECT count(*) FROM vectors", nil, &entries); err != nil {
			return err
		}
		t.surplus = max(0, entries-limits.MaxEntries)
	}
	if limits == (tune.Cache{}) {
		return nil
	}
	if err := t.pages(ctx, c); err != nil {
		return err
	}
	if t.surplus == 0 && t.oldest > 0 {
		// Nothing is written when nothing would go.
		err := c.one(ctx, "SELECT 1 FROM vectors v CROSS JOIN texts t ON t.id = v.text WHERE t.used_at < ? AND "+unused+" LIMIT 1", []any{t.oldest, t.id}, new(int))
		if errors.Is(err, sql.ErrNoRows) {
			t.oldest = 0
			return nil
		}
		return err
	}
	return nil
}

// fewPages is how many free pages are not worth a write: 1 MB.
const fewPages = 256

// pages counts the free pages.
func (t *settlement) pages(ctx context.Context, c *conn) error {
	if err := c.one(ctx, "PRAGMA freelist_count", nil, &t.free); err != nil {
		return err
	}
	if t.free < fewPages {
		t.free = 0
	}
	return nil
}

// Sample implements [memoir.View].
func (v *view) Sample(ctx context.Context, space memoir.Space, limit int) (sample []memoir.SampledVector, err error) {
	id, err := spaceID(ctx, v.conn, space)
	if err != nil || id == 0 || limit <= 0 {
		return nil, cmp.Or(v.broken(ctx, "the table of spaces", err), ctx.Err())
	}
	k, err := v.contents(ctx)
	if err != nil {
		return nil, err
	}
	err = v.conn.until(ctx, `SELECT lower(hex(t.hash)), c.id, v.vector FROM texts t CROSS JOIN vectors v ON v.space = ? AND v.text = t.id
		CROSS JOIN uses u ON u.text = t.id CROSS JOIN chunks c ON c.id = u.chunk CROSS JOIN files f ON f.id = c.file
		ORDER BY t.hash, f.path, c.id`, []any{id}, func(scan func(...any) error) (bool, error) {
		var at memoir.SampledVector
		var chunk int64
		var blob sql.RawBytes
		if err := scan(&at.Hash, &chunk, &blob); err != nil {
			return false, err
		}
		n, ok := k.number(chunk)
		if !ok {
			return true, nil
		}
		at.ChunkMeta = k.meta(n)
		if at.Vector = decode(nil, blob); vector.Norm(at.Vector) > 0 {
			sample = append(sample, at)
		}
		return len(sample) < limit, nil
	})
	return sample, v.broken(ctx, "the table of vectors", err)
}

// takeOver gives the index to a space and drops all others.
func takeOver(ctx context.Context, c *conn, id int64) error {
	for _, q := range []string{
		"UPDATE spaces SET serving = (id = ?)",
		"DELETE FROM vectors WHERE space <> ?",
		"DELETE FROM failed_texts WHERE space <> ?",
		"DELETE FROM spaces WHERE id <> ?",
	} {
		if err := c.run(ctx, q, id); err != nil {
			return err
		}
	}
	return nil
}

// unused is a condition for vectors that no chunk uses, in the space that
// serves and in the one given as parameter.
const unused = `(v.space NOT IN (SELECT id FROM spaces WHERE serving = 1 OR id = ?)
	OR NOT EXISTS (SELECT 1 FROM uses u WHERE u.text = v.text))`

// trim removes unused vectors that are too old or too many, and texts that
// nothing refers to. It returns free pages to the file system, 16 MB at a time.
func trim(ctx context.Context, c *conn, todo settlement) error {
	before, after := 0, 0
	if err := c.one(ctx, "SELECT count(*) FROM vectors", nil, &before); err != nil {
		return err
	}
	if err := c.run(ctx, `DELETE FROM vectors WHERE id IN (
		SELECT v.id FROM vectors v CROSS JOIN texts t ON t.id = v.text WHERE t.used_at < ? AND `+unused+")", todo.oldest, todo.id); err != nil {
		return err
	}
	if err := c.one(ctx, "SELECT count(*) FROM vectors", nil, &after); err != nil {
		return err
	}
	if surplus := todo.surplus - (before - after); surplus > 0 {
		if err := c.run(ctx, `DELETE FROM vectors WHERE id IN (
			SELECT v.id FROM vectors v CROSS JOIN texts t ON t.id = v.text WHERE `+unused+" ORDER BY t.used_at, t.hash, v.space LIMIT ?)", todo.id, surplus); err != nil {
			return err
		}
	}
	for _, q := range []string{
		"DELETE FROM failed_texts WHERE NOT EXISTS (SELECT 1 FROM uses u WHERE u.text = failed_texts.text)",
		`DELETE FROM texts WHERE NOT EXISTS (SELECT 1 FROM uses u WHERE u.text = texts.id)
			AND NOT EXISTS (SELECT 1 FROM spaces s CROSS JOIN vectors v ON v.space = s.id AND v.text = texts.id)`, // by the index, which begins with the space
	} {
		if err := c.run(ctx, q); err != nil {
			return err
		}
	}
	// In these spaces, vectors that chunks use may be gone.
	if err := recount(ctx, c, "serving <> 1 AND id <> ?", todo.id); err != nil {
		return err
	}
	_, err := c.ExecContext(ctx, "PRAGMA incremental_vacuum(4096)")
	return err
}
