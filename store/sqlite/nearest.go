package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"github.com/memoir-ai/memoir/store/internal/vector"
)

const (
	// maxNeighbours is the most that vec0 returns (SQLITE_VEC_VEC0_K_MAX).
	maxNeighbours = 4096
	// spareNeighbours are asked for beyond the limit, because vec0 computes
	// with 32 bits and cuts ties by chance.
	spareNeighbours = 32
	// blur is more than the error of a distance from vec0.
	blur = 2e-5
)

// neighbour is a chunk at its distance from a query.
type neighbour struct {
	chunk  int64
	path   string
	cosine float64
}

// nearestSearch is one search in one space.
type nearestSearch struct {
	*conn
	space int64
	query vector.Query
	scope scope
	limit int
}

// fewChunks is how small a part of the index is measured faster by itself than
// by a table that reads all vectors: one in so many.
const fewChunks = 5

// few reports whether the scope is so small a part.
func (n nearestSearch) few(ctx context.Context) (bool, error) {
	if n.scope.chunks == nil {
		return false, nil
	}
	var chunks int
	err := n.one(ctx, "SELECT value FROM meta WHERE key = 'chunks'", nil, &chunks)
	return len(n.scope.chunks)*fewChunks < chunks, err
}

// byTable finds the nearest by chunks_vec. It is not ok when the table is of
// another space, or when too many are equally near to tell with it alone.
func (n nearestSearch) byTable(ctx context.Context, v []float32) (near []neighbour, ok bool, err error) {
	if serving, err := n.serving(ctx); err != nil || serving != n.space {
		return nil, false, err
	}
	u, _ := unit(v)
	blob := encode(u)
	for k := min(n.limit+spareNeighbours, maxNeighbours); ; k = min(4*k, maxNeighbours) {
		ids, distances, err := n.table(ctx, blob, k)
		if err != nil {
			return nil, false, err
		}
		if len(ids) < k || distances[k-1] > distances[n.limit-1]+blur {
			near, err := n.measure(ctx, ids)
			return near, err == nil, err
		}
		if k == maxNeighbours {
			return nil, false, nil
		}
	}
}

// table returns k chunks with their distances, nearest first.
func (n nearestSearch) table(ctx context.Context, blob []byte, k int) (ids []int64, distances []float64, err error) {
	query := "SELECT rowid, distance FROM chunks_vec WHERE embedding MATCH ? AND k = ? ORDER BY distance"
	args := []any{blob, k}
	switch {
	case n.scope.chunks != nil:
		query = "SELECT rowid, distance FROM chunks_vec WHERE embedding MATCH ? AND k = ? AND rowid IN (SELECT value FROM json_each(?)) ORDER BY distance"
		args = append(args, jsonArray(n.scope.ids()))
	case n.scope.files != nil:
		query = `SELECT rowid, distance FROM chunks_vec WHERE embedding MATCH ? AND k = ? AND rowid IN (
			SELECT c.id FROM json_each(?) f CROSS JOIN chunks c ON c.id BETWEEN f.value * 1048576 AND f.value * 1048576 + 1048575)
			ORDER BY distance`
		args = append(args, jsonArray(sortedIDs(n.scope.files)))
	}
	err = n.each(ctx, query, args, func(scan func(...any) error) error {
		var id int64
		var distance float64
		err := scan(&id, &distance)
		ids, distances = append(ids, id), append(distances, distance)
		return err
	})
	return ids, distances, err
}

// exact measures every chunk in scope.
func (n nearestSearch) exact(ctx context.Context) ([]neighbour, error) {
	if n.scope.chunks != nil {
		return n.measure(ctx, n.scope.ids())
	}
	return n.collect(ctx, `SELECT c.id, f.path, e.vector FROM embedding_cache e CROSS JOIN chunks c ON c.embed_hash = e.hash
		CROSS JOIN files f ON f.id = c.file WHERE e.space = ?`, n.space)
}

// measure measures the chunks of that id.
func (n nearestSearch) measure(ctx context.Context, ids []int64) ([]neighbour, error) {
	return n.collect(ctx, `SELECT c.id, f.path, e.vector FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value
		CROSS JOIN files f ON f.id = c.file CROSS JOIN embedding_cache e ON e.space = ? AND e.hash = c.embed_hash`, jsonArray(ids), n.space)
}

// collect measures the rows of a query and returns the nearest in order.
func (n nearestSearch) collect(ctx context.Context, query string, args ...any) ([]neighbour, error) {
	var near []neighbour
	var v []float32
	err := n.each(ctx, query, args, func(scan func(...any) error) error {
		var at neighbour
		var blob sql.RawBytes
		if err := scan(&at.chunk, &at.path, &blob); err != nil {
			return err
		}
		v = decode(v[:0], blob)
		var ok bool
		if at.cosine, ok = n.query.Cosine(v); ok && n.scope.holds(at.chunk) {
			near = append(near, at)
		}
		return nil
	})
	return order(near, n.limit), err
}

func sortedIDs(set map[int64]bool) []int64 {
	ids := make([]int64, 0, len(set))
	for id := range set {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
