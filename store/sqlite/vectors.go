package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

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

// putSpace returns the key of a space, and adds the space if need be. The first
// space that has vectors serves.
func putSpace(ctx context.Context, c *conn, space memoir.Space, vectors bool) (id int64, err error) {
	err = c.one(ctx, `INSERT INTO spaces (key, provider, model, version, dimensions, serving, pending)
		VALUES (?, ?, ?, ?, ?, ? AND NOT EXISTS (SELECT 1 FROM spaces WHERE serving = 1), (SELECT value FROM meta WHERE key = 'texts'))
		ON CONFLICT (key) DO UPDATE SET provider = excluded.provider, model = excluded.model, version = excluded.version,
			serving = max(serving, excluded.serving)
		RETURNING id`,
		[]any{space.Key(), space.Provider, space.Model, space.Version, space.Dimensions, vectors}, &id)
	return id, err
}

// hashKey returns a hash in the form that the table texts has.
func hashKey(h memoir.Hash) ([]byte, error) {
	key, err := hex.DecodeString(string(h))
	if err != nil || len(key) != sha256.Size {
		return nil, fmt.Errorf("%q is not a hash: %w", h, memoir.ErrInvalid)
	}
	return key, nil
}

// putText returns the id of a text, and whether the text is new. New texts get
// higher ids than all others.
func putText(ctx context.Context, c *conn, h memoir.Hash) (id int64, fresh bool, err error) {
	key, err := hashKey(h)
	if err != nil {
		return 0, false, err
	}
	result, err := c.exec(ctx, "INSERT INTO texts (hash, used_at) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING", key, today())
	if err != nil {
		return 0, false, err
	}
	if n, err := result.RowsAffected(); err != nil || n == 1 {
		id, _ = result.LastInsertId()
		return id, true, err
	}
	err = c.one(ctx, "SELECT id FROM texts WHERE hash = ?", []any{key}, &id)
	return id, false, err
}

// used records that the texts of a document, which is about to lose them, were
// in use until now.
func used(ctx context.Context, c *conn, file int64) error {
	return c.run(ctx, `UPDATE texts SET used_at = ?1 WHERE used_at < ?1 AND id IN (
		SELECT text FROM uses WHERE chunk BETWEEN ?2 AND ?3)`, today(), chunkID(file, 0), chunkID(file, maxChunks-1))
}

// today is the current day as used_at stores it. It is exact to the day, so
// that a text in use is written once a day and not at every change.
func today() int64 { return time.Now().UTC().Truncate(24 * time.Hour).Unix() }

// PutVectors implements [memoir.Store].
func (s *Store) PutVectors(ctx context.Context, space memoir.Space, vectors map[memoir.Hash][]float32, failed []memoir.FailedText) error {
	if space == (memoir.Space{}) && len(failed) > 0 {
		return fmt.Errorf("note failed texts of no space: %w", memoir.ErrInvalid)
	}
	for h, v := range vectors {
		if err := vector.Check(v, space.Dimensions); err != nil {
			return fmt.Errorf("put the vector of %s: %w: %w", h, memoir.ErrInvalid, err)
		}
	}
	if len(vectors)+len(failed) == 0 {
		return ctx.Err()
	}
	if len(vectors) > 0 {
		defer s.rows.stale.Store(true)
	}
	return s.write(ctx, "put vectors", func(c *conn) error { return putVectors(ctx, c, space, vectors, failed) })
}

func putVectors(ctx context.Context, c *conn, space memoir.Space, vectors map[memoir.Hash][]float32, failed []memoir.FailedText) error {
	id, err := putSpace(ctx, c, space, len(vectors) > 0)
	if err != nil {
		return err
	}
	hashes := sortedKeys(vectors)
	texts := make([]int64, 0, len(hashes)+len(failed))
	add := func(h memoir.Hash) error {
		text, _, err := putText(ctx, c, h)
		texts = append(texts, text)
		return err
	}
	for _, h := range hashes {
		if err := add(h); err != nil {
			return err
		}
	}
	for _, f := range failed {
		if err := add(f.Hash); err != nil {
			return err
		}
	}
	counts, err := newTally(ctx, c, slices.Clone(texts), 0)
	if err != nil {
		return err
	}
	if err := putFailures(ctx, c, id, texts[len(hashes):], failed); err != nil {
		return err
	}
	for i, h := range hashes { // after the failures, because a text with a vector has not failed
		if err := putVector(ctx, c, id, texts[i], vectors[h]); err != nil {
			return err
		}
	}
	return counts.done(ctx, c)
}

func putVector(ctx context.Context, c *conn, space, text int64, vector []float32) error {
	if err := c.run(ctx, "UPDATE texts SET used_at = ?1 WHERE id = ?2 AND used_at < ?1", today(), text); err != nil {
		return err
	}
	// A vector that replaces another gets a new id, too.
	if err := c.run(ctx, "INSERT OR REPLACE INTO vectors (space, text, vector) VALUES (?, ?, ?)", space, text, encode(vector)); err != nil {
		return err
	}
	return c.run(ctx, "DELETE FROM failed_texts WHERE space = ? AND text = ?", space, text)
}

// SearchVector implements [memoir.View]. When the vectors themselves are broken
// the error wraps [memoir.ErrUnavailable]; words can still answer.
func (v *view) SearchVector(ctx context.Context, space memoir.Space, query []float32, filter memoir.Filter, limit int) ([]memoir.Match, error) {
	if err := vector.Check(query, space.Dimensions); err != nil {
		return nil, fmt.Errorf("search vectors: %w: %w", memoir.ErrInvalid, err)
	}
	q, ok := vector.NewQuery(query)
	if !ok || limit <= 0 {
		return nil, ctx.Err()
	}
	k, in, err := v.scope(ctx, filter)
	if err != nil {
		return nil, err
	}
	id, err := spaceID(ctx, v.conn, space)
	if err != nil || id == 0 {
		return nil, v.broken(ctx, "the table of spaces", err)
	}
	search := nearSearch{view: v, contents: k, space: space, id: id, query: q, vector: query, limit: limit}
	near, err := search.run(ctx, in)
	if err != nil {
		return nil, v.broken(ctx, "the table of vectors", err)
	}
	near = near[:min(len(near), limit)]
	numbers, scores := make([]int, len(near)), make([]float64, len(near))
	for i, n := range near {
		numbers[i], scores[i] = n.number, n.cosine
	}
	return k.matches(numbers, scores), nil
}

// encode writes a vector in the format of sqlite-vec: float32, little endian.
func encode(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// decode appends to v the vector that encode wrote.
func decode(v []float32, b []byte) []float32 {
	v = slices.Grow(v, len(b)/4)
	at := v[len(v) : len(v)+len(b)/4]
	for i := range at {
		at[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v[:len(v)+len(at)]
}
