package weaviate

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
)

// Write implements [memoir.Store].
func (s *Store) Write(ctx context.Context, changes memoir.Changes) error {
	for _, doc := range changes.Put {
		for i, c := range doc.Chunks {
			if want := (memoir.ChunkID{Doc: doc.ID, Ordinal: i}); c.ChunkID != want {
				return fmt.Errorf("put %s: chunk %d calls itself %v: %w", doc.ID, i, c.ChunkID, memoir.ErrInvalid)
			}
		}
	}
	if err := s.open(ctx); err != nil || changes.Empty() {
		return err
	}
	put, err := s.documents(changes.Put)
	if err != nil {
		return err
	}
	return s.alone(ctx, func(k *contents) (*draft, error) {
		d := k.draft()
		next := map[memoir.DocID]*record{} // nil: the document is removed
		added := map[uuid]tally{}
		drop := func(id memoir.DocID) {
			if old := k.byID[id]; old != nil {
				d.dropped = append(d.dropped, old.Revision)
			}
		}
		for _, id := range changes.Delete {
			if _, twice := next[id]; !twice {
				drop(id)
				next[id] = nil
			}
		}
		for _, w := range put {
			drop(w.ID)
			next[w.ID], added[w.Revision], d.puts = w.record, w.terms, append(d.puts, w.puts...)
		}
		for _, meta := range changes.Touch {
			if old := k.byID[meta.ID]; old != nil {
				touched := *old
				touched.DocumentMeta = meta
				next[meta.ID] = &touched
			}
		}
		if err := d.count(ctx, s, k, next, added); err != nil {
			return nil, err
		}
		return d, d.list(s, k, next)
	})
}

// The most documents and chunks that a page lists.
const (
	maxListed = 64
	maxWeight = 2048
)

// list replaces the pages on which changed documents are listed.
func (d *draft) list(s *Store, k *contents, next map[memoir.DocID]*record) error {
	first := make([]memoir.DocID, len(k.Pages)) // the first document of each page
	byPage := make([]map[memoir.DocID]*record, max(1, len(k.Pages)))
	for i, id := range k.Pages {
		first[i] = k.pages[id].Documents[0].ID
	}
	for id, r := range next {
		at, exact := slices.BinarySearch(first, id)
		if !exact {
			at = max(0, at-1)
		}
		if byPage[at] == nil {
			byPage[at] = map[memoir.DocID]*record{}
		}
		byPage[at][id] = r
	}
	var pages []uuid
	for i, changed := range byPage {
		var old []*record
		if i < len(k.Pages) {
			if changed == nil {
				pages = append(pages, k.Pages[i])
				continue
			}
			old = k.pages[k.Pages[i]].Documents
		}
		var all []*record
		for _, r := range old {
			if _, replaced := changed[r.ID]; !replaced {
				all = append(all, r)
			}
		}
		for _, r := range changed {
			if r != nil {
				all = append(all, r)
			}
		}
		slices.SortFunc(all, func(a, b *record) int { return cmp.Compare(a.ID, b.ID) })
		for len(all) > 0 {
			n, weight := 0, 0
			for n < len(all) && n < maxListed && (n == 0 || weight+len(all[n].Chunks) <= maxWeight) {
				weight += len(all[n].Chunks)
				n++
			}
			id, err := d.addPage(s, page{Documents: all[:n:n]})
			if err != nil {
				return err
			}
			pages, all = append(pages, id), all[n:]
		}
	}
	d.Pages = pages
	return nil
}

// body is what the object of a chunk holds besides its terms.
type body struct {
	Heading []string `json:",omitempty"`
	Text    string
}

// written is a new revision of a document: its record, its terms and its objects.
type written struct {
	*record
	terms tally
	puts  []put
}

// documents makes new revisions of documents. It makes a few at a time, and before the
// writer's turn, because it takes as long as to send what it makes.
func (s *Store) documents(docs []memoir.IndexedDocument) ([]written, error) {
	places, all := make([]int, len(docs)), make([]written, len(docs))
	for i := range places {
		places[i] = i
	}
	return all, together(places, func(i int) (err error) {
		if all[i], err = s.document(&docs[i]); err != nil {
			err = fmt.Errorf("put %s: %w", docs[i].ID, err)
		}
		return err
	})
}

// document makes the record and the objects of a new revision of a document.
func (s *Store) document(doc *memoir.IndexedDocument) (written, error) {
	r := &record{DocumentMeta: doc.DocumentMeta, Revision: newUUID(), Title: doc.Title, Day: doc.Date, Salience: doc.Salience, Names: slices.Clone(doc.Names)}
	of := r.Revision.String()
	var puts []put
	for i, c := range doc.Chunks {
		r.Chunks = append(r.Chunks, chunkRecord{c.StartLine, c.EndLine, slices.Clone(c.Labels), c.Digest, len(c.Terms[memoir.FieldBody]), slices.Clone(c.EmbedHashes)})
		data, err := plain(body{c.Heading, c.Text})
		if err != nil {
			return written{}, err
		}
		puts = append(puts, s.object(wordsClass, r.Revision.chunkID(i), properties{data, of, encodeTerms(c.Terms)}))
	}
	f := forwardOf(doc.Chunks)
	data, err := pack(f)
	if err != nil {
		return written{}, err
	}
	return written{r, tallyOf(f), append(puts, s.object(wordsClass, r.Revision, properties{of: of, data: data}))}, nil
}

// Clear implements [memoir.Store]. It also deletes what an interrupted write
// has left behind, and does not keep vectors that are gone.
func (s *Store) Clear(ctx context.Context) error {
	unnamed := map[memoir.Space][]uuid{}
	err := s.alone(ctx, func(k *contents) (*draft, error) {
		d := k.draft()
		d.Pages, d.Tallies, d.last = nil, nil, true
		for _, r := range k.records {
			d.dropped = append(d.dropped, r.Revision)
		}
		lost, err := s.lost(ctx, k)
		if err != nil {
			return nil, err
		}
		d.dropped = append(d.dropped, lost...)
		for i := range d.Spaces {
			sp := &d.Spaces[i]
			if unnamed[sp.Space], err = s.checkVectors(ctx, k, d, sp); err != nil {
				return nil, err
			}
		}
		return d, nil
	})
	if err != nil {
		return err
	}
	for space, ids := range unnamed {
		s.removeVectors(ctx, space, ids)
	}
	return nil
}

// idsAtOnce is how many objects are listed in one request.
const idsAtOnce = 1000

// lost returns the documents and pages that have objects although nothing names
// them.
func (s *Store) lost(ctx context.Context, k *contents) (ids []uuid, err error) {
	known := map[string]bool{stateID.String(): true}
	for id := range k.pages {
		known[id.String()] = true
	}
	for _, r := range k.records {
		known[r.Revision.String()] = true
	}
	err = s.each(ctx, wordsClass, "of _additional{id}", func(o object) {
		if id, ok := parseUUID(o.Of); ok && !known[o.Of] {
			known[o.Of] = true
			ids = append(ids, id)
		}
	})
	return ids, err
}

// each calls f for the objects of a collection that one replica has.
func (s *Store) each(ctx context.Context, class, fields string, f func(object)) error {
	after := ""
	for {
		found, err := s.client.get(ctx, class, s.arguments(fmt.Sprintf("limit:%d,after:%s", idsAtOnce, quote(after))), fields)
		if err != nil {
			return fmt.Errorf("list the objects: %w", err)
		}
		for _, o := range found {
			f(o)
		}
		if len(found) < idsAtOnce || found[len(found)-1].Additional.ID <= after {
			return nil
		}
		after = found[len(found)-1].Additional.ID
	}
}

// Documents implements [memoir.Store]. It yields the state at its start.
func (s *Store) Documents(ctx context.Context) iter.Seq2[memoir.DocumentMeta, error] {
	return func(yield func(memoir.DocumentMeta, error) bool) {
		k, err := s.load(ctx)
		if err != nil {
			yield(memoir.DocumentMeta{}, err)
			return
		}
		for _, r := range k.records {
			if !yield(r.DocumentMeta, nil) {
				return
			}
		}
	}
}

// readChunks reads chunks in the order of their places. It leaves out those
// that are gone.
func (s *Store) readChunks(ctx context.Context, places []place) ([]memoir.Chunk, error) {
	chunks := make([]memoir.Chunk, 0, len(places))
	for some := range slices.Chunk(places, 256) {
		ids := make([]uuid, len(some))
		for i, p := range some {
			ids[i] = p.Revision.chunkID(p.ordinal)
		}
		found, err := s.objects(ctx, wordsClass, ids, dataFields)
		if err != nil {
			return nil, fmt.Errorf("read passages: %w", err)
		}
		for i, p := range some {
			o, ok := found[ids[i]]
			if !ok {
				continue
			}
			var b body
			if err := unpack(o.Data, &b); err != nil {
				continue // an unreadable chunk is as good as gone
			}
			c := p.chunk()
			chunks = append(chunks, memoir.Chunk{ChunkMeta: p.meta(), StartLine: c.Start, EndLine: c.End, Title: p.Title, Heading: b.Heading, Text: strings.ToValidUTF8(b.Text, "\ufffd")})
		}
	}
	return chunks, nil
}
