package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/memoir-ai/memoir"
)

// scope is a filter in terms of ids.
type scope struct {
	files  map[int64]bool // nil: every document
	chunks map[int64]bool // nil: every chunk of those documents
}

func newScope(ctx context.Context, c *conn, f memoir.Filter) (sc scope, err error) {
	if f.Kinds != nil || f.Prefix != "" {
		if sc.files, err = filesOf(ctx, c, f); err != nil {
			return scope{}, err
		}
	}
	if f.Chunks != nil {
		if sc.chunks, err = chunksOf(ctx, c, f.Chunks); err != nil {
			return scope{}, err
		}
	}
	return sc, nil
}

func (sc scope) holds(chunk int64) bool {
	return (sc.files == nil || sc.files[fileOf(chunk)]) && (sc.chunks == nil || sc.chunks[chunk])
}

func filesOf(ctx context.Context, c *conn, f memoir.Filter) (map[int64]bool, error) {
	var end, kinds any // NULL: no bound
	if e := prefixEnd(f.Prefix); e != "" {
		end = e
	}
	if f.Kinds != nil {
		kinds = jsonArray(f.Kinds)
	}
	files := map[int64]bool{}
	err := c.each(ctx, `SELECT id FROM files
		WHERE path >= ?1 AND (?2 IS NULL OR path < ?2) AND (?3 IS NULL OR kind IN (SELECT value FROM json_each(?3)))`,
		[]any{f.Prefix, end, kinds}, func(scan func(...any) error) error {
			var id int64
			if err := scan(&id); err != nil {
				return err
			}
			files[id] = true
			return nil
		})
	return files, err
}

// prefixEnd returns the smallest string that is greater than all with the
// prefix, byte by byte; "" when there is none.
func prefixEnd(prefix string) string {
	b := []byte(prefix)
	for len(b) > 0 {
		last := len(b) - 1
		if b[last] < 0xff {
			b[last]++
			return string(b)
		}
		b = b[:last]
	}
	return ""
}

func chunksOf(ctx context.Context, c *conn, ids []memoir.ChunkID) (map[int64]bool, error) {
	paths := make([]memoir.DocID, len(ids))
	for i, id := range ids {
		paths[i] = id.Doc
	}
	slices.Sort(paths)
	files := map[memoir.DocID]int64{}
	err := c.each(ctx, "SELECT path, id FROM files WHERE path IN (SELECT value FROM json_each(?))",
		[]any{jsonArray(slices.Compact(paths))}, func(scan func(...any) error) error {
			var path memoir.DocID
			var id int64
			if err := scan(&path, &id); err != nil {
				return err
			}
			files[path] = id
			return nil
		})
	chunks := map[int64]bool{}
	for _, id := range ids {
		if file, ok := files[id.Doc]; ok && id.Ordinal >= 0 && id.Ordinal < maxChunks {
			chunks[chunkID(file, id.Ordinal)] = true
		}
	}
	return chunks, err
}

// jsonArray makes one parameter of many values, for json_each.
func jsonArray[T ~string | ~int64](values []T) string {
	b, err := json.Marshal(values)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return string(b)
}

// loadChunks returns chunks in the order of their ids.
func loadChunks(ctx context.Context, c *conn, ids []int64) ([]memoir.Chunk, error) {
	out := make([]memoir.Chunk, len(ids))
	err := c.each(ctx, `SELECT j.key, f.path, c.ordinal, f.kind, c.start_line, c.end_line, c.title, c.heading, c.date, c.text
		FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value CROSS JOIN files f ON f.id = c.file`,
		[]any{jsonArray(ids)}, func(scan func(...any) error) error {
			var i int
			var chunk memoir.Chunk
			var heading string
			err := scan(&i, &chunk.Doc, &chunk.Ordinal, &chunk.Kind, &chunk.StartLine, &chunk.EndLine, &chunk.Title, &heading, &chunk.Date, &chunk.Text)
			if err == nil && heading != "[]" {
				err = json.Unmarshal([]byte(heading), &chunk.Heading)
			}
			out[i] = chunk
			return err
		})
	for i := range out {
		if err == nil && out[i].Doc == "" {
			err = fmt.Errorf("%w: chunk %d is indexed and lacks its text", memoir.ErrCorrupt, ids[i])
		}
	}
	return out, err
}
