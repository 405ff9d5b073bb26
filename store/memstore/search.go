package memstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/rank"
	"github.com/memoir-ai/memoir/store/internal/vector"
)

// View implements [memoir.Store]. Writers wait until f returns.
func (s *Store) View(ctx context.Context, f func(memoir.View) error) error {
	return s.read(ctx, func() error { return f(view{s}) })
}

// view is the store while nobody writes to it.
type view struct{ *Store }

var (
	_ memoir.Scorer       = view{}
	_ ability.Snapshotter = view{}
)

// Snapshot implements [ability.Snapshotter].
func (view) Snapshot() {}

// Terms implements [memoir.View].
func (s view) Terms(ctx context.Context, terms []memoir.Term, filter memoir.Filter, limit int) (memoir.Candidates, error) {
	counts, err := s.CountWords(ctx, terms, nil)
	if err != nil {
		return memoir.Candidates{}, err
	}
	best, err := s.SearchText(ctx, terms, filter, limit, &counts)
	if err != nil {
		return memoir.Candidates{}, err
	}
	found := memoir.Candidates{Counts: counts}
	for _, m := range best {
		c := memoir.Candidate{ChunkMeta: m.ChunkMeta, Held: make([]float32, len(terms)), DocumentHeld: make([]float32, len(terms))}
		for ordinal, n := range s.documents[m.Doc].chunks {
			length := len(s.chunks[n].Terms[memoir.FieldBody])
			c.DocumentLength += length
			if ordinal == m.Ordinal {
				c.Length = length
			}
			for i, t := range terms {
				count := float32(s.postings[t.Text][n])
				c.DocumentHeld[i] += count
				if ordinal == m.Ordinal {
					c.Held[i] = count
				}
			}
		}
		found.Chunks = append(found.Chunks, c)
	}
	return found, ctx.Err()
}

// texts are the chunks by document and ordinal, the order of ties, with what
// ranking needs to know of them.
type texts struct {
	order           []*chunk
	chunks, lengths []int32
	positions       map[int64]int32
}

func (s view) texts() texts {
	x := texts{positions: map[int64]int32{}}
	for _, id := range slices.Sorted(maps.Keys(s.documents)) {
		d := s.documents[id]
		x.chunks = append(x.chunks, int32(len(d.chunks)))
		for _, n := range d.chunks {
			x.positions[n] = int32(len(x.order))
			x.order = append(x.order, s.chunks[n])
			x.lengths = append(x.lengths, int32(len(s.chunks[n].Terms[memoir.FieldBody])))
		}
	}
	return x
}

// of returns the chunks that hold a term, in order.
func (x *texts) of(held map[int64]float64) []rank.Posting {
	var postings []rank.Posting
	for n, count := range held {
		postings = append(postings, rank.Posting{Chunk: x.positions[n], Count: float32(count)})
	}
	slices.SortFunc(postings, func(a, b rank.Posting) int { return cmp.Compare(a.Chunk, b.Chunk) })
	return postings
}

// CountWords implements [memoir.Scorer].
func (s view) CountWords(ctx context.Context, terms []memoir.Term, hidden []memoir.Filter) (memoir.WordCounts, error) {
	passes := s.filter(memoir.Filter{Without: hidden})
	documents := func(chunks func(yield func(*chunk) bool)) memoir.Holders {
		held, of := memoir.Holders{}, map[memoir.DocID]bool{}
		for c := range chunks {
			if passes(c) {
				held.Chunks++
				of[c.Doc] = true
			}
		}
		held.Documents = len(of)
		return held
	}
	all := documents(maps.Values(s.chunks))
	if len(hidden) == 0 {
		all.Documents = len(s.documents) // those without chunks, too
	}
	counts := memoir.WordCounts{Documents: all.Documents, Chunks: all.Chunks, Holders: map[string]memoir.Holders{}}
	for _, c := range s.chunks {
		if passes(c) {
			counts.Words += len(c.Terms[memoir.FieldBody])
		}
	}
	for _, t := range terms {
		counts.Holders[t.Text] = documents(func(yield func(*chunk) bool) {
			for n := range s.postings[t.Text] {
				if !yield(s.chunks[n]) {
					return
				}
			}
		})
	}
	return counts, ctx.Err()
}

// SearchText implements [memoir.Scorer].
func (s view) SearchText(ctx context.Context, terms []memoir.Term, filter memoir.Filter, limit int, all *memoir.WordCounts) (matches []memoir.Match, err error) {
	if all == nil {
		own, err := s.CountWords(ctx, terms, nil)
		if err != nil {
			return nil, err
		}
		all = &own
	}
	x := s.texts()
	ranked := rank.DefaultBM25.CollectAmong(x.chunks, x.lengths, rank.Totals{Documents: all.Documents, Chunks: all.Chunks, Terms: all.Words}).Rank()
	for _, supports := range []bool{false, true} {
		for _, t := range terms {
			spread := rank.Spread(all.Holders[t.Text])
			if t.Text == "" || !(t.Weight > 0) || t.Supports != supports || t.Light && ranked.Common(spread.Chunks) {
				continue
			}
			ranked.AddAmong(t.Role(), t.Weight, x.of(s.postings[t.Text]), spread)
		}
	}
	passes := s.filter(filter)
	keep := func(i int) bool { return passes(x.order[i]) }
	for _, r := range ranked.Top(limit, keep, func(a, b int) bool { return a < b }) {
		matches = append(matches, memoir.Match{ChunkMeta: x.order[r.Chunk].ChunkMeta, Score: r.Score, Reach: ranked.Reach()})
	}
	return matches, ctx.Err()
}

// SearchVector implements [memoir.View].
func (s view) SearchVector(ctx context.Context, space memoir.Space, query []float32, filter memoir.Filter, limit int) (matches []memoir.Match, err error) {
	if err := vector.Check(query, space.Dimensions); err != nil {
		return nil, fmt.Errorf("search vectors: %w: %w", memoir.ErrInvalid, err)
	}
	q, ok := vector.NewQuery(query)
	if !ok {
		return nil, ctx.Err()
	}
	passes := s.filter(filter)
	for _, c := range s.chunks {
		nearest := math.Inf(-1)
		for _, h := range c.EmbedHashes {
			if cosine, ok := q.Cosine(s.vector(space, h)); ok {
				nearest = max(nearest, cosine)
			}
		}
		if nearest >= -1 && passes(c) {
			matches = append(matches, memoir.Match{ChunkMeta: c.ChunkMeta, Score: nearest})
		}
	}
	return head(matches, limit), ctx.Err()
}

// List implements [memoir.View].
func (s view) List(ctx context.Context, filter memoir.Filter, limit int) (chunks []memoir.ChunkMeta, err error) {
	passes := s.filter(filter)
	for _, c := range s.chunks {
		if passes(c) {
			chunks = append(chunks, c.ChunkMeta)
		}
	}
	order.By(chunks, func(a, b memoir.ChunkMeta) int {
		return cmp.Or(cmp.Compare(b.Date, a.Date), a.ChunkID.Compare(b.ChunkID))
	})
	return chunks[:min(len(chunks), max(limit, 0))], ctx.Err()
}

// Twins implements [memoir.View].
func (s view) Twins(ctx context.Context, digests []uint64, filter memoir.Filter) (twins []memoir.ChunkMeta, err error) {
	passes := s.filter(filter)
	for _, c := range s.chunks {
		if slices.Contains(digests, c.Digest) && passes(c) {
			twins = append(twins, c.ChunkMeta)
		}
	}
	order.By(twins, func(a, b memoir.ChunkMeta) int { return a.Compare(b.ChunkID) })
	return twins, ctx.Err()
}

// Labels implements [memoir.View].
func (s view) Labels(ctx context.Context) (map[memoir.Label]memoir.LabelCount, error) {
	counts := map[memoir.Label]memoir.LabelCount{}
	for _, d := range s.documents {
		known := map[memoir.Label]bool{} // in the document
		for _, n := range d.chunks {
			for _, l := range s.chunks[n].Labels {
				c := counts[l]
				c.Chunks++
				if !known[l] {
					known[l] = true
					c.Documents++
				}
				counts[l] = c
			}
		}
	}
	return counts, ctx.Err()
}

// Resolve implements [memoir.View].
func (s view) Resolve(ctx context.Context, names []string, limit int) (map[string][]memoir.LinkedDocument, error) {
	found := map[string][]memoir.LinkedDocument{}
	for _, name := range names {
		ids := slices.Sorted(maps.Keys(s.names[name]))
		if ids = ids[:min(len(ids), max(limit, 0))]; len(ids) == 0 {
			continue
		}
		found[name] = nil
		for _, id := range ids {
			found[name] = append(found[name], memoir.LinkedDocument{ID: id, Chunks: len(s.documents[id].chunks)})
		}
	}
	return found, ctx.Err()
}

// Chunks implements [memoir.View].
func (s view) Chunks(ctx context.Context, ids []memoir.ChunkID) (chunks []memoir.Chunk, err error) {
	wanted := slices.Clone(ids)
	order.By(wanted, memoir.ChunkID.Compare)
	for _, id := range slices.Compact(wanted) {
		if d := s.documents[id.Doc]; d != nil && id.Ordinal >= 0 && id.Ordinal < len(d.chunks) {
			c := s.chunks[d.chunks[id.Ordinal]].Chunk
			c.Heading = slices.Clone(c.Heading)
			chunks = append(chunks, c)
		}
	}
	return chunks, ctx.Err()
}

// filter returns a function that reports whether a chunk passes.
func (s view) filter(f memoir.Filter) func(*chunk) bool {
	listed := make(map[memoir.ChunkID]bool, len(f.Chunks))
	for _, id := range f.Chunks {
		listed[id] = true
	}
	var without []func(*chunk) bool
	for _, w := range f.Without {
		without = append(without, s.filter(w))
	}
	var phrases []func(*chunk) bool
	for _, p := range f.Phrases {
		phrases = append(phrases, s.phrase(p))
	}
	return func(c *chunk) bool {
		return (len(f.Kinds) == 0 || slices.Contains(f.Kinds, c.Kind)) &&
			all(f.Labels, c.Labels.Has) &&
			strings.HasPrefix(string(c.Doc), f.Prefix) &&
			all(f.Paths, func(part string) bool { return strings.Contains(lower("/"+string(c.Doc)), lower(part)) }) &&
			all(f.Names, func(name string) bool { return slices.Contains(c.document.names, name) }) &&
			(f.From == "" || c.Date != "" && c.Date >= f.From) &&
			(f.To == "" || c.Date != "" && c.Date <= f.To) &&
			all(phrases, func(holds func(*chunk) bool) bool { return holds(c) }) &&
			(len(f.Chunks) == 0 || listed[c.ChunkID]) &&
			all(without, func(passes func(*chunk) bool) bool { return !passes(c) })
	}
}

func all[T any](list []T, holds func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !holds(x) })
}

// lower makes small letters of the capitals of ASCII.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// phrase returns a function that reports whether a chunk holds a phrase.
func (s view) phrase(p memoir.Phrase) func(*chunk) bool {
	inside := map[*chunk]bool{}
	if p.Text != "" {
		for _, c := range s.chunks {
			if c.holds(p.Inside, nil) {
				inside[c] = true
			}
		}
	}
	reads := len(inside) <= memoir.MaxInside
	return func(c *chunk) bool { return c.holds(p.Terms, p.Fields) || reads && inside[c] && p.In(&c.Chunk) }
}

// holds reports whether terms stand one after the other in one of some fields,
// or in any field when none is named.
func (c *chunk) holds(phrase []string, fields []memoir.Field) bool {
	for field, terms := range c.Terms {
		if len(fields) > 0 && !slices.Contains(fields, memoir.Field(field)) {
			continue
		}
		for i := range len(terms) - len(phrase) + 1 {
			if slices.Equal(terms[i:i+len(phrase)], phrase) {
				return true
			}
		}
	}
	return len(phrase) == 0
}

// head orders matches by score, then by chunk, and cuts them at the limit.
func head(matches []memoir.Match, limit int) []memoir.Match {
	slices.SortFunc(matches, func(a, b memoir.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), a.ChunkID.Compare(b.ChunkID))
	})
	return matches[:min(len(matches), max(limit, 0))]
}
