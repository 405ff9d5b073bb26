package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
)

// counts remembers what was counted at one state of the index.
type counts struct {
	mu         sync.Mutex
	generation int64
	bySpace    map[memoir.Space]memoir.StoreStats
}

func (k *counts) get(generation int64, space memoir.Space) (memoir.StoreStats, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.generation != generation {
		return memoir.StoreStats{}, false
	}
	stats, ok := k.bySpace[space]
	return stats, ok
}

func (k *counts) put(generation int64, space memoir.Space, stats memoir.StoreStats) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.generation != generation || k.bySpace == nil {
		k.generation, k.bySpace = generation, map[memoir.Space]memoir.StoreStats{}
	}
	k.bySpace[space] = stats
}

func (k *counts) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.bySpace = nil
}

// Stats implements [memoir.Store].
func (s *Store) Stats(ctx context.Context, space memoir.Space) (stats memoir.StoreStats, err error) {
	err = s.read(ctx, "count the index", func(c *conn) error {
		stats, err = s.count(ctx, c, space)
		return err
	})
	return stats, err
}

// count counts the index, once for each of its states.
func (s *Store) count(ctx context.Context, c *conn, space memoir.Space) (memoir.StoreStats, error) {
	generation, err := c.generation(ctx)
	if err != nil {
		return memoir.StoreStats{}, err
	}
	if stats, ok := s.counted.get(generation, space); ok {
		return stats, nil
	}
	var stats memoir.StoreStats
	if stats.Documents, stats.Chunks, err = readTotals(ctx, c); err != nil {
		return memoir.StoreStats{}, err
	}
	if err := countTexts(ctx, c, space, &stats); err != nil {
		return stats, err
	}
	err = c.one(ctx, "SELECT coalesce(unrelated, 0), measured FROM spaces WHERE key = ?", []any{space.Key()}, &stats.Calibration.Unrelated, &stats.Measured)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return stats, err
	}
	var written int64
	if err := c.one(ctx, "SELECT coalesce((SELECT value FROM meta WHERE key = 'written'), 0)", nil, &written); err != nil {
		return stats, err
	}
	if written > 0 {
		stats.Written = time.Unix(written, 0).UTC()
	}
	s.counted.put(generation, space, stats)
	return stats, nil
}

// countTexts counts the distinct texts, and those without a vector of the space.
func countTexts(ctx context.Context, c *conn, space memoir.Space, stats *memoir.StoreStats) error {
	id, err := spaceID(ctx, c, space)
	if err != nil {
		return err
	}
	if err := c.one(ctx, `SELECT count(*), coalesce(sum(NOT done AND NOT failed), 0), coalesce(sum(NOT done AND failed), 0) FROM (SELECT
			EXISTS (SELECT 1 FROM vectors v WHERE v.space = ?1 AND v.text = embed_text) AS done,
			EXISTS (SELECT 1 FROM failed_texts x WHERE x.space = ?1 AND x.text = embed_text) AS failed
			FROM chunks INDEXED BY chunks_by_text WHERE embed_text IS NOT NULL GROUP BY embed_text)`,
		[]any{id}, &stats.Texts, &stats.Pending, &stats.Failed); err != nil {
		return err
	}
	if space == (memoir.Space{}) {
		stats.Pending, stats.Failed = 0, 0
	}
	return nil
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
