// Package joined makes one index of several that stay separate: the user's and the
// project's. A chunk gets the score that it would have if all notes were in one index.
// Ranking by words needs the counts of all indexes for that (memoir.SearchTextAmong); a
// cosine needs none. The package writes nothing.
//
// A chunk's id says which memory the chunk is in, both in what the package returns and in
// what it takes.
package joined

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/order"
)

// A Part is one of the indexes that are joined.
type Part struct {
	Scope memoir.Scope // no two parts have the same
	Store memoir.Store
	// Without has the filters whose chunks are left out.
	Without []memoir.Filter
	// Space returns the space of this index's vectors. It returns the zero value if the
	// index has none or the space is not known yet. If the space differs from that of the
	// first part, the texts of this part take no vector.
	Space func() memoir.Space
}

// Store is all parts as one index. It is safe for concurrent use.
type Store struct {
	parts []Part

	mu     sync.Mutex // guards what follows
	broken map[memoir.Scope]error
}

// New joins at least two indexes.
func New(parts ...Part) *Store { return &Store{parts: parts, broken: map[memoir.Scope]error{}} }

var _ ability.Degrader = (*Store)(nil)

// View calls f with a view of all indexes, each as it is at one moment. An index that
// cannot be read is left out, and [Store.Degradations] names it. View fails only if none
// can be read.
func (s *Store) View(ctx context.Context, f func(memoir.View) error) error {
	v := &view{store: s}
	var lost error
	var enter func(i int) error
	enter = func(i int) error {
		if i == len(s.parts) {
			if len(v.parts) == 0 {
				return lost
			}
			return f(v)
		}
		entered := false
		err := s.parts[i].Store.View(ctx, func(own memoir.View) error {
			entered = true
			v.parts = append(v.parts, part{s.parts[i].Scope, s.parts[i].Without, own})
			return enter(i + 1)
		})
		if entered || err == nil || ctx.Err() != nil {
			return err
		}
		s.note(s.parts[i].Scope, err)
		lost = cmp.Or(lost, err)
		return enter(i + 1)
	}
	return enter(0)
}

// Stats adds up what the indexes hold. Texts and vectors count only for indexes with the
// space of the first part. Serving is the space asked for if one of these serves with it.
func (s *Store) Stats(ctx context.Context, space memoir.Space) (sum memoir.StoreStats, err error) {
	first := s.parts[0].Space()
	whole := true // whether the revision of every index is known
	for _, p := range s.parts {
		st, failed := p.Store.Stats(ctx, space)
		if failed != nil {
			s.note(p.Scope, failed)
			err, whole = cmp.Or(err, failed), false
			continue
		}
		sum.Documents, sum.Chunks = sum.Documents+st.Documents, sum.Chunks+st.Chunks
		if st.Written.After(sum.Written) {
			sum.Written = st.Written
		}
		whole = whole && st.Revision != 0
		sum.Revision = sum.Revision*31 + st.Revision
		if p.Space() != first {
			continue
		}
		sum.Texts, sum.Pending, sum.Failed = sum.Texts+st.Texts, sum.Pending+st.Pending, sum.Failed+st.Failed
		if n := sum.Measured + st.Measured; n > 0 {
			sum.Calibration.Unrelated = (sum.Calibration.Unrelated*float64(sum.Measured) + st.Calibration.Unrelated*float64(st.Measured)) / float64(n)
			sum.Measured = n
		}
		if sum.Serving == (memoir.Space{}) || st.Serving == space && space != (memoir.Space{}) {
			sum.Serving = st.Serving
		}
	}
	if !whole {
		sum.Revision = 0
	}
	if sum.Documents > 0 {
		err = nil // at least one index could be counted
	}
	return sum, err
}

// Degradations implements [ability.Degrader]. It returns what the indexes lack, which of
// them cannot be read, and which have vectors of another model.
func (s *Store) Degradations() (all []memoir.Degradation) {
	s.mu.Lock()
	for _, p := range s.parts {
		if err := s.broken[p.Scope]; err != nil {
			all = append(all, Of(p.Scope, memoir.Degradation{Part: "index", Reason: err.Error(), Action: cmp.Or(memoir.Hint(err), "memoir index")}))
		}
	}
	clear(s.broken)
	s.mu.Unlock()
	for _, p := range s.parts {
		if d, ok := memoir.As[ability.Degrader](p.Store); ok {
			for _, one := range d.Degradations() {
				all = append(all, Of(p.Scope, one))
			}
		}
	}
	return all
}

// Apart returns the indexes whose vectors take no part, because their space is not that
// of the first.
func (s *Store) Apart(ctx context.Context) (all []memoir.Degradation) {
	first := s.parts[0].Space()
	for _, p := range s.parts[1:] {
		own := p.Space()
		if first == (memoir.Space{}) || own == first {
			continue
		}
		if st, err := p.Store.Stats(ctx, memoir.Space{}); err != nil || st.Chunks == 0 {
			continue
		}
		reason := "it has no vectors of the model " + first.Model
		if own != (memoir.Space{}) {
			reason = fmt.Sprintf("its vectors are of the model %s, those of the other memory of %s", own.Model, first.Model)
		}
		all = append(all, Of(p.Scope, memoir.Degradation{Part: "vectors", Reason: reason + "; words alone answer for it", Action: "memoir config"}))
	}
	return all
}

// Of adds to a degradation whose memory it is about, and makes its next command act
// there.
func Of(scope memoir.Scope, d memoir.Degradation) memoir.Degradation {
	d.Reason = "the " + string(scope) + "'s memory: " + d.Reason
	d.Action = Command(scope, d.Action)
	return d
}

func (s *Store) note(scope memoir.Scope, err error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken[scope] = err
}

// part is a view of one index.
type part struct {
	scope   memoir.Scope
	without []memoir.Filter
	memoir.View
}

// view is a view of all indexes.
type view struct {
	store *Store
	parts []part
	// The counts of the terms that were asked for last.
	terms  []memoir.Term
	counts *memoir.WordCounts
	lost   bool // a view that is no snapshot, and does not know whether it is old, lacked a chunk
}

var (
	_ memoir.Scorer = (*view)(nil)
	_ ability.Ager  = (*view)(nil)
)

// Outdated implements [ability.Ager]. Each index is asked, so that the next view of each is
// newer.
func (v *view) Outdated(ctx context.Context) bool {
	outdated := v.lost
	for _, p := range v.parts {
		if a, knows := memoir.As[ability.Ager](p.View); knows && a.Outdated(ctx) {
			outdated = true
		}
	}
	return outdated
}

// vanishes reports whether chunks of an index may be gone without it knowing why.
func (p part) vanishes() bool {
	_, whole := memoir.As[ability.Snapshotter](p.View)
	_, knows := memoir.As[ability.Ager](p.View)
	return !whole && !knows
}

// own returns a filter in the form that this index takes, with what is left out of it.
func (p part) own(f memoir.Filter) memoir.Filter {
	f = own(f, p.scope)
	f.Without = append(slices.Clip(f.Without), p.without...)
	return f
}

// own returns a filter in the form that the index of a scope takes.
func own(f memoir.Filter, scope memoir.Scope) memoir.Filter {
	if f.Scope != "" && f.Scope != scope {
		return memoir.NoChunk()
	}
	f.Scope = ""
	if len(f.Chunks) > 0 {
		if f.Chunks = idsOf(f.Chunks, scope); len(f.Chunks) == 0 {
			return memoir.NoChunk()
		}
	}
	if len(f.Without) > 0 {
		without := make([]memoir.Filter, len(f.Without))
		for i, w := range f.Without {
			without[i] = own(w, scope)
		}
		f.Without = without
	}
	return f
}

// idsOf returns the ids of one memory, in the form of its own index.
func idsOf(ids []memoir.ChunkID, scope memoir.Scope) (own []memoir.ChunkID) {
	for _, id := range ids {
		if id.Scope == scope {
			id.Scope = ""
			own = append(own, id)
		}
	}
	return own
}

// gather asks each index and joins the answers. It leaves out an index that fails, as
// long as another one answers.
func gather[T any](v *view, ask func(part) ([]T, error), mark func(*T, memoir.Scope)) (all []T, err error) {
	answered := false
	for _, p := range v.parts {
		found, failed := ask(p)
		if failed != nil {
			v.store.note(p.scope, failed)
			err = cmp.Or(err, failed)
			continue
		}
		answered = true
		for i := range found {
			mark(&found[i], p.scope)
		}
		all = append(all, found...)
	}
	if answered && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		err = nil
	}
	return all, err
}

func ofMatch(m *memoir.Match, scope memoir.Scope)    { m.Scope = scope }
func ofMeta(c *memoir.ChunkMeta, scope memoir.Scope) { c.Scope = scope }
func ofChunk(c *memoir.Chunk, scope memoir.Scope)    { c.Scope = scope }

// Terms implements [memoir.View].
func (v *view) Terms(ctx context.Context, terms []memoir.Term, filter memoir.Filter, limit int) (memoir.Candidates, error) {
	found, err := gather(v, func(p part) ([]memoir.Candidates, error) {
		own, err := p.Terms(ctx, terms, p.own(filter), limit)
		return []memoir.Candidates{own}, err
	}, func(c *memoir.Candidates, scope memoir.Scope) {
		for i := range c.Chunks {
			c.Chunks[i].Scope = scope
		}
	})
	var all memoir.Candidates
	for _, own := range found {
		all.Counts.Add(own.Counts)
		all.Chunks = append(all.Chunks, own.Chunks...)
	}
	return all, err
}

// SearchText implements [memoir.Scorer].
func (v *view) SearchText(ctx context.Context, terms []memoir.Term, filter memoir.Filter, limit int, all *memoir.WordCounts) ([]memoir.Match, error) {
	if all == nil {
		own, err := v.count(ctx, terms)
		if err != nil {
			return nil, err
		}
		all = own
	}
	found, err := gather(v, func(p part) ([]memoir.Match, error) {
		return memoir.SearchTextAmong(ctx, p.View, terms, p.own(filter), limit, all)
	}, ofMatch)
	return head(found, limit), err
}

// CountWords implements [memoir.Scorer].
func (v *view) CountWords(ctx context.Context, terms []memoir.Term, hidden []memoir.Filter) (memoir.WordCounts, error) {
	if len(hidden) > 0 {
		all, err := v.countWithout(ctx, terms, hidden)
		return *all, err
	}
	all, err := v.count(ctx, terms)
	if err != nil {
		return memoir.WordCounts{}, err
	}
	return *all, nil
}

// count returns the counts of terms over all indexes, those that were asked for last
// by the same pointer.
func (v *view) count(ctx context.Context, terms []memoir.Term) (*memoir.WordCounts, error) {
	if v.counts != nil && slices.Equal(v.terms, terms) {
		return v.counts, nil
	}
	all, err := v.countWithout(ctx, terms, nil)
	if err != nil {
		return nil, err
	}
	v.terms, v.counts = slices.Clone(terms), all
	return all, nil
}

// countWithout counts terms over all indexes, as if they had no chunk that passes one of the
// hidden filters.
func (v *view) countWithout(
	ctx context.Context, terms []memoir.Term, hidden []memoir.Filter,
) (*memoir.WordCounts, error) {
	counts, err := gather(v, func(p part) ([]memoir.WordCounts, error) {
		var without []memoir.Filter
		if len(hidden) > 0 {
			without = p.own(memoir.Filter{Without: hidden}).Without
		}
		own, err := memoir.CountWords(ctx, p.View, terms, without)
		return []memoir.WordCounts{own}, err
	}, func(*memoir.WordCounts, memoir.Scope) {})
	all := &memoir.WordCounts{}
	for _, c := range counts {
		all.Add(c)
	}
	return all, err
}

// SearchVector implements [memoir.View].
func (v *view) SearchVector(ctx context.Context, space memoir.Space, vector []float32, filter memoir.Filter, limit int) ([]memoir.Match, error) {
	found, err := gather(v, func(p part) ([]memoir.Match, error) {
		return p.SearchVector(ctx, space, vector, p.own(filter), limit)
	}, ofMatch)
	return head(found, limit), err
}

// head sorts the matches of several indexes and keeps the first ones, limit at most.
func head(matches []memoir.Match, limit int) []memoir.Match {
	slices.SortFunc(matches, func(a, b memoir.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), a.Compare(b.ChunkID))
	})
	return matches[:min(len(matches), max(limit, 0))]
}

// List implements [memoir.View].
func (v *view) List(ctx context.Context, filter memoir.Filter, limit int) ([]memoir.ChunkMeta, error) {
	found, err := gather(v, func(p part) ([]memoir.ChunkMeta, error) { return p.List(ctx, p.own(filter), limit) }, ofMeta)
	order.By(found, func(a, b memoir.ChunkMeta) int {
		return cmp.Or(cmp.Compare(b.Date, a.Date), a.Compare(b.ChunkID))
	})
	return found[:min(len(found), max(limit, 0))], err
}

// Twins implements [memoir.View].
func (v *view) Twins(ctx context.Context, digests []uint64, filter memoir.Filter) ([]memoir.ChunkMeta, error) {
	found, err := gather(v, func(p part) ([]memoir.ChunkMeta, error) { return p.Twins(ctx, digests, p.own(filter)) }, ofMeta)
	order.By(found, func(a, b memoir.ChunkMeta) int { return a.Compare(b.ChunkID) })
	return found, err
}

// Labels implements [memoir.View].
func (v *view) Labels(ctx context.Context) (map[memoir.Label]memoir.LabelCount, error) {
	counts, err := gather(v, func(p part) ([]map[memoir.Label]memoir.LabelCount, error) {
		own, err := p.Labels(ctx)
		return []map[memoir.Label]memoir.LabelCount{own}, err
	}, func(*map[memoir.Label]memoir.LabelCount, memoir.Scope) {})
	sum := map[memoir.Label]memoir.LabelCount{}
	for _, own := range counts {
		for label, n := range own {
			sum[label] = memoir.LabelCount{Chunks: sum[label].Chunks + n.Chunks, Documents: sum[label].Documents + n.Documents}
		}
	}
	return sum, err
}

// Resolve implements [memoir.View]. Each index has the limit to itself, so that one does
// not hide what another has.
func (v *view) Resolve(ctx context.Context, names []string, limit int) (map[string][]memoir.LinkedDocument, error) {
	type bearers struct {
		names map[string][]memoir.LinkedDocument
		scope memoir.Scope
	}
	found, err := gather(v, func(p part) ([]bearers, error) {
		own, err := p.Resolve(ctx, names, limit)
		return []bearers{{names: own}}, err
	}, func(b *bearers, scope memoir.Scope) { b.scope = scope })
	all := map[string][]memoir.LinkedDocument{}
	for _, b := range found {
		for name, documents := range b.names {
			for _, d := range documents {
				d.Scope = b.scope
				all[name] = append(all[name], d)
			}
		}
	}
	for _, documents := range all {
		order.Stable(documents, func(a, b memoir.LinkedDocument) int { return cmp.Compare(a.ID, b.ID) })
	}
	return all, err
}

// Chunks implements [memoir.View].
func (v *view) Chunks(ctx context.Context, ids []memoir.ChunkID) ([]memoir.Chunk, error) {
	found, err := gather(v, func(p part) ([]memoir.Chunk, error) {
		own := idsOf(ids, p.scope)
		chunks, err := p.Chunks(ctx, own)
		v.lost = v.lost || err == nil && len(chunks) < len(own) && p.vanishes()
		return chunks, err
	}, ofChunk)
	order.By(found, func(a, b memoir.Chunk) int { return a.Compare(b.ChunkID) })
	return found, err
}

// Sample implements [memoir.View].
func (v *view) Sample(ctx context.Context, space memoir.Space, limit int) ([]memoir.SampledVector, error) {
	found, err := gather(v, func(p part) ([]memoir.SampledVector, error) { return p.Sample(ctx, space, limit) }, func(*memoir.SampledVector, memoir.Scope) {})
	order.Stable(found, func(a, b memoir.SampledVector) int { return cmp.Compare(a.Hash, b.Hash) })
	return found[:min(len(found), max(limit, 0))], err
}
