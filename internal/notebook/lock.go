package notebook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

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
	name := filepath.Join(n.dir, "notes") // and what kind of file
	if err := regular.Check(name + ".lock"); err != nil {
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
	unlock, err = n.lockFile(ctx, name)
	if err != nil {
		return nil, err
	}
	return n.lockRemote(ctx, unlock)
}

// linePatience is how long one waits for the one before in the line, which may be a
// process that was stopped, before it asks for the lock out of turn.
const linePatience = 2 * time.Second

// lockFile waits for the lock in the order in which it was asked for, and ends the turn of
// this goroutine when it does not get it. Neither the wait in the line nor that for the
// lock can be ended. So when the context ends, the turn stays taken until the wait is over
// and all is given back, and a notebook has one such wait at most. A lock of a file that
// was removed meanwhile keeps nobody else away, and is given back for that of the file
// that is there.
func (n *Notebook) lockFile(ctx context.Context, name string) (unlock func() error, err error) {
	f := flock.New(name+".lock", flock.SetPermissions(0o600))
	p, err := takePlace(ctx, name+".line", n.patience)
	giveBack := func() error {
		defer func() { <-n.turn }()
		return errors.Join(f.Close(), p.leave())
	}
	// await does what may block, for as long as the context and its patience last. It
	// reports false when the context has ended; the wait goes on then, and gives back.
	await := func(patience, late <-chan time.Time, blocks func() error) (bool, error) {
		ended := make(chan error, 1)
		go func() { ended <- blocks() }()
		for {
			select {
			case err := <-ended:
				return true, err
			case <-patience:
				return true, nil
			case <-late:
				n.opts.Held(holder(f.Path()))
			case <-ctx.Done():
				go func() {
					<-ended
					_ = giveBack() // there is no caller left to return it to
				}()
				return false, nil
			}
		}
	}
	var late <-chan time.Time
	if n.opts.Held != nil {
		late = time.After(n.patience)
	}
	waits := true
	if err == nil && !p.first() {
		waits, err = await(time.After(n.patience), nil, func() error { p.wait(); return nil })
	}
	for locked := false; waits && err == nil && !locked; {
		ok, tryErr := f.TryLock()
		if err = tryErr; !ok && err == nil {
			waits, err = await(nil, late, f.Lock)
		}
		if locked = waits && err == nil && stands(f); waits && err == nil && !locked {
			err = f.Close()
		}
	}
	switch {
	case !waits:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("lock the notes: %w", errors.Join(err, giveBack()))
	}
	sign(f.Path())
	return giveBack, nil
}

// sign writes into the file of the lock which process has it. Where it cannot, as on
// Windows, [holder] returns 0.
func sign(path string) {
	f, err := regular.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, _ = fmt.Fprintf(f, "%-20d\n", os.Getpid()) // over all of the one before
		_ = f.Close()
	}
}

// holder returns the process that had the lock last, 0 when it is not known.
func holder(path string) int {
	text, err := regular.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid < 1 {
		return 0
	}
	return pid
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
