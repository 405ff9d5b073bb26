package sqlite

import (
	"cmp"
	"context"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/order"
)

// Twins implements [memoir.View].
func (v *view) Twins(ctx context.Context, digests []uint64, filter memoir.Filter) ([]memoir.ChunkMeta, error) {
	k, in, err := v.scope(ctx, filter)
	if err != nil {
		return nil, err
	}
	var ends [256]bool // nearly all chunks end with another byte, which is faster to see
	wanted := make(map[uint64]bool, len(digests))
	for _, d := range digests {
		ends[byte(d)], wanted[d] = true, true
	}
	var twins []memoir.ChunkMeta
	for n, d := range k.digests {
		if ends[byte(d)] && wanted[d] && in.has(n) {
			twins = append(twins, k.meta(n))
		}
	}
	order.By(twins, func(a, b memoir.ChunkMeta) int { return a.Compare(b.ChunkID) })
	return twins, ctx.Err()
}

// List implements [memoir.View].
func (v *view) List(ctx context.Context, filter memoir.Filter, limit int) ([]memoir.ChunkMeta, error) {
	if limit <= 0 {
		return nil, ctx.Err()
	}
	k, in, err := v.scope(ctx, filter)
	if err != nil {
		return nil, err
	}
	files := make([]fileFacts, 0, len(k.files))
	for _, f := range k.files {
		if in.any(f.first, f.first+f.chunks) {
			files = append(files, f)
		}
	}
	order.By(files, func(a, b fileFacts) int {
		return cmp.Or(cmp.Compare(b.date, a.date), cmp.Compare(a.meta.ID, b.meta.ID))
	})
	var out []memoir.ChunkMeta
	for _, f := range files {
		for n := f.first; n < f.first+f.chunks; n++ {
			if len(out) == limit {
				return out, nil
			}
			if in.has(n) {
				out = append(out, k.meta(n))
			}
		}
	}
	return out, ctx.Err()
}
