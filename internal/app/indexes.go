package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/querylog"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/statedir"
	"github.com/memoir-ai/memoir/internal/syserr"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// What may be known about the notes of an index.
const (
	NotesThere   = "there"
	NotesGone    = "gone"
	NotesUnknown = "unknown" // an older memoir did not record whose index it is
)

// An Index is an index in the folder of state.
type Index struct {
	Path      string // of the database
	Workspace string // folder of the notes; "" when unknown
	Agent     string
	Bytes     int64     // size of all files that can be made again
	Written   time.Time // time of the last write
	Notes     string    // [NotesThere], [NotesGone] or [NotesUnknown]
}

// indexFolder matches the name of an index's folder.
var indexFolder = lazyregexp.New(`-[0-9a-f]{12}$`)

const indexExt = ".sqlite"

// Indexes returns the indexes of a folder of state, by the paths of their notes. Links
// are not followed.
func Indexes(ctx context.Context, stateDir string) ([]Index, error) {
	workspaces, err := workspacesIn(ctx, stateDir)
	if err != nil {
		return nil, err
	}
	var all []Index
	for _, w := range workspaces {
		if w.indexed {
			all = append(all, w.Index)
		}
	}
	return all, nil
}

// A workspace is what is on this machine of the notes of one agent: an index, or only what
// is kept.
type workspace struct {
	Index
	kept    string // folder of what is kept of it
	indexed bool   // the index is there
}

// notebook returns the folder of the history of its notes.
func (w workspace) notebook() string { return filepath.Join(w.kept, "notebook") }

// workspacesIn returns the workspaces of a folder of state, by the paths of their notes.
func workspacesIn(ctx context.Context, stateDir string) (all []workspace, err error) {
	names := map[string]bool{}
	for _, dir := range []string{stateDir, config.CacheDir(stateDir)} {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, memoir.WithHint(fmt.Errorf("read the folder of state: %w", syserr.Reason(err)), statedir.Hint)
		}
		for _, e := range entries {
			if e.IsDir() && indexFolder().MatchString(e.Name()) {
				names[e.Name()] = true
			}
		}
	}
	for name := range names {
		kept, cached := filepath.Join(stateDir, name), filepath.Join(config.CacheDir(stateDir), name)
		if err := bring(ctx, kept, cached); err != nil {
			return nil, err
		}
		indexed, err := agentsIn(cached, indexExt)
		asked, askedErr := agentsIn(kept, querylog.Suffix)
		if err := cmp.Or(err, askedErr); err != nil {
			return nil, err
		}
		agents := slices.Concat(indexed, asked)
		if len(agents) == 0 {
			agents = []string{config.Yours}
		}
		slices.Sort(agents)
		for _, agent := range slices.Compact(agents) {
			index, err := indexAt(filepath.Join(cached, agent+indexExt), agent, statedir.Workspace(kept))
			if err != nil {
				return nil, syserr.Reason(err)
			}
			all = append(all, workspace{index, kept, slices.Contains(indexed, agent)})
		}
	}
	order.By(all, func(a, b workspace) int {
		return cmp.Or(cmp.Compare(a.Workspace, b.Workspace), cmp.Compare(a.Path, b.Path))
	})
	return all, nil
}

func indexAt(path, agent, notes string) (Index, error) {
	i := Index{Path: path, Agent: agent, Workspace: notes, Notes: NotesUnknown}
	files, err := sqlite.Files(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return i, err
	}
	for _, f := range files {
		i.Bytes += f.Info.Size()
		if at := f.Info.ModTime(); at.After(i.Written) {
			i.Written = at
		}
	}
	if i.Workspace != "" {
		i.Notes = NotesThere
		if _, err := os.Stat(i.Workspace); errors.Is(err, fs.ErrNotExist) {
			i.Notes = NotesGone
		}
	}
	return i, nil
}

// errInUse says why an index was left alone.
var errInUse = errors.New("it is in use")

// Remove removes an index that no other process uses, and keeps its locks.
func (i Index) Remove() error {
	for _, lock := range []string{runLock(i.Path), embedLock(i.Path).path()} {
		if regular.Check(lock) == nil && statedir.Held(lock) {
			return errInUse
		}
	}
	return syserr.Reason(sqlite.Remove(i.Path))
}

// LockSettings keeps two commands from writing settings at the same time, until
// release is called.
func LockSettings(ctx context.Context, stateDir string) (release func(), err error) {
	if stateDir == "" {
		return func() {}, nil
	}
	lock, err := statedir.Acquire(ctx, filepath.Join(stateDir, "settings.lock"), nil)
	return func() { _ = lock.Release() }, err
}
