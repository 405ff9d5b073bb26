package app

import (
	"context"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// lease is the lease of the index at a path. It is a lock of the operating
// system, which ends with the process that holds it and also works between
// containers that share the folder.
type lease string

var _ memoir.Lease = lease("")

// Take implements [memoir.Lease].
func (l lease) Take(ctx context.Context, wait bool) (release func(), ok bool, err error) {
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

// Wanted implements [memoir.Lease]. It reports whether an index run waits.
func (l lease) Wanted() bool { return statedir.Held(runLock(string(l))) }

// holder returns who computes vectors now, and whether somebody does.
func (l lease) holder() (statedir.Holder, bool) { return statedir.HeldBy(l.path()) }

func (l lease) path() string { return string(l) + ".embed.lock" }

// runLock is the lock that makes index runs take turns.
func runLock(index string) string { return index + ".lock" }
