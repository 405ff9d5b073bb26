package sqlite

import (
	"context"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
)

// Stats implements [memoir.Store].
func (s *Store) Stats(ctx context.Context, space memoir.Space) (stats memoir.StoreStats, err error) {
	err = s.read(ctx, "count the index", func(c *conn) error {
		generation, err := c.generation(ctx)
		if err != nil {
			return err
		}
		var ok bool
		if stats, ok = s.stats.get(generation, space); ok {
			return nil
		}
		if stats, err = count(ctx, c, space); err != nil {
			return err
		}
		stats.Revision = max(1, uint64(s.identity)^uint64(generation))
		s.stats.put(generation, space, stats)
		return nil
	})
	if _, met := s.damaged(); met {
		stats.Revision = 0 // so that nobody takes it for one that needs no look
	}
	return stats, err
}

// statsCache keeps what was counted at one generation of the index: a search
// asks several times. It is safe for concurrent use. The zero value is empty.
type statsCache struct {
	mu         sync.Mutex
	generation int64
	of         map[memoir.Space]memoir.StoreStats
}

func (k *statsCache) get(generation int64, space memoir.Space) (memoir.StoreStats, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	stats, ok := k.of[space]
	return stats, ok && k.generation == generation
}

func (k *statsCache) put(generation int64, space memoir.Space, stats memoir.StoreStats) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil || k.generation != generation {
		k.generation, k.of = generation, map[memoir.Space]memoir.StoreStats{}
	}
	k.of[space] = stats
}

func (k *statsCache) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.of = nil
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
