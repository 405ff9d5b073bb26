package statedir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// A Lock keeps two long runs from doing the same work twice. The operating
// system frees it when the process ends, however it ends. A nil Lock is none.
type Lock struct{ file *flock.Flock }

// retry is how often a held lock is tried again.
const retry = 100 * time.Millisecond

// Acquire takes the lock, and calls waiting once when another process holds it.
func Acquire(ctx context.Context, path string, waiting func()) (*Lock, error) {
	l, ok, err := TryAcquire(path)
	if ok || err != nil {
		return l, err
	}
	if waiting != nil {
		waiting()
	}
	l = &Lock{lockFile(path)}
	ok, err = l.file.TryLockContext(ctx, retry)
	switch {
	case ctx.Err() != nil:
		return nil, errors.Join(ctx.Err(), l.Release())
	case err != nil || !ok:
		return nil, cannotLock(path, err)
	}
	return l, nil
}

// TryAcquire takes the lock, and is not ok when somebody else holds it: another
// process, or this one.
func TryAcquire(path string) (l *Lock, ok bool, err error) {
	return try(path, (*flock.Flock).TryLock)
}

// TryShare takes the lock together with all who share it, and is not ok when somebody has
// acquired it.
func TryShare(path string) (l *Lock, ok bool, err error) {
	return try(path, (*flock.Flock).TryRLock)
}

func try(path string, lock func(*flock.Flock) (bool, error)) (l *Lock, ok bool, err error) {
	if err := Make(path); err != nil {
		return nil, false, err
	}
	// Made here, for the library would follow a link and wait for a pipe.
	made, err := regular.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = made.Close()
	}
	if err != nil {
		return nil, false, cannotLock(path, err)
	}
	l = &Lock{lockFile(path)}
	if ok, err = lock(l.file); err != nil {
		return nil, false, cannotLock(path, err)
	}
	if !ok {
		return nil, false, l.Release()
	}
	return l, true, nil
}

// Held reports whether somebody has acquired the lock, as far as that can be told. It
// makes no file.
func Held(path string) bool { return held(path, (*flock.Flock).TryRLock) }

// Shared reports whether somebody holds the lock, shared or not, as far as that can be
// told. It makes no file.
func Shared(path string) bool { return held(path, (*flock.Flock).TryLock) }

func held(path string, lock func(*flock.Flock) (bool, error)) bool {
	probe := flock.New(path, flock.SetFlag(os.O_RDONLY|regular.NoFollow|regular.NonBlock))
	defer probe.Close()
	free, err := lock(probe)
	return err == nil && !free
}

func lockFile(path string) *flock.Flock {
	return flock.New(path, flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDONLY|regular.NoFollow|regular.NonBlock))
}

func cannotLock(path string, err error) error {
	err = WithHint(path, fmt.Errorf("take the lock %s: %w", path, syserr.Reason(err)))
	switch {
	case syserr.TooManyFiles(err):
		return memoir.WithHint(err, syserr.MoreFiles)
	case memoir.Hint(err) == "":
		return memoir.WithHint(err, Hint)
	}
	return err
}

// Release gives the lock back.
func (l *Lock) Release() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}
