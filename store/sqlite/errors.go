package sqlite

import (
	"context"
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// The hints of errors, each the next step of a person.
const (
	hintRebuild  = "memoir rebuild"
	hintReadOnly = "choose a folder that can be written to, with --state-dir or MEMOIR_STATE_DIR"
	hintBusy     = "another memoir is writing to the index; try again when it is done"
	hintFull     = "make room on the disk of the index, or choose another one with --state-dir or MEMOIR_STATE_DIR"
)

// fault adds to an error what was being done, and what it means: one of
// memoir's sentinels with a hint where SQLite's code says so.
func fault(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		// Whatever an interrupted statement reports, this is why.
		return fmt.Errorf("%s: %w", doing, ctx.Err())
	}
	mark := func(sentinel error, hint string) error {
		if errors.Is(err, sentinel) && memoir.Hint(err) != "" {
			return fmt.Errorf("%s: %w", doing, err)
		}
		return memoir.WithHint(fmt.Errorf("%s: %w: %w", doing, sentinel, err), hint)
	}
	if errors.Is(err, memoir.ErrCorrupt) && memoir.Hint(err) == "" {
		return memoir.WithHint(fmt.Errorf("%s: %w", doing, err), hintRebuild)
	}
	switch code(err) {
	case sqlite3.SQLITE_CANTOPEN:
		// SQLite does not say why: too many open files are nobody's folder.
		if full := syserr.ProbeFiles(); full != nil {
			err = fmt.Errorf("%w: %w", full, err)
			return mark(memoir.ErrUnavailable, syserr.MoreFiles)
		}
		return mark(memoir.ErrUnavailable, hintReadOnly)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return mark(memoir.ErrCorrupt, hintRebuild)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return mark(memoir.ErrUnavailable, hintReadOnly)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return mark(memoir.ErrUnavailable, hintBusy)
	case sqlite3.SQLITE_FULL:
		return mark(memoir.ErrUnavailable, hintFull)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// code returns SQLite's primary result code of an error, 0 when it has none.
func code(err error) int {
	var e *driver.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// structural reports whether an error comes from the file (damage, a table
// that is missing, broken or of a module that is not there) and not from the
// circumstances.
func structural(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil {
		return false
	}
	if errors.Is(err, memoir.ErrCorrupt) {
		return true
	}
	switch code(err) {
	case sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH:
		return true
	}
	return false
}
