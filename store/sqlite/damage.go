package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/regular"
)

// markSuffix names a file that says which damage was met in the index.
const markSuffix = ".damaged"

// maxMark is how many bytes of that file are read at most.
const maxMark = 1 << 10

// note records damage of the file so that it outlives this process, and the
// next process that writes checks the index. It ignores errors that are not
// damage. The caller holds the mutex.
func (s *Store) note(ctx context.Context, err error) {
	if !isDamage(ctx, err) {
		return
	}
	s.looked.end()
	s.reports.Lock()
	defer s.reports.Unlock()
	if s.damage != "" {
		return
	}
	s.damage = strings.ToValidUTF8(err.Error(), "?")
	if s.asked {
		return // nobody wants to write
	}
	// If the file cannot be written, only this process knows of the damage.
	if f, err := os.OpenFile(s.path+markSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		_, _ = f.WriteString(s.damage[:min(len(s.damage), maxMark)])
		_ = f.Close()
	}
}

// isDamage reports whether an error can only mean that the file is damaged.
func isDamage(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil {
		return false
	}
	switch code(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT:
		return true // in the way of what is written are only rows that were not found when they were to be removed
	}
	return errors.Is(err, memoir.ErrCorrupt) || isShort(err)
}

// damaged returns the damage that this process or another one has met.
func (s *Store) damaged() (met string, ok bool) {
	s.reports.Lock()
	defer s.reports.Unlock()
	if s.damage != "" {
		return s.damage, true
	}
	if !s.sought.over(lookPause) {
		return "", false
	}
	f, err := regular.Open(s.path + markSuffix)
	if err != nil {
		s.sought.begin()
		return "", false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxMark))
	if err != nil || len(text) == 0 {
		return "another process met it", true
	}
	return strings.ToValidUTF8(string(text), "?"), true
}

// sound forgets damage that has been mended.
func (s *Store) sound() {
	s.reports.Lock()
	defer s.reports.Unlock()
	s.damage = ""
	if regular.Check(s.path+markSuffix) == nil { // what is no file is not memoir's
		_ = os.Remove(s.path + markSuffix) // a file that cannot be removed only costs another check
	}
}

// broken marks an error of one part of the index, so that the other parts go
// on. An error that comes from the file is noted as damage.
func (v *view) broken(ctx context.Context, part string, err error) error {
	if !structural(ctx, err) {
		return err
	}
	if !errors.Is(err, memoir.ErrCorrupt) {
		err = fmt.Errorf("%w: %w", memoir.ErrCorrupt, err)
	}
	err = fmt.Errorf("%s is broken: %w: %w", part, memoir.ErrUnavailable, err)
	v.store.note(ctx, err)
	return memoir.WithHint(err, hintIndex)
}
