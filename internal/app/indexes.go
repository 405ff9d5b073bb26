package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/order"
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

// An Index is an index in the folder of indexes.
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

// Indexes returns the indexes of a folder of indexes, by the paths of their notes. Links
// are not followed.
func Indexes(stateDir string) ([]Index, error) {
	folders, err := os.ReadDir(stateDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, memoir.WithHint(fmt.Errorf("read the folder of indexes: %w", syserr.Reason(err)), statedir.Hint)
	}
	var all []Index
	for _, f := range folders {
		if !f.IsDir() || !indexFolder().MatchString(f.Name()) {
			continue
		}
		dir := filepath.Join(stateDir, f.Name())
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, syserr.Reason(err)
		}
		for _, e := range entries {
			agent, ok := strings.CutSuffix(e.Name(), indexExt)
			if !ok || agent == "" || !e.Type().IsRegular() {
				continue
			}
			index, err := indexAt(filepath.Join(dir, e.Name()), agent)
			if err != nil {
				return nil, syserr.Reason(err)
			}
			all = append(all, index)
		}
	}
	order.By(all, func(a, b Index) int {
		return cmp.Or(cmp.Compare(a.Workspace, b.Workspace), cmp.Compare(a.Path, b.Path))
	})
	return all, nil
}

func indexAt(path, agent string) (Index, error) {
	i := Index{Path: path, Agent: agent, Workspace: statedir.Workspace(path), Notes: NotesUnknown}
	files, err := sqlite.Files(path)
	if err != nil {
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

// Remove removes an index that no other process uses. It keeps what cannot be
// made again: the history of changes, the query log and the locks.
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
