package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
	"github.com/memoir-ai/memoir/store/internal/vector"
)

const (
	// keptDamaged is how many damaged files are kept.
	keptDamaged = 2
	// lockSuffix names the file whose lock is held while the index is made or replaced.
	lockSuffix = ".replacing"
	// corruptPart stands before the time in the name of a file that was set
	// aside.
	corruptPart = ".corrupt-"
	// stampLayout is the layout of that time.
	stampLayout = "20060102T150405.000Z"
	// freshSuffix names a new index that is to replace a damaged one.
	freshSuffix = ".fresh"
	// lockPause is how long to wait before trying a held lock again.
	lockPause = 20 * time.Millisecond
)

// beside are the suffixes of SQLite's files, with that of the database last.
// The log goes first, because a log that is left would be applied to the next
// file at the path.
var beside = append(slices.Clone(sidecars), "")

// alone calls f while no other process makes or replaces the index.
func (s *Store) alone(ctx context.Context, f func() error) (err error) {
	// Notes are private, and the index holds their text.
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return unreadable(err)
	}
	// The file is made here, because the library would follow a link and wait
	// for a pipe.
	made, err := regular.OpenFile(s.path+lockSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return unreadable(fmt.Errorf("take a lock: %w", err))
	}
	if err := made.Close(); err != nil {
		return unreadable(err)
	}
	lock := flock.New(s.path+lockSuffix, flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDONLY|regular.NoFollow|regular.NonBlock))
	if ok, err := lock.TryLockContext(ctx, lockPause); err != nil || !ok {
		return unreadable(fmt.Errorf("take the lock %s: %w", lock.Path(), err))
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	return f()
}

// replace puts a fresh index in the place of a damaged or older one, copies the
// vectors that can be read, and opens it. The caller holds the mutex and runs
// inside [Store.alone].
func (s *Store) replace(ctx context.Context, older bool) error {
	_ = s.closePools() // the file is given up, so errors do not matter
	fresh := newStore(s.path+freshSuffix, Options{})
	err := fresh.create(ctx)
	lost := false
	if err == nil {
		lost, err = s.salvage(ctx, fresh)
		err = errors.Join(err, fresh.closePools())
	}
	switch {
	case err != nil:
	case older && !lost: // the fresh index has all that was worth keeping
		err = s.discard(fresh.path)
	default:
		err = s.setAside(fresh.path)
	}
	if err != nil {
		return errors.Join(err, fresh.removeFiles())
	}
	s.removeRows(0)
	s.sound()
	if err := s.prune(keptDamaged); err != nil {
		return err
	}
	return s.attach(ctx, nil)
}

// setAside renames the damaged file, with what SQLite keeps beside it, and
// puts the fresh one in its place.
func (s *Store) setAside(fresh string) error {
	target := s.path + corruptPart + time.Now().UTC().Format(stampLayout)
	for _, suffix := range beside {
		move := func() error { return os.Rename(s.path+suffix, target+suffix) }
		if suffix == "-shm" || suffix == "-wal" && !nonEmpty(s.path+suffix) {
			move = func() error { return os.Remove(s.path + suffix) } // it says nothing
		}
		if err := move(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return memoir.WithHint(fmt.Errorf("%w, and it cannot be set aside: %w", memoir.ErrCorrupt, syserr.Reason(err)), "move "+s.path+suffix+" away")
		}
	}
	return s.put(fresh, "the index was damaged; it is being rebuilt (the old file is "+filepath.Base(target)+")")
}

// discard removes the older file, with what SQLite keeps beside it, and puts the
// fresh one in its place.
func (s *Store) discard(fresh string) error {
	for _, suffix := range sidecars {
		if err := os.Remove(s.path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unreadable(err)
		}
	}
	return s.put(fresh, "the index was made by an older memoir; it is being rebuilt")
}

// tellTime is how long memoir reports at most that the index was replaced. It
// reports it until the index is whole again, and at least once, so that
// everybody who gets an incomplete answer learns why.
const tellTime = time.Minute

// settled records that everything is in the index again.
func (s *Store) settled() {
	s.reports.Lock()
	defer s.reports.Unlock()
	if s.whole = true; s.said {
		s.replaced = ""
	}
}

// refilled does what settled does for an index that another process has filled again, so that
// this one finds nothing to do.
func (s *Store) refilled(ctx context.Context) {
	s.reports.Lock()
	replaced := s.replaced != ""
	s.reports.Unlock()
	if !replaced {
		return
	}
	if stats, err := s.Stats(ctx, memoir.Space{}); err == nil && stats.Documents > 0 {
		s.settled()
	}
}

// put moves a fresh index to the path, and records why.
func (s *Store) put(fresh, why string) error {
	if err := os.Rename(fresh, s.path); err != nil {
		return unreadable(err)
	}
	s.reports.Lock()
	defer s.reports.Unlock()
	s.replaced, s.said, s.whole = why, false, false
	s.told.begin()
	return nil
}

// prune removes the oldest of the files that were set aside and are known to be
// memoir's, but keeps that many. It removes the log of one that was not set aside, because
// the process was killed before.
func (s *Store) prune(keep int) error {
	dir, base := filepath.Split(s.path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return unreadable(err)
	}
	var found []string
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		stamp, ok := strings.CutPrefix(e.Name(), base+corruptPart)
		switch {
		case ok && !strings.Contains(stamp, "-") && made(name):
			found = append(found, name)
		case ok && logAlone(name, stamp):
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return unreadable(err)
			}
		}
	}
	slices.Sort(found)
	for _, name := range found[:max(0, len(found)-keep)] {
		for _, suffix := range beside {
			if err := os.Remove(name + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return unreadable(err)
			}
		}
	}
	return nil
}

// logAlone reports whether a file that was set aside at some time is the log of an index
// that was not.
func logAlone(path, stamp string) bool {
	if _, err := time.Parse(stampLayout+"-wal", stamp); err != nil {
		return false
	}
	_, err := os.Lstat(strings.TrimSuffix(path, "-wal"))
	return errors.Is(err, fs.ErrNotExist)
}

// made reports whether a file, damaged or not, bears memoir's mark. A file
// without the mark may belong to a person and is never removed.
func made(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var mark [4]byte
	_, err = f.ReadAt(mark[:], 68)
	return err == nil && binary.BigEndian.Uint32(mark[:]) == applicationID
}

// salvageBatch is how many vectors are copied in one transaction.
const salvageBatch = 512

// salvage copies the readable vectors of a damaged or older index to a fresh
// one, because they may have cost money. The next sync makes everything else
// again. It leaves out what cannot be read, and lost says that there was such a
// thing. The error is that of the fresh index.
func (s *Store) salvage(ctx context.Context, fresh *Store) (lost bool, err error) {
	if st, err := inspect(s.path); err != nil || st != ours {
		return true, nil
	}
	p, err := newPool(s.path, reading, 1)
	if err != nil {
		return true, nil
	}
	defer p.close() // of a file that was only read
	ids := map[int64]memoir.Space{}
	var order []int64
	lost = nil != p.do(ctx, beginRead, func(c *conn) error {
		return c.each(ctx, "SELECT id, provider, model, version, dimensions FROM spaces ORDER BY serving DESC, id", nil, func(scan func(...any) error) error {
			var id int64
			var x memoir.Space
			err := scan(&id, &x.Provider, &x.Model, &x.Version, &x.Dimensions)
			ids[id], order = x, append(order, id)
			return err
		})
	})
	for _, id := range order {
		holes, err := salvageSpace(ctx, p, id, ids[id], fresh)
		if err != nil {
			return true, err
		}
		lost = lost || holes
	}
	return lost, ctx.Err()
}

// salvageSpace copies the vectors of a space in the order of their ids. Where
// reading fails it skips ahead, by steps that double, until it is past the
// unreadable page.
func salvageSpace(ctx context.Context, p *pool, id int64, space memoir.Space, fresh *Store) (lost bool, err error) {
	const end = 1 << 40
	last, step := int64(0), int64(0)
	for last+step < end && ctx.Err() == nil {
		vectors := map[memoir.Hash][]float32{}
		err := p.do(ctx, beginRead, func(c *conn) error {
			return c.until(ctx, `SELECT v.id, lower(hex(t.hash)), v.vector FROM vectors v NOT INDEXED CROSS JOIN texts t ON t.id = v.text
				WHERE v.id > ? AND v.space = ? ORDER BY v.id`, []any{last + step, id}, func(scan func(...any) error) (bool, error) {
				var hash memoir.Hash
				var blob sql.RawBytes
				if err := scan(&last, &hash, &blob); err != nil {
					return false, err
				}
				step = 0
				v := decode(nil, blob)
				if _, err := hashKey(hash); err == nil && vector.Check(v, space.Dimensions) == nil && len(blob) == 4*len(v) {
					vectors[hash] = v
				}
				return len(vectors) < salvageBatch, nil
			})
		})
		if err := fresh.PutVectors(ctx, space, vectors, nil); err != nil {
			return true, err
		}
		switch {
		case err != nil:
			lost, step = true, max(1, 2*step)
		case len(vectors) < salvageBatch:
			return lost, nil
		}
	}
	return lost, ctx.Err()
}
