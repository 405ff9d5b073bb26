package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/rank"
	"github.com/memoir-ai/memoir/store/internal/fts5"
)

// contents are what searches know of all documents and chunks without reading
// them, at one generation of the index. They never change.
//
// The chunks are numbered without gaps in the order of their ids: a number is an
// index of the slices by chunk, and the chunks of a document are a range.
type contents struct {
	generation int64
	files      []fileFacts          // by id
	byPath     map[memoir.DocID]int // index of files
	lengths    []uint32             // by chunk: terms in the body, and the bits isCode and byAssistant
	digests    []uint64             // by chunk
	code       int                  // chunks that are source code
	texts      []int64              // by chunk: texts.id, 0 without

	collecting sync.Once
	collected  *rank.Collection // what ranking by words needs, once it was needed
	opened     atomic.Pointer[fts5.Index]
	common     sync.Map // of string: light terms that too many chunks hold, as far as it was seen

	inverting sync.Once
	byText    *textChunks // what the search by vectors needs, once it was needed
}

// fileFacts are what is known of a document.
type fileFacts struct {
	id            int64
	path          memoir.DocID
	kind          memoir.Kind
	date          string
	salience      memoir.Salience
	first, chunks int // the range of its chunks
}

const (
	factSize    = 20
	isCode      = 1 << 31
	byAssistant = 1 << 30
)

// appendFacts writes what the contents have to know of a chunk.
func appendFacts(b []byte, c *memoir.IndexedChunk, text int64) []byte {
	n := uint32(len(c.Terms[memoir.FieldBody]))
	if c.Code {
		n |= isCode
	}
	if c.Assistant {
		n |= byAssistant
	}
	b = binary.LittleEndian.AppendUint32(b, n)
	b = binary.LittleEndian.AppendUint64(b, c.Digest)
	return binary.LittleEndian.AppendUint64(b, uint64(text))
}

// counted returns how many terms facts count, in all chunks.
func counted(facts []byte) (terms int) {
	for ; len(facts) > 0; facts = facts[factSize:] {
		terms += int(binary.LittleEndian.Uint32(facts) &^ (isCode | byAssistant))
	}
	return terms
}

// contents returns the contents of the state that the connection sees. Of the
// documents only those are read that changed since the last one was made.
func (s *Store) contents(ctx context.Context, c *conn) (*contents, error) {
	generation, err := c.generation(ctx)
	if err != nil {
		return nil, err
	}
	last := s.current.Load()
	switch {
	case last == nil:
		last = &contents{generation: -1}
	case last.generation == generation:
		return last, nil
	case last.generation > generation:
		last = &contents{generation: -1} // cleared, or an older state than another search sees
	}
	next, err := last.next(ctx, c, generation)
	if err == nil {
		s.current.Store(next)
	}
	return next, err
}

// next returns the contents at a later generation.
func (k *contents) next(ctx context.Context, c *conn, generation int64) (*contents, error) {
	documents, chunks, err := readTotals(ctx, c)
	if err != nil {
		return nil, err
	}
	changed := map[int64]changedFile{}
	err = c.each(ctx, "SELECT id, path, kind, date, importance, reinforced, accessed, chunks, terms, facts FROM files WHERE changed > ?", []any{k.generation},
		func(scan func(...any) error) error {
			var f changedFile
			var facts sql.RawBytes
			var terms int
			if err := scan(&f.id, &f.path, &f.kind, &f.date, &f.salience.Importance, &f.salience.Reinforced, &f.salience.Accessed, &f.chunks, &terms, &facts); err != nil {
				return err
			}
			if len(facts) != f.chunks*factSize {
				return fmt.Errorf("%w: %d bytes say what is known of the %d passages of %s", memoir.ErrCorrupt, len(facts), f.chunks, f.path)
			}
			if counted(facts) != terms {
				return fmt.Errorf("%w: the passages of %s are not as long as it is", memoir.ErrCorrupt, f.path)
			}
			f.facts = slices.Clone(facts)
			changed[f.id] = f
			return nil
		})
	if err != nil {
		return nil, err
	}
	ids, err := k.ids(ctx, c, changed, documents)
	if err != nil {
		return nil, err
	}
	out := &contents{
		generation: generation,
		files:      make([]fileFacts, 0, len(ids)), byPath: make(map[memoir.DocID]int, len(ids)),
		lengths: make([]uint32, 0, chunks), digests: make([]uint64, 0, chunks), texts: make([]int64, 0, chunks),
	}
	for _, id := range ids {
		if f, ok := changed[id]; ok {
			out.add(f.fileFacts, f.facts)
		} else if i, ok := k.file(id); ok {
			out.keep(k, k.files[i])
		} else {
			return nil, fmt.Errorf("%w: document %d is not known to have changed", memoir.ErrCorrupt, id)
		}
	}
	for _, n := range out.lengths {
		out.code += int(n >> 31)
	}
	if len(out.files) != documents || len(out.lengths) != chunks {
		return nil, fmt.Errorf("%w: %d documents with %d passages are counted, and %d with %d found",
			memoir.ErrCorrupt, documents, chunks, len(out.files), len(out.lengths))
	}
	return out, nil
}

// changedFile is a row of files as it is now.
type changedFile struct {
	fileFacts
	facts []byte
}

// ids returns the ids of all documents, ascending. They are read when some are
// gone, or all are new.
func (k *contents) ids(ctx context.Context, c *conn, changed map[int64]changedFile, documents int) ([]int64, error) {
	ids := make([]int64, 0, documents)
	for _, f := range k.files {
		if _, ok := changed[f.id]; !ok {
			ids = append(ids, f.id)
		}
	}
	for id := range changed {
		ids = append(ids, id)
	}
	if len(ids) == documents {
		slices.Sort(ids)
		return ids, nil
	}
	ids = ids[:0]
	err := c.each(ctx, "SELECT id FROM files ORDER BY id", nil, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// add appends a document with what its row says of its chunks.
func (k *contents) add(f fileFacts, facts []byte) {
	f.first = len(k.lengths)
	for ; len(facts) > 0; facts = facts[factSize:] {
		k.lengths = append(k.lengths, binary.LittleEndian.Uint32(facts))
		k.digests = append(k.digests, binary.LittleEndian.Uint64(facts[4:]))
		k.texts = append(k.texts, int64(binary.LittleEndian.Uint64(facts[12:])))
	}
	k.byPath[f.path] = len(k.files)
	k.files = append(k.files, f)
}

// keep appends a document that other contents know.
func (k *contents) keep(from *contents, f fileFacts) {
	a, b := f.first, f.first+f.chunks
	f.first = len(k.lengths)
	k.lengths = append(k.lengths, from.lengths[a:b]...)
	k.digests = append(k.digests, from.digests[a:b]...)
	k.texts = append(k.texts, from.texts[a:b]...)
	k.byPath[f.path] = len(k.files)
	k.files = append(k.files, f)
}

// Code implements [memoir.View].
func (v *view) Code(ctx context.Context) (int, error) {
	k, err := v.contents(ctx)
	if err != nil {
		return 0, err
	}
	return k.code, nil
}

// file returns the index of a document in files.
func (k *contents) file(id int64) (i int, ok bool) {
	return slices.BinarySearchFunc(k.files, id, func(f fileFacts, id int64) int { return int(min(max(f.id-id, -1), 1)) })
}

// number returns the number of a chunk.
func (k *contents) number(chunk int64) (n int, ok bool) {
	i, ok := k.file(fileOf(chunk))
	ordinal := int(chunk % maxChunks)
	if !ok || ordinal >= k.files[i].chunks {
		return 0, false
	}
	return k.files[i].first + ordinal, true
}

// numberOf returns the number of a chunk as the outside calls it.
func (k *contents) numberOf(id memoir.ChunkID) (n int, ok bool) {
	i, ok := k.byPath[id.Doc]
	if !ok || id.Ordinal < 0 || id.Ordinal >= k.files[i].chunks {
		return 0, false
	}
	return k.files[i].first + id.Ordinal, true
}

// fileAt returns the index in files of the document that a chunk is of.
func (k *contents) fileAt(number int) int {
	return sort.Search(len(k.files), func(i int) bool { return k.files[i].first > number }) - 1
}

// chunk returns the id of a chunk by its number.
func (k *contents) chunk(number int) int64 {
	f := k.files[k.fileAt(number)]
	return chunkID(f.id, number-f.first)
}

// passage returns what is known of a chunk.
func (k *contents) passage(number int) memoir.ChunkMeta {
	f := k.files[k.fileAt(number)]
	return memoir.ChunkMeta{
		ChunkID: memoir.ChunkID{Doc: f.path, Ordinal: number - f.first},
		Kind:    f.kind, Date: f.date, Salience: f.salience,
		Code: k.lengths[number]&isCode != 0, Assistant: k.lengths[number]&byAssistant != 0, Digest: k.digests[number],
	}
}

// compare orders chunks by their ids as the outside calls them.
func (k *contents) compare(a, b int) int {
	return k.passage(a).Compare(k.passage(b).ChunkID)
}

// before reports whether one chunk stands before another in that order.
func (k *contents) before(a, b int) bool { return k.compare(a, b) < 0 }

// collection returns what ranking by words needs; positions are the numbers.
func (k *contents) collection(model rank.BM25) *rank.Collection {
	k.collecting.Do(func() {
		chunks, lengths := make([]int32, len(k.files)), make([]int32, len(k.lengths))
		for i, f := range k.files {
			chunks[i] = int32(f.chunks)
		}
		for n, length := range k.lengths {
			lengths[n] = int32(length &^ (isCode | byAssistant))
		}
		k.collected = model.Collect(chunks, lengths)
	})
	return k.collected
}

// locate gives the postings of a term by the numbers of the chunks, in the
// memory of out.
func (k *contents) locate(out []rank.Posting, rows []fts5.Posting) ([]rank.Posting, error) {
	out = slices.Grow(out[:0], len(rows))[:len(rows)]
	at, first, last := 0, int64(0), int64(-1) // the document of the row before, and the ids of its chunks
	offset := int64(0)                        // from an id to the number
	for i, p := range rows {
		if p.Row < first || p.Row > last {
			var ok bool
			if at, ok = k.fileNear(at, fileOf(p.Row)); ok {
				f := &k.files[at]
				first, last = chunkID(f.id, 0), chunkID(f.id, f.chunks)-1
				offset = int64(f.first) - first
			}
			if !ok || p.Row < first || p.Row > last {
				return out, fmt.Errorf("%w: the word index holds chunk %d, which is of no document", memoir.ErrCorrupt, p.Row)
			}
		}
		out[i] = rank.Posting{Chunk: int32(p.Row + offset), Count: float32(p.Count)}
	}
	return out, nil
}

// fileNear is [contents.file] where another document's index is known. Ids have
// few gaps, so that the distance of two is mostly that of their indexes.
func (k *contents) fileNear(at int, id int64) (i int, ok bool) {
	if at < len(k.files) {
		if guess := int64(at) + id - k.files[at].id; guess >= 0 && guess < int64(len(k.files)) && k.files[guess].id == id {
			return int(guess), true
		}
	}
	return k.file(id)
}

// readTotals returns how many documents and chunks there are.
func readTotals(ctx context.Context, c *conn) (documents, chunks int, err error) {
	err = c.one(ctx, "SELECT (SELECT value FROM meta WHERE key = 'documents'), (SELECT value FROM meta WHERE key = 'chunks')", nil, &documents, &chunks)
	return documents, chunks, err
}
