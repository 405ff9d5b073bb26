package search

import (
	"context"
	"slices"

	"github.com/memoir-ai/memoir"
)

// A visible is a view as if the index had none of what the caller may not see. How many
// chunks hold a word decides scores, so by those counts a caller could guess at words that
// only hidden chunks hold. So it counts without them.
type visible struct {
	memoir.View
	hidden []memoir.Filter
	// The counts of the terms that were asked for last.
	terms  []memoir.Term
	counts *memoir.WordCounts
}

var _ memoir.Scorer = (*visible)(nil)

// Unwrap implements [memoir.Wrapper].
func (v *visible) Unwrap() any { return v.View }

// within narrows a filter to what is not hidden.
func (v *visible) within(f memoir.Filter) memoir.Filter {
	f.Without = slices.Concat(f.Without, v.hidden)
	return f
}

// CountWords implements [memoir.Scorer].
func (v *visible) CountWords(
	ctx context.Context, terms []memoir.Term, more []memoir.Filter,
) (memoir.WordCounts, error) {
	if len(more) > 0 {
		return memoir.CountWords(ctx, v.View, terms, slices.Concat(v.hidden, more))
	}
	all, err := v.count(ctx, terms)
	if err != nil {
		return memoir.WordCounts{}, err
	}
	return *all, nil
}

// count returns the counts of terms. For the terms of the last call it returns the same pointer.
func (v *visible) count(ctx context.Context, terms []memoir.Term) (*memoir.WordCounts, error) {
	if v.counts != nil && slices.Equal(v.terms, terms) {
		return v.counts, nil
	}
	counts, err := memoir.CountWords(ctx, v.View, terms, v.hidden)
	if err != nil {
		return nil, err
	}
	v.terms, v.counts = slices.Clone(terms), &counts
	return v.counts, nil
}

// SearchText implements [memoir.Scorer]. It asks a view that is no Scorer for all visible
// chunks, because such a view may choose the first ones by counts of its own.
func (v *visible) SearchText(ctx context.Context, terms []memoir.Term, filter memoir.Filter, limit int, all *memoir.WordCounts) ([]memoir.Match, error) {
	own, err := v.count(ctx, terms)
	if err != nil {
		return nil, err
	}
	if all == nil {
		all = own
	}
	most := limit
	if _, scores := memoir.As[memoir.Scorer](v.View); !scores {
		most = max(limit, own.Chunks)
	}
	found, err := memoir.SearchTextAmong(ctx, v.View, terms, v.within(filter), most, all)
	return found[:min(len(found), max(limit, 0))], err
}

// Terms implements [memoir.View].
func (v *visible) Terms(ctx context.Context, terms []memoir.Term, filter memoir.Filter, limit int) (found memoir.Candidates, err error) {
	if limit > 0 {
		if found, err = v.View.Terms(ctx, terms, v.within(filter), limit); err != nil {
			return found, err
		}
	}
	found.Counts, err = v.CountWords(ctx, terms, nil)
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
