package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/querylog"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/statedir"
	"github.com/memoir-ai/memoir/internal/syserr"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// Earlier versions had an index among what is kept of its workspace. Whoever opens or lists
// an index brings it to the cache first, so that no text of a note stays where memoir
// does not look for it. Only what can be made again is moved.

// earlierIndex returns where earlier versions had the index of the settings.
func earlierIndex(settings *config.Loaded) string {
	return filepath.Join(settings.KeptDir(), settings.Agent+indexExt)
}

// HasIndex reports whether there is a local index of the workspace, in the cache or where
// earlier versions had it. memoir follows no link, so behind one there may be an index.
func HasIndex(settings *config.Loaded) bool {
	return slices.ContainsFunc([]string{settings.IndexPath(), earlierIndex(settings)}, func(path string) bool {
		if statedir.Check(path) != nil {
			return true
		}
		info, err := os.Lstat(path)
		return err == nil && info.Mode().IsRegular()
	})
}

// Bring moves the workspace's indexes of earlier versions to the cache. One that a
// process of such a version has open stays there until it ends.
func Bring(ctx context.Context, settings *config.Loaded) error {
	kept := settings.KeptDir()
	if _, err := os.Lstat(kept); err != nil {
		return nil // nothing is there that could be moved
	}
	return bring(ctx, kept, filepath.Dir(settings.IndexPath()))
}

// bring moves the indexes in one folder to another.
func bring(ctx context.Context, kept, cached string) error {
	agents, err := agentsIn(kept, indexExt)
	if err != nil || len(agents) == 0 {
		return err
	}
	lock, err := statedir.Acquire(ctx, filepath.Join(cached, "brought.lock"), nil)
	if err != nil {
		return err
	}
	for _, agent := range agents {
		from := filepath.Join(kept, agent+indexExt)
		failed := bringIndex(from, filepath.Join(cached, agent+indexExt))
		if failed != nil {
			failed = fmt.Errorf("move the index %s to the folder %s: %w", from, cached, syserr.Reason(failed))
			err = errors.Join(err, memoir.WithHint(failed, "remove "+from+": memoir index makes it again"))
		}
	}
	return errors.Join(err, lock.Release())
}

// bringIndex moves the files of an index, the database last: while it is there, the move is
// not over, and whoever comes next ends it. An index that is in the new place counts more.
func bringIndex(from, to string) error {
	for _, lock := range []string{runLock(from), embedLock(from).path(), keptLock(from)} {
		if regular.Check(lock) == nil && statedir.Shared(lock) {
			return nil
		}
	}
	if _, err := os.Lstat(to); err == nil {
		return sqlite.Remove(from)
	}
	files, err := sqlite.Files(from)
	if err != nil {
		return err
	}
	paths := []string{jobsFile(from)}
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	for _, path := range paths {
		if regular.Check(path) != nil {
			continue
		}
		err := os.Rename(path, to+strings.TrimPrefix(path, from))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// agentsIn returns the agents that have a regular file in a folder whose name ends so, in
// alphabetical order. There are none where there is no folder. A link is no folder.
func agentsIn(dir, suffix string) (agents []string, err error) {
	if err := statedir.Check(filepath.Join(dir, "x")); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, memoir.WithHint(fmt.Errorf("read the folder %s: %w", dir, syserr.Reason(err)), statedir.Hint)
	}
	for _, e := range entries {
		if agent, ok := strings.CutSuffix(e.Name(), suffix); ok && agent != "" && e.Type().IsRegular() {
			agents = append(agents, agent)
		}
	}
	return agents, nil
}

// questionsOf returns the path of the log of questions.
func questionsOf(settings *config.Loaded) string {
	return querylog.Path(settings.KeptDir(), settings.Agent)
}
