// Package watch counts what happens in folders, as the operating system tells it,
// so that a process that lives on need not look at every file to know that none has
// changed. It starts no goroutine: what happened is asked for.
//
// Where a system cannot tell, or not everything, as of folders of another machine,
// a [Watcher] says so, and its count means nothing.
package watch

import (
	"os"
	"sync"
)

// A Watcher counts what happens in the folders that were added: files and folders
// made, removed, renamed, written to, and their attributes changed. It is safe for
// concurrent use. Nil is one that cannot tell.
type Watcher struct {
	mu     sync.Mutex // guards what follows
	queue  *queue     // nil: closed, or it cannot tell any more
	events uint64
}

// New returns a watcher without folders, nil where there is none to be had.
func New() *Watcher {
	q := open()
	if q == nil {
		return nil
	}
	return &Watcher{queue: q}
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
	if w.queue != nil && !w.queue.add(folder) {
		w.giveUp()
	}
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
	n, ok := w.queue.drain()
	if !ok {
		w.giveUp()
		return 0, false
	}
	w.events += uint64(n)
	return w.events, true
}

// giveUp makes the watcher one that cannot tell.
func (w *Watcher) giveUp() {
	w.queue.close()
	w.queue = nil
}

// Close frees what the system holds for it. It cannot tell any more.
func (w *Watcher) Close() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queue != nil {
		w.giveUp()
	}
}
