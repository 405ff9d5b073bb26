package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"github.com/memoir-ai/memoir"
)

const (
	// tries is how often in a row the file may turn out to be another one than a
	// moment ago.
	tries = 16
	// retryPause is how long an index that could only be opened for reading is
	// left so.
	retryPause = time.Second
	// lookPause is how long the path is not checked again, unless a sync begins.
	// The calls of one search follow each other more closely than that.
	lookPause = 20 * time.Millisecond
)

// A pause tells whether something was done a short time ago. It is safe for
// concurrent use. The zero value says that it was never done.
type pause struct{ done atomic.Int64 }

func (p *pause) over(length time.Duration) bool {
	since := time.Now().UnixNano() - p.done.Load()
	return since < 0 || since > int64(length)
}

func (p *pause) begin() { p.done.Store(time.Now().UnixNano()) }
func (p *pause) end()   { p.done.Store(0) }

var errReplaced = memoir.WithHint(fmt.Errorf("it is replaced again and again: %w", memoir.ErrUnavailable), hintBusy)

// stat returns what distinguishes a file from other files and from its own
// earlier states. On Unix it does not open the file, because closing it would
// cost SQLite its locks.
func stat(path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path) // a link is another file than the one that is open
	if err == nil {
		os.SameFile(info, info) // Windows looks up the number of the file when it is asked for
	}
	return info, err
}

// hold takes the mutex for reading while the pools belong to the file that is
// at the path now. A file that could only be read is opened for writing if that
// is possible again. After an error hold does not hold the mutex.
func (s *Store) hold(ctx context.Context, write bool) error {
	for range tries {
		s.mu.RLock()
		if s.closed {
			s.mu.RUnlock()
			return errClosed
		}
		if ok, _ := s.follows(ctx); ok && !(write && s.mayWriteAgain()) {
			return nil
		}
		s.mu.RUnlock()
		if err := s.renew(ctx); err != nil {
			return err
		}
	}
	return errReplaced
}

// follows reports whether the open file is the one at the path, or was a moment
// ago, and whether only memoir has written to it. If the file is the same but
// its content is not, it is returned as overwritten. The caller holds the
// mutex.
func (s *Store) follows(ctx context.Context) (ok bool, overwritten fs.FileInfo) {
	known := s.file.Load()
	if known == nil {
		return false, nil
	}
	if !s.looked.over(lookPause) {
		return true, nil
	}
	info, err := stat(s.path)
	switch {
	case err != nil:
		return !errors.Is(err, fs.ErrNotExist), nil // the open file may still answer
	case !os.SameFile(info, *known) || info.Size() == 0:
		return false, nil
	case s.sharedGone():
		return false, nil
	case info.Size() == (*known).Size() && info.ModTime().Equal((*known).ModTime()):
		s.looked.begin()
		return true, nil
	case s.immutable:
		return false, nil
	}
	// Either a log was folded into the file, or somebody wrote over it.
	switch err := s.look(ctx); {
	case errors.Is(err, errVersion):
		return false, nil
	case structural(ctx, err):
		return false, info
	case err == nil:
		s.file.Store(&info)
	}
	return true, nil
}

// sharedGone reports whether the memory that SQLite's connections share, a file beside the
// index, was removed, replaced or cut short. Connections go on with the one that they
// have mapped, so that nobody else would see their writes, or fail for good. SQLite itself
// does so only when nobody has the file open.
func (s *Store) sharedGone() bool {
	if s.shared == nil {
		return false
	}
	info, err := stat(s.path + sharedSuffix)
	return errors.Is(err, fs.ErrNotExist) || err == nil && (!os.SameFile(info, s.shared) || info.Size() < s.shared.Size())
}

var errVersion = errors.New("its schema has another version")

// look reads the file with a new connection, which has nothing cached. It fails
// when the file is not the index that is open.
func (s *Store) look(ctx context.Context) error {
	mode := reading
	if s.readOnly {
		mode = readOnly
	}
	p, err := newPool(s.path, mode, 1)
	if err != nil {
		return err
	}
	err = p.do(ctx, beginRead, func(c *conn) error {
		var found int
		if err := c.one(ctx, "PRAGMA user_version", nil, &found); err != nil {
			return err
		}
		if found != version {
			return errVersion
		}
		if err := checkSchema(ctx, c); err != nil {
			return err
		}
		identity, err := c.identity(ctx)
		if err == nil && identity != s.identity {
			err = fmt.Errorf("%w: another index was written over it", memoir.ErrCorrupt)
		}
		return err
	})
	return errors.Join(err, p.close())
}

// mayWriteAgain reports whether an index that could not be written to when it
// was opened can be written to now. It tries only once in a while.
func (s *Store) mayWriteAgain() bool {
	if s.writer != nil || s.asked {
		return false
	}
	if !s.tried.over(retryPause) {
		return false
	}
	s.tried.begin()
	return writable(s.path) == nil
}

// renew opens what is at the path now. An index that others have written over
// is set aside together with its log, which belongs to the earlier content.
func (s *Store) renew(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	ok, overwritten := s.follows(ctx)
	if ok && (s.writer != nil || s.asked) {
		return nil // another call has done it
	}
	_ = s.closePools() // the file is given up, so errors do not matter
	return s.open(ctx, overwritten)
}
