package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/internal/vector"
)

// servingTable is chunks_vec as one write sees it: the vectors of one space.
type servingTable struct {
	space int64 // 0: there is no table
}

// tableError marks a failure of chunks_vec alone, which the index survives.
type tableError struct{ err error }

func (e *tableError) Error() string { return "chunks_vec: " + e.err.Error() }
func (e *tableError) Unwrap() error { return e.err }

// writeVectors is write for changes that chunks_vec follows. When that table
// is what fails, the change is made without it: the vectors themselves are in
// embedding_cache, and searches read them there.
func (s *Store) writeVectors(ctx context.Context, doing string, f func(context.Context, *conn, *servingTable) error) error {
	attempt := func() error {
		return s.write(ctx, doing, func(c *conn) error {
			// Small statements need no watch over the context; write does that.
			ctx := context.WithoutCancel(ctx)
			table, err := s.servingTable(ctx, c)
			if err != nil {
				return err
			}
			return f(ctx, c, table)
		})
	}
	err := attempt()
	var broken *tableError
	if errors.As(err, &broken) && structural(ctx, broken) {
		s.breakVectors(broken)
		err = attempt()
	}
	return err
}

// servingTable returns the table as it is. One that is broken is given up for
// good, so that no process takes it for complete.
func (s *Store) servingTable(ctx context.Context, c *conn) (*servingTable, error) {
	id, err := c.serving(ctx)
	if structural(ctx, err) {
		s.breakVectors(err)
		err = nil
	}
	if err == nil && s.vectorsBroken.Load() != nil {
		return &servingTable{}, c.run(ctx, "DELETE FROM meta WHERE key = 'serving_space'")
	}
	return &servingTable{id}, err
}

// serving returns the space of chunks_vec, 0 when there is no such table. It
// fails when parts of the table are missing, which vec0 does not survive.
func (c *conn) serving(ctx context.Context) (id int64, err error) {
	var parts int
	err = c.one(ctx, `SELECT coalesce((SELECT value FROM meta WHERE key = 'serving_space'), 0), (SELECT count(*) FROM sqlite_schema
		WHERE name IN ('chunks_vec', 'chunks_vec_info', 'chunks_vec_chunks', 'chunks_vec_rowids', 'chunks_vec_vector_chunks00'))`, nil, &id, &parts)
	if err == nil && id != 0 && parts != 5 {
		err = &tableError{fmt.Errorf("%w: parts of the table are missing", memoir.ErrCorrupt)}
	}
	return id, err
}

// serve makes the table anew for a space and fills it with all its vectors.
func (t *servingTable) serve(ctx context.Context, c *conn, space int64, dimensions int) error {
	t.space = space
	for _, q := range []string{
		"DROP TABLE IF EXISTS chunks_vec",
		fmt.Sprintf("CREATE VIRTUAL TABLE chunks_vec USING vec0 (embedding float[%d] distance_metric=cosine)", dimensions),
	} {
		if _, err := c.ExecContext(ctx, q); err != nil {
			return &tableError{err}
		}
	}
	if err := c.run(ctx, "INSERT INTO meta VALUES ('serving_space', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", space); err != nil {
		return err
	}
	return t.fill(ctx, c, 0, math.MaxInt64)
}

// fillDocument adds the vectors that the chunks of a document have already.
func (t *servingTable) fillDocument(ctx context.Context, c *conn, file int64) error {
	if t.space == 0 {
		return nil
	}
	return t.fill(ctx, c, chunkID(file, 0), chunkID(file, maxChunks-1))
}

// used notes that the vectors of a document, which it is about to lose, were
// in use until now.
func used(ctx context.Context, c *conn, file int64) error {
	return c.run(ctx, `UPDATE embedding_cache SET used_at = ?1 WHERE used_at < ?1 AND (space, hash) IN (
		SELECT s.id, c.embed_hash FROM spaces s CROSS JOIN chunks c ON c.id BETWEEN ?2 AND ?3)`,
		today(), chunkID(file, 0), chunkID(file, maxChunks-1))
}

// fill inserts the vectors of a range of chunks.
func (t *servingTable) fill(ctx context.Context, c *conn, first, last int64) error {
	// CROSS JOIN keeps the order of the tables, here and elsewhere: the other
	// way round all vectors of the space are read.
	return c.each(ctx, `SELECT c.id, e.vector FROM chunks c CROSS JOIN embedding_cache e ON e.space = ? AND e.hash = c.embed_hash
		WHERE c.id BETWEEN ? AND ? ORDER BY c.id`, []any{t.space, first, last}, func(scan func(...any) error) error {
		var chunk int64
		var blob sql.RawBytes
		if err := scan(&chunk, &blob); err != nil {
			return err
		}
		return t.insert(ctx, c, chunk, decode(nil, blob))
	})
}

// replace puts a text's vector in the place of an older one, for every chunk
// with that text.
func (t *servingTable) replace(ctx context.Context, c *conn, hash string, v []float32) error {
	if t.space == 0 {
		return nil
	}
	var chunks []int64
	if err := c.each(ctx, "SELECT id FROM chunks WHERE embed_hash = ?", []any{hash}, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		chunks = append(chunks, id)
		return err
	}); err != nil {
		return err
	}
	for _, id := range chunks {
		if err := t.delete(ctx, c, id); err != nil {
			return err
		}
		if err := t.insert(ctx, c, id, v); err != nil {
			return err
		}
	}
	return nil
}

func (t *servingTable) insert(ctx context.Context, c *conn, chunk int64, v []float32) error {
	u, ok := unit(v)
	if !ok {
		return nil // a zero vector is near to nothing
	}
	if err := c.run(ctx, "INSERT INTO chunks_vec (rowid, embedding) VALUES (?, ?)", chunk, encode(u)); err != nil {
		return &tableError{err}
	}
	return nil
}

func (t *servingTable) delete(ctx context.Context, c *conn, chunk int64) error {
	if t.space == 0 {
		return nil
	}
	if err := c.run(ctx, "DELETE FROM chunks_vec WHERE rowid = ?", chunk); err != nil {
		return &tableError{err}
	}
	return nil
}

// today is the time that used_at knows: to the day, so that a vector in use
// is written once a day and not at every change.
func today() int64 { return time.Now().UTC().Truncate(24 * time.Hour).Unix() }

// unit scales a vector to length 1, so that sqlite-vec, which computes with
// 32 bits, neither overflows nor takes a short vector for zero. A zero vector
// has no direction: it is not ok.
func unit(v []float32) (u []float32, ok bool) {
	norm := vector.Norm(v)
	if norm == 0 {
		return nil, false
	}
	u = make([]float32, len(v))
	for i, x := range v {
		u[i] = float32(float64(x) / norm)
	}
	return u, true
}

// encode writes a vector as sqlite-vec reads it: float32, little endian.
func encode(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// decode appends to v what encode wrote.
func decode(v []float32, b []byte) []float32 {
	for ; len(b) >= 4; b = b[4:] {
		v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return v
}
