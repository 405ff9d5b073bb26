package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// stopped is the cause of a context that a signal has ended.
type stopped struct{ signal os.Signal }

func (s stopped) Error() string { return "stopped by a signal: " + s.signal.String() }

// Is makes stopped match [context.Canceled], which callers that wait for a
// context expect.
func (stopped) Is(target error) bool { return target == context.Canceled }

// stoppable returns a context that an interrupt or a request to terminate ends,
// and a function that releases it. A second signal ends the process at once,
// because by then the system handles it.
func stoppable(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	var watch sync.WaitGroup
	watch.Go(func() {
		defer signal.Stop(signals)
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(stopped{s})
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		cancel(nil)
		watch.Wait()
	}
}

// signalCode returns the exit code of a command that a signal stopped, as
// shells have it: 128 plus the number of the signal. It returns 0 when no
// signal did.
func signalCode(ctx context.Context) int {
	var s stopped
	if !errors.As(context.Cause(ctx), &s) {
		return 0
	}
	number, ok := s.signal.(syscall.Signal)
	if !ok {
		return exitFailed
	}
	return exitSignal + int(number)
}
