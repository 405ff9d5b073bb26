package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/memoir-ai/memoir"
)

// maxChunks is how many chunks a document can have: the ids of its chunks are
// its own id times that, plus their positions.
const maxChunks = 1 << 20

// chunkID returns the key of a chunk; fileOf is its inverse.
func chunkID(file int64, ordinal int) int64 { return file*maxChunks + int64(ordinal) }

func fileOf(chunk int64) int64 { return chunk / maxChunks }

// PutDocuments implements [memoir.Store].
func (s *Store) PutDocuments(ctx context.Context, docs []memoir.IndexedDocument) error {
	doing := "put documents"
	if len(docs) == 1 {
		doing = "put " + string(docs[0].ID)
	}
	for _, doc := range docs {
		if err := check(doc); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
	}
	if len(docs) == 0 {
		return ctx.Err()
	}
	return s.write(ctx, doing, func(c *conn) error { return put(ctx, c, docs) })
}

// check reports what makes a document unfit for the index.
func check(doc memoir.IndexedDocument) error {
	if len(doc.Chunks) > maxChunks {
		return fmt.Errorf("%s: %d chunks are more than %d: %w", doc.ID, len(doc.Chunks), maxChunks, memoir.ErrInvalid)
	}
	for i, c := range doc.Chunks {
		if want := (memoir.ChunkID{Doc: doc.ID, Ordinal: i}); c.ChunkID != want {
			return fmt.Errorf("%s: chunk %d calls itself %v: %w", doc.ID, i, c.ChunkID, memoir.ErrInvalid)
		}
	}
	return nil
}

// findFile returns the id of a document and how many chunks it has, 0 and 0
// when it is not indexed.
func findFile(ctx context.Context, c *conn, id memoir.DocID) (file int64, chunks int, err error) {
	err = c.one(ctx, "SELECT id, chunks FROM files WHERE path = ?", []any{string(id)}, &file, &chunks)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, 0, nil
	}
	return file, chunks, err
}

// textsOf appends the texts of a document as it is indexed.
func textsOf(ctx context.Context, c *conn, texts []int64, file int64) ([]int64, error) {
	err := c.each(ctx, "SELECT embed_text FROM chunks WHERE id BETWEEN ? AND ? AND embed_text IS NOT NULL", []any{chunkID(file, 0), chunkID(file, maxChunks-1)},
		func(scan func(...any) error) error {
			var text int64
			err := scan(&text)
			texts = append(texts, text)
			return err
		})
	return texts, err
}

// remove takes the chunks of a document out of all tables and leaves its row
// of files, with which it keeps its id.
func remove(ctx context.Context, c *conn, file int64, chunks int) error {
	if err := used(ctx, c, file); err != nil {
		return err
	}
	for i := range chunks {
		if err := c.run(ctx, "DELETE FROM chunks_fts WHERE rowid = ?", chunkID(file, i)); err != nil {
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
		return c.run(ctx, "UPDATE files SET kind = ?, size = ?, modified = ?, hash = ?, recipe = ?, changed = "+thisWrite+" WHERE path = ?",
			string(meta.Kind), meta.Size, formatTime(meta.ModTime), string(meta.Hash), meta.Recipe, string(meta.ID))
	})
}

// DeleteDocument implements [memoir.Store].
func (s *Store) DeleteDocument(ctx context.Context, id memoir.DocID) error {
	return s.write(ctx, "delete "+string(id), func(c *conn) error {
		file, chunks, err := findFile(ctx, c, id)
		if err != nil || file == 0 {
			return err
		}
		texts, err := textsOf(ctx, c, nil, file)
		if err != nil {
			return err
		}
		counts, err := newTally(ctx, c, texts, 0)
		if err != nil {
			return err
		}
		if err := remove(ctx, c, file, chunks); err != nil {
			return err
		}
		if err := counts.done(ctx, c); err != nil {
			return err
		}
		return c.run(ctx, "DELETE FROM files WHERE id = ?", file)
	})
}

// documents are what is indexed, at one state of the index.
type documents struct {
	generation int64
	all        []memoir.DocumentMeta
}

// Documents implements [memoir.Store]. It yields the state at its start and
// holds no connection while the caller works. As every search asks what is
// indexed, the list is kept until something changes.
func (s *Store) Documents(ctx context.Context) iter.Seq2[memoir.DocumentMeta, error] {
	return func(yield func(memoir.DocumentMeta, error) bool) {
		var list *documents
		err := s.read(ctx, "list the documents", func(c *conn) (err error) {
			list, err = s.documents(ctx, c)
			return err
		})
		if err != nil {
			yield(memoir.DocumentMeta{}, err)
			return
		}
		for i := range list.all {
			if !yield(list.all[i], nil) {
				return
			}
		}
	}
}

func (s *Store) documents(ctx context.Context, c *conn) (*documents, error) {
	generation, err := c.generation(ctx)
	if err != nil {
		return nil, err
	}
	if last := s.listed.Load(); last != nil && last.generation == generation {
		return last, nil
	}
	list := &documents{generation: generation}
	err = c.each(ctx, "SELECT path, kind, size, modified, hash, recipe FROM files ORDER BY path", nil, func(scan func(...any) error) error {
		var m memoir.DocumentMeta
		var modified string
		if err := scan(&m.ID, &m.Kind, &m.Size, &modified, &m.Hash, &m.Recipe); err != nil {
			return err
		}
		m.ModTime = parseTime(modified)
		list.all = append(list.all, m)
		return nil
	})
	if err == nil {
		s.listed.Store(list)
	}
	return list, err
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
