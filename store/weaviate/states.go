package weaviate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memoir-ai/memoir"
)

// An object that is replaced can go back. Weaviate keeps a write that it could not send to
// a node, and carries it out when the node is there again: after the client has given up
// and has written something newer, and over it, on all nodes. So a state is also written
// to an object of its own, and a state that comes before one that is known is not believed.

// before reports whether a state was replaced by another, or by one that replaced it.
func (st *state) before(other *state) bool {
	return st.Born == other.Born && st.compare(other) < 0
}

// compare orders states, by numbers and not by clocks. Two have the same order only when
// one of them was written and not acknowledged, by a process that ended, and the next one
// did not see it: the later one counts then, by the clock of the machine that both ran on.
func (st *state) compare(other *state) int {
	return cmp.Or(cmp.Compare(st.Number, other.Number), cmp.Compare(st.Order, other.Order), st.Written.Compare(other.Written))
}

// statesKept is after how many states the objects of those before them are deleted.
const statesKept = 8

// maxStates is how many objects of states are looked at. There are more only of a tenant
// whose writes have failed that often.
const maxStates = 100

// states returns the states that one replica knows, which may have been away. nil is one
// that cannot be read.
func (s *Store) states(ctx context.Context) (map[uuid]*state, error) {
	where := fmt.Sprintf("limit:%d,where:{path:[\"of\"],operator:Equal,valueText:%s}", maxStates, quote(stateID.String()))
	found, err := s.client.get(ctx, wordsClass, s.arguments(where), dataFields)
	if err != nil { // perhaps there is no such tenant, or it sleeps
		if wakeErr := s.wake(ctx, wordsClass); wakeErr != nil {
			return nil, err
		}
		if found, err = s.client.get(ctx, wordsClass, s.arguments(where), dataFields); err != nil {
			return nil, err
		}
	}
	all := make(map[uuid]*state, len(found))
	for _, o := range found {
		id, ok := o.id()
		if !ok {
			continue
		}
		st, err := parseState(o.Data)
		switch {
		case err == nil:
			all[id] = &st
		case errors.Is(err, memoir.ErrCorrupt):
			all[id] = nil
		default:
			return nil, err
		}
	}
	return all, nil
}

// highestState finds the state that counts where machines take turns. It may be that of a
// moment ago.
func (s *Store) highestState(ctx context.Context) (state, error) {
	all, err := s.states(ctx)
	if err != nil {
		return state{}, err
	}
	var highest *state
	for _, st := range all {
		if st != nil && (highest == nil || highest.compare(st) < 0) {
			highest = st
		}
	}
	switch {
	case highest != nil:
		return *highest, nil
	case len(all) > 0:
		return state{}, fmt.Errorf("%w: the state of the tenant cannot be read", memoir.ErrCorrupt)
	}
	return state{Format: stateFormat, Revision: 1}, nil
}

// readState reads the state of the tenant, to write the next one or only to read. A tenant
// that has none, or that somebody has deleted, is empty.
func (s *Store) readState(ctx context.Context, writing bool) (state, error) {
	if s.opts.Turns != nil {
		return s.highestState(ctx)
	}
	st, there, err := s.stateAt(ctx, stateID)
	if err != nil || !there {
		return st, err
	}
	return s.newest(ctx, st, writing)
}

// newest returns the state of the same turn that has replaced a given one. Who only reads,
// and knows that one or a newer one, does not look for it: what others wrote since then is
// seen when its state comes. Who writes looks each time, because a state that goes on from
// an older one takes the place of what was acknowledged.
func (s *Store) newest(ctx context.Context, st state, writing bool) (state, error) {
	s.mu.Lock()
	c := s.current
	s.mu.Unlock()
	if !writing && c != nil && c.Born == st.Born && c.Number == st.Number && c.compare(&st) >= 0 {
		return st, nil
	}
	all, err := s.states(ctx)
	for _, other := range all {
		if other != nil && st.Number == other.Number && st.before(other) {
			st = *other
		}
	}
	return st, err
}

// removeStates deletes the objects of the states that a given one has replaced.
func (s *Store) removeStates(ctx context.Context, st *state) {
	all, err := s.states(ctx)
	if err != nil {
		return // the next time they are deleted
	}
	var old []uuid
	for id, other := range all {
		if other == nil || other.before(st) || other.Born != st.Born && other.Number <= st.Number {
			old = append(old, id)
		}
	}
	old = slices.DeleteFunc(old, func(id uuid) bool { return id == stateOf(st.Number) })
	if len(old) > 0 {
		_ = s.removeWhere(ctx, wordsClass, "id", old) // or the next time
	}
}
