package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/internal/vector"
)

// spaceID returns the key of a space, 0 when nothing was ever stored for it.
func spaceID(ctx context.Context, c *conn, space memoir.Space) (id int64, err error) {
	err = c.one(ctx, "SELECT id FROM spaces WHERE key = ?", []any{space.Key()}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// putSpace returns the key of a space, which it makes if need be. The first
// space that has vectors serves.
func putSpace(ctx context.Context, c *conn, space memoir.Space, vectors bool) (id int64, err error) {
	err = c.one(ctx, `INSERT INTO spaces (key, provider, model, version, dimensions, serving)
		VALUES (?, ?, ?, ?, ?, ? AND NOT EXISTS (SELECT 1 FROM spaces WHERE serving = 1))
		ON CONFLICT (key) DO UPDATE SET provider = excluded.provider, model = excluded.model, version = excluded.version,
			serving = max(serving, excluded.serving)
		RETURNING id`,
		[]any{space.Key(), space.Provider, space.Model, space.Version, space.Dimensions, vectors}, &id)
	return id, err
}

// PutVectors implements [memoir.Store].
func (s *Store) PutVectors(ctx context.Context, space memoir.Space, vectors map[memoir.Hash][]float32) error {
	for h, v := range vectors {
		if err := vector.Check(v, space.Dimensions); err != nil {
			return fmt.Errorf("put the vector of %s: %w: %w", h, memoir.ErrInvalid, err)
		}
	}
	if len(vectors) == 0 {
		return ctx.Err()
	}
	return s.writeVectors(ctx, "put vectors", func(ctx context.Context, c *conn, table *servingTable) error {
		id, err := putSpace(ctx, c, space, true)
		if err != nil {
			return err
		}
		for _, h := range sortedKeys(vectors) {
			if err := c.run(ctx, `INSERT INTO embedding_cache (space, hash, vector, used_at) VALUES (?, ?, ?, ?)
				ON CONFLICT (space, hash) DO UPDATE SET vector = excluded.vector, used_at = excluded.used_at`,
				id, string(h), encode(vectors[h]), today()); err != nil {
				return err
			}
			if err := c.run(ctx, "DELETE FROM failed_texts WHERE space = ? AND hash = ?", id, string(h)); err != nil {
				return err
			}
		}
		if table.space == 0 && s.vectorsBroken.Load() == nil {
			serving, of, err := servingSpace(ctx, c)
			if err != nil {
				return err
			}
			return table.serve(ctx, c, serving, of.Dimensions)
		}
		if table.space != id {
			return nil
		}
		for _, h := range sortedKeys(vectors) {
			if err := table.replace(ctx, c, string(h), vectors[h]); err != nil {
				return err
			}
		}
		return nil
	})
}

// SearchVector implements [memoir.Store].
func (s *Store) SearchVector(ctx context.Context, space memoir.Space, v []float32, filter memoir.Filter, limit int) (matches []memoir.Match, err error) {
	if err := vector.Check(v, space.Dimensions); err != nil {
		return nil, fmt.Errorf("search vectors: %w: %w", memoir.ErrInvalid, err)
	}
	q, ok := vector.NewQuery(v)
	if !ok || limit <= 0 {
		return nil, ctx.Err()
	}
	search := func(c *conn) error {
		sc, err := newScope(ctx, c, filter)
		if err != nil {
			return err
		}
		id, err := spaceID(ctx, c, space)
		if err != nil || id == 0 {
			return err
		}
		near, err := s.nearest(ctx, nearestSearch{conn: c, space: id, query: q, scope: sc, limit: limit}, v)
		if err != nil {
			return err
		}
		ids, scores := make([]int64, len(near)), make([]float64, len(near))
		for i, n := range near {
			ids[i], scores[i] = n.chunk, n.cosine
		}
		matches, err = matched(ctx, c, ids, scores)
		return err
	}
	err = s.read(ctx, "search vectors", search)
	if errors.Is(err, errPanic) && s.vectorsBroken.Load() == nil {
		s.breakVectors(err)
		err = s.read(ctx, "search vectors", search)
	}
	return matches, err
}

// nearest asks chunks_vec where that can answer, else all vectors themselves.
func (s *Store) nearest(ctx context.Context, search nearestSearch, v []float32) ([]neighbour, error) {
	few, err := search.few(ctx)
	if err != nil {
		return nil, err
	}
	if !few && search.limit <= maxNeighbours && s.vectorsBroken.Load() == nil {
		near, ok, err := search.byTable(ctx, v)
		if ok {
			return near, nil
		}
		if err != nil && !structural(ctx, err) {
			return nil, err
		}
		if err != nil {
			s.breakVectors(err)
		}
	}
	return search.exact(ctx)
}

// order sorts neighbours, best first, ties by chunk id, and cuts at the limit.
func order(near []neighbour, limit int) []neighbour {
	slices.SortFunc(near, func(a, b neighbour) int {
		if a.cosine != b.cosine {
			return cmp.Compare(b.cosine, a.cosine)
		}
		return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.chunk, b.chunk))
	})
	return near[:min(len(near), limit)]
}
