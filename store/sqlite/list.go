package sqlite

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
)

// dated is a chunk with what lists are ordered by.
type dated struct {
	chunk int64
	date  string
}

// List implements [memoir.Store].
func (s *Store) List(ctx context.Context, filter memoir.Filter, limit int) (chunks []memoir.Chunk, err error) {
	err = s.read(ctx, "list passages", func(c *conn) error {
		if limit <= 0 {
			return nil
		}
		sc, err := newScope(ctx, c, filter)
		if err != nil {
			return err
		}
		latest, err := latestOf(ctx, c, sc, limit)
		if err != nil {
			return err
		}
		ids := make([]int64, len(latest))
		for i, d := range latest {
			ids[i] = d.chunk
		}
		chunks, err = loadChunks(ctx, c, ids)
		return err
	})
	return chunks, err
}

// latestOf returns the first chunks of a scope in the order of a list.
func latestOf(ctx context.Context, c *conn, sc scope, limit int) ([]dated, error) {
	enough := errors.New("enough")
	var latest []dated
	files := map[int64]bool{}
	// By the index of dates alone; those of the last day are ordered after it.
	err := c.each(ctx, "SELECT id, date FROM chunks ORDER BY date DESC", nil, func(scan func(...any) error) error {
		var d dated
		if err := scan(&d.chunk, &d.date); err != nil || !sc.holds(d.chunk) {
			return err
		}
		if len(latest) >= limit && latest[len(latest)-1].date != d.date {
			return enough
		}
		latest = append(latest, d)
		files[fileOf(d.chunk)] = true
		return nil
	})
	if err != nil && !errors.Is(err, enough) {
		return nil, err
	}
	paths := map[int64]string{}
	err = c.each(ctx, "SELECT f.id, f.path FROM json_each(?) j CROSS JOIN files f ON f.id = j.value", []any{jsonArray(sortedIDs(files))},
		func(scan func(...any) error) error {
			var id int64
			var path string
			err := scan(&id, &path)
			paths[id] = path
			return err
		})
	slices.SortFunc(latest, func(a, b dated) int {
		return cmp.Or(strings.Compare(b.date, a.date), strings.Compare(paths[fileOf(a.chunk)], paths[fileOf(b.chunk)]), cmp.Compare(a.chunk, b.chunk))
	})
	return latest[:min(len(latest), limit)], err
}
