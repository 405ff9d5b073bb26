package app

import (
	"context"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// embedLock is the lease of who computes the vectors of an index at a path: a lock of the operating system, which ends
// with the process that holds it, and holds across containers that share the folder.
type embedLock string

var _ memoir.Lease = embedLock("")

// Take implements [memoir.Lease].
func (l embedLock) Take(ctx context.Context, wait bool) (release func(), ok bool, err error) {
	var lock *statedir.Lock
	if wait {
		lock, err = statedir.Acquire(ctx, l.path(), nil)
		ok = err == nil
	} else {
		lock, ok, err = statedir.TryAcquire(l.path())
	}
	if ok && err == nil {
		lock.Sign()
	}
	return func() { _ = lock.Release() }, ok, err
}

// Wanted implements [memoir.Lease]: an index run is there.
func (l embedLock) Wanted() bool { return statedir.Held(runLock(string(l))) }

// holder returns who computes vectors now, and whether somebody does.
func (l embedLock) holder() (statedir.Holder, bool) { return statedir.HeldBy(l.path()) }

func (l embedLock) path() string { return string(l) + ".embed.lock" }

// runLock is the lock that makes index runs take turns.
func runLock(index string) string { return index + ".lock" }
