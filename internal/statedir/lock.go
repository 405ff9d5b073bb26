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
	if err := Make(path); err != nil {
		return nil, err
	}
	// Made here, for the library would follow a link and wait for a pipe.
	made, err := regular.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = made.Close()
	}
	if err != nil {
		return nil, cannotLock(path, err)
	}
	l := &Lock{flock.New(path, flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDONLY|regular.NoFollow|regular.NonBlock))}
	ok, err := l.file.TryLock()
	if err == nil && !ok {
		if waiting != nil {
			waiting()
		}
		ok, err = l.file.TryLockContext(ctx, retry)
	}
	switch {
	case ctx.Err() != nil:
		return nil, errors.Join(ctx.Err(), l.Release())
	case err != nil || !ok:
		return nil, cannotLock(path, err)
	}
	return l, nil
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
