package weaviate

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/tune"
)

// Settle implements [memoir.Store]. It removes the unused vectors that were
// computed first.
func (s *Store) Settle(ctx context.Context, space memoir.Space, limits tune.Cache) error {
	k, err := s.load(ctx)
	if err != nil {
		return err
	}
	if len(k.unused(space, limits)) == 0 {
		return nil
	}
	var gone []kept
	err = s.alone(ctx, func(k *contents) (*draft, error) {
		gone = k.unused(space, limits)
		d := k.draft()
		for i := range d.Spaces {
			sp := &d.Spaces[i]
			have := maps.Clone(k.vectors[sp.Space])
			for _, g := range gone {
				if g.space == sp.Space {
					delete(have, g.hash)
				}
			}
			if len(have) < len(k.vectors[sp.Space]) {
				sp.Pages = nil
				if err := d.addVectors(s, sp, have); err != nil {
					return nil, err
				}
			}
		}
		return d, nil
	})
	if err != nil {
		return err
	}
	bySpace := map[memoir.Space][]uuid{}
	for _, g := range gone {
		bySpace[g.space] = append(bySpace[g.space], g.id(g.hash))
	}
	for id, ids := range bySpace {
		s.removeVectors(ctx, id, ids)
	}
	return nil
}

// removeVectors deletes vectors of a space that nothing names any more. What cannot be
// deleted takes room until the index is made anew, but no search finds it.
func (s *Store) removeVectors(ctx context.Context, space memoir.Space, ids []uuid) {
	for some := range slices.Chunk(ids, deletedAtOnce) {
		if s.removeWhere(context.WithoutCancel(ctx), classOf(space), "id", some) != nil {
			return
		}
	}
}

// kept is a vector that no chunk uses.
type kept struct {
	vectorRecord
	space memoir.Space
	hash  memoir.Hash
}

// unused returns the vectors that no chunk uses and that are beyond the limits.
func (k *contents) unused(current memoir.Space, limits tune.Cache) (gone []kept) {
	var candidates []kept
	entries := 0
	for id, have := range k.vectors {
		entries += len(have)
		for h, r := range have {
			if id != current && id != k.Serving || k.texts[h] == nil {
				candidates = append(candidates, kept{r, id, h})
			}
		}
	}
	order.By(candidates, func(a, b kept) int {
		return cmp.Or(a.Day.Compare(b.Day), strings.Compare(string(a.hash), string(b.hash)), strings.Compare(a.space.Key(), b.space.Key()))
	})
	oldest := time.Now().Add(-limits.MaxAge).UTC().Truncate(24 * time.Hour)
	for _, c := range candidates {
		if limits.MaxAge > 0 && c.Day.Before(oldest) || limits.MaxEntries > 0 && entries > limits.MaxEntries {
			gone = append(gone, c)
			entries--
		}
	}
	return gone
}

// checkVectors compares the vectors of a space with what some contents name. It returns
// those that are not named, and takes from the listing of a draft those that most replicas
// do not have. When the server cannot be asked, all stay.
func (s *Store) checkVectors(ctx context.Context, k *contents, d *draft, sp *spaceState) (unnamed []uuid, err error) {
	missing := map[uuid]memoir.Hash{}
	for h, r := range k.vectors[sp.Space] {
		missing[r.id(h)] = h
	}
	if len(missing) == 0 {
		return nil, nil
	}
	named := len(missing)
	err = s.each(ctx, classOf(sp.Space), "_additional{id}", func(o object) {
		id, ok := o.id()
		if _, known := missing[id]; known {
			delete(missing, id)
		} else if ok {
			unnamed = append(unnamed, id)
		}
	})
	if err != nil {
		return nil, ctx.Err()
	}
	for some := range slices.Chunk(slices.Collect(maps.Keys(missing)), idsAtOnce) {
		there, err := s.objects(ctx, classOf(sp.Space), some, "_additional{id}")
		if err != nil {
			return unnamed, ctx.Err()
		}
		for id := range there {
			delete(missing, id)
		}
	}
	if len(missing) == 0 {
		return unnamed, nil
	}
	have := make(map[memoir.Hash]vectorRecord, named)
	for h, r := range k.vectors[sp.Space] {
		if _, gone := missing[r.id(h)]; !gone {
			have[h] = r
		}
	}
	sp.Pages = nil
	return unnamed, d.addVectors(s, sp, have)
}
