package weaviate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/memoir-ai/memoir"
)

// A Turn is the time in which one machine may write to a tenant. A machine that was
// taken for gone may write all the same: what it writes is of an old number then, and
// counts for nobody.
type Turn interface {
	// Number is higher than those of other machines' turns before.
	Number() uint64
	// State is what was confirmed last before the turn; 0 when nothing was.
	State() uint64
	// Raise gives the turn a higher number.
	Raise(ctx context.Context, number uint64) error
	// Confirm notes a state for those who come later. An error says that the turn may be
	// somebody else's; without one it was nobody else's when Confirm was called.
	Confirm(ctx context.Context, state uint64) error
	Release(ctx context.Context)
}

func stateOf(number uint64) uuid {
	if number == 0 {
		return stateID
	}
	return uuidOf("state " + strconv.FormatUint(number, 10))
}

// stateBefore returns the state that a turn goes on from. It is asked for by its id, of
// most replicas: that of the turns from the one that was confirmed last on which were not
// ended, the highest first.
func (s *Store) stateBefore(ctx context.Context, turn Turn) (state, error) {
	from := turn.State()
	if from == 0 {
		// Nobody knows of a turn: the tenant is new, or has a state that was written without
		// turns, or what knew of them was taken away.
		st, err := s.highestState(ctx)
		if err == nil && st.Number >= turn.Number() {
			err = turn.Raise(ctx, st.Number+1)
		}
		return st, err
	}
	for n := turn.Number(); n >= from; n-- {
		if st, there, err := s.stateAt(ctx, stateOf(n)); there || err != nil {
			return st, err
		}
	}
	return state{Format: stateFormat, Revision: 1}, nil
}

// turn waits until this process alone may write to the tenant. Turn is nil where no other
// machine does.
func (s *Store) turn(ctx context.Context) (turn Turn, release func(), err error) {
	s.writing.Lock()
	free := s.writing.Unlock
	defer func() {
		if err != nil {
			free()
		}
	}()
	if s.opts.Writer != nil {
		end, err := s.opts.Writer(ctx)
		if err != nil {
			return nil, nil, err
		}
		free = func() { end(); s.writing.Unlock() }
	}
	if s.opts.Turns == nil {
		return nil, free, nil
	}
	if turn, err = s.opts.Turns(ctx); err != nil {
		return nil, nil, err
	}
	return turn, func() { turn.Release(ctx); free() }, nil
}

// goOn returns the contents that a turn goes on from.
func (s *Store) goOn(ctx context.Context, turn Turn) (*contents, error) {
	began := time.Now()
	st, err := s.stateBefore(ctx, turn)
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	s.mu.Lock()
	if c := s.current; c != nil && c.Revision != st.Revision && c.Number >= st.Number && !(c.Number == st.Number && c.Revision == s.acknowledged) {
		s.current = nil // it was written by a turn that was somebody else's by then
	}
	s.mu.Unlock()
	if st, err = s.newest(ctx, st, true); err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	k, err := s.contentsOf(ctx, st, began, true)
	if errors.Is(err, memoir.ErrCorrupt) {
		s.mu.Lock()
		s.damaged = true
		s.mu.Unlock()
	}
	return k, err
}
