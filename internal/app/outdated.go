package app

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/models"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// outdated tells whether this process works with older settings than those on disk, and
// lets others see that it does: as long as it does, it holds a lock beside the index.
type outdated struct {
	settings *config.Outdated
	vectors  memoir.Embedder // nil: none
	path     string          // of the lock; "": others need not see it

	mu   sync.Mutex // guards the field below
	lock *statedir.Lock
}

// outdatedHint is the next step for whoever finds a process with older settings.
const outdatedHint = "end that process and start it again"

// older are the names of settings that have changed since this process read them.
type older []string

func (o older) Error() string {
	return fmt.Sprintf("process %d has older settings than those on disk (%s), and indexes no changed notes", os.Getpid(), strings.Join(o, ", "))
}

// Unwrap says what is the matter with a sync.
func (o older) Unwrap() error { return memoir.ErrUnavailable }

// check returns why this process must leave the index to others, which have read the
// settings since; nil: it need not.
func (o *outdated) check() error {
	names := o.settings.Names()
	if names == nil && models.Newer(o.vectors) {
		names = []string{"model"}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if names == nil {
		o.release()
		return nil
	}
	if o.lock == nil && o.path != "" {
		// Of several such processes one is shown. It is no harm when none is.
		if lock, ok, err := statedir.TryAcquire(o.path); ok && err == nil {
			lock.Sign()
			o.lock = lock
		}
	}
	return memoir.WithHint(older(names), outdatedHint)
}

func (o *outdated) release() {
	_ = o.lock.Release() // the system does so, too, when the process ends
	o.lock = nil
}

// Outdated returns why this process leaves the indexes to others: settings on which their
// contents depend have changed since it opened the memory; nil: it does not.
func (m *Memory) Outdated() error {
	for _, a := range m.Apps() {
		if a.outdated == nil {
			continue
		}
		if err := a.outdated.check(); err != nil {
			return err
		}
	}
	return nil
}

// shown reports whether this process is the one that others see. nil is none.
func (o *outdated) shown() bool {
	if o == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lock != nil
}

// close ends it. nil is none.
func (o *outdated) close() {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.release()
}

// outdatedLock is the lock of a process with older settings.
func outdatedLock(index string) string { return index + ".outdated.lock" }

// Outdated returns what a person has to know of another process that works on the index
// with older settings; false: none is known.
func Outdated(settings *config.Loaded) (memoir.Degradation, bool) {
	h, held := statedir.HeldBy(outdatedLock(settings.IndexPath()))
	if !held {
		return memoir.Degradation{}, false
	}
	reason := "a process has older settings than those on disk, and indexes no changed notes"
	if h.PID != 0 {
		reason = fmt.Sprintf("process %d on %s has older settings than those on disk, and indexes no changed notes", h.PID, h.Host)
	}
	return memoir.Degradation{Part: "sync", Reason: reason, Action: outdatedHint}, true
}
