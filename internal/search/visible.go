package search

import (
	"context"
	"slices"

	"github.com/memoir-ai/memoir"
)

// A visible is a view as if the index had none of what the caller may not see. How many
// chunks hold a word decides scores, so by those counts a caller could guess at words that
// only hidden chunks hold. It counts what it ranks anew for each query: that costs as much
// as listing the chunks, whichever the store.
type visible struct {
	memoir.View
	hidden            []memoir.Filter
	documents, chunks int // how many are not hidden; -1 chunks: not counted yet
}

var _ memoir.Scorer = (*visible)(nil)

// Unwrap implements [memoir.Wrapper].
func (v *visible) Unwrap() any { return v.View }

// within narrows a filter to what is not hidden.
func (v *visible) within(f memoir.Filter) memoir.Filter {
	f.Without = slices.Concat(f.Without, v.hidden)
	return f
}

// CountWords implements [memoir.Scorer]. The length of a chunk that holds none of the terms
// is taken for the mean of those that hold one.
func (v *visible) CountWords(ctx context.Context, terms []memoir.Term) (memoir.WordCounts, error) {
	if v.chunks < 0 {
		all, err := v.View.List(ctx, v.within(memoir.Filter{}), everything)
		if err != nil {
			return memoir.WordCounts{}, err
		}
		documents := map[memoir.ChunkID]bool{}
		for _, c := range all {
			documents[documentOf(c)] = true
		}
		v.chunks, v.documents = len(all), len(documents)
	}
	counts := memoir.WordCounts{Documents: v.documents, Chunks: v.chunks, Words: v.chunks, Holders: map[string]memoir.Holders{}}
	plain := make([]memoir.Term, len(terms)) // a light term may be common only among hidden chunks
	for i, t := range terms {
		plain[i] = memoir.Term{Text: t.Text, Weight: 1}
	}
	if len(plain) == 0 || v.chunks == 0 {
		return counts, ctx.Err()
	}
	found, err := v.View.Terms(ctx, plain, v.within(memoir.Filter{}), v.chunks)
	if err != nil {
		return memoir.WordCounts{}, err
	}
	length := 0
	for _, c := range found.Chunks {
		length += c.Length
	}
	if n := len(found.Chunks); n > 0 {
		counts.Words = max(1, length*v.chunks/n)
	}
	for i, t := range plain {
		var held memoir.Holders
		documents := map[memoir.ChunkID]bool{}
		for _, c := range found.Chunks {
			if c.Held[i] > 0 {
				held.Chunks++
				documents[documentOf(c.ChunkMeta)] = true
			}
		}
		held.Documents = len(documents)
		counts.Holders[t.Text] = held
	}
	return counts, nil
}

// everything is more chunks than an index has.
const everything = 1 << 30

// documentOf returns the same for all chunks of a document.
func documentOf(c memoir.ChunkMeta) memoir.ChunkID {
	c.Ordinal = 0
	return c.ChunkID
}

// SearchText implements [memoir.Scorer]. It asks for all that is visible, because a store
// may choose the first ones by counts of its own.
func (v *visible) SearchText(ctx context.Context, terms []memoir.Term, filter memoir.Filter, limit int, all *memoir.WordCounts) ([]memoir.Match, error) {
	if all == nil {
		own, err := v.CountWords(ctx, terms)
		if err != nil {
			return nil, err
		}
		all = &own
	}
	found, err := memoir.SearchTextAmong(ctx, v.View, terms, v.within(filter), max(limit, v.chunks), all)
	return found[:min(len(found), max(limit, 0))], err
}

// Terms implements [memoir.View].
func (v *visible) Terms(ctx context.Context, terms []memoir.Term, filter memoir.Filter, limit int) (found memoir.Candidates, err error) {
	if limit > 0 {
		if found, err = v.View.Terms(ctx, terms, v.within(filter), limit); err != nil {
			return found, err
		}
	}
	found.Counts, err = v.CountWords(ctx, terms)
	return found, err
}

// SearchVector implements [memoir.View].
func (v *visible) SearchVector(ctx context.Context, space memoir.Space, vector []float32, filter memoir.Filter, limit int) ([]memoir.Match, error) {
	return v.View.SearchVector(ctx, space, vector, v.within(filter), limit)
}

// List implements [memoir.View].
func (v *visible) List(ctx context.Context, filter memoir.Filter, limit int) ([]memoir.ChunkMeta, error) {
	return v.View.List(ctx, v.within(filter), limit)
}

// Twins implements [memoir.View].
func (v *visible) Twins(ctx context.Context, digests []uint64, filter memoir.Filter) ([]memoir.ChunkMeta, error) {
	return v.View.Twins(ctx, digests, v.within(filter))
}
