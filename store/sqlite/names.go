package sqlite

import (
	"context"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/order"
)

// Resolve implements [memoir.View]. When the names themselves are broken the
// error wraps [memoir.ErrUnavailable]; what is not found through links can
// still be found.
func (v *view) Resolve(ctx context.Context, names []string, limit int) (map[string][]memoir.LinkedDocument, error) {
	found := map[string][]memoir.LinkedDocument{}
	if len(names) == 0 || limit <= 0 {
		return found, ctx.Err()
	}
	unique := slices.Clone(names)
	slices.Sort(unique)
	unique = slices.Compact(unique)
	// A name that thousands of documents bear costs no more than limit.
	err := v.conn.each(ctx, `SELECT j.key, f.path, f.chunks FROM json_each(?1) j CROSS JOIN files f
			ON f.id IN (SELECT file FROM names WHERE name = j.value LIMIT ?2)`,
		[]any{jsonArray(unique), limit}, func(scan func(...any) error) error {
			var i int
			var d memoir.LinkedDocument
			if err := scan(&i, &d.ID, &d.Chunks); err != nil {
				return err
			}
			found[unique[i]] = append(found[unique[i]], d)
			return nil
		})
	for _, list := range found {
		order.By(list, func(a, b memoir.LinkedDocument) int { return strings.Compare(string(a.ID), string(b.ID)) })
	}
	return found, v.broken(ctx, "the table of names", err)
}

func insertNames(ctx context.Context, c *conn, file int64, names []string) error {
	for _, name := range names {
		if err := c.run(ctx, "INSERT INTO names (name, file) VALUES (?, ?) ON CONFLICT DO NOTHING", name, file); err != nil {
			return err
		}
	}
	return nil
}
