package notebook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/memoir-ai/memoir/internal/regular"
)

// lock waits until no other process of memoir writes here. It returns a
// function that ends that.
func (n *Notebook) lock(ctx context.Context) (unlock func() error, err error) {
	if err := regular.Folder(n.dir); err != nil {
		return nil, fmt.Errorf("lock the notes: %w", err)
	}
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return nil, fmt.Errorf("lock the notes: %w", err)
	}
	name := filepath.Join(n.dir, "notes.lock")
	if err := regular.Check(name); err != nil {
		return nil, fmt.Errorf("lock the notes: %w", err)
	}
	select {
	case n.turn <- struct{}{}: // also for a context that has ended, as long as nobody has to wait
	default:
		select {
		case n.turn <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	unlock, err = n.lockFile(ctx, flock.New(name, flock.SetPermissions(0o600)))
	if err != nil {
		return nil, err
	}
	return n.lockRemote(ctx, unlock)
}

// lockFile waits in the line of the system, in which who came first goes first, and ends
// the turn of this goroutine when it does not get the lock. A wait in that line cannot be
// ended. So when the context ends, the turn stays taken until the lock was got and given
// back, and a notebook has one such wait at most. A lock of a file that was removed
// meanwhile keeps nobody else away, and is given back for that of the file that is there.
func (n *Notebook) lockFile(ctx context.Context, f *flock.Flock) (unlock func() error, err error) {
	giveBack := func() error {
		defer func() { <-n.turn }()
		return f.Close()
	}
	for locked := false; err == nil && !locked; {
		ok, tryErr := f.TryLock()
		if err = tryErr; !ok && err == nil {
			got := make(chan error, 1)
			go func() { got <- f.Lock() }()
			select {
			case err = <-got:
			case <-ctx.Done():
				go func() {
					<-got
					_ = giveBack() // nobody is there who could be told
				}()
				return nil, ctx.Err()
			}
		}
		if locked = err == nil && stands(f); err == nil && !locked {
			err = f.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("lock the notes: %w", errors.Join(err, giveBack()))
	}
	return giveBack, nil
}

// stands reports whether a file that was opened is the one at its path.
func stands(f *flock.Flock) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(f.Path())
	return err == nil && os.SameFile(opened, now)
}
