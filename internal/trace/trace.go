// Package trace notes how long the stages of one request took and how much each of them
// saw. Who wants to know puts a [Trace] into the context of the request; in any other
// context a stage costs one look into the context and allocates nothing.
package trace

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// A Stage is a part of a request. Stages may run side by side, and one within another.
type Stage struct {
	Name  string
	Start time.Duration // since the request began
	Took  time.Duration
	Count int    // how much it saw or found
	Of    string // what is counted, in the plural; "" when nothing is
}

// A Trace collects the stages of one request. It is safe for concurrent use.
type Trace struct {
	start time.Time

	mu     sync.Mutex // guards what follows
	stages []Stage
}

type key struct{}

// With returns a context whose stages are noted in the Trace.
func With(ctx context.Context) (context.Context, *Trace) {
	t := &Trace{start: time.Now()}
	return context.WithValue(ctx, key{}, t), t
}

// Stages returns what has ended, in the order in which it began.
func (t *Trace) Stages() []Stage {
	t.mu.Lock()
	defer t.mu.Unlock()
	stages := slices.Clone(t.stages)
	slices.SortStableFunc(stages, func(a, b Stage) int { return cmp.Compare(a.Start, b.Start) })
	return stages
}

// A Timer is a stage that has begun. The zero value notes nothing.
type Timer struct {
	trace *Trace
	name  string
	start time.Time
}

// Begin begins a stage of the request whose context it is.
func Begin(ctx context.Context, name string) Timer {
	t, _ := ctx.Value(key{}).(*Trace)
	if t == nil {
		return Timer{}
	}
	return Timer{t, name, time.Now()}
}

// End ends the stage, which saw or found so many of something; of "" counts nothing.
func (b Timer) End(count int, of string) {
	if b.trace == nil {
		return
	}
	s := Stage{Name: b.name, Start: b.start.Sub(b.trace.start), Took: time.Since(b.start), Count: count, Of: of}
	b.trace.mu.Lock()
	defer b.trace.mu.Unlock()
	b.trace.stages = append(b.trace.stages, s)
}
