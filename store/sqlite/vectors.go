package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
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
// space serves.
func putSpace(ctx context.Context, c *conn, space memoir.Space) (id int64, err error) {
	err = c.one(ctx, `INSERT INTO spaces (key, provider, model, version, dimensions, serving)
		VALUES (?, ?, ?, ?, ?, NOT EXISTS (SELECT 1 FROM spaces WHERE serving = 1))
		ON CONFLICT (key) DO UPDATE SET provider = excluded.provider, model = excluded.model, version = excluded.version,
			serving = max(serving, excluded.serving)
		RETURNING id`,
		[]any{space.Key(), space.Provider, space.Model, space.Version, space.Dimensions}, &id)
	return id, err
}

// PendingTexts implements [memoir.Store]. The order is that of the hashes.
// When nothing is pending any more, the space takes over chunks_vec.
func (s *Store) PendingTexts(ctx context.Context, space memoir.Space, after memoir.Hash, limit int) (texts []memoir.PendingText, err error) {
	if space == (memoir.Space{}) || limit <= 0 {
		return nil, ctx.Err()
	}
	complete := false
	err = s.read(ctx, "list pending texts", func(c *conn) error {
		id, err := spaceID(ctx, c, space)
		if err != nil {
			return err
		}
		if texts, err = pendingTexts(ctx, c, id, after, limit); err != nil || len(texts) > 0 {
			return err
		}
		complete, err = s.takesOver(ctx, c, id, space)
		return err
	})
	if complete {
		err = s.takeOver(ctx, space)
	}
	return texts, err
}

func pendingTexts(ctx context.Context, c *conn, space int64, after memoir.Hash, limit int) (texts []memoir.PendingText, err error) {
	err = c.each(ctx, `SELECT embed_hash, title, heading, text FROM chunks WHERE id IN (
			SELECT min(id) FROM chunks INDEXED BY chunks_by_hash WHERE embed_hash > ?2
			AND NOT EXISTS (SELECT 1 FROM embedding_cache e WHERE e.space = ?1 AND e.hash = embed_hash)
			GROUP BY embed_hash ORDER BY embed_hash LIMIT ?3)
		ORDER BY embed_hash`,
		[]any{space, string(after), limit}, func(scan func(...any) error) error {
			var hash memoir.Hash
			var chunk memoir.Chunk
			var heading string
			if err := scan(&hash, &chunk.Title, &heading, &chunk.Text); err != nil {
				return err
			}
			if err := json.Unmarshal([]byte(heading), &chunk.Heading); err != nil {
				return err
			}
			texts = append(texts, memoir.PendingText{Hash: hash, Text: chunk.EmbedText()})
			return nil
		})
	return texts, err
}

// takesOver reports whether a space has all vectors and another one still
// stands in chunks_vec.
func (s *Store) takesOver(ctx context.Context, c *conn, id int64, space memoir.Space) (bool, error) {
	if id == 0 || s.writer == nil {
		return false, nil
	}
	serving, err := c.serving(ctx)
	if err != nil && !structural(ctx, err) || err == nil && serving == id {
		return false, err
	}
	counted, err := s.count(ctx, c, space)
	return counted.Pending == 0, err
}

// takeOver gives chunks_vec to a space. Where that table cannot be made the
// index goes on without it.
func (s *Store) takeOver(ctx context.Context, space memoir.Space) error {
	err := s.write(ctx, "take a complete model into use", func(c *conn) error {
		id, err := spaceID(ctx, c, space)
		if err != nil {
			return err
		}
		if err := c.run(ctx, "UPDATE spaces SET serving = (id = ?)", id); err != nil {
			return err
		}
		var table servingTable
		return table.serve(ctx, c, id, space.Dimensions)
	})
	var broken *tableError
	if errors.As(err, &broken) && structural(ctx, broken) {
		s.breakVectors(broken)
		return nil
	}
	if err == nil {
		s.vectorsBroken.Store(nil)
	}
	return err
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
		id, err := putSpace(ctx, c, space)
		if err != nil {
			return err
		}
		for _, h := range sortedKeys(vectors) {
			if err := c.run(ctx, `INSERT INTO embedding_cache (space, hash, vector, used_at) VALUES (?, ?, ?, ?)
				ON CONFLICT (space, hash) DO UPDATE SET vector = excluded.vector, used_at = excluded.used_at`,
				id, string(h), encode(vectors[h]), today()); err != nil {
				return err
			}
		}
		if table.space == 0 && s.vectorsBroken.Load() == nil {
			return table.serve(ctx, c, id, space.Dimensions)
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
	if search.scope.chunks == nil && search.limit <= maxNeighbours && s.vectorsBroken.Load() == nil {
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
