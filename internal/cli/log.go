package cli

import (
	"context"
	"errors"
	"log/slog"
	"sync"
)

// log is where a process logs to. The zero value has logged nothing yet.
type log struct {
	lives bool // the process lives on, and logs what the setting log.level says
	level slog.LevelVar

	once   sync.Once
	logger *slog.Logger
}

// silent is above all levels.
const silent = slog.LevelError + 1

// levels are those of the setting log.level.
var levels = map[string]slog.Level{"off": silent, "error": slog.LevelError, "warn": slog.LevelWarn, "info": slog.LevelInfo, "debug": slog.LevelDebug}

// set takes the level of the settings, once they are known.
func (l *log) set(name string, verbose bool) {
	level, ok := levels[name]
	if !ok {
		level = slog.LevelWarn
	}
	if verbose {
		level = min(level, slog.LevelInfo)
	}
	l.level.Set(level)
}

// livesOn says that the process lives on: nobody sees an answer of it that could name
// what went wrong, so that it logs without being asked.
func (s *session) livesOn() {
	s.log.lives = true
	s.log.set("", s.verbose)
}

// logger returns what logs to standard error: with --verbose, and in a process that
// lives on. It is nil in any other. What it logs follows the settings as soon as they
// are known.
func (s *session) logger() *slog.Logger {
	if !s.verbose && !s.log.lives {
		return nil
	}
	s.log.once.Do(func() {
		s.log.logger = slog.New(troubles{slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: &s.log.level})})
	})
	return s.log.logger
}

// troubles handles the records of what went wrong. What was given up because somebody
// asked for that, by ending a request or the process, is no trouble.
type troubles struct{ slog.Handler }

// Handle implements [slog.Handler].
func (h troubles) Handle(ctx context.Context, r slog.Record) error {
	canceled := false
	r.Attrs(func(a slog.Attr) bool {
		err, ok := a.Value.Any().(error)
		canceled = ok && errors.Is(err, context.Canceled)
		return !canceled
	})
	if canceled {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h troubles) WithAttrs(attrs []slog.Attr) slog.Handler {
	return troubles{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (h troubles) WithGroup(name string) slog.Handler { return troubles{h.Handler.WithGroup(name)} }
