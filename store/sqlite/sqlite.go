// Package sqlite keeps an index in one SQLite file, with words in FTS5 and
// vectors in the format of sqlite-vec. Any SQLite shell can read both.
// schema.sql is the schema, with queries to try.
//
// The file is derived from the notes and never precious: a damaged one is set
// aside and built again. memoir never touches a file that is not its own.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
)

// Options says how an index is opened. The zero value is right for most.
type Options struct {
	// ReadOnly opens an existing index and never writes to it.
	ReadOnly bool
}

// readers is how many searches run at once. Further ones wait.
const readers = 4

// Store is an index in a SQLite file. It is safe for concurrent use, also by
// several processes: while one writes, all can read.
type Store struct {
	path string

	asked bool // the caller asked for reading only

	mu        sync.RWMutex // held while a call uses the fields below
	closed    bool
	reader    *pool
	writer    *pool // nil: the file is read-only
	readOnly  bool  // asked for, or found to be necessary
	immutable bool  // the file is read as one that nobody writes to
	cause     error // why the file was found to be read-only
	identity  int64 // of the index

	file   atomic.Pointer[fs.FileInfo] // the open file, as last seen; nil: none is open
	shared fs.FileInfo                 // of the memory that connections share, beside file; nil: there is none
	looked pause                       // since file was last checked
	tried  pause                       // since the last attempt to open it for writing

	verified atomic.Pointer[time.Time] // when the index was checked; nil: it must be
	wrote    atomic.Bool               // this process has written since it opened the file

	acquitted atomic.Bool // damage was met in the open file, and a check found none

	current atomic.Pointer[contents]     // the last ones
	listed  atomic.Pointer[documentList] // the last one, until there are contents
	lists   sync.Pool                    // of *postings
	rows    rowSets
	vectors vectorCache
	stats   statsCache
	fewRows int // 0 in tests, so that everything is found through the 8-bit rows

	reports  sync.Mutex
	replaced string // why a fresh index replaced another
	told     pause  // since that
	said     bool   // somebody has been told of that
	whole    bool   // everything has been indexed since
	damage   string // the damage met in the open index
	sought   pause  // since the last look for a note of another process
}

var (
	_ memoir.Store     = (*Store)(nil)
	_ ability.Degrader = (*Store)(nil)
	_ ability.Healer   = (*Store)(nil)
)

// Open opens the index at path, or makes one. Folders on the way are made.
//
// A damaged file is set aside as "<path>.corrupt-<time>". A fresh index takes
// its place, with the vectors that could be read. A file of an older memoir is
// replaced by such an index too. [Store.Degradations] reports both. A database
// of another program, or of a newer memoir, is left alone and gives
// [memoir.ErrForeign]. Anything but an ordinary file, such as a symbolic link,
// in the place of the index or of a file that SQLite keeps beside it is left
// alone and gives [memoir.ErrUnavailable]. An index that cannot be written to
// is opened for reading until it can be. When there is none to read, the error
// wraps [memoir.ErrUnavailable].
//
// The store follows the path, not the file. When somebody removes, replaces or
// cuts short the file, the next call opens what is at the path then, or makes a
// new index.
func Open(ctx context.Context, path string, opts Options) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open the index: %w", err)
	}
	s := newStore(path, opts)
	if err := s.open(ctx, nil); err != nil {
		return nil, s.fault(ctx, "open the index "+path, err)
	}
	return s, nil
}

func newStore(path string, opts Options) *Store {
	return &Store{path: path, asked: opts.ReadOnly, readOnly: opts.ReadOnly, fewRows: fewRows}
}

// Path returns the absolute path of the file.
func (s *Store) Path() string { return s.path }

// Size returns what the index takes on disk, in bytes.
func (s *Store) Size() (int64, error) {
	var size int64
	add := func(path string, _ int64) error {
		info, err := os.Lstat(path)
		if err == nil {
			size += info.Size()
		} else if errors.Is(err, fs.ErrNotExist) && path != s.path {
			err = nil
		}
		return err
	}
	if err := errors.Join(add(s.path, 0), add(s.path+"-wal", 0), s.rowsFiles(add)); err != nil {
		return 0, fmt.Errorf("size of the index: %w", err)
	}
	return size, nil
}

// Close closes the file, after the calls under way. Closing twice is no error.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.closePools()
}

// closePools closes the file, if one is open, and forgets what is known of it.
func (s *Store) closePools() (err error) {
	known := s.file.Load()
	s.rows.forget()
	s.current.Store(nil)
	s.listed.Store(nil)
	s.vectors.forget()
	s.stats.forget()
	if s.reader != nil {
		err = s.reader.close()
	}
	if s.writer != nil {
		// Last, so that it can fold the log into the file.
		err = errors.Join(err, s.writer.close())
	}
	if known != nil && err == nil {
		s.vouch(*known)
	}
	s.reader, s.writer, s.shared = nil, nil, nil
	s.file.Store(nil)
	if err != nil {
		return fmt.Errorf("close the index: %w", err)
	}
	return nil
}

// Degradations implements [ability.Degrader].
func (s *Store) Degradations() []memoir.Degradation {
	var out []memoir.Degradation
	s.reports.Lock()
	if s.replaced != "" && !s.told.over(tellTime) {
		out = append(out, memoir.Degradation{Part: "index", Reason: s.replaced, Action: hintIndex})
		if s.said = true; s.whole {
			s.replaced = ""
		}
	}
	s.reports.Unlock()
	if damage, ok := s.damaged(); ok {
		out = append(out, memoir.Degradation{Part: "index", Reason: "it is damaged and will be mended by the next run that writes: " + damage, Action: hintIndex})
	}
	s.rows.mu.Lock()
	if err := s.rows.failed; err != nil {
		reason := "what is searched by meaning cannot be kept beside the index and is made in memory: " + err.Error()
		out = append(out, memoir.Degradation{Part: "index", Reason: reason, Action: "memoir doctor"})
	}
	s.rows.mu.Unlock()
	return out
}

// read runs f in a transaction that sees one state of the index.
func (s *Store) read(ctx context.Context, doing string, f func(*conn) error) error {
	return s.use(ctx, doing, false, f, func(f func(*conn) error) error { return s.reader.do(ctx, beginRead, f) })
}

// write runs f in a write transaction: all of its changes count, or none.
func (s *Store) write(ctx context.Context, doing string, f func(*conn) error) error {
	return s.use(ctx, doing, true, f, func(f func(*conn) error) error { return s.change(ctx, f) })
}

// use calls do with f while the pools belong to the file at the path. If that
// file goes away before f is called, use takes the next one.
func (s *Store) use(ctx context.Context, doing string, write bool, f func(*conn) error, do func(func(*conn) error) error) error {
	for try := 1; ; try++ {
		err := s.hold(ctx, write)
		if err != nil {
			return s.fault(ctx, doing, err)
		}
		called := false
		err = do(func(c *conn) error {
			called = true
			return f(c)
		})
		again := !called && try < tries && slices.Contains([]int{sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOTADB}, code(err))
		if !again {
			s.note(ctx, err)
		}
		s.mu.RUnlock()
		if !again {
			return s.fault(ctx, doing, err)
		}
		s.looked.end()
	}
}

func (s *Store) change(ctx context.Context, f func(*conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.writer == nil {
		return s.refuse()
	}
	s.wrote.Store(true)
	return s.writer.do(ctx, beginWrite, func(c *conn) error {
		if err := f(c); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return c.run(ctx, `UPDATE meta SET value = CASE key WHEN 'generation' THEN value + 1 ELSE ? END
			WHERE key IN ('generation', 'written')`, time.Now().Unix())
	})
}

// generation returns a number that grows with every write.
func (c *conn) generation(ctx context.Context) (n int64, err error) {
	err = c.one(ctx, "SELECT value FROM meta WHERE key = 'generation'", nil, &n)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: meta lacks the generation", memoir.ErrCorrupt)
	}
	return n, err
}

// identity returns a number that distinguishes the index from every other.
func (c *conn) identity(ctx context.Context) (n int64, err error) {
	err = c.one(ctx, "SELECT value FROM meta WHERE key = 'identity'", nil, &n)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: meta lacks the identity", memoir.ErrCorrupt)
	}
	return n, err
}

// Clear implements [memoir.Store]. A file that is too damaged to be cleared is
// set aside, as [Open] does.
func (s *Store) Clear(ctx context.Context) error {
	if err := s.hold(ctx, true); err != nil {
		return s.fault(ctx, "clear the index", err)
	}
	s.mu.RUnlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return s.fault(ctx, "clear the index", errClosed)
	}
	empty := func() error { return s.change(ctx, func(c *conn) error { return clearAll(ctx, c) }) }
	err := empty()
	if file := s.file.Load(); file != nil && structural(ctx, err) {
		if err = s.startOver(ctx, *file); err == nil {
			err = empty() // another process may have replaced the index and filled it
		}
	}
	if err == nil {
		err = s.identify(ctx, s.reader) // an index that had lost its identity gets a new one
	}
	if err == nil {
		s.sound()
		s.current.Store(nil)
		s.listed.Store(nil)
		s.vectors.forget()
		s.stats.forget()
	}
	return s.fault(ctx, "clear the index", err)
}

// clearAll empties all tables but those of vectors. It fails when what is left
// is damaged.
func clearAll(ctx context.Context, c *conn) error {
	for _, q := range []string{
		"DELETE FROM listing",
		"DELETE FROM files",
		"DELETE FROM uses",
		"DELETE FROM chunks",
		"DELETE FROM names",
		"INSERT INTO chunks_fts (chunks_fts) VALUES ('delete-all')",
		"INSERT INTO meta VALUES ('generation', 0), ('identity', random()) ON CONFLICT (key) DO NOTHING",
		`INSERT INTO meta VALUES ('documents', 0), ('chunks', 0), ('terms', 0), ('texts', 0) ON CONFLICT (key) DO UPDATE SET value = 0`,
		"UPDATE spaces SET pending = 0, failed = 0",
	} {
		if _, err := c.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	return c.passes(ctx, "PRAGMA integrity_check(1)")
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[memoir.Hash]V) []memoir.Hash {
	keys := make([]memoir.Hash, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
