package memstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/rank"
	"github.com/memoir-ai/memoir/store/internal/vector"
)

// SearchText implements [memoir.Store].
func (s *Store) SearchText(ctx context.Context, terms []memoir.Term, filter memoir.Filter, limit int) (matches []memoir.Match, err error) {
	err = s.read(ctx, func() error {
		passes := newFilter(filter)
		for _, r := range rank.DefaultBM25.Rank(s.corpus(), s.occurrences(terms), s.place) {
			if c := s.chunks[r.Chunk]; passes(c) {
				matches = append(matches, memoir.Match{Chunk: c.Chunk, Score: r.Score})
			}
		}
		matches = head(matches, limit)
		return nil
	})
	return matches, err
}

func (s *Store) corpus() rank.Corpus {
	return rank.Corpus{
		Chunks:         len(s.chunks),
		Documents:      len(s.documents),
		ChunkLength:    float64(s.terms) / float64(max(len(s.chunks), 1)),
		DocumentLength: float64(s.terms) / float64(max(len(s.documents), 1)),
	}
}

func (s *Store) occurrences(terms []memoir.Term) []rank.QueryTerm {
	var out []rank.QueryTerm
	for _, t := range terms {
		if t.Text == "" || !(t.Weight > 0) {
			continue
		}
		q := rank.QueryTerm{Weight: t.Weight}
		for _, n := range slices.Sorted(maps.Keys(s.postings[t.Text])) {
			q.Occurrences = append(q.Occurrences, rank.Occurrence{Chunk: n, Count: s.postings[t.Text][n]})
		}
		out = append(out, q)
	}
	return out
}

func (s *Store) place(n int64) rank.Place {
	c := s.chunks[n]
	return rank.Place{
		Document:       c.document.number,
		Length:         float64(len(c.Terms[memoir.FieldBody])),
		DocumentLength: float64(c.document.terms),
	}
}

// SearchVector implements [memoir.Store].
func (s *Store) SearchVector(ctx context.Context, space memoir.Space, query []float32, filter memoir.Filter, limit int) (matches []memoir.Match, err error) {
	if err := vector.Check(query, space.Dimensions); err != nil {
		return nil, fmt.Errorf("search vectors: %w: %w", memoir.ErrInvalid, err)
	}
	q, ok := vector.NewQuery(query)
	if !ok {
		return nil, ctx.Err()
	}
	err = s.read(ctx, func() error {
		passes := newFilter(filter)
		for _, c := range s.chunks {
			cosine, ok := q.Cosine(s.vector(space, c.EmbedHash))
			if ok && passes(c) {
				matches = append(matches, memoir.Match{Chunk: c.Chunk, Score: cosine})
			}
		}
		matches = head(matches, limit)
		return nil
	})
	return matches, err
}

// List implements [memoir.Store].
func (s *Store) List(ctx context.Context, filter memoir.Filter, limit int) (chunks []memoir.Chunk, err error) {
	err = s.read(ctx, func() error {
		passes := newFilter(filter)
		for _, c := range s.chunks {
			if passes(c) {
				chunks = append(chunks, c.Chunk)
			}
		}
		slices.SortFunc(chunks, func(a, b memoir.Chunk) int {
			return cmp.Or(cmp.Compare(b.Date, a.Date), a.ChunkID.Compare(b.ChunkID))
		})
		chunks = chunks[:min(len(chunks), max(limit, 0))]
		for i := range chunks {
			chunks[i].Heading = slices.Clone(chunks[i].Heading)
		}
		return nil
	})
	return chunks, err
}

// newFilter returns a function that reports whether a chunk passes.
func newFilter(f memoir.Filter) func(*chunk) bool {
	listed := make(map[memoir.ChunkID]bool, len(f.Chunks))
	for _, id := range f.Chunks {
		listed[id] = true
	}
	var without []func(*chunk) bool
	for _, w := range f.Without {
		without = append(without, newFilter(w))
	}
	return func(c *chunk) bool {
		return (f.Kinds == nil || slices.Contains(f.Kinds, c.Kind)) &&
			strings.HasPrefix(string(c.Doc), f.Prefix) &&
			all(f.Paths, func(part string) bool { return strings.Contains(lower("/"+string(c.Doc)), lower(part)) }) &&
			all(f.Names, func(name string) bool { return slices.Contains(c.document.names, name) }) &&
			(f.From == "" || c.Date != "" && c.Date >= f.From) &&
			(f.To == "" || c.Date != "" && c.Date <= f.To) &&
			all(f.Phrases, c.holds) &&
			(f.Chunks == nil || listed[c.ChunkID]) &&
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

// holds reports whether the terms stand one after the other in a field.
func (c *chunk) holds(p memoir.Phrase) bool {
	for field, terms := range c.Terms {
		if p.Fields != nil && !slices.Contains(p.Fields, memoir.Field(field)) {
			continue
		}
		for i := range len(terms) - len(p.Terms) + 1 {
			if slices.Equal(terms[i:i+len(p.Terms)], p.Terms) {
				return true
			}
		}
	}
	return len(p.Terms) == 0
}

// head orders matches by score, then by chunk, and cuts them at the limit.
func head(matches []memoir.Match, limit int) []memoir.Match {
	slices.SortFunc(matches, func(a, b memoir.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), a.ChunkID.Compare(b.ChunkID))
	})
	matches = matches[:min(len(matches), max(limit, 0))]
	for i := range matches {
		matches[i].Heading = slices.Clone(matches[i].Heading)
	}
	return matches
}
