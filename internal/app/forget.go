package app

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/querylog"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// Forget forgets as the engines do. What hooks left becomes notes first, so that it is
// listed and forgotten as these are. Then it forgets in all that is kept besides, and in the
// indexes of other agents. A session it also takes out of the notes of all other workspaces,
// which may have it too. What cannot be cleared is no error, as with [engine.Engine.Forget].
func (m *Memory) Forget(ctx context.Context, target engine.Target, dryRun bool) (engine.Forgetting, error) {
	if target.Session == "" {
		for _, a := range m.Apps() {
			_, _, _ = Drain(ctx, a.Settings) // what stays in the queue is cleaned, or named, below
		}
	}
	done, err := m.Asked.Forget(ctx, target, dryRun)
	if err != nil {
		return done, err
	}
	if !dryRun {
		ctx = context.WithoutCancel(ctx) // it is marked as forgotten, whoever waits
		done.InIndex = m.clean(ctx, &done) != nil || done.InIndex
	}
	if done.Of.Session != "" && len(done.Sessions) == 0 {
		return done, nil // others may call something else so
	}
	done.Elsewhere, err = m.forgetElsewhere(ctx, done, dryRun)
	done.InIndex = done.InIndex || err != nil
	return done, nil
}

// clean forgets in what memoir keeps of all workspaces besides their notes. What the open ones
// forgot goes from theirs, and what the user's own memory or a whole session forgot, from all.
func (m *Memory) clean(ctx context.Context, done *engine.Forgetting) error {
	var own, all []string // folders with the marks of what was forgotten
	words := engine.WordsOf(*done)
	open := map[string]place{}
	for _, a := range m.Apps() {
		all = append(all, a.Settings.NotebookDir())
		if a.Settings.Workspace == a.Settings.OwnPlace() {
			own = all[len(all)-1:]
		}
		_ = a.Engine.Keep(ctx, words) // what cannot be read keeps no question
		open[a.Settings.KeptDir()] = a.kept()
	}
	workspaces, failed := workspacesIn(ctx, m.First().Settings.StateDir)
	places := maps.Clone(open)
	for _, w := range workspaces {
		if places[w.kept] == (place{}) {
			places[w.kept] = place{dir: w.kept}
		}
	}
	cleaned := map[string]int{}
	for _, dir := range slices.Sorted(maps.Keys(places)) {
		_, here := open[dir]
		c := cleaning{states: own, means: done.Of.Means, asks: func(q querylog.Query) bool {
			gone := func(path string) bool { return answered(done, path, here) }
			return slices.ContainsFunc(q.Paths, gone) || here && words.In(q.Query)
		}}
		if here {
			c.states = all
		}
		more, err := c.clean(places[dir])
		for _, x := range more {
			cleaned[x.In] += x.Items
		}
		if here {
			done.Unread = append(done.Unread, c.unread...)
		}
		failed = errors.Join(failed, err)
	}
	for _, k := range kinds {
		if n := cleaned[k.in]; n > 0 {
			done.Cleaned = append(done.Cleaned, engine.Cleaned{In: k.in, Items: n})
			delete(cleaned, k.in) // two kinds may count as one
		}
	}
	return failed
}

// answered reports whether a document that answered a question is forgotten as a whole: a
// session, or a note of the workspaces that are open here.
func answered(done *engine.Forgetting, path string, here bool) bool {
	return slices.ContainsFunc(done.Sessions, func(x engine.ForgottenSession) bool { return x.Path == path }) ||
		here && slices.ContainsFunc(done.Notes, func(note string) bool {
			_, id := memoir.ParseName(note)
			return path == note || path == string(id)
		})
}

// forgetElsewhere takes a session out of the notes and the indexes beside those that are
// open, and anything else out of the indexes that other agents have of the open workspaces.
// The error says that memoir cannot find out which indexes there are.
func (m *Memory) forgetElsewhere(ctx context.Context, done engine.Forgetting, dryRun bool) (found []engine.Elsewhere, err error) {
	open := m.Apps()
	var docs []string
	for _, x := range done.Sessions {
		docs = append(docs, x.Path)
	}
	all, failed := workspacesIn(ctx, open[0].Settings.StateDir)
	changed := m.changed(done)
	for _, index := range all {
		e := engine.Elsewhere{Workspace: index.Workspace, Agent: index.Agent}
		dir, own := index.kept, slices.ContainsFunc(open, func(a *App) bool {
			return a.index != nil && a.Settings.IndexPath() == index.Path
		})
		_, looked := changed[dir]
		if len(docs) == 0 && !looked {
			continue
		}
		if len(docs) > 0 && (!looked || done.Of.Again && !dryRun && !own) {
			e, changed[dir] = forgetInNotes(ctx, open[0].Settings, index, done.Of, docs, dryRun)
		}
		if !dryRun {
			e.InIndex = !own && forgetIn(ctx, index.Path, docs, changed[dir]) != nil || e.InIndex // one that is not open is cleared as others are
		}
		if len(e.Entries)+len(e.InHistory)+len(e.Notes)+len(e.Unmarked)+len(e.Unread) > 0 || e.InIndex || e.Problem != "" {
			found = append(found, e)
		}
	}
	return found, failed
}

// changed returns the notes that lost something, in a note or in the history alone, by the
// folders of the open workspaces' indexes.
func (m *Memory) changed(done engine.Forgetting) map[string][]string {
	names := slices.Concat(done.Written, done.Notes)
	for _, e := range done.InHistory {
		names = append(names, e.Scope.Name(memoir.DocID(e.Path)))
	}
	changed := map[string][]string{}
	for _, a := range m.Apps() {
		dir := a.Settings.KeptDir()
		changed[dir] = nil
		for _, note := range names {
			scope, path := memoir.ParseName(note)
			if !m.Joined() {
				changed[dir] = append(changed[dir], note)
			} else if scope == m.ScopeOf(a) {
				changed[dir] = append(changed[dir], string(path))
			}
		}
	}
	return changed
}

// patience is how long memoir waits for another workspace to which another program writes.
const patience = 10 * time.Second

// forgetInNotes takes a session out of the notes of another workspace. It returns the notes
// that it changed, too.
func forgetInNotes(
	ctx context.Context, settings *config.Loaded, index workspace, session engine.Target, docs []string, dryRun bool,
) (e engine.Elsewhere, changed []string) {
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
	if err = errors.Join(err, read.Close()); err != nil || len(has) == 0 && !setAside(path) {
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

// setAside reports whether damaged files of an index lie beside it.
func setAside(path string) bool {
	files, err := sqlite.Files(path)
	return err != nil || slices.ContainsFunc(files, func(f sqlite.File) bool {
		return strings.Contains(filepath.Base(f.Path), ".corrupt-")
	})
}
