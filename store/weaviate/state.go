package weaviate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
)

// A state says which pages list the documents and vectors that count. An object
// that it does not name does not count, even if a search returns it.
//
// It is written twice: to an object that every state of the tenant replaces, which
// is found by its id, and to one of its own (states.go).
type state struct {
	Format   int
	Revision uint64
	Number   uint64 `json:",omitempty"` // of the turn in which it was written; 0: one machine alone writes
	Born     uint64 `json:",omitempty"` // the same in all states since the tenant was empty
	Order    uint64 `json:",omitempty"` // higher in each of them than in those before
	Written  time.Time
	Pages    []uuid // of documents, in the order of their ids
	Tallies  []uuid `json:",omitempty"` // pages with what the terms of all documents add up to
	// Garbage names what no longer counts and must be deleted.
	Garbage []uuid `json:",omitempty"`
	// Replaced names pages that no longer count. They are deleted when something of a
	// document is, or when there are many: until then who has an older state finds them.
	Replaced []uuid `json:",omitempty"`
	Spaces   []spaceState
	Serving  memoir.Space
}

// spaceState is what is known of an embedding space.
type spaceState struct {
	Space       memoir.Space
	Calibration memoir.Calibration
	Measured    int
	Failed      map[memoir.Hash]memoir.FailedText `json:",omitempty"`
	Pages       []uuid                            // of hashes that have a vector
}

// stateFormat is the version of the format of states and pages.
const stateFormat = 2

// stateID is the id of the state, in every tenant that one machine alone writes to. Where
// several do by turns, there is one state for each of their turns, and the highest counts.
var stateID = uuidOf("state")

// A record is what a page says of a document.
type record struct {
	memoir.DocumentMeta
	Revision uuid // a new one each time the document is written
	Title    string
	Day      string
	Salience memoir.Salience
	Names    []string      `json:",omitempty"`
	Chunks   []chunkRecord `json:",omitempty"`
}

// chunkRecord is what a page says of a chunk.
type chunkRecord struct {
	Start, End int
	Labels     memoir.Labels `json:",omitempty"`
	Digest     uint64
	Length     int           // terms of the body
	Hashes     []memoir.Hash `json:",omitempty"` // of the texts that have vectors
}

// page is the content of an object that lists some documents, or some vectors
// of a space, or counts terms.
type page struct {
	Documents []*record                    `json:",omitempty"`
	Vectors   map[memoir.Hash]vectorRecord `json:",omitempty"`
	Terms     tally                        `json:",omitzero"`
}

// place is where a chunk stands.
type place struct {
	*record
	ordinal int
}

func (p place) chunk() *chunkRecord { return &p.Chunks[p.ordinal] }

func (p place) id() memoir.ChunkID { return memoir.ChunkID{Doc: p.ID, Ordinal: p.ordinal} }

func (p place) meta() memoir.ChunkMeta {
	c := p.chunk()
	return memoir.ChunkMeta{ChunkID: p.id(), Kind: p.Kind, Date: p.Day, Salience: p.Salience, Labels: c.Labels, Digest: c.Digest}
}

// contents are a state and everything that it names. They never change.
type contents struct {
	state
	pages   map[uuid]page
	records []*record // ordered by id
	byID    map[memoir.DocID]*record
	chunks  map[uuid]place
	names   map[string][]*record
	texts   map[memoir.Hash][]place
	vectors map[memoir.Space]map[memoir.Hash]vectorRecord
	words   int

	mu       sync.Mutex // guards the fields below
	byVector map[memoir.Space]map[uuid]memoir.Hash
}

func newContents(st state, pages map[uuid]page) *contents {
	k := &contents{state: st, pages: pages, byID: map[memoir.DocID]*record{}, chunks: map[uuid]place{}, names: map[string][]*record{},
		texts: map[memoir.Hash][]place{}, vectors: map[memoir.Space]map[memoir.Hash]vectorRecord{}, byVector: map[memoir.Space]map[uuid]memoir.Hash{}}
	for _, id := range st.Pages {
		k.records = append(k.records, pages[id].Documents...)
	}
	slices.SortFunc(k.records, func(a, b *record) int { return cmp.Compare(a.ID, b.ID) })
	for _, r := range k.records {
		k.byID[r.ID] = r
		for _, name := range r.Names {
			if of := k.names[name]; len(of) == 0 || of[len(of)-1] != r {
				k.names[name] = append(of, r)
			}
		}
		for i, c := range r.Chunks {
			p := place{r, i}
			k.chunks[r.Revision.chunkID(i)] = p
			k.words += c.Length
			for _, h := range c.Hashes {
				k.texts[h] = append(k.texts[h], p)
			}
		}
	}
	for _, sp := range st.Spaces {
		have := map[memoir.Hash]vectorRecord{}
		for _, id := range sp.Pages {
			maps.Copy(have, pages[id].Vectors)
		}
		k.vectors[sp.Space] = have
	}
	return k
}

// named returns the pages that a state names.
func (st *state) named() (ids []uuid) {
	ids = slices.Concat(st.Pages, st.Tallies)
	for _, sp := range st.Spaces {
		ids = append(ids, sp.Pages...)
	}
	return ids
}

// space returns what a state says of a space; nil: nothing.
func (st *state) space(id memoir.Space) *spaceState {
	for i := range st.Spaces {
		if st.Spaces[i].Space == id {
			return &st.Spaces[i]
		}
	}
	return nil
}

// load returns the current contents. If a page is missing because it has just
// been replaced, load reads the next state.
func (s *Store) load(ctx context.Context) (*contents, error) {
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	last := s.current
	known := last != nil && time.Since(s.seen) < s.opts.Fresh
	s.mu.Unlock()
	if known {
		return last, nil
	}
	return s.reload(ctx, false)
}

// reload does what load does, but always asks the server.
func (s *Store) reload(ctx context.Context, writing bool) (*contents, error) {
	for attempt := 0; ; attempt++ {
		k, err := s.loadOnce(ctx, writing)
		if !errors.Is(err, memoir.ErrCorrupt) && !errors.Is(err, errMissing) || attempt == 2 {
			if errors.Is(err, memoir.ErrCorrupt) {
				s.mu.Lock()
				s.damaged = true
				s.mu.Unlock()
			}
			return k, err
		}
	}
}

func (s *Store) loadOnce(ctx context.Context, writing bool) (*contents, error) {
	began := time.Now()
	st, err := s.readState(ctx, writing)
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	return s.contentsOf(ctx, st, began, writing)
}

// contentsOf returns the contents of a state that was read at a time, to write the next one
// or only to read.
func (s *Store) contentsOf(ctx context.Context, st state, began time.Time, writing bool) (*contents, error) {
	s.mu.Lock()
	last := s.current
	if last != nil && st.before(&last.state) {
		s.mu.Unlock()
		return last, nil
	}
	if last != nil && last.Revision == st.Revision {
		s.seen = began
	}
	s.mu.Unlock()
	if last != nil && last.Revision == st.Revision {
		return last, nil
	}
	pages := map[uuid]page{}
	var missing []uuid
	for _, id := range st.named() {
		if last != nil {
			if p, ok := last.pages[id]; ok {
				pages[id] = p
				continue
			}
		}
		missing = append(missing, id)
	}
	if err := s.readPages(ctx, missing, pages); err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	k := newContents(st, pages)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.current; !writing && c != nil && c != last && !c.before(&k.state) {
		return c, nil // written, or read, while these pages were read
	}
	s.current, s.seen = k, began
	return k, nil
}

// stateAt reads a state; one that is not there is that of an empty tenant.
func (s *Store) stateAt(ctx context.Context, id uuid) (st state, there bool, err error) {
	o, there, err := s.objectAt(ctx, wordsClass, id)
	if hasStatus(err, http.StatusUnprocessableEntity) { // also: there is no such tenant
		if err = s.wake(ctx, wordsClass); err == nil {
			o, there, err = s.objectAt(ctx, wordsClass, id)
		}
	}
	if err != nil {
		return state{}, false, err
	}
	if !there {
		return state{Format: stateFormat, Revision: 1}, false, nil
	}
	st, err = parseState(o.Data)
	return st, true, err
}

func parseState(data string) (st state, err error) {
	if err := unpack(data, &st); err != nil {
		return state{}, fmt.Errorf("%w: the state of the tenant: %v", memoir.ErrCorrupt, err)
	}
	if st.Format != stateFormat || st.Revision == 0 {
		return state{}, fmt.Errorf("%w: the state of the tenant is of format %d, this memoir knows %d", memoir.ErrForeign, st.Format, stateFormat)
	}
	return st, nil
}

// Bounds of one write request.
const (
	putsAtOnce  = 64
	bytesAtOnce = 4 << 20
)

// alone calls change with the current contents while nobody else writes to the
// tenant. It commits the draft that change returns, by writing one object; nil
// changes nothing. Then it deletes what the previous contents had and the new
// ones have not.
func (s *Store) alone(ctx context.Context, change func(k *contents) (*draft, error)) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	turn, release, err := s.turn(ctx)
	if err != nil {
		return err
	}
	defer release()
	var k *contents
	if turn == nil {
		k, err = s.reload(ctx, true)
	} else {
		k, err = s.goOn(ctx, turn)
	}
	if err != nil {
		return err
	}
	d, err := change(k)
	if d == nil || err != nil {
		return err
	}
	return s.commit(ctx, k, d, turn)
}

// maxReplaced is how many replaced pages a state names before they are deleted.
const maxReplaced = 32

// A draft is the next contents in the making.
type draft struct {
	state
	pages   map[uuid]page // the pages that the next state names
	puts    []put         // the new objects, without the state
	dropped []uuid        // revisions of documents that are removed
	last    bool          // the pages and states that it replaces are deleted at once
}

// draft returns a draft that changes nothing.
func (k *contents) draft() *draft {
	d := &draft{state: k.state, pages: maps.Clone(k.pages)}
	d.Pages, d.Tallies = slices.Clone(k.Pages), slices.Clone(k.Tallies)
	d.Spaces = slices.Clone(k.Spaces)
	for i := range d.Spaces {
		d.Spaces[i].Failed, d.Spaces[i].Pages = maps.Clone(d.Spaces[i].Failed), slices.Clone(d.Spaces[i].Pages)
	}
	return d
}

// addPage adds a page and returns its id.
func (d *draft) addPage(s *Store, p page) (uuid, error) {
	id := newUUID()
	data, err := pack(p)
	if err != nil {
		return id, err
	}
	d.pages[id] = p
	d.puts = append(d.puts, s.object(wordsClass, id, properties{of: id.String(), data: data}))
	return id, nil
}

func (s *Store) object(class string, id uuid, p properties) put {
	return put{class: class, id: id, tenant: s.opts.Tenant, properties: p}
}

// sort says which pages and objects the next state names, and which are to be deleted.
func (d *draft) sort(k *contents, deleted func(uuid) bool) {
	named := map[uuid]bool{}
	for _, id := range d.named() {
		named[id] = true
	}
	d.Replaced = slices.Clone(k.Replaced)
	for id := range d.pages {
		if !named[id] {
			delete(d.pages, id)
			d.Replaced = append(d.Replaced, id)
		}
	}
	d.Garbage = append(slices.DeleteFunc(slices.Clone(k.Garbage), deleted), d.dropped...)
	if len(d.Garbage) > 0 || len(d.Replaced) > maxReplaced || d.last {
		d.Garbage, d.Replaced = append(d.Garbage, d.Replaced...), nil
	}
}

// commit writes what is new, then the state that names it, then deletes what it does
// not name any more. After an error of the first two nothing has changed. In a turn it is
// confirmed before anything is deleted that it still is one: whoever has the next then
// goes on from this state, and misses nothing of what was deleted.
func (s *Store) commit(ctx context.Context, k *contents, d *draft, turn Turn) error {
	s.mu.Lock()
	d.sort(k, func(id uuid) bool { return s.deleted[id.String()] })
	s.ordered = max(s.ordered, k.Order) + 1 // what was not acknowledged may still arrive
	d.Order = s.ordered
	s.mu.Unlock()
	d.Format, d.Revision, d.Written = stateFormat, rand.Uint64()|1<<63, time.Now().UTC()
	if d.Born == 0 {
		d.Born = rand.Uint64() | 1
	}
	if turn != nil {
		d.Number = turn.Number()
	}
	data, err := pack(d.state)
	if err != nil {
		return err
	}
	content := properties{of: stateID.String(), data: data}
	for _, puts := range [][]put{d.puts, {s.object(wordsClass, newUUID(), content), s.object(wordsClass, stateOf(d.Number), content)}} {
		if err := s.write(ctx, puts); err != nil {
			return fmt.Errorf("write to the index: %w", err)
		}
	}
	if turn != nil {
		if err := turn.Confirm(ctx, d.Number); err != nil {
			return fmt.Errorf("write to the index: %w", err)
		}
		if k.Number < d.Number && k.Revision != 1 { // what is left of it counts for nobody
			_ = s.removeWhere(context.WithoutCancel(ctx), wordsClass, "id", []uuid{stateOf(k.Number)})
		}
	}
	next := newContents(d.state, d.pages)
	s.mu.Lock()
	s.current, s.seen, s.acknowledged = next, time.Now(), d.Revision
	s.mu.Unlock()
	s.sweep(context.WithoutCancel(ctx), k, d)
	return nil
}

// sweep deletes what a draft that was committed has replaced in some contents. What cannot be deleted now
// stays in the state's garbage, for the next write.
func (s *Store) sweep(ctx context.Context, k *contents, d *draft) {
	if d.last || d.Order/statesKept > k.Order/statesKept {
		s.removeStates(ctx, &d.state)
	}
	left := s.remove(ctx, d.Garbage)
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.deleted)
	for _, id := range d.Garbage {
		if !slices.Contains(left, id) {
			s.deleted[id.String()] = true
		}
	}
}
