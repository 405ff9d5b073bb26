// Package trace measures how long the stages of one request take and how much each of
// them sees. A caller that wants to know puts a [Trace] into the context of the request.
// In any other context a stage costs one look into the context and allocates nothing.
package trace

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/memoir-ai/memoir/internal/order"
)

// A Stage is a part of a request. Stages may run side by side, and inside each other.
type Stage struct {
	Name  string
	Start time.Duration // since the request began
	Took  time.Duration
	Count int    // how many things it saw or found
	Of    string // what the things are, in the plural; "" when nothing is counted
}

// A Trace collects the stages of one request. It is safe for concurrent use.
type Trace struct {
	start time.Time

	mu     sync.Mutex // guards what follows
	stages []Stage
}

type key struct{}

// With returns a context in which stages are recorded, and the Trace that records them.
func With(ctx context.Context) (context.Context, *Trace) {
	t := &Trace{start: time.Now()}
	return context.WithValue(ctx, key{}, t), t
}

// Stages returns the stages that have ended, in the order in which they began.
func (t *Trace) Stages() []Stage {
	t.mu.Lock()
	defer t.mu.Unlock()
	stages := slices.Clone(t.stages)
	order.Stable(stages, func(a, b Stage) int { return cmp.Compare(a.Start, b.Start) })
	return stages
}

// An Observer is told of every stage that has ended, of every request, by the goroutine
// that ended it. The stage's Start is 0: it began at the time began.
type Observer func(ctx context.Context, began time.Time, s Stage)

// observer is nil but in a program that was built with -tags otel.
var observer Observer

// Observe sets who is told of stages; nil: nobody. Call it before any request.
func Observe(o Observer) { observer = o }

// A Timer is a stage that has begun. The zero value records nothing.
type Timer struct {
	trace *Trace
	ctx   context.Context // of its request; nil when nobody observes
	name  string
	start time.Time
}

// Begin begins a stage of the request that ctx belongs to.
func Begin(ctx context.Context, name string) Timer {
	t, _ := ctx.Value(key{}).(*Trace)
	switch {
	case observer != nil:
		return Timer{t, ctx, name, time.Now()}
	case t == nil:
		return Timer{}
	}
	return Timer{t, nil, name, time.Now()}
}

// End ends the stage. count is how many things it saw or found, and of says what they
// are; with "" nothing is counted.
func (b Timer) End(count int, of string) {
	if b.ctx != nil {
		observer(b.ctx, b.start, Stage{Name: b.name, Took: time.Since(b.start), Count: count, Of: of})
	}
	if b.trace == nil {
		return
	}
	s := Stage{Name: b.name, Start: b.start.Sub(b.trace.start), Took: time.Since(b.start), Count: count, Of: of}
	b.trace.mu.Lock()
	defer b.trace.mu.Unlock()
	b.trace.stages = append(b.trace.stages, s)
}
