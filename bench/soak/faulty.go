package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
)

// faultyActs are what happens while the disk fails; none where that cannot be done.
func (l *life) faultyActs() []act {
	if l.strace == "" {
		return nil
	}
	return []act{
		{"remember on a failing disk", 24, l.rememberFaulty},
		{"forget on a failing disk", 6, l.forgetFaulty},
		{"undo on a failing disk", 8, l.undoFaulty},
		{"index on a failing disk", 12, l.indexFaulty},
		{"search on a failing disk", 6, l.searchFaulty},
		{"tidy on a failing disk", 4, l.tidyFaulty},
	}
}

func (l *life) rememberFaulty(ctx context.Context) error {
	e := l.newEntry()
	args := []string{"remember", "--json", "--type", e.kind, "--key", e.key, e.text}
	out, errs, killed, failed := l.runFaulty(ctx, args...)
	var got outcome
	if failed == nil {
		if err := json.Unmarshal(out, &got); err != nil {
			return fmt.Errorf("an answer that is none: %w\n%s", err, out)
		}
		return l.afterFault(ctx, l.acknowledge(e, got))
	}
	stands, err := l.standing(l.marks[len(l.marks)-1], failed)
	if err != nil {
		return err
	}
	// The call that fails may be the one that carries the answer.
	if said := string(out) + errs; !stands && !killed && len(said) > 0 && !strings.Contains(said, e.text) {
		return fmt.Errorf("the text is not in the error: %w", failed)
	}
	if l.rng.IntN(4) == 0 {
		e.state = gone
		if stands {
			e.state = live
		}
		return l.afterFault(ctx, l.unanswered(e))
	}
	if err := l.run(ctx, &got, args...); err != nil {
		return fmt.Errorf("after %w: %w", failed, err)
	}
	return l.afterFault(ctx, l.acknowledge(e, got))
}

// standing reports whether an entry stands in a note, for an entry that may or
// may not be there.
func (l *life) standing(mark string, failed error) (bool, error) {
	counts, err := l.count(l.notes)
	if err != nil || counts[mark] > 1 {
		return false, fmt.Errorf("%d times after %w: %w", counts[mark], failed, err)
	}
	return counts[mark] == 1, nil
}

// takenOut decides about an entry that was to be taken out. If that was
// acknowledged, the entry is gone. Otherwise it may be gone, or stand there as
// before.
func (l *life) takenOut(ctx context.Context, e *told, mark string, failed error) error {
	if e.state = gone; failed != nil {
		stands, err := l.standing(mark, failed)
		if err != nil {
			return err
		}
		if stands {
			e.state = live
		}
	}
	return l.afterFault(ctx, nil)
}

func (l *life) forgetFaulty(ctx context.Context) error {
	mark := l.wanted()
	if mark == "" || l.entries[mark].id == "" {
		return nil
	}
	e := l.entries[mark]
	_, _, _, failed := l.runFaulty(ctx, "forget", "--json", e.id)
	return l.takenOut(ctx, e, mark, failed)
}

func (l *life) undoFaulty(ctx context.Context) error {
	e, err := l.rememberOne(ctx)
	if err != nil {
		return err
	}
	mark := l.marks[len(l.marks)-1]
	_, _, _, failed := l.runFaulty(ctx, "undo", "--json")
	return l.takenOut(ctx, e, mark, failed)
}

// indexFaulty indexes with a fault. The run may end in any way. After the next
// run the index is whole again.
func (l *life) indexFaulty(ctx context.Context) error {
	args := []string{"index", "--text-only"}
	if l.rng.IntN(3) == 0 {
		args = []string{"rebuild", "--text-only"}
	}
	_, _, _, failed := l.runFaulty(ctx, args...)
	if err := l.index(ctx); err != nil {
		return fmt.Errorf("after %w: %w", failed, err)
	}
	return l.afterFault(ctx, nil)
}

func (l *life) searchFaulty(ctx context.Context) error {
	_, _, _, _ = l.runFaulty(ctx, "search", "--json", "harbour")
	return l.afterFault(ctx, nil)
}

// tidyFaulty tidies with a fault. Either all that is certain was changed or
// nothing, and the change can be taken back.
func (l *life) tidyFaulty(ctx context.Context) error {
	before, err := l.bytes()
	if err != nil {
		return err
	}
	_, _, _, failed := l.runFaulty(ctx, "tidy", "--apply", "--json")
	after, err := l.bytes()
	if err != nil || maps.EqualFunc(before, after, bytes.Equal) {
		return err
	}
	if err := l.run(ctx, nil, "undo", "--json"); err != nil {
		return errors.Join(err, failed)
	}
	if after, err = l.bytes(); err == nil && !maps.EqualFunc(before, after, bytes.Equal) {
		err = fmt.Errorf("undo of a tidy does not give back the bytes: %w", failed)
	}
	return errors.Join(err, l.afterFault(ctx, nil))
}

// afterFault asks the oracle, and searches for entries that must be found.
func (l *life) afterFault(ctx context.Context, err error) error {
	if err != nil {
		return err
	}
	if err := l.check(l.notes); err != nil {
		return err
	}
	return l.search(ctx)
}
