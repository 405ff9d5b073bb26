package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/memoir-ai/memoir"
)

// incoming is a document on its way into the tables.
type incoming struct {
	*memoir.IndexedDocument
	file   int64 // files.id; 0 as long as it has none
	chunks int   // that the document in its place has
	texts  []int64
}

// put replaces documents. FTS5 collects what it is given in memory, and writes
// a segment of its index when a row does not follow on the one before, or
// another table is written to by a statement that SQLite may have to undo. So
// all documents pass through one table after the other, in the order of their ids.
func put(ctx context.Context, c *conn, docs []memoir.IndexedDocument) error {
	list := make([]incoming, len(docs))
	for i := range docs {
		d := &list[i]
		d.IndexedDocument = &docs[i]
		var err error
		if d.file, d.chunks, err = findFile(ctx, c, d.ID); err != nil {
			return fmt.Errorf("%s: %w", d.ID, err)
		}
	}
	chunks := 0
	for i := range docs {
		chunks += len(docs[i].Chunks)
	}
	if chunks <= smallPut {
		if err := mergeSome(ctx, c); err != nil {
			return err
		}
	}
	slices.SortStableFunc(list, func(a, b incoming) int { return cmp.Compare(uint64(a.file-1), uint64(b.file-1)) }) // new ones last
	for _, step := range []func(context.Context, *conn, *incoming) error{removeOld, putRows, putTerms} {
		for i := range list {
			if err := step(ctx, c, &list[i]); err != nil {
				return fmt.Errorf("%s: %w", list[i].ID, err)
			}
		}
	}
	return nil
}

func removeOld(ctx context.Context, c *conn, d *incoming) error {
	if d.file == 0 {
		return nil
	}
	return remove(ctx, c, d.file, d.chunks)
}

// putRows fills all tables but the word index.
func putRows(ctx context.Context, c *conn, d *incoming) error {
	text := putText
	if d.file == 0 {
		text = putNewText
	}
	facts := make([]byte, 0, len(d.Chunks)*factSize)
	d.texts = make([]int64, len(d.Chunks))
	for i := range d.Chunks {
		chunk := &d.Chunks[i]
		if chunk.EmbedHash != "" {
			var err error
			if d.texts[i], err = text(ctx, c, chunk.EmbedHash); err != nil {
				return err
			}
		}
		facts = appendFacts(facts, chunk, d.texts[i])
	}
	var err error
	if d.file, err = putFile(ctx, c, d.IndexedDocument, facts); err != nil {
		return err
	}
	if err := insertNames(ctx, c, d.file, d.Names); err != nil {
		return err
	}
	for i := range d.Chunks {
		if err := insertChunk(ctx, c, chunkID(d.file, i), d.texts[i], &d.Chunks[i]); err != nil {
			return err
		}
	}
	return nil
}

// thisWrite is the generation that the index has once a write is done.
const thisWrite = "(SELECT value + 1 FROM meta WHERE key = 'generation')"

func putFile(ctx context.Context, c *conn, doc *memoir.IndexedDocument, facts []byte) (file int64, err error) {
	terms := 0
	for i := range doc.Chunks {
		terms += len(doc.Chunks[i].Terms[memoir.FieldBody])
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
	heading := "[]"
	if len(chunk.Heading) > 0 {
		b, err := json.Marshal(chunk.Heading)
		if err != nil {
			return err
		}
		heading = string(b)
	}
	return c.run(ctx, "INSERT INTO chunks (id, start_line, end_line, embed_text, heading, text) VALUES (?, ?, ?, nullif(?, 0), ?, ?)",
		id, chunk.StartLine, chunk.EndLine, text, heading, chunk.Text)
}

// putTerms fills the word index. Chunks mostly have the title, heading and day
// of the one before.
func putTerms(ctx context.Context, c *conn, d *incoming) error {
	var last [memoir.NumFields][]string
	var joined [memoir.NumFields]string
	for i := range d.Chunks {
		terms := &d.Chunks[i].Terms
		for f := range terms {
			if !slices.Equal(terms[f], last[f]) {
				last[f], joined[f] = terms[f], joinTerms(terms[f])
			}
		}
		if err := c.run(ctx, "INSERT INTO chunks_fts (rowid, body, title, heading, date) VALUES (?, ?, ?, ?, ?)", chunkID(d.file, i),
			joined[memoir.FieldBody], joined[memoir.FieldTitle], joined[memoir.FieldHeading], joined[memoir.FieldDate]); err != nil {
			return err
		}
	}
	return nil
}
