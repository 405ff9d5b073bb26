package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/order"
)

// incoming is a document on its way into the tables.
type incoming struct {
	*memoir.IndexedDocument
	file   int64     // files.id; 0 while it has none
	chunks int       // of the document that it replaces
	texts  [][]int64 // texts.id that each chunk uses
	labels []int64   // labels.id of each chunk; 0: it has no labels
}

// put replaces documents. FTS5 collects rows in memory. It writes a segment of
// its index when a row does not follow the one before, or when another table is
// written to by a statement that SQLite may have to undo. So put finishes one
// table for all documents before the next, in the order of the documents' ids.
func put(ctx context.Context, c *conn, docs []memoir.IndexedDocument) error {
	if len(docs) == 0 {
		return nil
	}
	list, err := known(ctx, c, docs)
	if err != nil {
		return err
	}
	counts, err := putTexts(ctx, c, list)
	if err != nil {
		return err
	}
	if err := putLabels(ctx, c, list); err != nil {
		return err
	}
	if err := emptyOld(ctx, c, list); err != nil {
		return err
	}
	for _, step := range []func(context.Context, *conn, *incoming) error{putRows, putTerms} {
		for i := range list {
			if err := step(ctx, c, &list[i]); err != nil {
				return fmt.Errorf("%s: %w", list[i].ID, err)
			}
		}
	}
	return counts.done(ctx, c)
}

// known looks the documents up and orders them. When there are few, it also
// merges a little of the word index.
func known(ctx context.Context, c *conn, docs []memoir.IndexedDocument) ([]incoming, error) {
	list := make([]incoming, len(docs))
	chunks := 0
	for i := range docs {
		d := &list[i]
		d.IndexedDocument = &docs[i]
		chunks += len(d.Chunks)
		var err error
		if d.file, d.chunks, err = findFile(ctx, c, d.ID); err != nil {
			return nil, fmt.Errorf("%s: %w", d.ID, err)
		}
	}
	order.Stable(list, func(a, b incoming) int { return cmp.Compare(uint64(a.file-1), uint64(b.file-1)) }) // new ones last
	if chunks <= smallPut {
		return list, mergeSome(ctx, c)
	}
	return list, nil
}

// putTexts finds the ids of all texts. It returns a tally of the texts that the
// documents have now and had before.
func putTexts(ctx context.Context, c *conn, list []incoming) (tally, error) {
	var before []int64 // what the write changes, apart from new texts
	var firstFresh int64
	fresh := 0
	for i := range list {
		d := &list[i]
		d.texts = make([][]int64, len(d.Chunks))
		for j, chunk := range d.Chunks {
			for _, hash := range chunk.EmbedHashes {
				id, isNew, err := putText(ctx, c, hash)
				switch {
				case err != nil:
					return tally{}, fmt.Errorf("%s: %w", d.ID, err)
				case isNew && fresh == 0:
					firstFresh, fresh = id, 1
				case isNew:
					fresh++
				case fresh == 0 || id < firstFresh: // otherwise the text is new, and an earlier chunk has it too
					before = append(before, id)
				}
				d.texts[j] = append(d.texts[j], id)
			}
		}
		if d.file == 0 {
			continue
		}
		var err error
		if before, err = textsOf(ctx, c, before, d.file); err != nil {
			return tally{}, fmt.Errorf("%s: %w", d.ID, err)
		}
	}
	return newTally(ctx, c, before, fresh)
}

// emptyOld removes what the documents had before.
func emptyOld(ctx context.Context, c *conn, list []incoming) error {
	var old []emptied
	for i := range list {
		if list[i].file != 0 {
			old = append(old, emptied{list[i].file, list[i].chunks})
		}
	}
	return empty(ctx, c, old)
}

// putRows fills all tables but the word index.
func putRows(ctx context.Context, c *conn, d *incoming) error {
	facts := make([]byte, 0, len(d.Chunks)*factSize)
	var more []byte
	for i := range d.Chunks {
		facts = appendFacts(facts, &d.Chunks[i], d.labels[i], d.texts[i])
		if len(d.texts[i]) > 1 {
			for _, text := range d.texts[i][1:] {
				more = appendMore(more, i, text)
			}
		}
	}
	facts = append(facts, more...)
	var err error
	if d.file, err = putFile(ctx, c, d.IndexedDocument, facts); err != nil {
		return err
	}
	if err := insertNames(ctx, c, d.file, d.Names); err != nil {
		return err
	}
	for i := range d.Chunks {
		if err := insertChunk(ctx, c, chunkID(d.file, i), d.labels[i], d.texts[i], &d.Chunks[i]); err != nil {
			return err
		}
	}
	return nil
}

// thisWrite is the generation of the index after the write.
const thisWrite = "(SELECT value + 1 FROM meta WHERE key = 'generation')"

func putFile(ctx context.Context, c *conn, doc *memoir.IndexedDocument, facts []byte) (file int64, err error) {
	terms := 0
	for i := range doc.Chunks {
		terms += len(doc.Chunks[i].Terms[memoir.FieldBody])
	}
	err = c.one(ctx, `INSERT INTO files (path, kind, size, modified, stamp, hash, recipe, title, date, importance, reinforced, accessed, chunks, terms, changed, facts)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, `+thisWrite+`, ?)
		ON CONFLICT (path) DO UPDATE SET kind = excluded.kind, size = excluded.size, modified = excluded.modified, stamp = excluded.stamp, hash = excluded.hash,
			recipe = excluded.recipe, title = excluded.title, date = excluded.date, importance = excluded.importance,
			reinforced = excluded.reinforced, accessed = excluded.accessed, chunks = excluded.chunks, terms = excluded.terms,
			changed = excluded.changed, facts = excluded.facts
		RETURNING id`,
		[]any{string(doc.ID), string(doc.Kind), doc.Size, formatTime(doc.ModTime), int64(doc.Stamp), string(doc.Hash), doc.Recipe, doc.Title, doc.Date,
			doc.Salience.Importance, doc.Salience.Reinforced, doc.Salience.Accessed, len(doc.Chunks), terms, facts}, &file)
	return file, err
}

func insertChunk(ctx context.Context, c *conn, id, labels int64, texts []int64, chunk *memoir.IndexedChunk) error {
	heading := "[]"
	if len(chunk.Heading) > 0 {
		b, err := json.Marshal(chunk.Heading)
		if err != nil {
			return err
		}
		heading = string(b)
	}
	for _, text := range texts {
		if err := c.run(ctx, "INSERT INTO uses (text, chunk) VALUES (?, ?)", text, id); err != nil {
			return err
		}
	}
	return c.run(ctx, "INSERT INTO chunks (id, start_line, end_line, labels, heading, text) VALUES (?, ?, ?, nullif(?, 0), ?, ?)",
		id, chunk.StartLine, chunk.EndLine, labels, heading, chunk.Text)
}

// putTerms fills the word index. Mostly a chunk has the same title, heading and
// day as the one before.
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
