package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/order"
)

// maxChunks is how many chunks a document can have. The id of a chunk is the id
// of its document times maxChunks, plus the position of the chunk.
const maxChunks = 1 << 20

// chunkID returns the key of a chunk; fileOf is its inverse.
func chunkID(file int64, ordinal int) int64 { return file*maxChunks + int64(ordinal) }

func fileOf(chunk int64) int64 { return chunk / maxChunks }

// Write implements [memoir.Store].
func (s *Store) Write(ctx context.Context, changes memoir.Changes) error {
	doing := "write documents"
	if len(changes.Put) == 1 {
		doing = "put " + string(changes.Put[0].ID)
	}
	for _, doc := range changes.Put {
		if err := check(doc); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
	}
	if changes.Empty() {
		return ctx.Err()
	}
	return s.write(ctx, doing, func(c *conn) error {
		if err := remove(ctx, c, changes.Delete); err != nil {
			return err
		}
		if err := put(ctx, c, changes.Put); err != nil {
			return err
		}
		return touch(ctx, c, changes.Touch)
	})
}

// check reports why a document cannot be indexed.
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
	err := c.each(ctx, "SELECT text FROM uses WHERE chunk BETWEEN ? AND ?", []any{chunkID(file, 0), chunkID(file, maxChunks-1)},
		func(scan func(...any) error) error {
			var text int64
			err := scan(&text)
			texts = append(texts, text)
			return err
		})
	return texts, err
}

// emptied is a document whose chunks are being removed.
type emptied struct {
	file   int64
	chunks int
}

// empty removes the chunks of documents from all tables. It leaves the rows of
// files, so that the documents keep their ids. It finishes one table before the
// next, because the word index collects its changes until another table is
// written to.
func empty(ctx context.Context, c *conn, list []emptied) error {
	for _, r := range list {
		if err := used(ctx, c, r.file); err != nil {
			return err
		}
	}
	for _, r := range list {
		for i := range r.chunks {
			if err := c.run(ctx, "DELETE FROM chunks_fts WHERE rowid = ?", chunkID(r.file, i)); err != nil {
				return err
			}
		}
	}
	for _, r := range list {
		if err := c.run(ctx, "DELETE FROM names WHERE file = ?", r.file); err != nil {
			return err
		}
		for _, q := range []string{"DELETE FROM uses WHERE chunk BETWEEN ? AND ?", "DELETE FROM chunks WHERE id BETWEEN ? AND ?"} {
			if err := c.run(ctx, q, chunkID(r.file, 0), chunkID(r.file, maxChunks-1)); err != nil {
				return err
			}
		}
	}
	return nil
}

// touch replaces what is known of documents.
func touch(ctx context.Context, c *conn, docs []memoir.DocumentMeta) error {
	for _, meta := range docs {
		if err := c.run(ctx, "UPDATE files SET kind = ?, size = ?, modified = ?, stamp = ?, hash = ?, recipe = ?, changed = "+thisWrite+" WHERE path = ?",
			string(meta.Kind), meta.Size, formatTime(meta.ModTime), int64(meta.Stamp), string(meta.Hash), meta.Recipe, string(meta.ID)); err != nil {
			return fmt.Errorf("%s: %w", meta.ID, err)
		}
	}
	return nil
}

// remove removes documents.
func remove(ctx context.Context, c *conn, ids []memoir.DocID) error {
	var list []emptied
	var texts []int64
	for _, id := range ids {
		file, chunks, err := findFile(ctx, c, id)
		if err == nil && file != 0 {
			list = append(list, emptied{file, chunks})
		}
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
	}
	order.By(list, func(a, b emptied) int { return cmp.Compare(a.file, b.file) })
	list = slices.Compact(list)
	for _, r := range list {
		var err error
		if texts, err = textsOf(ctx, c, texts, r.file); err != nil {
			return err
		}
	}
	counts, err := newTally(ctx, c, texts, 0)
	if err != nil {
		return err
	}
	if err := empty(ctx, c, list); err != nil {
		return err
	}
	for _, r := range list {
		if err := c.run(ctx, "DELETE FROM files WHERE id = ?", r.file); err != nil {
			return err
		}
	}
	return counts.done(ctx, c)
}

// Documents implements [memoir.Store]. It yields the state at its start and
// holds no connection while the caller works. Every search asks for the
// documents, so they are kept in memory until something changes.
func (s *Store) Documents(ctx context.Context) iter.Seq2[memoir.DocumentMeta, error] {
	return func(yield func(memoir.DocumentMeta, error) bool) {
		var k *documentList
		err := s.read(ctx, "list the documents", func(c *conn) (err error) {
			k, err = s.documents(ctx, c)
			return err
		})
		if err != nil {
			yield(memoir.DocumentMeta{}, err)
			return
		}
		for _, i := range k.byPath {
			if !yield(k.files[i].meta, nil) {
				return
			}
		}
	}
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// parseTime reads what formatTime wrote. A year beyond 9999 cannot be read back
// and gives the zero time, so that the next sync looks at the content.
func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
