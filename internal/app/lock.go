package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gofrs/flock"

	"github.com/memoir-ai/memoir"
)

// lock keeps two long runs from doing the same work twice. The operating
// system frees it when the process ends, however it ends. A nil lock is none.
type lock struct{ file *flock.Flock }

// retry is how often a held lock is tried again.
const retry = 100 * time.Millisecond

// acquire takes the lock, and calls waiting once when another process holds it.
func acquire(ctx context.Context, path string, waiting func()) (*lock, error) {
	if err := makeFolder(path); err != nil {
		return nil, err
	}
	l := &lock{flock.New(path, flock.SetPermissions(0o600))}
	ok, err := l.file.TryLock()
	if err == nil && !ok {
		if waiting != nil {
			waiting()
		}
		ok, err = l.file.TryLockContext(ctx, retry)
	}
	switch {
	case ctx.Err() != nil:
		return nil, errors.Join(ctx.Err(), l.release())
	case err != nil || !ok:
		return nil, memoir.WithHint(fmt.Errorf("take the lock %s: %w", path, err), stateHint)
	}
	return l, nil
}

func (l *lock) release() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}
