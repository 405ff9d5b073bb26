package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/rank"
	"github.com/memoir-ai/memoir/store/internal/fts5"
)

// contents hold what a search needs to know of all documents and chunks, in
// memory, at one generation of the index. They never change.
//
// The chunks are numbered without gaps in the order of their ids. A chunk's
// number is its index in the slices marked "by chunk". The chunks of a document
// have consecutive numbers.
type contents struct {
	generation int64
	files      []fileFacts // ordered by id
	byPath     []int32     // indexes of files, in the order of the paths
	bodies     []body      // by chunk
	digests    []uint64    // by chunk
	texts      []int64     // by chunk: the first texts.id that it uses, 0 for none
	further    []use       // of the chunks that use several texts, ascending by number
	labels     *labelTable // of the numbers in bodies

	collecting sync.Once
	collected  *rank.Collection                // what ranking by words needs; made on first use
	among      atomic.Pointer[rank.Collection] // the same for the last ranking together with other indexes
	opened     atomic.Pointer[fts5.Index]
	common     sync.Map // of string: light terms found to be in too many chunks

	counting sync.Once
	counted  map[memoir.Label]memoir.LabelCount // made on first use

	inverting sync.Once
	byText    *textChunks // what the search by vectors needs; made on first use
}

// fileFacts are what is known of a document.
type fileFacts struct {
	id            int64
	first, chunks int // the range of its chunks
	*fileRow
}

// fileRow is the part of fileFacts that successive contents share.
type fileRow struct {
	meta     memoir.DocumentMeta
	date     string
	salience memoir.Salience
}

// body is what is known of a chunk's own lines, and of the chunk itself.
type body struct {
	terms  uint32
	labels uint32 // labels.id; 0: the chunk has no labels
}

// use says that a chunk uses a text.
type use struct {
	number int32 // of the chunk
	text   int64 // texts.id
}

// factSize is how many bytes the contents need to know of a chunk, moreSize how many of a
// further text that a chunk uses. The latter stand behind what is known of all chunks.
const (
	factSize = 24
	moreSize = 12
)

// appendFacts encodes what the contents need to know of a chunk, without its further texts.
func appendFacts(b []byte, c *memoir.IndexedChunk, labels int64, texts []int64) []byte {
	first := int64(0)
	if len(texts) > 0 {
		first = texts[0]
	}
	return appendFact(b, body{uint32(len(c.Terms[memoir.FieldBody])), uint32(labels)}, c.Digest, first)
}

// appendMore encodes a further text that a chunk uses.
func appendMore(b []byte, ordinal int, text int64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(b, uint32(ordinal)), uint64(text))
}

func appendFact(b []byte, of body, digest uint64, text int64) []byte {
	b = binary.LittleEndian.AppendUint32(b, of.terms)
	b = binary.LittleEndian.AppendUint32(b, of.labels)
	b = binary.LittleEndian.AppendUint64(b, digest)
	return binary.LittleEndian.AppendUint64(b, uint64(text))
}

// counted returns how many terms facts count, in so many chunks.
func counted(facts []byte, chunks int) (terms int) {
	for ; chunks > 0; chunks, facts = chunks-1, facts[factSize:] {
		terms += int(binary.LittleEndian.Uint32(facts))
	}
	return terms
}

// contents returns the contents of the state that the connection sees. It reads
// only documents that have changed since the last contents were made, unless
// some documents are gone.
func (s *Store) contents(ctx context.Context, c *conn) (*contents, error) {
	generation, err := c.generation(ctx)
	if err != nil {
		return nil, err
	}
	last := s.current.Load()
	if last != nil && last.generation == generation {
		return last, nil
	}
	documents, chunks, err := readTotals(ctx, c)
	if err != nil {
		return nil, err
	}
	k := &contents{
		generation: generation, files: make([]fileFacts, 0, documents),
		bodies: make([]body, 0, chunks), digests: make([]uint64, 0, chunks), texts: make([]int64, 0, chunks),
	}
	follows := false
	if last != nil && last.generation < generation { // otherwise the index was cleared, or another search sees a later state
		follows, err = k.follow(ctx, c, last, documents)
	}
	if err == nil && !follows {
		if known := s.listed.Load(); known != nil && known.generation == generation {
			err = k.complete(ctx, c, known)
		} else {
			err = k.load(ctx, c)
		}
	}
	if err == nil {
		k.labels, err = s.readLabels(ctx, c, k)
	}
	if err != nil {
		return nil, err
	}
	if len(k.files) != documents || len(k.bodies) != chunks {
		return nil, miscounted(documents, chunks, len(k.files), len(k.bodies))
	}
	if k.byPath == nil {
		k.byPath = orderByPath(k.files)
	}
	s.current.Store(k)
	s.listed.Store(nil) // these know more
	return k, nil
}

// load reads all documents: the pages of the listing, then the rows of
// documents that are on no page.
func (k *contents) load(ctx context.Context, c *conn) error {
	pages, err := readPages(ctx, c)
	if err != nil {
		return err
	}
	add := func(f changedFile) { k.add(f.fileFacts, f.facts) }
	from := int64(0) // the first id that is still to be read
	for _, p := range append(pages, page{number: pageOf(math.MaxInt64)}) {
		if first := p.number << pageBits; from < first {
			if err := readFiles(ctx, c, "id BETWEEN ? AND ? ORDER BY id", []any{from, first - 1}, add); err != nil {
				return err
			}
		}
		for _, f := range p.files {
			add(f)
		}
		from = (p.number + 1) << pageBits
	}
	return nil
}

// follow makes the contents from the last ones and from what has changed since.
// When documents are gone it does nothing and returns false.
func (k *contents) follow(ctx context.Context, c *conn, last *contents, documents int) (bool, error) {
	changed := map[int64]changedFile{}
	err := readFiles(ctx, c, "changed > ?", []any{last.generation}, func(f changedFile) {
		f.facts = slices.Clone(f.facts)
		changed[f.id] = f
	})
	if err != nil {
		return false, err
	}
	ids := make([]int64, 0, documents)
	for i := range last.files {
		ids = append(ids, last.files[i].id)
	}
	for id := range changed {
		if _, ok := last.file(id); !ok {
			ids = append(ids, id)
		}
	}
	if len(ids) != documents {
		return false, nil
	}
	if len(ids) > len(last.files) {
		slices.Sort(ids)
	} else {
		k.byPath = last.byPath
	}
	at := 0 // the index in last of the next document
	for _, id := range ids {
		known := at < len(last.files) && last.files[at].id == id
		if f, ok := changed[id]; ok {
			if k.byPath != nil && known && last.files[at].meta.ID != f.meta.ID {
				k.byPath = nil // the id was given to another document
			}
			k.add(f.fileFacts, f.facts)
		} else {
			k.keep(last, last.files[at])
		}
		if known {
			at++
		}
	}
	return true, nil
}

// changedFile is a row of files as it is now.
type changedFile struct {
	fileFacts
	facts []byte
}

// readFiles reads rows of files. The facts are those of the row until add returns.
func readFiles(ctx context.Context, c *conn, where string, args []any, add func(changedFile)) error {
	var terms int
	var facts sql.RawBytes
	return readRows(ctx, c, where, args, ", terms, facts", []any{&terms, &facts}, func(f fileFacts) error {
		if err := f.check(terms, facts); err != nil {
			return err
		}
		add(changedFile{f, facts})
		return nil
	})
}

// check reports whether facts are those of the chunks of a document.
func (f fileFacts) check(terms int, facts []byte) error {
	if more := len(facts) - f.chunks*factSize; more < 0 || more%moreSize != 0 {
		return fmt.Errorf("%w: %d bytes are the wrong number for the %d chunks of %s", memoir.ErrCorrupt, len(facts), f.chunks, f.meta.ID)
	}
	if counted(facts, f.chunks) != terms {
		return fmt.Errorf("%w: the chunks of %s do not add up to its length", memoir.ErrCorrupt, f.meta.ID)
	}
	if !ascend(facts[f.chunks*factSize:], f.chunks) {
		return fmt.Errorf("%w: %s has texts of chunks that it does not have", memoir.ErrCorrupt, f.meta.ID)
	}
	return nil
}

// ascend reports whether the ordinals of further texts ascend, and are below a number.
func ascend(more []byte, chunks int) bool {
	last := 0
	for ; len(more) > 0; more = more[moreSize:] {
		ordinal := int(binary.LittleEndian.Uint32(more))
		if ordinal < last || ordinal >= chunks {
			return false
		}
		last = ordinal
	}
	return true
}

// add appends a document, with the facts about its chunks from its row.
func (k *contents) add(f fileFacts, facts []byte) {
	f.first = len(k.bodies)
	more := facts[f.chunks*factSize:]
	for facts = facts[:f.chunks*factSize]; len(facts) > 0; facts = facts[factSize:] {
		k.bodies = append(k.bodies, body{binary.LittleEndian.Uint32(facts), binary.LittleEndian.Uint32(facts[4:])})
		k.digests = append(k.digests, binary.LittleEndian.Uint64(facts[8:]))
		k.texts = append(k.texts, int64(binary.LittleEndian.Uint64(facts[16:])))
	}
	for ; len(more) > 0; more = more[moreSize:] {
		k.further = append(k.further, use{int32(f.first) + int32(binary.LittleEndian.Uint32(more)), int64(binary.LittleEndian.Uint64(more[4:]))})
	}
	k.files = append(k.files, f)
}

// keep appends a document that earlier contents know.
func (k *contents) keep(from *contents, f fileFacts) {
	a, b := f.first, f.first+f.chunks
	f.first = len(k.bodies)
	k.bodies = append(k.bodies, from.bodies[a:b]...)
	k.digests = append(k.digests, from.digests[a:b]...)
	k.texts = append(k.texts, from.texts[a:b]...)
	for _, u := range from.furtherOf(a, b) {
		k.further = append(k.further, use{u.number + int32(f.first-a), u.text})
	}
	k.files = append(k.files, f)
}

// furtherOf returns the further texts of the chunks from one number to before another.
func (k *contents) furtherOf(from, to int) []use {
	byNumber := func(u use, number int) int { return int(u.number) - number }
	a, _ := slices.BinarySearchFunc(k.further, from, byNumber)
	b, _ := slices.BinarySearchFunc(k.further, to, byNumber)
	return k.further[a:b]
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

// numberOf returns the number of a chunk by its public id.
func (k *contents) numberOf(id memoir.ChunkID) (n int, ok bool) {
	at, ok := slices.BinarySearchFunc(k.byPath, id.Doc, func(i int32, doc memoir.DocID) int {
		return strings.Compare(string(k.files[i].meta.ID), string(doc))
	})
	if !ok || id.Ordinal < 0 || id.Ordinal >= k.files[k.byPath[at]].chunks {
		return 0, false
	}
	return k.files[k.byPath[at]].first + id.Ordinal, true
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

// meta returns what ranking needs to know of a chunk.
func (k *contents) meta(number int) memoir.ChunkMeta {
	f := k.files[k.fileAt(number)]
	return memoir.ChunkMeta{
		ChunkID: memoir.ChunkID{Doc: f.meta.ID, Ordinal: number - f.first},
		Kind:    f.meta.Kind, Date: f.date, Salience: f.salience,
		Labels: k.labels.sets[k.bodies[number].labels], Digest: k.digests[number],
	}
}

// compare orders chunks by their public ids.
func (k *contents) compare(a, b int) int {
	return k.meta(a).Compare(k.meta(b).ChunkID)
}

// before reports whether one chunk stands before another in that order.
func (k *contents) before(a, b int) bool { return k.compare(a, b) < 0 }

// collection returns what ranking by words needs. Positions in it are chunk
// numbers.
func (k *contents) collection() *rank.Collection {
	k.collecting.Do(func() { k.collected = rank.DefaultBM25.Collect(k.lengths()) })
	return k.collected
}

// collectionAmong returns the same for ranking together with other indexes.
func (k *contents) collectionAmong(totals rank.Totals) *rank.Collection {
	if c := k.among.Load(); c != nil && c.Totals() == totals {
		return c
	}
	chunks, lengths := k.lengths()
	c := rank.DefaultBM25.CollectAmong(chunks, lengths, totals)
	k.among.Store(c)
	return c
}

// lengths returns how many chunks each document has, and how many terms each chunk.
func (k *contents) lengths() (chunks, lengths []int32) {
	chunks, lengths = make([]int32, len(k.files)), make([]int32, len(k.bodies))
	for i, f := range k.files {
		chunks[i] = int32(f.chunks)
	}
	for n := range k.bodies {
		lengths[n] = int32(k.bodies[n].terms)
	}
	return chunks, lengths
}

// locate turns the postings of a term into postings by chunk number, in the
// memory of out.
func (k *contents) locate(out []rank.Posting, rows []fts5.Posting) ([]rank.Posting, error) {
	out = slices.Grow(out[:0], len(rows))[:len(rows)]
	at, first, last := 0, int64(0), int64(-1) // the document of the previous row, and the ids of its chunks
	offset := int64(0)                        // to add to an id to get the number
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

// fileNear does what [contents.file] does when the index of another document is
// known. Ids have few gaps, so the distance between two ids is mostly that
// between their indexes.
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
