package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/querylog"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// Forget forgets as the engines do. A session it also takes out of the notes and the indexes
// of all other workspaces and agents, which may have it too, and out of the logs of
// questions. What cannot be cleared is no error, as with [engine.Engine.Forget].
func (m *Memory) Forget(ctx context.Context, target engine.Target, dryRun bool) (engine.Forgetting, error) {
	done, err := m.Asked.Forget(ctx, target, dryRun)
	if err == nil && !dryRun {
		err = m.forgetRetold()
	}
	if err != nil || done.Of.Session == "" {
		return done, err
	}
	if !dryRun {
		ctx = context.WithoutCancel(ctx) // it is marked as forgotten, whoever waits
		if err := forgetWaiting(ctx, m.Apps(), done.Of); err != nil {
			return done, err
		}
	}
	if len(done.Sessions) == 0 {
		return done, nil // others may call something else so
	}
	done.Elsewhere, err = m.forgetElsewhere(ctx, done, dryRun)
	done.InIndex = done.InIndex || err != nil
	return done, nil
}

// forgetRetold takes what was forgotten out of the summaries that wait to be kept.
func (m *Memory) forgetRetold() (err error) {
	var states []string
	for _, a := range m.Apps() {
		states = append(states, a.Settings.NotebookDir())
	}
	for _, a := range m.Apps() {
		queue := hook.Queue(hook.Dir(a.Settings.KeptDir()))
		err = errors.Join(err, queue.Rewrite(func(text string) (string, error) { return hook.Remaining(text, states...) }))
	}
	if err != nil {
		return fmt.Errorf("forget what hooks left: %w", err)
	}
	return nil
}

// forgetWaiting removes what hooks left of a session for the next process, in all
// workspaces.
func forgetWaiting(ctx context.Context, open []*App, session engine.Target) error {
	dirs := map[string]bool{}
	for _, a := range open {
		dirs[hook.Dir(a.Settings.KeptDir())] = true
	}
	all, err := workspacesIn(ctx, open[0].Settings.StateDir)
	for _, index := range all {
		dirs[hook.Dir(index.kept)] = true
	}
	for dir := range dirs {
		err = errors.Join(err, hook.Queue(dir).Forget(session.Means))
	}
	if err != nil {
		return fmt.Errorf("forget what hooks left of the session: %w", err)
	}
	return nil
}

// forgetElsewhere takes a session out of the notes and the indexes beside those that are
// open, and out of all logs of questions. The error says that a log cannot be cleared, or
// that nobody knows which indexes there are.
func (m *Memory) forgetElsewhere(ctx context.Context, done engine.Forgetting, dryRun bool) (found []engine.Elsewhere, err error) {
	open := m.Apps()
	var docs []string
	for _, x := range done.Sessions {
		docs = append(docs, x.Path)
	}
	all, err := workspacesIn(ctx, open[0].Settings.StateDir)
	failed := []error{err}
	if !dryRun {
		for _, a := range open {
			if a.Settings.Store == config.StoreWeaviate {
				failed = append(failed, querylog.Forget(questionsOf(a.Settings), docs))
			}
		}
	}
	changed := map[string][]string{} // by their state folder, the notes that were changed
	for _, a := range open {
		dir := a.Settings.KeptDir()
		changed[dir] = nil
		for _, note := range done.Written {
			scope, path := memoir.ParseName(note)
			if !m.Joined() {
				changed[dir] = append(changed[dir], note)
			} else if scope == m.ScopeOf(a) {
				changed[dir] = append(changed[dir], string(path))
			}
		}
	}
	for _, index := range all {
		e := engine.Elsewhere{Workspace: index.Workspace, Agent: index.Agent}
		dir := index.kept
		own := slices.ContainsFunc(open, func(a *App) bool { return a.index != nil && a.Settings.IndexPath() == index.Path })
		if _, looked := changed[dir]; !looked || done.Of.Again && !dryRun && !own {
			e, changed[dir] = forgetInNotes(ctx, open[0].Settings, index, done.Of, docs, dryRun)
		}
		if !dryRun {
			failed = append(failed, querylog.Forget(querylog.Path(index.kept, index.Agent), docs))
			e.InIndex = !own && forgetIn(ctx, index.Path, docs, changed[dir]) != nil || e.InIndex // one that is not open is cleared as others are
		}
		if len(e.Entries)+len(e.InHistory)+len(e.Notes)+len(e.Unmarked)+len(e.Unread) > 0 || e.InIndex || e.Problem != "" {
			found = append(found, e)
		}
	}
	return found, errors.Join(failed...)
}

// patience is how long another workspace is waited for that somebody else writes to.
const patience = 10 * time.Second

// forgetInNotes takes a session out of the notes of another workspace. It returns the notes
// that it changed, too.
func forgetInNotes(ctx context.Context, settings *config.Loaded, index workspace, session engine.Target, docs []string, dryRun bool) (e engine.Elsewhere, changed []string) {
	e = engine.Elsewhere{Workspace: index.Workspace, Agent: index.Agent}
	failed := func(err error) (engine.Elsewhere, []string) {
		e.Problem = err.Error()
		return e, changed
	}
	if index.Workspace == "" {
		return e, nil
	}
	if index.Notes == NotesGone {
		if remembers(index.notebook(), session) {
			return failed(errors.New("the folder is not there now"))
		}
		return e, nil
	}
	if config.Within(index.Workspace, settings.StateDir) {
		return e, nil // the copy of a bucket, whose own notes alone count
	}
	theirs, err := settings.Of(index.Workspace, index.Agent)
	if err != nil {
		return failed(err)
	}
	if theirs.IndexPath() != index.Path {
		return failed(errors.New("the folder is another one now"))
	}
	opts := Options{Need: NeedNotes, Write: true, Unlogged: true}
	if session.Again && !dryRun {
		opts.Need = NeedWords // the index is made to agree with the notes
	} else {
		theirs.Sessions.Enabled = false // its transcripts are looked for and marked already
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	a, err := Open(ctx, theirs, opts)
	if err != nil {
		return failed(err)
	}
	session.Session = docs[0] // a person's short name may be that of something else there
	out, err := a.Engine.Forget(ctx, session, dryRun)
	if errors.Is(err, memoir.ErrNotFound) {
		err = nil
	}
	e.Entries, e.InHistory, e.Notes, e.Unmarked, e.Unread = out.Entries, out.InHistory, out.Notes, out.Unmarked, out.Unread
	e.InIndex = out.InIndex
	changed = out.Written
	if err = errors.Join(err, a.Close()); err != nil {
		return failed(err)
	}
	return e, changed
}

// remembers reports whether the history of notes may have something of a session.
func remembers(dir string, session engine.Target) bool {
	data, err := regular.ReadFile(filepath.Join(dir, "history.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || session.In(data)
}

// forgetIn takes documents out of an index that is there, and notes that were changed, which
// its next sync finds anew.
func forgetIn(ctx context.Context, path string, docs, changed []string) (err error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	read, err := sqlite.Open(ctx, path, sqlite.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	var has []memoir.DocID
	for meta, failed := range read.Documents(ctx) {
		if failed != nil {
			err = failed
			break
		}
		if slices.Contains(docs, string(meta.ID)) || slices.Contains(changed, string(meta.ID)) {
			has = append(has, meta.ID)
		}
	}
	if err = errors.Join(err, read.Close()); err != nil || len(has) == 0 {
		return err
	}
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	if err = store.Write(ctx, memoir.Changes{Delete: has}); err == nil {
		err = store.Purge(ctx)
	}
	return errors.Join(err, store.Close())
}
