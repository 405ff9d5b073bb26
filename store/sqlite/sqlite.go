// Package sqlite keeps an index in one SQLite file: words in FTS5, vectors as
// sqlite-vec reads them, both open to any SQLite shell. schema.sql is the schema,
// with queries to try.
//
// The file is derived from the notes and never precious: a damaged one is set
// aside and built again. What is not memoir's own is never touched.
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
)

// Options says how an index is opened. The zero value is right for most.
type Options struct {
	// ReadOnly opens an existing index without ever writing to it.
	ReadOnly bool
}

// readers is how many searches run at once; more wait their turn.
const readers = 4

// Store is an index in a SQLite file. It is safe for concurrent use, by
// several processes too: one writes while all read.
type Store struct {
	path string

	asked bool // for reading alone

	mu        sync.RWMutex // held while a call uses what follows
	closed    bool
	reader    *pool
	writer    *pool // nil: the file is read-only
	readOnly  bool  // asked for, or found
	immutable bool  // it is read as a file that nobody writes to
	cause     error // why it was found to be read-only
	identity  int64 // of the index

	file   atomic.Pointer[fs.FileInfo] // that is open, as it was looked at last; nil: none is
	looked pause                       // since it was
	tried  pause                       // since it was tried to open it for writing

	verified atomic.Pointer[time.Time] // when it was looked through; nil: it has to be
	wrote    atomic.Bool               // this process, since it opened the file

	current atomic.Pointer[contents] // the last ones
	lists   sync.Pool                // of *postings
	rows    rowSets
	vectors vectorCache
	fewRows int // 0 in tests: everything is found by the rows of 8 bits

	reports  sync.Mutex
	replaced string // why a fresh index was put in the place of another
	told     pause  // since that
	said     bool   // somebody was told
	whole    bool   // everything has been put into the index since
	damage   string // what was met of it in the index that is open
	sought   pause  // since another process had noted none
}

var (
	_ memoir.Store    = (*Store)(nil)
	_ memoir.Degrader = (*Store)(nil)
	_ memoir.Healer   = (*Store)(nil)
)

// Open opens the index at path, or makes one. Folders on the way are made.
//
// A file that is damaged is set aside as "<path>.corrupt-<time>", with a fresh
// index in its place that has those of the vectors that could be read; one that
// was made by an older memoir is replaced by such an index. [Store.Degradations]
// says so. A database of another program, or of a newer
// memoir, is left as it is and gives [memoir.ErrForeign]. What is no ordinary file,
// such as a symbolic link, in the place of the index or of a file that SQLite keeps
// beside it is left as it is and gives [memoir.ErrUnavailable]. An index that cannot
// be written to is opened for reading until it can be; where there is none to read,
// the error wraps [memoir.ErrUnavailable].
//
// The store follows the path, not the file: when the file is removed, replaced
// or cut short by others, the next call opens what is there then, or makes it
// anew.
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

// closePools closes the file, if one is open, and lets go of what is known of it.
func (s *Store) closePools() (err error) {
	known := s.file.Load()
	s.rows.forget()
	s.current.Store(nil)
	s.vectors.forget()
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
	s.reader, s.writer = nil, nil
	s.file.Store(nil)
	if err != nil {
		return fmt.Errorf("close the index: %w", err)
	}
	return nil
}

// Degradations implements [memoir.Degrader].
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

// write runs f in a transaction that alone writes; all of it counts, or nothing.
func (s *Store) write(ctx context.Context, doing string, f func(*conn) error) error {
	return s.use(ctx, doing, true, f, func(f func(*conn) error) error { return s.change(ctx, f) })
}

// use calls do with f while the pools are of the file at the path. When the file
// goes before f was called, it is the next one.
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

// identity returns what tells the index from every other.
func (c *conn) identity(ctx context.Context) (n int64, err error) {
	err = c.one(ctx, "SELECT value FROM meta WHERE key = 'identity'", nil, &n)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: meta lacks the identity", memoir.ErrCorrupt)
	}
	return n, err
}

// Clear implements [memoir.Store]. Where the file is too damaged to be
// cleared it is set aside, as at [Open].
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
			err = empty() // another process may have replaced it before, and filled it
		}
	}
	if err == nil {
		err = s.identify(ctx, s.reader) // one that was lost is another now
	}
	if err == nil {
		s.sound()
		s.current.Store(nil)
		s.vectors.forget()
	}
	return s.fault(ctx, "clear the index", err)
}

// clearAll empties all tables but those of vectors, and fails when what is
// left is not sound.
func clearAll(ctx context.Context, c *conn) error {
	for _, q := range []string{
		"DELETE FROM listing",
		"DELETE FROM files",
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
