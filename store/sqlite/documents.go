package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
)

// maxChunks is how many chunks a document can have: the ids of its chunks are
// its own id times that, plus their positions.
const maxChunks = 1 << 20

// chunkID returns the key of a chunk; fileOf is its inverse.
func chunkID(file int64, ordinal int) int64 { return file*maxChunks + int64(ordinal) }

func fileOf(chunk int64) int64 { return chunk / maxChunks }

// PutDocument implements [memoir.Store].
func (s *Store) PutDocument(ctx context.Context, doc memoir.IndexedDocument, chunks []memoir.IndexedChunk) error {
	meta := doc.DocumentMeta
	doing := "put " + string(meta.ID)
	if len(chunks) > maxChunks {
		return fmt.Errorf("%s: %d chunks are more than %d: %w", doing, len(chunks), maxChunks, memoir.ErrInvalid)
	}
	for i, c := range chunks {
		if want := (memoir.ChunkID{Doc: meta.ID, Ordinal: i}); c.ChunkID != want {
			return fmt.Errorf("%s: chunk %d calls itself %v: %w", doing, i, c.ChunkID, memoir.ErrInvalid)
		}
	}
	return s.writeVectors(ctx, doing, func(ctx context.Context, c *conn, vectors *servingTable) error {
		if err := remove(ctx, c, meta.ID, vectors); err != nil {
			return err
		}
		file, err := insertFile(ctx, c, meta, chunks)
		if err != nil {
			return err
		}
		if err := insertNames(ctx, c, file, doc.Names); err != nil {
			return err
		}
		for _, chunk := range chunks {
			if err := insertChunk(ctx, c, chunkID(file, chunk.Ordinal), file, chunk); err != nil {
				return err
			}
		}
		return vectors.fillDocument(ctx, c, file)
	})
}

func insertFile(ctx context.Context, c *conn, meta memoir.DocumentMeta, chunks []memoir.IndexedChunk) (file int64, err error) {
	var lengths strings.Builder
	terms := 0
	for _, chunk := range chunks {
		n := len(chunk.Terms[memoir.FieldBody])
		terms += n
		lengths.WriteString(strconv.Itoa(n))
		lengths.WriteByte(' ')
	}
	err = c.one(ctx, `INSERT INTO files (path, kind, size, modified, hash, recipe, chunks, terms, lengths) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (path) DO UPDATE SET kind = excluded.kind, size = excluded.size, modified = excluded.modified,
			hash = excluded.hash, recipe = excluded.recipe, chunks = excluded.chunks, terms = excluded.terms, lengths = excluded.lengths
		RETURNING id`,
		[]any{string(meta.ID), string(meta.Kind), meta.Size, formatTime(meta.ModTime), string(meta.Hash), meta.Recipe, len(chunks), terms, lengths.String()}, &file)
	return file, err
}

func insertChunk(ctx context.Context, c *conn, id, file int64, chunk memoir.IndexedChunk) error {
	heading := []byte("[]")
	if len(chunk.Heading) > 0 {
		var err error
		if heading, err = json.Marshal(chunk.Heading); err != nil {
			return err
		}
	}
	if err := c.run(ctx, `INSERT INTO chunks (id, file, ordinal, start_line, end_line, title, heading, date, text, embed_hash, importance, reinforced, accessed)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, file, chunk.Ordinal, chunk.StartLine, chunk.EndLine, chunk.Title, string(heading), chunk.Date, chunk.Text, string(chunk.EmbedHash),
		chunk.Salience.Importance, chunk.Salience.Reinforced, chunk.Salience.Accessed); err != nil {
		return err
	}
	t := chunk.Terms
	return c.run(ctx, "INSERT INTO chunks_fts (rowid, title, heading, date, body) VALUES (?, ?, ?, ?, ?)", id,
		joinTerms(t[memoir.FieldTitle]), joinTerms(t[memoir.FieldHeading]), joinTerms(t[memoir.FieldDate]), joinTerms(t[memoir.FieldBody]))
}

// remove takes the chunks of a document out of all tables and leaves its row
// of files, with which it keeps its id.
func remove(ctx context.Context, c *conn, id memoir.DocID, vectors *servingTable) error {
	var file int64
	var chunks int
	err := c.one(ctx, "SELECT id, chunks FROM files WHERE path = ?", []any{string(id)}, &file, &chunks)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := used(ctx, c, file); err != nil {
		return err
	}
	for i := range chunks {
		if err := c.run(ctx, "DELETE FROM chunks_fts WHERE rowid = ?", chunkID(file, i)); err != nil {
			return err
		}
		if err := vectors.delete(ctx, c, chunkID(file, i)); err != nil {
			return err
		}
	}
	if err := c.run(ctx, "DELETE FROM names WHERE file = ?", file); err != nil {
		return err
	}
	return c.run(ctx, "DELETE FROM chunks WHERE id BETWEEN ? AND ?", chunkID(file, 0), chunkID(file, maxChunks-1))
}

// TouchDocument implements [memoir.Store].
func (s *Store) TouchDocument(ctx context.Context, meta memoir.DocumentMeta) error {
	return s.write(ctx, "touch "+string(meta.ID), func(c *conn) error {
		return c.run(context.WithoutCancel(ctx), "UPDATE files SET kind = ?, size = ?, modified = ?, hash = ?, recipe = ? WHERE path = ?",
			string(meta.Kind), meta.Size, formatTime(meta.ModTime), string(meta.Hash), meta.Recipe, string(meta.ID))
	})
}

// DeleteDocument implements [memoir.Store].
func (s *Store) DeleteDocument(ctx context.Context, id memoir.DocID) error {
	return s.writeVectors(ctx, "delete "+string(id), func(ctx context.Context, c *conn, vectors *servingTable) error {
		if err := remove(ctx, c, id, vectors); err != nil {
			return err
		}
		return c.run(ctx, "DELETE FROM files WHERE path = ?", string(id))
	})
}

// Documents implements [memoir.Store]. It yields the state at its start and
// holds no connection while the caller works.
func (s *Store) Documents(ctx context.Context) iter.Seq2[memoir.DocumentMeta, error] {
	return func(yield func(memoir.DocumentMeta, error) bool) {
		var all []memoir.DocumentMeta
		err := s.read(ctx, "list the documents", func(c *conn) error {
			return c.each(ctx, "SELECT path, kind, size, modified, hash, recipe FROM files ORDER BY path", nil, func(scan func(...any) error) error {
				var m memoir.DocumentMeta
				var modified string
				if err := scan(&m.ID, &m.Kind, &m.Size, &modified, &m.Hash, &m.Recipe); err != nil {
					return err
				}
				m.ModTime = parseTime(modified)
				all = append(all, m)
				return nil
			})
		})
		if err != nil {
			yield(memoir.DocumentMeta{}, err)
			return
		}
		for _, m := range all {
			if !yield(m, nil) {
				return
			}
		}
	}
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// parseTime reads what formatTime wrote. A year beyond 9999 cannot be read
// back and gives the zero time, which makes a sync look at the content.
func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
