package weaviate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/memoir-ai/memoir"
)

// unseen is how many states at most were written that nobody sees when an index is healed.
const unseen = 1 << 20

// Heal implements [ability.Healer]. It takes documents out of the listing whose objects
// were missed. It replaces a listing that cannot be read with an empty one, and keeps the
// vectors on readable pages.
func (s *Store) Heal(ctx context.Context, _ bool) error {
	s.mu.Lock()
	damaged, broken := s.damaged, maps.Clone(s.broken)
	s.mu.Unlock()
	switch {
	case damaged:
		return s.relist(ctx)
	case len(broken) > 0:
		return s.unlist(ctx, broken)
	}
	return s.open(ctx)
}

// unlist takes documents out of the listing, as far as they are still of some revisions.
func (s *Store) unlist(ctx context.Context, broken map[memoir.DocID]uuid) error {
	err := s.alone(ctx, func(k *contents) (*draft, error) {
		d := k.draft()
		next := map[memoir.DocID]*record{}
		for id, revision := range broken {
			if r := k.byID[id]; r != nil && r.Revision == revision {
				next[id], d.dropped = nil, append(d.dropped, revision)
			}
		}
		if len(next) == 0 {
			return nil, nil
		}
		if err := d.count(ctx, s, k, next, nil); err != nil {
			return nil, err
		}
		return d, d.list(s, k, next)
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.broken, func(id memoir.DocID, revision uuid) bool { return broken[id] == revision })
	return nil
}

// relist replaces the listing with one of no documents.
func (s *Store) relist(ctx context.Context) error {
	turn, release, err := s.turn(ctx)
	if err != nil {
		return err
	}
	defer release()
	var st state
	if turn == nil {
		st, err = s.readState(ctx, true)
	} else {
		st, err = s.stateBefore(ctx, turn)
	}
	if errors.Is(err, memoir.ErrCorrupt) {
		st, err = state{Format: stateFormat, Revision: 1}, nil
	}
	if err != nil {
		return err
	}
	st.Order += unseen
	k := &contents{state: st, pages: map[uuid]page{}}
	d := k.draft()
	d.dropped, d.Pages, d.Tallies, d.last = slices.Concat(d.Pages, d.Tallies), nil, nil, true
	for i := range d.Spaces {
		sp := &d.Spaces[i]
		pages := sp.Pages
		sp.Pages = nil
		for _, id := range pages {
			switch err := s.readPages(ctx, []uuid{id}, d.pages); {
			case err == nil:
				sp.Pages = append(sp.Pages, id)
			case !errors.Is(err, memoir.ErrCorrupt):
				return fmt.Errorf("read the index: %w", err) // its vectors may be there
			}
		}
	}
	if err := s.commit(ctx, k, d, turn); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.damaged = false
	return nil
}
