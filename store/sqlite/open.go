package sqlite

import (
	"context"
	_ "embed" // the schema
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

//go:embed schema.sql
var schema string

// version is the number that the schema gives itself.
const version = 12

// applicationID is "MEMO", at its place in the header of a SQLite file.
const applicationID = 0x4d454d4f

// tableLeaf is the first byte of a page that holds rows; page 1 of a database
// holds a row for each of its tables.
const tableLeaf = 0x0d

// state is what the first bytes of a file say.
type state int

const (
	absent  state = iota // or empty
	ours                 // an index, as far as its header says
	foreign              // a database of another program
	broken               // neither, or cut short
)

// errAbsent says that there is no index, errOlder that its schema is older.
var (
	errAbsent = memoir.WithHint(fmt.Errorf("there is none: %w", memoir.ErrUnavailable), hintIndex)
	errOlder  = memoir.WithHint(fmt.Errorf("it was made by an older memoir: %w", memoir.ErrUnavailable), hintIndex)
)

// open opens the pools, for the first time or again. It makes a new index where
// there is none, or where it is damaged or older. It does not try the file
// damaged, which is known to be damaged; nil: there is none.
func (s *Store) open(ctx context.Context, damaged fs.FileInfo) error {
	err := s.attach(ctx, damaged)
	if s.asked || !errors.Is(err, errAbsent) && !s.unusable(ctx, err) {
		return err
	}
	return s.alone(ctx, func() error {
		// Another process may have made or replaced it meanwhile.
		err := s.attach(ctx, damaged)
		switch {
		case errors.Is(err, errAbsent):
			return s.create(ctx)
		case s.unusable(ctx, err):
			return s.replace(ctx, errors.Is(err, errOlder))
		}
		return err
	})
}

// attach opens the file that is at the path.
func (s *Store) attach(ctx context.Context, damaged fs.FileInfo) error {
	s.readOnly, s.immutable, s.cause = s.asked, false, nil
	switch st, err := inspect(s.path); {
	case err != nil:
		return err
	case st == absent:
		return errAbsent
	case st == foreign:
		return memoir.WithHint(fmt.Errorf("it is a database of another program: %w", memoir.ErrForeign),
			"move the file away, or choose another folder with --state-dir or MEMOIR_STATE_DIR")
	case st == broken:
		return fmt.Errorf("it is not a database, or it is cut short: %w", memoir.ErrCorrupt)
	}
	for range tries {
		before, err := stat(s.path)
		if err != nil {
			return unreadable(err)
		}
		if damaged != nil && os.SameFile(before, damaged) {
			return fmt.Errorf("it is not what was written: %w", memoir.ErrCorrupt)
		}
		if err := s.openExisting(ctx); err != nil {
			return err
		}
		// The opened file is known if the path led to it before and after.
		if after, err := stat(s.path); err == nil && os.SameFile(before, after) {
			s.file.Store(&before)
			s.shared, _ = stat(s.path + sharedSuffix) // the connections have it only where others may write
			s.wrote.Store(false)
			s.acquitted.Store(false)
			s.verified.Store(s.lately(before))
			s.looked.begin()
			return nil
		}
		_ = s.closePools()
	}
	return errReplaced
}

// inspect reads the header of a file (https://www.sqlite.org/fileformat2.html)
// without SQLite, which may write files beside one that it opens.
func inspect(path string) (state, error) {
	if err := ordinary(path); err != nil {
		return 0, err
	}
	f, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return absent, nil
	}
	if err != nil {
		return 0, unreadable(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, unreadable(err)
	}
	if info.Size() == 0 {
		return absent, nil
	}
	var h [108]byte
	if n, err := io.ReadFull(f, h[:]); err != nil && n == 0 {
		return 0, unreadable(err)
	}
	if nonEmpty(path + "-journal") {
		return ours, nil // the first write was cut off; SQLite will undo it
	}
	if string(h[:16]) != "SQLite format 3\x00" {
		return broken, nil
	}
	switch id := binary.BigEndian.Uint32(h[68:]); {
	case id == 0 && h[100] == tableLeaf && nonEmpty(path+"-wal"):
		return ours, nil // what was made stands in the log; SQLite will read it
	case id == 0 && h[100] == tableLeaf && binary.BigEndian.Uint16(h[103:]) == 0:
		return absent, nil // a database without tables: making the index was cut off
	case id != applicationID:
		return foreign, nil
	}
	pageSize := int64(binary.BigEndian.Uint16(h[16:]))
	if pageSize == 1 {
		pageSize = 65536
	}
	pages := int64(binary.BigEndian.Uint32(h[28:]))
	if info.Size() < pages*pageSize && !nonEmpty(path+"-wal") {
		return broken, nil
	}
	return ours, nil
}

// sharedSuffix ends the name of the memory that SQLite's connections share.
const sharedSuffix = "-shm"

// sidecars are the endings of the files that SQLite keeps beside its own.
var sidecars = []string{"-wal", sharedSuffix, "-journal"}

// ordinary refuses anything but an ordinary file in the place of the index or
// of the files that SQLite keeps beside it. SQLite opens those by their names,
// follows a link to the index, and waits for the other end of a pipe.
func ordinary(path string) error {
	for _, suffix := range append([]string{""}, sidecars...) {
		err := regular.Check(path + suffix)
		if errors.Is(err, regular.ErrKind) {
			return memoir.WithHint(fmt.Errorf("%w: %w", memoir.ErrUnavailable, err), "move "+path+suffix+" away, or choose another folder with --state-dir or MEMOIR_STATE_DIR")
		}
		if err != nil {
			return unreadable(err)
		}
	}
	return nil
}

func nonEmpty(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Size() > 0
}

func unreadable(err error) error {
	hint := hintReadOnly
	if syserr.TooManyFiles(err) {
		hint = syserr.MoreFiles
	}
	return memoir.WithHint(fmt.Errorf("%w: %w", memoir.ErrUnavailable, syserr.Reason(err)), hint)
}

// openExisting opens the readers' pool and checks the schema with it. The
// writer connects at the first write.
func (s *Store) openExisting(ctx context.Context) error {
	s.tried.begin()
	if s.readOnly {
		return s.openReadOnly(ctx)
	}
	err := s.openReader(ctx, reading)
	if err != nil && !errors.Is(err, memoir.ErrForeign) && !s.unusable(ctx, err) {
		if s.cause = writable(s.path); s.cause == nil && slices.Contains([]int{sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL}, code(err)) {
			s.cause = err // a disk that refuses SQLite alone
		}
		if s.cause != nil {
			s.readOnly = true
			return s.openReadOnly(ctx)
		}
	}
	if err != nil {
		return err
	}
	s.writer, err = newPool(s.path, writing, 1)
	return err
}

// openReadOnly opens the index so that another process may write to it. Where
// even that would need to write, it opens it as a file that nobody changes.
func (s *Store) openReadOnly(ctx context.Context) error {
	err := s.openReader(ctx, readOnly)
	switch code(err) {
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL:
		s.immutable = true
		err = s.openReader(ctx, immutable)
	}
	if structural(ctx, err) {
		err = fmt.Errorf("%w: %w", memoir.ErrCorrupt, err)
	}
	return err
}

// unusable reports whether an error says that the file is memoir's own but
// damaged or older, so that it can be replaced.
func (s *Store) unusable(ctx context.Context, err error) bool {
	return !s.readOnly && (structural(ctx, err) || errors.Is(err, errOlder))
}

func (s *Store) openReader(ctx context.Context, m mode) error {
	p, err := newPool(s.path, m, readers)
	if err != nil {
		return err
	}
	var found int
	err = p.do(ctx, beginRead, func(c *conn) error {
		if err := c.one(ctx, "PRAGMA user_version", nil, &found); err != nil || found != version {
			return err
		}
		return checkSchema(ctx, c)
	})
	switch {
	case err != nil:
	case found > version:
		err = memoir.WithHint(fmt.Errorf("it was made by a newer memoir (schema %d, this one knows %d): %w", found, version, memoir.ErrForeign),
			"upgrade memoir, or run memoir rebuild with another --state-dir")
	case found == 0:
		err = errAbsent // making it was cut off, or is under way
	case found < version:
		err = errOlder
	default:
		err = s.identify(ctx, p)
	}
	if err != nil {
		return errors.Join(err, p.close())
	}
	s.reader = p
	return nil
}

// identify records which index is open.
func (s *Store) identify(ctx context.Context, p *pool) error {
	return p.do(ctx, beginRead, func(c *conn) (err error) {
		s.identity, err = c.identity(ctx)
		return err
	})
}

// checkSchema compares the schema with the copy that the index keeps of it. A
// damaged byte in the schema can rename a column, which SQLite would not call
// damage.
func checkSchema(ctx context.Context, c *conn) error {
	var differences int
	err := c.one(ctx, `SELECT count(*) FROM json_each((SELECT value FROM meta WHERE key = 'schema')) j
		LEFT JOIN sqlite_schema s ON s.name = j.key WHERE s.sql IS NOT j.value`, nil, &differences)
	if err == nil && differences > 0 {
		err = fmt.Errorf("%w: its schema was changed", memoir.ErrCorrupt)
	}
	return err
}

// probeSize is more than SQLite needs beside a file to open it for writing.
const probeSize = 64 << 10

// writable reports why files cannot be made or changed in the folder of the
// index, or nil when they can. No connection of this process may be writing at
// the time, because closing the file releases its locks.
func writable(path string) error {
	if err := room(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := regular.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// room reports why no file can be made in a folder, nil when one can.
func room(dir string) error {
	probe, err := os.CreateTemp(dir, ".memoir-probe-*")
	if err != nil {
		return err
	}
	_, err = probe.Write(make([]byte, probeSize))
	return errors.Join(err, probe.Close(), os.Remove(probe.Name()))
}

// create makes a fresh index and opens it. There is nothing at its path, or a
// file without content. That file is removed with what SQLite keeps beside it,
// because processes that have the fresh file open would take an old log for one
// of its own.
func (s *Store) create(ctx context.Context) error {
	if err := s.removeFiles(); err != nil {
		return err
	}
	f, err := regular.OpenFile(s.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return unreadable(err)
	}
	if err := f.Close(); err != nil {
		return unreadable(err)
	}
	if err := s.fill(ctx); err != nil {
		return err
	}
	if err := s.attach(ctx, nil); err != nil {
		return err
	}
	s.verify(time.Now(), *s.file.Load())
	return nil
}

// removeFiles removes the file with what SQLite keeps beside it.
func (s *Store) removeFiles() error {
	for _, suffix := range beside {
		if err := os.Remove(s.path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unreadable(err)
		}
	}
	return nil
}

// fill gives a fresh file its tables in one transaction, so that no other
// process sees half an index.
func (s *Store) fill(ctx context.Context) error {
	p, err := newPool(s.path, creating, 1)
	if err != nil {
		return err
	}
	err = p.do(ctx, beginWrite, func(c *conn) error {
		_, err := c.ExecContext(ctx, schema)
		return err
	})
	return errors.Join(err, p.close())
}
