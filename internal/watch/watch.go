// Package watch counts the changes in folders that the operating system
// reports. So a process that lives on need not look at every file to know that
// none has changed. The package starts no goroutine: a caller asks for the
// count, or waits for it.
//
// Some systems cannot report changes, or not all, for example in folders of
// another machine. Then the [Watcher] says so, and its count means nothing.
package watch

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
)

// A Watcher counts changes in the folders that were added: files and folders
// that were made, removed, renamed or written to, and changed attributes. It is
// safe for concurrent use. A nil Watcher cannot tell.
type Watcher struct {
	events atomic.Uint64

	mu    sync.Mutex // guards the fields below
	queue *queue     // nil: closed, or it can no longer tell
	blind error      // why it cannot tell
	count int        // of folders that were added
}

// System returns the name of the file system that a folder is on, and how many folders
// one user may watch; "" and 0 where the system does not tell.
func System(dir string) (fileSystem string, limit int) { return system(dir) }

// Folders returns how many folders were added, each once.
func (w *Watcher) Folders() int {
	if w == nil {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}

// New returns a watcher without folders. If the system has no watcher to offer,
// it returns one that cannot tell.
func New() *Watcher {
	q, err := open()
	return &Watcher{queue: q, blind: err}
}

// Add watches an open folder, but nothing below it. Changes are counted from
// now on. Adding a folder again costs little. After a folder that cannot be
// watched, the watcher cannot tell any more.
func (w *Watcher) Add(folder *os.File) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queue == nil {
		return
	}
	number, err := w.queue.add(folder)
	if err != nil {
		w.giveUp(err)
		return
	}
	w.count = max(w.count, number)
}

// Count returns a number that differs after any change, and whether the watcher
// can tell. It includes every system call that ended before Count was called.
func (w *Watcher) Count() (events uint64, ok bool) {
	if w == nil {
		return 0, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queue == nil {
		return 0, false
	}
	n, err := w.queue.drain()
	if err != nil {
		w.giveUp(err)
		return 0, false
	}
	events = w.events.Add(uint64(n))
	if n > 0 {
		w.queue.wake()
	}
	return events, true
}

// Wait blocks until Count would return another number than events, and returns
// true. It returns false when ctx is done or the watcher cannot tell. Waiting
// costs nothing.
func (w *Watcher) Wait(ctx context.Context, events uint64) bool {
	for {
		now, ok := w.Count()
		if !ok || ctx.Err() != nil {
			return false
		}
		if now != events {
			return true
		}
		w.mu.Lock()
		queue := w.queue
		w.mu.Unlock()
		if queue != nil {
			queue.wait(ctx, func() bool { return w.events.Load() != events })
		}
	}
}

// Blind says why the watcher cannot tell; nil: it can.
func (w *Watcher) Blind() error {
	if w == nil {
		return errors.New("nothing is watched")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.blind
}

// giveUp records that the watcher cannot tell, and why.
func (w *Watcher) giveUp(why error) {
	w.queue.close()
	w.queue, w.blind = nil, why
}

// Close frees the watcher's system resources. Afterwards it cannot tell.
func (w *Watcher) Close() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queue != nil {
		w.giveUp(errors.New("it is closed"))
	}
}
