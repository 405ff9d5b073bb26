// Package giveway lets a long computation in the background stand back while the process,
// or the machine, has something more urgent to do. Whoever starts the computation says in
// the context how it pauses. What computes asks for that at each small step, and so knows
// nothing of what is urgent.
package giveway

import (
	"context"
	"runtime"
)

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

// Run runs work, and returns when it has ended. Under a context of [With] it does so on an
// operating system's thread of its own, which on Linux has a lower priority (10 nicer than the
// process).
// Goroutines that work starts have other threads.
func Run(ctx context.Context, work func()) {
	if _, ok := ctx.Value(key{}).(func()); !ok {
		work()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		lower()
		work()
	}()
	<-done
}
