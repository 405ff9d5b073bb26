package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/store/internal/rowfile"
)

// rowsSuffix stands between the path of the index and the number of a space in
// the names of files that hold rows of its vectors.
const rowsSuffix = ".vectors-"

const (
	// manyUnfiled is how many rows may be missing from the file before they are
	// written to it. Every process that searches reads missing rows from the
	// table; so many take some 5 ms.
	manyUnfiled = 1024
	// someUnfiled is the same limit once there is nothing more to embed.
	someUnfiled = 64
	// manyInMemory is from how many rows on a file is better mapped than read.
	manyInMemory = 8192
	// samples is how many rows of a file are compared with the table before it
	// is used.
	samples = 16
	// rowsPause is how long rows are kept only in memory after they could not be
	// written.
	rowsPause = 10 * time.Second
)

// rowSets are the rows of the spaces that this process has searched.
type rowSets struct {
	mu   sync.Mutex // held while a set is made, so that one search makes it for all
	sets map[int64]*rowSet
	// failed says why the rows cannot be kept beside the index, and when that is
	// tried again.
	failed error
	again  time.Time

	stale atomic.Bool // this process has stored vectors since it last settled
}

// rowSet is the rows of a space, at one generation of the index or later.
type rowSet struct {
	*rowfile.Set
	generation int64
	users      *int // how many sets that are in use share the file
}

// release ends the use of a set.
func (r *rowSets) release(set *rowSet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(set)
}

func (r *rowSets) drop(set *rowSet) {
	if *set.users--; *set.users == 0 {
		_ = set.Close() // of a file that was only read
	}
}

var errGone = errors.New("the file of rows was cut short")

// best is [rowfile.Set.Best] for a file that may be cut short while it is
// mapped. Without it, reading the missing part would end the process.
func (r *rowSet) best(q rowfile.Query, n int, floor float32, keep func(text int64) bool) (found []rowfile.Candidate, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			err = errGone
		default:
			panic(fault)
		}
	}()
	return r.Best(q, n, floor, keep), nil
}

// discard drops a set that cannot be read. The next use opens the file again.
func (r *rowSets) discard(id int64, set *rowSet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sets[id] == set {
		r.drop(set)
		delete(r.sets, id)
	}
}

// forget closes all sets, each as soon as nobody uses it any more.
func (r *rowSets) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, set := range r.sets {
		r.drop(set)
		delete(r.sets, id)
	}
	r.failed = nil
}

// useRows returns rows of a space that include every vector the connection
// sees. The caller releases them. They may also have rows of vectors that are
// gone, or that are newer than the connection's state of the index.
func (s *Store) useRows(ctx context.Context, c *conn, space memoir.Space, id int64) (*rowSet, error) {
	generation, err := c.generation(ctx)
	if err != nil {
		return nil, err
	}
	s.rows.mu.Lock()
	defer s.rows.mu.Unlock()
	set, unfiled := s.rows.sets[id], manyUnfiled
	retry := s.rows.failed != nil && time.Now().After(s.rows.again)
	if retry {
		s.rows.again = time.Now().Add(rowsPause)
		if retry = room(filepath.Dir(s.path)) == nil; retry {
			unfiled = someUnfiled
		}
	}
	if set == nil || set.generation != generation || retry {
		if set, err = s.refreshRows(ctx, c, space, id, generation, unfiled); err != nil {
			return nil, err
		}
	}
	*set.users++
	return set, nil
}

// refreshRows makes the current set of a space. The caller holds the mutex.
// When the file lacks many rows they are written to it.
func (s *Store) refreshRows(ctx context.Context, c *conn, space memoir.Space, id, generation int64, unfiled int) (*rowSet, error) {
	key, err := rowsKey(ctx, c, space)
	if err != nil {
		return nil, err
	}
	var last int64
	if err := c.one(ctx, "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'vectors'), 0)", nil, &last); err != nil {
		return nil, err
	}
	table := vectorTable{c, id, key, last}
	set := s.rows.sets[id]
	if set != nil && set.Key() != key {
		set = nil // the number belonged to a space that is gone
	}
	for reopened := false; ; reopened = true {
		if set == nil {
			opened, err := s.openRows(ctx, table)
			if err != nil {
				return nil, err
			}
			set = s.keepRows(id, &rowSet{Set: opened, users: new(int)})
		}
		if set.Through() < last {
			extended, err := set.Extend(last, func(b *rowfile.Builder) error { return table.read(ctx, set.Through(), b) })
			if err != nil {
				return nil, err
			}
			set = s.keepRows(id, &rowSet{Set: extended, users: set.users})
		}
		set.generation = generation
		if s.writer == nil || reopened || set.Unfiled() < unfiled || s.rows.failed != nil && unfiled == manyUnfiled {
			return set, nil
		}
		if err := set.Append(s.rowsPath(id)); err == nil && set.InMemory() < manyInMemory {
			return set, nil
		}
		// Another process or this one has made the file larger, or it is gone or
		// torn.
		set = nil
	}
}

// keepRows replaces a set.
func (s *Store) keepRows(id int64, set *rowSet) *rowSet {
	*set.users++
	if old := s.rows.sets[id]; old != nil {
		s.rows.drop(old)
	}
	if s.rows.sets == nil {
		s.rows.sets = map[int64]*rowSet{}
	}
	s.rows.sets[id] = set
	return set
}

// openRows opens the file of a space. A file that cannot be used is written
// again. When that is not possible either, the set is empty.
func (s *Store) openRows(ctx context.Context, table vectorTable) (*rowfile.Set, error) {
	path, whole := s.rowsPath(table.space), runtime.GOOS == "windows"
	set, err := rowfile.Open(path, table.key, whole)
	if err == nil {
		sound, err := table.agrees(ctx, set)
		if err == nil && sound {
			return set, nil
		}
		if err := errors.Join(err, set.Close()); err != nil {
			return nil, err
		}
	}
	empty := rowfile.NewSet(table.key)
	if s.writer == nil {
		return empty, nil
	}
	s.removeLeftovers(leftover)
	if err := table.write(ctx, path); err != nil {
		if ctx.Err() != nil || code(err) != 0 {
			return nil, err
		}
		s.rows.failed, s.rows.again = err, time.Now().Add(rowsPause)
		return empty, nil
	}
	s.rows.failed = nil
	if set, err = rowfile.Open(path, table.key, whole); err != nil {
		return empty, nil // another process is just replacing it
	}
	return set, nil
}

func (s *Store) rowsPath(space int64) string {
	return s.path + rowsSuffix + strconv.FormatInt(space, 10)
}

// rowsFiles calls f with each file of rows beside the index, and its space. It
// ignores what is not an ordinary file.
func (s *Store) rowsFiles(f func(path string, space int64) error) error {
	dir, base := filepath.Split(s.path)
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		number, ours := strings.CutPrefix(e.Name(), base+rowsSuffix)
		if space, bad := strconv.ParseInt(number, 10, 64); ours && bad == nil && err == nil && e.Type().IsRegular() {
			err = f(filepath.Join(dir, e.Name()), space)
		}
	}
	return err
}

// removeRows removes the files of all spaces but one. A file that cannot be
// removed does no harm, because it says which index and space it belongs to.
func (s *Store) removeRows(but int64) {
	_ = s.rowsFiles(func(path string, space int64) error {
		if space != but {
			_ = os.Remove(path)
		}
		return nil
	})
}

// leftover is the age from which on nobody can still be writing a temporary
// file.
const leftover = time.Hour

// purgeRows removes the files of all spaces, and what writers left that were killed. They
// have rows of vectors that are gone. The next search that needs one makes it anew.
func (s *Store) purgeRows() error {
	s.rows.forget()
	s.removeLeftovers(0)
	return s.rowsFiles(func(path string, _ int64) error {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unreadable(err)
		}
		return nil
	})
}

// removeLeftovers removes temporary files of that age, of writers that were killed.
func (s *Store) removeLeftovers(age time.Duration) {
	dir, base := filepath.Split(s.path)
	entries, _ := os.ReadDir(dir) // what cannot be listed cannot be removed
	for _, e := range entries {
		// As atomicfile calls them.
		if !strings.HasPrefix(e.Name(), "."+base+rowsSuffix) || !strings.HasSuffix(e.Name(), ".new") {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) >= age {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// settleRows brings the file of a space up to date. When many rows belong to
// vectors that are gone, it drops them.
func (s *Store) settleRows(ctx context.Context, c *conn, space memoir.Space, id int64) error {
	var vectors int
	if err := c.one(ctx, "SELECT count(*) FROM vectors WHERE space = ?", []any{id}, &vectors); err != nil || vectors <= s.fewRows {
		return err
	}
	generation, err := c.generation(ctx)
	if err != nil {
		return err
	}
	s.rows.mu.Lock()
	defer s.rows.mu.Unlock()
	set, err := s.refreshRows(ctx, c, space, id, generation, someUnfiled)
	if err != nil || set.Rows()-vectors < max(manyUnfiled, vectors/4) {
		return err
	}
	if err := os.Remove(s.rowsPath(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil // it goes on as it is
	}
	s.rows.drop(set)
	delete(s.rows.sets, id)
	_, err = s.refreshRows(ctx, c, space, id, generation, someUnfiled)
	return err
}

// rowsKey returns the key that rows of a space must bear.
func rowsKey(ctx context.Context, c *conn, space memoir.Space) (rowfile.Key, error) {
	identity, err := c.identity(ctx)
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", identity, space.Key()))
	return rowfile.Key{Stamp: [16]byte(sum[:]), Dimensions: space.Dimensions}, err
}

// vectorTable is the vectors of a space as a connection sees them.
type vectorTable struct {
	conn  *conn
	space int64
	key   rowfile.Key
	last  int64 // the highest id that was ever given
}

// read adds the vectors with ids above one.
func (t vectorTable) read(ctx context.Context, after int64, b *rowfile.Builder) error {
	var values []float32
	// The index by space would have them in the order of texts.
	return t.conn.each(ctx, "SELECT id, text, vector FROM vectors NOT INDEXED WHERE id > ? AND space = ? ORDER BY id", []any{after, t.space},
		func(scan func(...any) error) error {
			var id, text int64
			var blob sql.RawBytes
			if err := scan(&id, &text, &blob); err != nil {
				return err
			}
			if values = decode(values[:0], blob); len(values) != t.key.Dimensions {
				return fmt.Errorf("%w: vector %d has %d values, not %d", memoir.ErrCorrupt, id, len(values), t.key.Dimensions)
			}
			return b.Add(id, text, values)
		})
}

// write writes the file anew.
func (t vectorTable) write(ctx context.Context, path string) error {
	return atomicfile.Write(path, 0o600, func(w io.Writer) error {
		b := rowfile.NewBuilder(t.key, 0, func(block []byte) error {
			_, err := w.Write(block)
			return err
		})
		if err := t.read(ctx, 0, b); err != nil {
			return err
		}
		return b.Close(t.last)
	})
}

// agrees reports whether the rows of a file are those of the table. If they
// have ids that were never given, or other vectors than the table, the index is
// a copy from an earlier day, or lost its last writes in a power failure.
func (t vectorTable) agrees(ctx context.Context, set *rowfile.Set) (bool, error) {
	if set.Torn() || set.Through() > t.last || set.Through() == 0 {
		return false, nil
	}
	rows := map[int64]rowfile.Row{}
	for _, row := range set.Sample(samples) {
		rows[row.ID] = row
	}
	same, other := 0, 0
	err := t.conn.each(ctx, "SELECT v.id, v.text, v.vector FROM json_each(?) j CROSS JOIN vectors v ON v.id = j.value", []any{jsonArray(sortedIDs(rows))},
		func(scan func(...any) error) error {
			var id, text int64
			var blob sql.RawBytes
			if err := scan(&id, &text, &blob); err != nil {
				return err
			}
			if row := rows[id]; row.Text == text && row.Is(decode(nil, blob)) {
				same++
			} else {
				other++
			}
			return nil
		})
	return other == 0 && (same > 0 || len(rows) == 0), err
}
