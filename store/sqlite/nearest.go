package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"github.com/memoir-ai/memoir/store/internal/vector"
)

// neighbour is a chunk at its distance from a query.
type neighbour struct {
	number int // in the catalog
	cosine float64
}

// nearest measures every chunk in scope.
func (v *view) nearest(ctx context.Context, k *catalog, space int64, q vector.Query, sc scope) ([]neighbour, error) {
	chunks := map[int64][]int{} // by text
	for _, f := range k.files {
		for n := f.first; n < f.first+f.chunks; n++ {
			if k.texts[n] != 0 && sc.holds(chunkID(f.id, n-f.first)) {
				chunks[k.texts[n]] = append(chunks[k.texts[n]], n)
			}
		}
	}
	query, args := "SELECT text, vector FROM vectors WHERE space = ?", []any{space}
	if len(chunks) < len(k.texts)/2 {
		query = "SELECT v.text, v.vector FROM json_each(?2) j CROSS JOIN vectors v ON v.space = ?1 AND v.text = j.value"
		args = append(args, jsonArray(sortedIDs(chunks)))
	}
	var near []neighbour
	var values []float32
	err := v.conn.each(ctx, query, args, func(scan func(...any) error) error {
		var text int64
		var blob sql.RawBytes
		if err := scan(&text, &blob); err != nil {
			return err
		}
		values = decode(values[:0], blob)
		if cosine, ok := q.Cosine(values); ok {
			for _, n := range chunks[text] {
				near = append(near, neighbour{n, cosine})
			}
		}
		return nil
	})
	return near, err
}

func sortedIDs[V any](set map[int64]V) []int64 {
	ids := make([]int64, 0, len(set))
	for id := range set {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
