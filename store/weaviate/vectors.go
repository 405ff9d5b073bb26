package weaviate

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/internal/vector"
)

// has reports whether a text has a vector of a space.
func (k *contents) has(space memoir.Space, hash memoir.Hash) bool {
	_, ok := k.vectors[space][hash]
	return ok
}

// pending returns the texts that have no vector of a space.
func (k *contents) pending(space memoir.Space) (hashes []memoir.Hash) {
	if space == (memoir.Space{}) {
		return nil
	}
	for h := range k.texts {
		if !k.has(space, h) {
			hashes = append(hashes, h)
		}
	}
	return hashes
}

func (k *contents) failed(space memoir.Space, hash memoir.Hash) memoir.FailedText {
	if sp := k.space(space); sp != nil {
		return sp.Failed[hash]
	}
	return memoir.FailedText{}
}

// Stats implements [memoir.Store].
func (s *Store) Stats(ctx context.Context, space memoir.Space) (memoir.StoreStats, error) {
	k, err := s.load(ctx)
	if err != nil {
		return memoir.StoreStats{}, err
	}
	stats := memoir.StoreStats{Documents: len(k.records), Chunks: len(k.chunks), Texts: len(k.texts), Serving: k.Serving, Written: k.Written, Revision: k.Revision}
	for _, h := range k.pending(space) {
		if k.failed(space, h).Attempts > 0 {
			stats.Failed++
		} else {
			stats.Pending++
		}
	}
	if sp := k.space(space); sp != nil {
		stats.Calibration, stats.Measured = sp.Calibration, sp.Measured
	}
	return stats, nil
}

// PendingTexts implements [memoir.Store].
func (s *Store) PendingTexts(ctx context.Context, space memoir.Space, due time.Time, after memoir.Hash, limit int) ([]memoir.PendingText, error) {
	k, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	hashes := slices.DeleteFunc(k.due(space, due), func(h memoir.Hash) bool { return h <= after })
	slices.Sort(hashes)
	return s.pendingTexts(ctx, k, space, hashes[:min(len(hashes), max(limit, 0))])
}

// NewestPending implements [memoir.Store].
func (s *Store) NewestPending(ctx context.Context, space memoir.Space, due time.Time, limit int) ([]memoir.PendingText, error) {
	k, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	hashes := k.due(space, due)
	slices.SortFunc(hashes, func(a, b memoir.Hash) int {
		x, y := k.texts[a][0], k.texts[b][0]
		return cmp.Or(cmp.Compare(y.age(), x.age()), x.id().Compare(y.id()))
	})
	return s.pendingTexts(ctx, k, space, hashes[:min(len(hashes), max(limit, 0))])
}

// age returns a key by which newer documents sort before older ones.
func (r *record) age() string {
	switch {
	case r.Day != "":
		return r.Day
	case r.ModTime.IsZero():
		return "9999"
	default:
		return r.ModTime.UTC().Format(time.RFC3339Nano)
	}
}

// due returns the texts without a vector whose next try is not after a time.
func (k *contents) due(space memoir.Space, due time.Time) []memoir.Hash {
	return slices.DeleteFunc(k.pending(space), func(h memoir.Hash) bool {
		f := k.failed(space, h)
		return f.Attempts > 0 && f.NextTry.After(due)
	})
}

func (s *Store) pendingTexts(ctx context.Context, k *contents, space memoir.Space, hashes []memoir.Hash) ([]memoir.PendingText, error) {
	places := map[place]bool{}
	for _, h := range hashes {
		places[k.texts[h][0]] = true
	}
	chunks, err := s.readChunks(ctx, slices.Collect(maps.Keys(places)))
	if err != nil {
		return nil, err
	}
	byID := make(map[memoir.ChunkID]*memoir.Chunk, len(chunks))
	for i := range chunks {
		byID[chunks[i].ChunkID] = &chunks[i]
	}
	var texts []memoir.PendingText
	for _, h := range hashes {
		if c := byID[k.texts[h][0].id()]; c != nil {
			texts = append(texts, memoir.PendingText{Hash: h, Text: c.EmbedTextOf(h), Attempts: k.failed(space, h).Attempts})
		}
	}
	return texts, nil
}

// maxHashes is how many vectors a page lists.
const maxHashes = 1024

// PutVectors implements [memoir.Store].
func (s *Store) PutVectors(ctx context.Context, space memoir.Space, vectors map[memoir.Hash][]float32, failed []memoir.FailedText) error {
	if space == (memoir.Space{}) && len(failed) > 0 {
		return fmt.Errorf("note failed texts of no space: %w", memoir.ErrInvalid)
	}
	for h, v := range vectors {
		if err := vector.Check(v, space.Dimensions); err != nil {
			return fmt.Errorf("put the vector of %s: %w: %w", h, memoir.ErrInvalid, err)
		}
	}
	if len(vectors)+len(failed) == 0 {
		return s.open(ctx)
	}
	if len(vectors) > 0 {
		if err := s.open(ctx); err != nil {
			return err
		}
		if err := s.prepare(ctx, classOf(space)); err != nil {
			return fmt.Errorf("store vectors: %w", err)
		}
	}
	var replaced []uuid
	err := s.alone(ctx, func(k *contents) (_ *draft, err error) {
		d := k.draft()
		sp := d.space(space)
		if sp == nil {
			d.Spaces = append(d.Spaces, spaceState{Space: space})
			sp = &d.Spaces[len(d.Spaces)-1]
		}
		for _, f := range failed {
			if sp.Failed == nil {
				sp.Failed = map[memoir.Hash]memoir.FailedText{}
			}
			sp.Failed[f.Hash] = f
		}
		if len(vectors) == 0 {
			return d, nil
		}
		if d.Serving == (memoir.Space{}) {
			d.Serving = space
		}
		replaced, err = d.putVectors(s, k, sp, vectors)
		return d, err
	})
	if err == nil {
		s.removeVectors(ctx, space, replaced)
	}
	return err
}

// putVectors adds vectors of a space. It returns the objects of those that they replace.
func (d *draft) putVectors(s *Store, k *contents, sp *spaceState, vectors map[memoir.Hash][]float32) (replaced []uuid, err error) {
	fresh, of := make(map[memoir.Hash]vectorRecord, len(vectors)), newUUID()
	for h, v := range vectors {
		delete(sp.Failed, h)
		r := vectorRecord{Day: today(), Of: of}
		if old, ok := k.vectors[sp.Space][h]; ok {
			r.Day, replaced = old.Day, append(replaced, old.id(h))
		}
		fresh[h] = r
		p := s.object(classOf(sp.Space), r.id(h), properties{data: string(h)})
		p.vector = v
		d.puts = append(d.puts, p)
	}
	if len(replaced) > 0 {
		all := maps.Clone(k.vectors[sp.Space])
		maps.Copy(all, fresh)
		sp.Pages, fresh = nil, all
	}
	return replaced, d.addVectors(s, sp, fresh)
}

func today() time.Time { return time.Now().UTC().Truncate(24 * time.Hour) }

// addVectors lists vectors of a space: on its last page as far as there is
// room, then on new ones.
func (d *draft) addVectors(s *Store, sp *spaceState, fresh map[memoir.Hash]vectorRecord) error {
	if len(fresh) == 0 {
		return nil
	}
	if n := len(sp.Pages); n > 0 && len(d.pages[sp.Pages[n-1]].Vectors)+len(fresh) <= maxHashes {
		maps.Copy(fresh, d.pages[sp.Pages[n-1]].Vectors)
		sp.Pages = sp.Pages[:n-1]
	}
	hashes := slices.Sorted(maps.Keys(fresh))
	for some := range slices.Chunk(hashes, maxHashes) {
		p := page{Vectors: map[memoir.Hash]vectorRecord{}}
		for _, h := range some {
			p.Vectors[h] = fresh[h]
		}
		id, err := d.addPage(s, p)
		if err != nil {
			return err
		}
		sp.Pages = append(sp.Pages, id)
	}
	return nil
}

// vectorRecord is what a page says of a vector.
type vectorRecord struct {
	Day time.Time // on which its text first had one
	// Of is of the write that put it, and of no other. So no id is ever used again: a
	// deletion that a node still has, or has carried out, would go over the newer write.
	Of uuid
}

// id returns the id of the object that holds the vector of a text.
func (r vectorRecord) id(h memoir.Hash) uuid {
	return uuidOf(string(r.Of[:]) + string(h))
}

// MarshalText implements [encoding.TextMarshaler].
func (r vectorRecord) MarshalText() ([]byte, error) {
	day, err := r.Day.MarshalText()
	return append(day, " "+r.Of.String()...), err
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (r *vectorRecord) UnmarshalText(text []byte) error {
	day, of, _ := bytes.Cut(text, []byte(" "))
	if err := r.Of.UnmarshalText(of); err != nil {
		return err
	}
	return r.Day.UnmarshalText(day)
}

// vectorKey names a vector among those of all spaces.
type vectorKey struct {
	space memoir.Space
	id    uuid
}

// PutSpace implements [memoir.Store].
func (s *Store) PutSpace(ctx context.Context, space memoir.Space, facts memoir.SpaceFacts) error {
	var gone []memoir.Space
	err := s.alone(ctx, func(k *contents) (*draft, error) {
		d := k.draft()
		sp := d.space(space)
		if sp == nil {
			return nil, nil
		}
		sp.Calibration, sp.Measured = facts.Calibration, facts.Measured
		if facts.TakesOver {
			for _, other := range d.Spaces {
				if other.Space != space {
					gone = append(gone, other.Space)
				}
			}
			d.Serving, d.Spaces = space, []spaceState{*sp}
		}
		return d, nil
	})
	if err != nil {
		return err
	}
	for _, other := range gone {
		// What cannot be deleted is ignored from now on, and replaced when the
		// space is used again.
		_ = s.setTenants(context.WithoutCancel(ctx), http.MethodDelete, classOf(other), []tenant{{Name: s.opts.Tenant}})
		s.mu.Lock()
		delete(s.ready, classOf(other))
		s.mu.Unlock()
	}
	return nil
}

// read returns those vectors of texts that are there.
func (s *Store) read(ctx context.Context, k *contents, space memoir.Space, hashes []memoir.Hash) (map[memoir.Hash][]float32, error) {
	out := make(map[memoir.Hash][]float32, len(hashes))
	byID := map[uuid]memoir.Hash{}
	var missing []uuid
	s.mu.Lock()
	for _, h := range hashes {
		id := k.vectors[space][h].id(h)
		if v, ok := s.vectors.held[vectorKey{space, id}]; ok {
			out[h] = v
		} else {
			byID[id] = h
			missing = append(missing, id)
		}
	}
	s.mu.Unlock()
	for some := range slices.Chunk(missing, 256) {
		found, err := s.objects(ctx, classOf(space), some, vectorFields)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		for id, o := range found {
			if h, asked := byID[id]; asked && vector.Check(o.Additional.Vector, space.Dimensions) == nil {
				out[h] = o.Additional.Vector
				s.vectors.put(vectorKey{space, id}, o.Additional.Vector)
			}
		}
		s.mu.Unlock()
	}
	return out, nil
}

// SearchVector implements [memoir.View].
func (v *view) SearchVector(ctx context.Context, space memoir.Space, query []float32, filter memoir.Filter, limit int) ([]memoir.Match, error) {
	if err := vector.Check(query, space.Dimensions); err != nil {
		return nil, fmt.Errorf("search vectors: %w: %w", memoir.ErrInvalid, err)
	}
	q, ok := vector.NewQuery(query)
	if !ok || limit <= 0 || len(v.contents.vectors[space]) == 0 {
		return nil, ctx.Err()
	}
	in, err := v.scope(ctx, filter)
	if err != nil {
		return nil, err
	}
	matches, err := v.nearest(ctx, space, query, q, in, limit)
	if err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	slices.SortFunc(matches, func(a, b memoir.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), a.ChunkID.Compare(b.ChunkID))
	})
	return matches[:min(len(matches), limit)], nil
}

// nearest returns chunks of a scope with their cosines, the nearest among them.
func (v *view) nearest(ctx context.Context, space memoir.Space, query []float32, q vector.Query, in scope, limit int) ([]memoir.Match, error) {
	if in == nil || len(in) > listedOnce {
		numbers := strings.ReplaceAll(strings.Trim(fmt.Sprint(query), "[]"), " ", ",")
		for depth := max(32, limit+limit/4); ; depth = 4 * depth {
			depth = min(depth, maxResults)
			found, err := v.store.client.get(ctx, classOf(space), v.store.arguments(fmt.Sprintf("limit:%d,nearVector:{vector:[%s]}", depth, numbers)), nearFields)
			if err != nil {
				return nil, err
			}
			cosines, err := v.cosines(ctx, space, q, in, found)
			if err != nil {
				return nil, err
			}
			matches := v.matches(in, cosines)
			if len(matches) >= limit || len(found) < depth || depth == maxResults && in == nil {
				return matches, nil
			}
			if depth == maxResults {
				break
			}
		}
	}
	wanted := map[memoir.Hash]bool{}
	for _, p := range in {
		for _, h := range p.chunk().Hashes {
			if v.contents.has(space, h) {
				wanted[h] = true
			}
		}
	}
	cosines := make(map[memoir.Hash]float64, len(wanted))
	err := v.measureVectors(ctx, space, q, slices.Collect(maps.Keys(wanted)), cosines)
	return v.matches(in, cosines), err
}

// sameCosine is by how little two of Weaviate's cosines may differ so that they could be
// one: it computes with 32 bits.
const sameCosine = 4e-6

// cosines returns the cosines of the texts whose vectors Weaviate found, the nearest first.
// They are Weaviate's own, since to read the vectors would take more than twice as long. Only
// where they leave open which of two is nearer are these two read and measured, and where
// they are about 0, for that is what Weaviate says of a zero vector.
func (v *view) cosines(ctx context.Context, space memoir.Space, q vector.Query, in scope, found []object) (map[memoir.Hash]float64, error) {
	byID := v.contents.hashes(space)
	cosines := make(map[memoir.Hash]float64, len(found))
	var unsure []memoir.Hash
	last, lastCosine := memoir.Hash(""), 2.0
	for i := range found {
		id, _ := found[i].id()
		h, known := byID[id]
		if !known || !slices.ContainsFunc(v.contents.texts[h], in.has) {
			continue
		}
		d := found[i].Additional.Distance
		if d == nil || *d < -sameCosine || *d > 2+sameCosine {
			return nil, v.store.client.unusable(fmt.Errorf("it gives no distance of %s", id))
		}
		cosine := min(1, max(-1, 1-*d))
		cosines[h] = cosine
		if math.Abs(lastCosine-cosine) <= sameCosine {
			unsure = append(unsure, last, h)
		} else if math.Abs(cosine) <= sameCosine {
			unsure = append(unsure, h)
		}
		last, lastCosine = h, cosine
	}
	return cosines, v.measureVectors(ctx, space, q, slices.Compact(unsure), cosines)
}

// measureVectors reads vectors and notes their cosines. Those that are gone or zero have none.
func (v *view) measureVectors(ctx context.Context, space memoir.Space, q vector.Query, hashes []memoir.Hash, cosines map[memoir.Hash]float64) error {
	vectors, err := v.store.read(ctx, v.contents, space, hashes)
	if err != nil {
		return err
	}
	for _, h := range hashes {
		if cosine, ok := q.Cosine(vectors[h]); ok {
			cosines[h] = cosine
		} else {
			delete(cosines, h)
		}
	}
	return nil
}

// matches returns the chunks of a scope that have texts of some cosines: each with the
// highest that it has.
func (v *view) matches(in scope, cosines map[memoir.Hash]float64) (matches []memoir.Match) {
	at := map[place]int{} // of each chunk among the matches
	for h, cosine := range cosines {
		for _, p := range v.contents.texts[h] {
			if i, known := at[p]; known {
				matches[i].Score = max(matches[i].Score, cosine)
			} else if in.has(p) {
				at[p] = len(matches)
				matches = append(matches, memoir.Match{ChunkMeta: p.meta(), Score: cosine})
			}
		}
	}
	return matches
}

// hashes returns the texts of the index that have a vector of a space, by its id.
func (k *contents) hashes(space memoir.Space) map[uuid]memoir.Hash {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byVector[space] == nil {
		byID := map[uuid]memoir.Hash{}
		for h, r := range k.vectors[space] {
			if k.texts[h] != nil {
				byID[r.id(h)] = h
			}
		}
		k.byVector[space] = byID
	}
	return k.byVector[space]
}
