package cli

import (
	"context"
	"errors"
	"sync"
	"time"
)

// parentPause is how often to check whether the parent process still runs. The
// check is one system call.
const parentPause = 2 * time.Second

// errOrphan is the cause of a context that ended because the parent process
// did.
var errOrphan = errors.New("the process that started this one is gone")

// withParent returns a context that ends when the parent process does, and a
// function that releases it. An agent that is killed may leave the pipes to its
// server open in another process. Then nothing else would ever end the server.
func withParent(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		pause := time.NewTicker(parentPause)
		defer pause.Stop()
		for {
			select {
			case <-pause.C:
				if orphaned() {
					cancel(errOrphan)
					return
				}
			case <-ctx.Done():
				return
			}
		}
	})
	return ctx, func() {
		cancel(nil)
		watch.Wait()
	}
}
