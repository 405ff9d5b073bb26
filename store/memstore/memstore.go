// Package memstore is a store in memory, for tests and for trying things out.
// It is also the plainest implementation of the contract, which the other
// stores are compared with. Nothing survives the process.
package memstore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/rank"
)

// Store keeps an index in memory. It is safe for concurrent use.
type Store struct {
	mu        sync.RWMutex
	closed    bool
	documents map[memoir.DocID]*document
	chunks    map[int64]*chunk
	names     map[string]map[memoir.DocID]bool
	postings  map[string]map[int64]float64 // term -> chunk -> occurrences, weighted by field
	next      int64                        // number of the next chunk
	spaces    map[memoir.Space]*space
	serving   memoir.Space
	written   time.Time
}

var _ memoir.Store = (*Store)(nil)

type document struct {
	memoir.DocumentMeta
	names  []string
	chunks []int64 // ascending
}

type chunk struct {
	memoir.IndexedChunk
	document *document
}

// New returns an empty store.
func New() *Store {
	s := &Store{spaces: map[memoir.Space]*space{}}
	s.reset()
	return s
}

func (s *Store) reset() {
	s.documents = map[memoir.DocID]*document{}
	s.chunks = map[int64]*chunk{}
	s.names = map[string]map[memoir.DocID]bool{}
	s.postings = map[string]map[int64]float64{}
}

// Close makes every later call fail. Closing twice is no error.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

// Clear implements [memoir.Store].
func (s *Store) Clear(ctx context.Context) error {
	return s.write(ctx, func() error {
		s.reset()
		return nil
	})
}

// Write implements [memoir.Store].
func (s *Store) Write(ctx context.Context, changes memoir.Changes) error {
	for _, doc := range changes.Put {
		for i, c := range doc.Chunks {
			if want := (memoir.ChunkID{Doc: doc.ID, Ordinal: i}); c.ChunkID != want {
				return fmt.Errorf("put %s: chunk %d calls itself %v: %w", doc.ID, i, c.ChunkID, memoir.ErrInvalid)
			}
		}
	}
	if changes.Empty() {
		return ctx.Err()
	}
	return s.write(ctx, func() error {
		for _, id := range changes.Delete {
			s.remove(id)
		}
		for _, doc := range changes.Put {
			s.put(doc)
		}
		for _, meta := range changes.Touch {
			s.touch(meta)
		}
		return nil
	})
}

func (s *Store) put(doc memoir.IndexedDocument) {
	s.remove(doc.ID)
	d := &document{DocumentMeta: doc.DocumentMeta, names: slices.Clone(doc.Names)}
	s.documents[doc.ID] = d
	for _, name := range d.names {
		if s.names[name] == nil {
			s.names[name] = map[memoir.DocID]bool{}
		}
		s.names[name][doc.ID] = true
	}
	for _, c := range doc.Chunks {
		c.Kind, c.Title, c.Date, c.Salience = doc.Kind, doc.Title, doc.Date, doc.Salience
		s.add(d, c)
	}
}

func (s *Store) touch(meta memoir.DocumentMeta) {
	d := s.documents[meta.ID]
	if d == nil {
		return
	}
	d.DocumentMeta = meta
	for _, n := range d.chunks {
		s.chunks[n].Kind = meta.Kind
	}
}

// add stores one chunk. The store keeps its own copy.
func (s *Store) add(d *document, c memoir.IndexedChunk) {
	c.Heading, c.Labels, c.EmbedHashes = slices.Clone(c.Heading), slices.Clone(c.Labels), slices.Clone(c.EmbedHashes)
	for f := range c.Terms {
		c.Terms[f] = slices.Clone(c.Terms[f])
	}
	n := s.number()
	d.chunks = append(d.chunks, n)
	s.chunks[n] = &chunk{c, d}
	for term, count := range weigh(c.Terms) {
		if s.postings[term] == nil {
			s.postings[term] = map[int64]float64{}
		}
		s.postings[term][n] = count
	}
}

// weigh counts each term. An occurrence counts with the weight of its field.
func weigh(terms [memoir.NumFields][]string) map[string]float64 {
	fields := map[string][memoir.NumFields]int{}
	for f, list := range terms {
		for _, t := range list {
			counts := fields[t]
			counts[f]++
			fields[t] = counts
		}
	}
	out := make(map[string]float64, len(fields))
	for t, counts := range fields {
		for f, n := range counts {
			out[t] += rank.FieldWeights[f] * float64(n)
		}
	}
	return out
}

func (s *Store) remove(id memoir.DocID) {
	d := s.documents[id]
	if d == nil {
		return
	}
	for _, n := range d.chunks {
		for _, h := range s.chunks[n].EmbedHashes {
			s.use(h)
		}
		for _, list := range s.chunks[n].Terms {
			for _, t := range list {
				delete(s.postings[t], n)
				if len(s.postings[t]) == 0 {
					delete(s.postings, t)
				}
			}
		}
		delete(s.chunks, n)
	}
	for _, name := range d.names {
		delete(s.names[name], id)
		if len(s.names[name]) == 0 {
			delete(s.names, name)
		}
	}
	delete(s.documents, id)
}

func (s *Store) number() int64 {
	s.next++
	return s.next
}

// Documents implements [memoir.Store]. It yields the state at its start.
func (s *Store) Documents(ctx context.Context) iter.Seq2[memoir.DocumentMeta, error] {
	return func(yield func(memoir.DocumentMeta, error) bool) {
		var all []memoir.DocumentMeta
		err := s.read(ctx, func() error {
			for _, id := range slices.Sorted(maps.Keys(s.documents)) {
				all = append(all, s.documents[id].DocumentMeta)
			}
			return nil
		})
		if err != nil {
			yield(memoir.DocumentMeta{}, err)
			return
		}
		for _, meta := range all {
			if !yield(meta, nil) {
				return
			}
		}
	}
}

func (s *Store) write(ctx context.Context, change func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.do(ctx, func() error {
		s.written = time.Now()
		return change()
	})
}

func (s *Store) read(ctx context.Context, look func() error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.do(ctx, look)
}

func (s *Store) do(ctx context.Context, f func() error) error {
	if s.closed {
		return errors.New("the store is closed")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return f()
}
