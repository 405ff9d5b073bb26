package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/memoir-ai/memoir"
)

// Stats implements [memoir.Store].
func (s *Store) Stats(ctx context.Context, space memoir.Space) (stats memoir.StoreStats, err error) {
	err = s.read(ctx, "count the index", func(c *conn) error {
		stats, err = count(ctx, c, space)
		return err
	})
	return stats, err
}

// count reads what was counted when it was written.
func count(ctx context.Context, c *conn, space memoir.Space) (stats memoir.StoreStats, err error) {
	if stats.Documents, stats.Chunks, err = readTotals(ctx, c); err != nil {
		return stats, err
	}
	var written int64
	if err := c.one(ctx, `SELECT (SELECT value FROM meta WHERE key = 'texts'), coalesce((SELECT value FROM meta WHERE key = 'written'), 0)`,
		nil, &stats.Texts, &written); err != nil {
		return stats, err
	}
	if written > 0 {
		stats.Written = time.Unix(written, 0).UTC()
	}
	if space == (memoir.Space{}) {
		return stats, nil
	}
	err = c.one(ctx, "SELECT pending, failed, coalesce(unrelated, 0), measured FROM spaces WHERE key = ?", []any{space.Key()},
		&stats.Pending, &stats.Failed, &stats.Calibration.Unrelated, &stats.Measured)
	if errors.Is(err, sql.ErrNoRows) {
		stats.Pending = stats.Texts
		return stats, nil
	}
	return stats, err
}

// Serving implements [memoir.Store].
func (s *Store) Serving(ctx context.Context) (space memoir.Space, err error) {
	err = s.read(ctx, "find the model in use", func(c *conn) error {
		_, space, err = servingSpace(ctx, c)
		return err
	})
	return space, err
}

// servingSpace returns the space that searches are answered with, 0 and the
// zero space while there is none.
func servingSpace(ctx context.Context, c *conn) (id int64, space memoir.Space, err error) {
	err = c.one(ctx, "SELECT id, provider, model, version, dimensions FROM spaces WHERE serving = 1", nil,
		&id, &space.Provider, &space.Model, &space.Version, &space.Dimensions)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, memoir.Space{}, nil
	}
	return id, space, err
}
