package giveway_test

import (
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/memoir-ai/memoir/internal/giveway"
)

// priority returns the nice value of the calling thread.
func priority(t *testing.T) int {
	t.Helper()
	got, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		t.Error(err)
	}
	return 20 - got // which the system call returns so that it is never negative
}

// TestRun: work in the background has a thread of its own with a lower priority, and other
// work neither, before and after.
func TestRun(t *testing.T) {
	usual := priority(t)
	paused := 0
	ctx := giveway.With(t.Context(), func() { paused++ })
	giveway.Run(ctx, func() {
		giveway.From(ctx)()
		if got := priority(t); got != min(usual+10, 19) {
			t.Errorf("in the background nice %d, otherwise %d", got, usual)
		}
		var started sync.WaitGroup
		for range 8 { // some of them on new threads
			started.Go(func() {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				if got := priority(t); got != usual {
					t.Errorf("a goroutine that it starts has nice %d, others %d", got, usual)
				}
			})
		}
		started.Wait()
	})
	giveway.Run(t.Context(), func() {
		giveway.From(t.Context())()
		if got := priority(t); got != usual {
			t.Errorf("not in the background nice %d, before %d", got, usual)
		}
	})
	if paused != 1 {
		t.Errorf("paused %d times", paused)
	}
}
