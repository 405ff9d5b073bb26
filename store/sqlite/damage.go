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

// markSuffix names a file that says that damage was met in the index, and which.
const markSuffix = ".damaged"

// maxMark is how much of it is read.
const maxMark = 1 << 10

// note remembers that an error was damage of the file, beyond this process, so
// that the next one that writes looks for it. The caller holds the mutex.
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
	// What cannot be written is known to this process alone.
	if f, err := os.OpenFile(s.path+markSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		_, _ = f.WriteString(s.damage[:min(len(s.damage), maxMark)])
		_ = f.Close()
	}
}

// isDamage reports whether an error says that the file is damaged, and nothing else.
func isDamage(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil {
		return false
	}
	switch code(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return true
	}
	return errors.Is(err, memoir.ErrCorrupt) || isShort(err)
}

// damaged returns what was met of damage, by this process or another one.
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

// sound forgets damage that is mended.
func (s *Store) sound() {
	s.reports.Lock()
	defer s.reports.Unlock()
	s.damage = ""
	_ = os.Remove(s.path + markSuffix) // one that stays costs a check
}

// broken marks an error of one part of the index, so that the others go on: it
// is damage where it comes from the file.
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
