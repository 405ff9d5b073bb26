package app

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/archive"
	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/statedir"
	"github.com/memoir-ai/memoir/source/session"
)

// Archives reports whether the App writes what was said in sessions to day
// logs.
func (a *App) Archives() bool {
	return a.Settings.Sessions.Archive && len(a.sessions) > 0 && a.Settings.Trusted()
}

// Archive writes what the user said in ended sessions, and the summaries of
// what agents compacted, to the logs of their days. It returns how many entries
// it added: none unless the settings ask for it, or while another process does
// it. ended holds the ids of sessions that agents have reported as ended. The
// App must be one that may write.
func (a *App) Archive(ctx context.Context, ended map[string]bool) (added int, err error) {
	if !a.Archives() {
		return 0, nil
	}
	dir := a.Settings.NotebookDir()
	lock, ok, err := statedir.TryAcquire(filepath.Join(dir, "archive.lock"))
	if err != nil || !ok {
		return 0, err
	}
	defer lock.Release() //nolint:errcheck // the lock ends with the process at the latest
	var all []archive.Session
	for _, src := range a.sessions {
		for e, err := range src.Scan(ctx) {
			if err != nil {
				return 0, err
			}
			if e.Skip != "" {
				continue
			}
			x := archive.Session{Doc: e.ID, Name: src.Name(e.ID), Changed: e.ModTime}
			x.Called = func(id string) bool { return src.Called(e.ID, id) }
			x.Read = func(ctx context.Context) iter.Seq2[archive.Said, error] { return a.said(ctx, src, e.ID) }
			all = append(all, x)
		}
	}
	keeper := &archive.Archive{File: filepath.Join(dir, "archived.json"), Now: time.Now, Keep: a.keep}
	return keeper.Run(ctx, all, ended)
}

// said returns what the user said in a session, and the summaries in it without what was
// forgotten; the last of it first.
func (a *App) said(ctx context.Context, src *session.Source, id memoir.DocID) iter.Seq2[archive.Said, error] {
	return func(yield func(archive.Said, error) bool) {
		talk, err := src.Session(ctx, id)
		if err != nil {
			yield(archive.Said{}, err)
			return
		}
		for _, t := range slices.Backward(talk.Turns) {
			if t.Role == session.Summary && err == nil {
				t.Text, err = hook.Remaining(t.Text, a.Settings.NotebookDir())
			}
			if t.Role != session.Assistant && !yield(archive.Said{Text: t.Text, Summary: t.Role == session.Summary, Line: t.Line, At: t.Time}, err) {
				return
			}
		}
	}
}

// keep keeps the first of some statements of a session, unless the session is forgotten by
// then. Who forgets marks first and looks for entries then, so statements that were kept in
// between are seen here.
func (a *App) keep(ctx context.Context, sts []engine.Statement) ([]engine.Outcome, error) {
	doc, _, _ := strings.Cut(sts[0].Session, "#")
	i := slices.IndexFunc(a.sessions, func(src *session.Source) bool { return src.Owns(memoir.DocID(doc)) })
	if i < 0 {
		return a.Engine.RememberSome(ctx, sts)
	}
	if left, err := a.sessions[i].Left(memoir.DocID(doc)); err != nil {
		return nil, err
	} else if left {
		return make([]engine.Outcome, len(sts)), nil
	}
	outs, err := a.Engine.RememberSome(ctx, sts)
	left, failed := a.sessions[i].Left(memoir.DocID(doc))
	if left {
		clear(outs)
		if _, gone := a.Engine.Forget(ctx, engine.Target{Session: doc}, false); gone != nil && !errors.Is(gone, memoir.ErrNotFound) {
			err = errors.Join(err, gone)
		}
	}
	return outs, errors.Join(err, failed)
}
