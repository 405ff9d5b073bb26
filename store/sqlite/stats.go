package sqlite

import (
	"context"
	"time"

	"github.com/memoir-ai/memoir"
)

// Stats implements [memoir.Store].
func (s *Store) Stats(ctx context.Context, space memoir.Space) (stats memoir.StoreStats, err error) {
	err = s.read(ctx, "count the index", func(c *conn) error {
		if stats, err = count(ctx, c, space); err != nil {
			return err
		}
		generation, err := c.generation(ctx)
		stats.Revision = max(1, uint64(s.identity)^uint64(generation))
		return err
	})
	return stats, err
}

// count reads the counts that every write keeps up to date.
func count(ctx context.Context, c *conn, space memoir.Space) (stats memoir.StoreStats, err error) {
	var written int64
	if err := c.one(ctx, `SELECT (SELECT value FROM meta WHERE key = 'documents'), (SELECT value FROM meta WHERE key = 'chunks'),
		(SELECT value FROM meta WHERE key = 'texts'), coalesce((SELECT value FROM meta WHERE key = 'written'), 0)`,
		nil, &stats.Documents, &stats.Chunks, &stats.Texts, &written); err != nil {
		return stats, err
	}
	if written > 0 {
		stats.Written = time.Unix(written, 0).UTC()
	}
	if space != (memoir.Space{}) {
		stats.Pending = stats.Texts // unless the space has a row
	}
	err = c.each(ctx, `SELECT key = ?1, serving, provider, model, version, dimensions, pending, failed, coalesce(unrelated, 0), measured
		FROM spaces WHERE key = ?1 OR serving = 1`, []any{space.Key()}, func(scan func(...any) error) error {
		var asked, serves bool
		var x memoir.Space
		var of memoir.StoreStats
		if err := scan(&asked, &serves, &x.Provider, &x.Model, &x.Version, &x.Dimensions, &of.Pending, &of.Failed, &of.Calibration.Unrelated, &of.Measured); err != nil {
			return err
		}
		if serves {
			stats.Serving = x
		}
		if asked {
			stats.Pending, stats.Failed, stats.Calibration, stats.Measured = of.Pending, of.Failed, of.Calibration, of.Measured
		}
		return nil
	})
	return stats, err
}
