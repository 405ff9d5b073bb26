package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
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
	return s.write(ctx, doing, func(c *conn) error {
		for i := range docs {
			if err := putDocument(ctx, c, &docs[i]); err != nil {
				return fmt.Errorf("%s: %w", docs[i].ID, err)
			}
		}
		return nil
	})
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

func putDocument(ctx context.Context, c *conn, doc *memoir.IndexedDocument) error {
	if err := remove(ctx, c, doc.ID); err != nil {
		return err
	}
	facts := make([]byte, 0, len(doc.Chunks)*factSize)
	texts := make([]int64, len(doc.Chunks))
	for i := range doc.Chunks {
		chunk := &doc.Chunks[i]
		if chunk.EmbedHash != "" {
			var err error
			if texts[i], err = putText(ctx, c, chunk.EmbedHash); err != nil {
				return err
			}
		}
		facts = appendFacts(facts, chunk, texts[i])
	}
	file, err := putFile(ctx, c, doc, facts)
	if err != nil {
		return err
	}
	if err := insertNames(ctx, c, file, doc.Names); err != nil {
		return err
	}
	for i := range doc.Chunks {
		if err := insertChunk(ctx, c, chunkID(file, i), texts[i], &doc.Chunks[i]); err != nil {
			return err
		}
	}
	return nil
}

// thisWrite is the generation that the index has once a write is done.
const thisWrite = "(SELECT value + 1 FROM meta WHERE key = 'generation')"

func putFile(ctx context.Context, c *conn, doc *memoir.IndexedDocument, facts []byte) (file int64, err error) {
	terms := 0
	for _, chunk := range doc.Chunks {
		terms += len(chunk.Terms[memoir.FieldBody])
	}
	err = c.one(ctx, `INSERT INTO files (path, kind, size, modified, hash, recipe, title, date, importance, reinforced, accessed, chunks, terms, changed, facts)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, `+thisWrite+`, ?)
		ON CONFLICT (path) DO UPDATE SET kind = excluded.kind, size = excluded.size, modified = excluded.modified, hash = excluded.hash,
			recipe = excluded.recipe, title = excluded.title, date = excluded.date, importance = excluded.importance,
			reinforced = excluded.reinforced, accessed = excluded.accessed, chunks = excluded.chunks, terms = excluded.terms,
			changed = excluded.changed, facts = excluded.facts
		RETURNING id`,
		[]any{string(doc.ID), string(doc.Kind), doc.Size, formatTime(doc.ModTime), string(doc.Hash), doc.Recipe, doc.Title, doc.Date,
			doc.Salience.Importance, doc.Salience.Reinforced, doc.Salience.Accessed, len(doc.Chunks), terms, facts}, &file)
	return file, err
}

func insertChunk(ctx context.Context, c *conn, id, text int64, chunk *memoir.IndexedChunk) error {
	heading := []byte("[]")
	if len(chunk.Heading) > 0 {
		var err error
		if heading, err = json.Marshal(chunk.Heading); err != nil {
			return err
		}
	}
	if err := c.run(ctx, "INSERT INTO chunks (id, start_line, end_line, embed_text, heading, text) VALUES (?, ?, ?, nullif(?, 0), ?, ?)",
		id, chunk.StartLine, chunk.EndLine, text, string(heading), chunk.Text); err != nil {
		return err
	}
	t := &chunk.Terms
	return c.run(ctx, "INSERT INTO chunks_fts (rowid, body, title, heading, date) VALUES (?, ?, ?, ?, ?)", id,
		joinTerms(t[memoir.FieldBody]), joinTerms(t[memoir.FieldTitle]), joinTerms(t[memoir.FieldHeading]), joinTerms(t[memoir.FieldDate]))
}

// remove takes the chunks of a document out of all tables and leaves its row
// of files, with which it keeps its id.
func remove(ctx context.Context, c *conn, id memoir.DocID) error {
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
		if err := remove(ctx, c, id); err != nil {
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
