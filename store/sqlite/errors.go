package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	driver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/sentinel"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// The hints of errors. Each is the next step for a person.
const (
	hintIndex    = "memoir index"
	hintReadOnly = "choose a folder that can be written to, with --state-dir or MEMOIR_STATE_DIR"
	hintBusy     = "another memoir is writing to the index; try again when it is done"
)

// fault adds to an error what was being done. Where SQLite's code tells the
// cause, it also adds one of memoir's sentinels and a hint.
func (s *Store) fault(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		// An interrupted statement may report anything; this is the cause.
		return fmt.Errorf("%s: %w", doing, ctx.Err())
	}
	mark := func(sentinel error, hint string) error {
		if errors.Is(err, sentinel) && memoir.Hint(err) != "" {
			return fmt.Errorf("%s: %w", doing, err)
		}
		return memoir.WithHint(fmt.Errorf("%s: %w: %w", doing, sentinel, err), hint)
	}
	if errors.Is(err, memoir.ErrCorrupt) && memoir.Hint(err) == "" {
		return memoir.WithHint(fmt.Errorf("%s: %w", doing, err), hintIndex)
	}
	if isDamage(ctx, err) {
		return mark(memoir.ErrCorrupt, hintIndex)
	}
	switch code(err) {
	case sqlite3.SQLITE_CANTOPEN:
		// SQLite does not say why it failed. Too many open files are not the
		// fault of a folder.
		if full := syserr.ProbeFiles(); full != nil {
			err = fmt.Errorf("%w: %w", full, err)
			return mark(memoir.ErrUnavailable, syserr.MoreFiles)
		}
		return mark(memoir.ErrUnavailable, hintReadOnly)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return mark(memoir.ErrUnavailable, hintReadOnly)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return mark(memoir.ErrUnavailable, hintBusy)
	}
	if s.isFull(err) {
		dir := filepath.Dir(s.path)
		return memoir.WithHint(fmt.Errorf("%s: the disk of %s is full: %w: %w", doing, dir, memoir.ErrUnavailable, sentinel.As(err, syscall.ENOSPC)),
			fmt.Sprintf("make room on that disk (%s.corrupt-* are not needed), or choose another one with --state-dir or MEMOIR_STATE_DIR", s.path))
	}
	if code(err) == sqlite3.SQLITE_IOERR {
		return memoir.WithHint(fmt.Errorf("%s: the disk of %s fails: %w: %w", doing, filepath.Dir(s.path), memoir.ErrUnavailable, err),
			"look after that disk, or choose another one with --state-dir or MEMOIR_STATE_DIR")
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// isFull reports whether an error says that the disk of the index has no room.
// SQLite does not always say so.
func (s *Store) isFull(err error) bool {
	switch code(err) {
	case sqlite3.SQLITE_FULL:
		return true
	case sqlite3.SQLITE_IOERR:
		return s.isFull(room(filepath.Dir(s.path)))
	}
	return syserr.DiskFull(err)
}

// refuse says why the index cannot be written to.
func (s *Store) refuse() error {
	err := fmt.Errorf("the index is read-only: %w", memoir.ErrUnavailable)
	if s.cause != nil {
		err = fmt.Errorf("%w: %w", err, s.cause)
	}
	if s.isFull(err) {
		return err // its message says what to do
	}
	return memoir.WithHint(err, hintReadOnly)
}

// isShort reports whether an error says that a file ends before it should.
func isShort(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && e.Code() == sqlite3.SQLITE_IOERR_SHORT_READ
}

// code returns SQLite's primary result code of an error, 0 when it has none.
func code(err error) int {
	var e *driver.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// structural reports whether an error comes from the file itself and not from
// the circumstances: from damage, or from a table that is missing, broken, or
// made by a module that is not there.
func structural(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil {
		return false
	}
	if isDamage(ctx, err) {
		return true
	}
	switch code(err) {
	case sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH:
		return true
	}
	return false
}
