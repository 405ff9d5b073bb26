package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/querylog"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// Forget forgets as the engines do. A session it also takes out of the indexes of all other
// workspaces and agents, which may have it too, and out of the logs of questions. What cannot
// be cleared is no error, as with [engine.Engine.Forget].
func (m *Memory) Forget(ctx context.Context, target engine.Target, dryRun bool) (engine.Forgetting, error) {
	done, err := m.Asked.Forget(ctx, target, dryRun)
	if dryRun || done.Of.Session == "" {
		return done, err
	}
	if waiting := forgetWaiting(m.Apps(), done.Of); waiting != nil {
		return done, errors.Join(err, waiting)
	}
	if len(done.Sessions) == 0 {
		return done, err
	}
	var ids []memoir.DocID
	for _, x := range done.Sessions {
		ids = append(ids, memoir.DocID(x.Path))
	}
	ctx = context.WithoutCancel(ctx) // they are marked as forgotten, whoever waits
	if forgetElsewhere(ctx, m.Apps(), ids) != nil {
		done.InIndex = true
	}
	return done, err
}

// forgetWaiting removes what hooks left of a session for the next process, in all
// workspaces.
func forgetWaiting(open []*App, session engine.Target) error {
	dirs := map[string]bool{}
	for _, a := range open {
		dirs[hook.Dir(a.Settings.IndexPath())] = true
	}
	all, err := Indexes(open[0].Settings.StateDir)
	for _, index := range all {
		dirs[hook.Dir(index.Path)] = true
	}
	for dir := range dirs {
		err = errors.Join(err, hook.Queue(dir).Forget(session.Means))
	}
	if err != nil {
		return fmt.Errorf("forget what hooks left of the session: %w", err)
	}
	return nil
}

// forgetElsewhere takes documents out of the indexes beside those that are open, and out of
// all logs of questions.
func forgetElsewhere(ctx context.Context, open []*App, ids []memoir.DocID) error {
	var failed []error
	var own, docs []string
	for _, id := range ids {
		docs = append(docs, string(id))
	}
	forget := func(index string) { failed = append(failed, querylog.Forget(index, docs)) }
	for _, a := range open {
		path := a.Settings.IndexPath()
		if a.index != nil { // one that is not open is cleared as others are
			own = append(own, path)
		}
		if a.Settings.Store == config.StoreWeaviate {
			forget(path)
		}
	}
	all, err := Indexes(open[0].Settings.StateDir)
	failed = append(failed, err)
	for _, index := range all {
		forget(index.Path)
		if !slices.Contains(own, index.Path) {
			failed = append(failed, forgetIn(ctx, index.Path, ids))
		}
	}
	return errors.Join(failed...)
}

// forgetIn takes documents out of an index that is there.
func forgetIn(ctx context.Context, path string, ids []memoir.DocID) (err error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	read, err := sqlite.Open(ctx, path, sqlite.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	has := false
	for meta, failed := range read.Documents(ctx) {
		if failed != nil {
			err = failed
			break
		}
		has = has || slices.Contains(ids, meta.ID)
	}
	if err = errors.Join(err, read.Close()); err != nil || !has {
		return err
	}
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	if err = store.Write(ctx, memoir.Changes{Delete: ids}); err == nil {
		err = store.Purge(ctx)
	}
	return errors.Join(err, store.Close())
}
