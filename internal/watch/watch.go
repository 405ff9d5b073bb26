// Package watch counts what happens in folders, as the operating system tells it,
// so that a process that lives on need not look at every file to know that none has
// changed. It starts no goroutine: what happened is asked for, or waited for.
//
// Where a system cannot tell, or not everything, as of folders of another machine,
// a [Watcher] says so, and its count means nothing.
package watch

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
)

// A Watcher counts what happens in the folders that were added: files and folders
// made, removed, renamed, written to, and their attributes changed. It is safe for
// concurrent use. Nil is one that cannot tell.
type Watcher struct {
	events atomic.Uint64

	mu    sync.Mutex // guards what follows
	queue *queue     // nil: closed, or it cannot tell any more
	blind error      // why
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

// New returns a watcher without folders. Where there is none to be had it is one
// that cannot tell.
func New() *Watcher {
	q, err := open()
	return &Watcher{queue: q, blind: err}
}

// Add watches an open folder, and nothing below it. What happens there from now on
// is counted; adding one again costs little. A folder that cannot be watched makes
// the watcher one that cannot tell.
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

// Count returns a number that is another one when anything has happened since, and
// whether it can tell. What a system call did before Count is called is in it.
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

// Wait returns true as soon as Count would give another number than that, and
// false when ctx is done or the watcher cannot tell. It costs nothing meanwhile.
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

// giveUp makes the watcher one that cannot tell.
func (w *Watcher) giveUp(why error) {
	w.queue.close()
	w.queue, w.blind = nil, why
}

// Close frees what the system holds for it. It cannot tell any more.
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
