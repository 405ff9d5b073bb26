package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // the driver
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/memoir-ai/memoir"
)

// pool lends connections that keep their prepared statements. It opens one more
// only when all others are lent, up to its size: each has to read the schema.
type pool struct {
	db      *sql.DB
	size    int
	open    chan *conn    // those that are not lent
	spare   chan struct{} // as many more may be opened
	patient bool          // it waits here and not in SQLite for a busy file, as writers do

	closing sync.Once
	closed  chan struct{}
	failed  atomic.Pointer[error] // why no connection can be used any more
}

var (
	errClosed = errors.New("the index is closed")
	// errPanic marks a failure in SQLite's C code, which is translated to Go:
	// what would kill a process in C is a panic there.
	errPanic = fmt.Errorf("%w: SQLite broke off", memoir.ErrCorrupt)
)

func newPool(path string, m mode, size int) (*pool, error) {
	db, err := sql.Open("sqlite", dsn(path, m))
	if err != nil {
		return nil, err
	}
	p := &pool{
		db: db, size: size, open: make(chan *conn, size), spare: make(chan struct{}, size),
		patient: m == writing || m == creating, closed: make(chan struct{}),
	}
	for range size {
		p.spare <- struct{}{}
	}
	return p, nil
}

// do lends a connection to f, inside a transaction that begin starts. The
// transaction is committed when f succeeds.
func (p *pool) do(ctx context.Context, begin string, f func(*conn) error) error {
	c, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer func() { p.giveBack(c) }()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := p.failed.Load(); err != nil {
		return *err
	}
	// SQLite maps a file into memory that others may cut short.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if c == nil {
		if c, err = p.another(ctx); err != nil {
			return err
		}
	}
	err = c.transact(ctx, begin, f)
	switch {
	case c.lost:
		// Its locks cannot be undone, so it is neither closed nor used again;
		// a second writer would wait for it in vain.
		if p.size == 1 {
			p.failed.Store(&err)
		}
	case c.broken:
		err = errors.Join(err, c.Close())
		c = nil
	}
	return err
}

// take waits for a connection; nil is the right to open one.
func (p *pool) take(ctx context.Context) (*conn, error) {
	select {
	case c := <-p.open:
		return c, nil
	default:
	}
	select {
	case c := <-p.open:
		return c, nil
	case <-p.spare:
		return nil, nil
	case <-p.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// giveBack ends a loan. What is lost is not lent again.
func (p *pool) giveBack(c *conn) {
	if c == nil || c.lost {
		p.spare <- struct{}{}
	} else {
		p.open <- c
	}
}

// another opens a connection and the file: SQLite does that when it is read first, and
// the path may lead elsewhere by then.
func (p *pool) another(ctx context.Context) (*conn, error) {
	sc, err := p.connect(ctx)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: sc, statements: map[string]*sql.Stmt{}}
	read := func() error { return c.one(ctx, "PRAGMA schema_version", nil, new(int)) }
	if p.patient { // while another process reads what the log was left with, the file is busy
		err = whileBusy(ctx, read)
	} else {
		err = read()
	}
	switch {
	case err == nil:
		return c, nil
	case c.lost:
		return nil, err
	}
	return nil, errors.Join(err, c.close())
}

// connect opens a connection. While another process makes the file one with a
// log, SQLite says that it is busy and does not wait for it by itself.
func (p *pool) connect(ctx context.Context) (c *sql.Conn, err error) {
	defer new(conn).guard(&err)
	if !p.patient {
		return p.db.Conn(ctx)
	}
	err = whileBusy(ctx, func() (err error) {
		c, err = p.db.Conn(ctx)
		return err
	})
	return c, err
}

// How long a writer waits for a busy file, and the longest pause between two
// tries.
const (
	busyPatience = 10 * time.Second
	busyPause    = 50 * time.Millisecond
)

// whileBusy calls f again as long as the file is busy. SQLite could wait too,
// but it does not know the context, which may end much sooner.
func whileBusy(ctx context.Context, f func() error) error {
	pause, waited := time.Millisecond, time.Duration(0)
	for {
		err := f()
		if code(err) != sqlite3.SQLITE_BUSY || waited >= busyPatience {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
		waited, pause = waited+pause, min(2*pause, busyPause)
	}
}

// close closes all connections, and waits for those that are lent. Later calls
// of do fail. Closing a closed pool does nothing.
func (p *pool) close() (err error) {
	p.closing.Do(func() {
		close(p.closed)
		for range p.size {
			select {
			case c := <-p.open:
				err = errors.Join(err, c.close())
			case <-p.spare:
			}
		}
		err = errors.Join(err, p.db.Close())
	})
	return err
}

// conn is a connection with its prepared statements, used by one goroutine at a
// time. It checks the context before each statement and between rows. To
// interrupt a statement would cost a goroutine each time, and statements are
// short.
type conn struct {
	*sql.Conn
	statements map[string]*sql.Stmt
	broken     bool // the state of its transaction is not known
	lost       bool // SQLite or the caller panicked while using it
}

// guard turns a panic in SQLite into an error.
func (c *conn) guard(err *error) {
	if r := recover(); r != nil {
		c.lost = true
		*err = fmt.Errorf("%w: %v", errPanic, r)
	}
}

func (c *conn) close() (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer c.guard(&err)
	var errs []error
	for _, s := range c.statements {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.Close())...)
}

// How transactions begin.
const (
	beginRead  = "BEGIN" // on a connection that does not write
	beginWrite = "BEGIN IMMEDIATE"
)

// transact runs f between begin and COMMIT, or ROLLBACK when f fails. COMMIT
// and ROLLBACK run even when the caller's context is done; f checks the context
// itself. Only waiting for a busy file ends with the context.
func (c *conn) transact(caller context.Context, begin string, f func(*conn) error) (err error) {
	ctx := context.Background()
	if err := whileBusy(caller, func() error { return c.run(ctx, begin) }); err != nil {
		return err
	}
	returned := false
	defer func() { c.lost = c.lost || !returned }()
	err = f(c)
	returned = true
	if c.lost {
		return cmp.Or(err, errPanic)
	}
	if err == nil {
		end := whileBusy(caller, func() error { return c.run(ctx, "COMMIT") })
		if end == nil {
			return nil
		}
		if begin != beginRead {
			err = end
		} // otherwise it would repeat an error that f has already handled
	}
	// ROLLBACK fails when SQLite has already rolled back by itself (full disk,
	// I/O error). A connection whose state is unknown is not used again.
	if _, rollback := c.exec(ctx, "ROLLBACK"); rollback != nil {
		c.broken = true
	}
	return err
}

func (c *conn) prepare(query string) (*sql.Stmt, error) {
	if s := c.statements[query]; s != nil {
		return s, nil
	}
	s, err := c.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	c.statements[query] = s
	return s, nil
}

// exec runs a statement that is worth keeping prepared.
func (c *conn) exec(ctx context.Context, query string, args ...any) (_ sql.Result, err error) {
	defer c.guard(&err)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := c.prepare(query)
	if err != nil {
		return nil, err
	}
	return s.Exec(args...)
}

// run executes a statement whose result does not matter.
func (c *conn) run(ctx context.Context, query string, args ...any) error {
	_, err := c.exec(ctx, query, args...)
	return err
}

// one scans the only row into dest; sql.ErrNoRows when there is none.
func (c *conn) one(ctx context.Context, query string, args []any, dest ...any) (err error) {
	defer c.guard(&err)
	if err := ctx.Err(); err != nil {
		return err
	}
	s, err := c.prepare(query)
	if err != nil {
		return err
	}
	return scanned(s.QueryRow(args...).Scan(dest...))
}

// scanned marks the error of a value that is not of its column's kind, such as a NULL where
// the schema allows none: only damage leaves one.
func scanned(err error) error {
	if err != nil && strings.HasPrefix(err.Error(), "sql: Scan error") {
		return fmt.Errorf("%w: %w", memoir.ErrCorrupt, err)
	}
	return err
}

// each calls f for every row; scan reads the row's columns.
func (c *conn) each(ctx context.Context, query string, args []any, f func(scan func(...any) error) error) error {
	return c.until(ctx, query, args, func(scan func(...any) error) (bool, error) { return true, f(scan) })
}

// until does what each does, as long as f asks for more.
func (c *conn) until(ctx context.Context, query string, args []any, f func(scan func(...any) error) (more bool, err error)) (err error) {
	defer c.guard(&err)
	if err := ctx.Err(); err != nil {
		return err
	}
	s, err := c.prepare(query)
	if err != nil {
		return err
	}
	rows, err := s.Query(args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	scan := func(dest ...any) error { return scanned(rows.Scan(dest...)) }
	for n := 1; rows.Next(); n++ {
		if more, err := f(scan); err != nil || !more {
			return err
		}
		if n%patience == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return rows.Err()
}

// patience is how many rows are read before the context is checked again.
const patience = 1024
