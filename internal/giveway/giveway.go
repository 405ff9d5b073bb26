// Package giveway lets a long computation pause while the process has something more
// urgent to do. Whoever starts it puts into the context how to pause. What computes asks
// for that at each small step, and so knows nothing of what is urgent.
package giveway

import "context"

type key struct{}

// With returns a context whose [From] is pause, a function that returns at once when
// nothing is urgent. It is called every few tenths of a millisecond, by several goroutines at
// once, and bounds how long it waits in all.
func With(ctx context.Context, pause func()) context.Context {
	return context.WithValue(ctx, key{}, pause)
}

// From returns how a computation under a context pauses, which is not at all where nobody
// says how. It is never nil.
func From(ctx context.Context) (pause func()) {
	if pause, ok := ctx.Value(key{}).(func()); ok {
		return pause
	}
	return func() {}
}
