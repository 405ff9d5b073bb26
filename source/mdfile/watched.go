package mdfile

import (
	"context"
	"errors"
	"os"
	"sync/atomic"

	"github.com/memoir-ai/memoir/internal/watch"
)

// watched is the state of watching the folder, between scans.
type watched struct {
	watcher *watch.Watcher // nil: the folder is not watched
	// root is the folder that the last complete scan listed; nil: there was
	// none.
	root atomic.Pointer[os.FileInfo]
	// shared says that a note has another name, under which it can be changed
	// unseen.
	shared atomic.Bool
}

// Mark implements [ability.Watched].
func (s *Source) Mark() uint64 {
	events, ok := s.watched.watcher.Count()
	if !ok || s.watched.shared.Load() {
		return 0
	}
	return events + 1
}

// Unchanged implements [ability.Watched]. It makes two system calls, and looks
// at no note.
func (s *Source) Unchanged(mark uint64) bool {
	root := s.watched.root.Load()
	if mark == 0 || root == nil || s.watched.shared.Load() {
		return false
	}
	// Somebody may have moved a folder above, and put another in its place.
	info, err := os.Stat(s.dir)
	return err == nil && os.SameFile(info, *root) && s.Mark() == mark
}

// Wait implements [ability.Watched].
func (s *Source) Wait(ctx context.Context, mark uint64) bool {
	return mark != 0 && s.watched.watcher.Wait(ctx, mark-1)
}

// Blind says why the source cannot detect changes, which it knows once it was
// scanned; nil: it can.
func (s *Source) Blind() error {
	if s.watched.shared.Load() {
		return errors.New("a note has a second name, under which it can be written to")
	}
	return s.watched.watcher.Blind()
}

// System says how many folders are watched, the name of the file system that the notes
// are on, and how many folders one user may watch; 0 and "" where that is not known.
func (s *Source) System() (folders int, fileSystem string, limit int) {
	fileSystem, limit = watch.System(s.dir)
	return s.watched.watcher.Folders(), fileSystem, limit
}

// Close ends the watching of the folder. The source stays usable.
func (s *Source) Close() error {
	s.watched.watcher.Close()
	return nil
}
