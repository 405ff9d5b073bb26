// Package sqlite keeps an index in one SQLite file: words in FTS5, vectors as
// sqlite-vec reads them, both open to any SQLite shell. The schema, with queries to try,
// are the files of schema, from 0001.sql on.
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

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/rank"
)

// Options says how an index is opened. The zero value is right for most.
type Options struct {
	// ReadOnly opens an existing index without ever writing to it.
	ReadOnly bool
	// BM25 ranks words; the zero value is rank.DefaultBM25.
	BM25 rank.BM25
}

// readers is how many searches run at once; more wait their turn.
const readers = 4

// Store is an index in a SQLite file. It is safe for concurrent use, by
// several processes too: one writes while all read.
type Store struct {
	path string
	bm25 rank.BM25

	mu       sync.RWMutex // held while a call uses the pools
	reader   *pool
	writer   *pool // nil: the file is read-only
	readOnly bool

	current atomic.Pointer[contents]  // the last ones
	listed  atomic.Pointer[documents] // the last ones
	lists   sync.Pool                 // of *postings
	rows    rowSets
	vectors vectorCache
	fewRows int // 0 in tests: everything is found by the rows of 8 bits

	reports   sync.Mutex
	recovered string // where a damaged file was put, until it was reported
}

var (
	_ memoir.Store    = (*Store)(nil)
	_ memoir.Clearer  = (*Store)(nil)
	_ memoir.Degrader = (*Store)(nil)
)

// Open opens the index at path, or makes one. Folders on the way are made.
//
// A file that is damaged is set aside as "<path>.corrupt-<time>", with a fresh
// index in its place; [Store.Degradations] says so. A database of another
// program, or of a newer memoir, is left as it is and gives
// [memoir.ErrForeign]. What is no ordinary file, such as a symbolic link, in the
// place of the index or of a file that SQLite keeps beside it is left as it is
// and gives [memoir.ErrUnavailable]. An index that cannot be written to is opened for
// reading; where there is none to read, the error wraps
// [memoir.ErrUnavailable].
func Open(ctx context.Context, path string, opts Options) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open the index: %w", err)
	}
	s := &Store{path: path, bm25: opts.BM25, readOnly: opts.ReadOnly, fewRows: fewRows}
	if s.bm25 == (rank.BM25{}) {
		s.bm25 = rank.DefaultBM25
	}
	if err := s.open(ctx); err != nil {
		return nil, fault(ctx, "open the index "+path, err)
	}
	return s, nil
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
	return s.closePools()
}

func (s *Store) closePools() error {
	s.rows.forget()
	err := s.reader.close()
	if s.writer != nil {
		// Last, so that it can fold the log into the file.
		err = errors.Join(err, s.writer.close())
	}
	if err != nil {
		return fmt.Errorf("close the index: %w", err)
	}
	return nil
}

// Degradations implements [memoir.Degrader]. That a damaged file was set aside
// is told once.
func (s *Store) Degradations() []memoir.Degradation {
	var out []memoir.Degradation
	s.reports.Lock()
	if s.recovered != "" {
		reason := "the index was damaged; it is being rebuilt (the old file is " + filepath.Base(s.recovered) + ")"
		out = append(out, memoir.Degradation{Part: "index", Reason: reason, Action: "memoir index"})
		s.recovered = ""
	}
	s.reports.Unlock()
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
	s.mu.RLock()
	defer s.mu.RUnlock()
	return fault(ctx, doing, s.reader.do(ctx, "BEGIN", f))
}

// write runs f in a transaction that alone writes; all of it counts, or nothing.
func (s *Store) write(ctx context.Context, doing string, f func(*conn) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return fault(ctx, doing, s.change(ctx, f))
}

func (s *Store) change(ctx context.Context, f func(*conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.writer == nil {
		return memoir.WithHint(fmt.Errorf("the index is read-only: %w", memoir.ErrUnavailable), hintReadOnly)
	}
	return s.writer.do(ctx, "BEGIN IMMEDIATE", func(c *conn) error {
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

// Clear implements [memoir.Clearer]. Where the file is too damaged to be
// cleared it is set aside, as at [Open], and the vectors with it.
func (s *Store) Clear(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.reader.closed:
		return errClosed
	default:
	}
	err := s.change(ctx, func(c *conn) error { return clearAll(ctx, c) })
	if structural(ctx, err) {
		err = s.startOver(ctx)
	}
	if err == nil {
		s.current.Store(nil)
		s.vectors.forget()
		s.listed.Store(nil)
	}
	return fault(ctx, "clear the index", err)
}

// clearAll empties all tables but those of vectors, and fails when what is
// left is not sound.
func clearAll(ctx context.Context, c *conn) error {
	for _, q := range []string{
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
	var report string
	if err := c.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&report); err != nil {
		return err
	}
	if report != "ok" {
		return fmt.Errorf("%w: %s", memoir.ErrCorrupt, report)
	}
	return nil
}

// startOver puts the file aside and opens a fresh one.
func (s *Store) startOver(ctx context.Context) error {
	if err := s.closePools(); err != nil {
		return err
	}
	if err := s.setAside(); err != nil {
		return err
	}
	return s.open(ctx)
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
