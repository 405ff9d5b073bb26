package cli

import (
	"context"
	"errors"
	"sync"
	"time"
)

// parentPause is how often is looked whether the process is still there that started
// this one: a system call.
const parentPause = 2 * time.Second

// errOrphan is the cause of a context that ended with the parent.
var errOrphan = errors.New("the process that started this one is gone")

// withParent returns a context that ends when the process that started this one does,
// and what releases it. An agent that is killed may leave the pipes to its server open
// in another process, and then nobody would ever end the server.
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
