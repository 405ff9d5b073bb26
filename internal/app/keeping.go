package app

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// A keeping is the part of this process in who keeps an index. Processes with the same
// settings keep it together. One whose variables say otherwise what stands in it leaves it
// to them: each would undo what the others did. The first one keeps it, until it ends.
type keeping struct {
	path  string // of the index
	shape config.Shape
	holds bool // this process keeps the index as long as it is open; otherwise it only looks
	log   *slog.Logger

	mu   sync.Mutex     // guards the fields below
	lock *statedir.Lock // shared with those that keep the index as this one does; nil: it does not
	away *statedir.Lock // held while this process leaves the index to others, so that it is seen
	told string         // the last that was logged
}

// kept is what stands in the lock of those who keep an index.
type kept struct {
	statedir.Holder              // the first of them
	Shape           config.Shape `json:"shape"`
	Turns           []turn       `json:"turns,omitempty"` // the last ones, the oldest first
}

// A turn is a moment when other settings began to count than before.
type turn struct {
	At    time.Time `json:"at"`
	Names []string  `json:"names"` // of the settings, as told
}

const (
	keptBytes   = 16 << 10 // of the lock
	mostTurns   = 8        // that are kept
	manyTurns   = 3        // so many within turnsWithin are told
	turnsWithin = 7 * 24 * time.Hour
	// A lock that somebody only looks at is free in a moment.
	looks    = 4
	lookWait = 5 * time.Millisecond
)

// keptLock is the lock of those who keep an index, and disagreesLock that of a process
// which leaves it to them.
func keptLock(index string) string      { return index + ".kept.lock" }
func disagreesLock(index string) string { return index + ".disagrees.lock" }

// disagreesHint is the next step where two processes disagree.
const disagreesHint = "set it alike for both and start them again, or give one of them an index of its own with MEMOIR_AGENT=NAME"

// disagrees are the settings in which this process disagrees with those that keep the index.
type disagrees struct {
	with  statedir.Holder
	names []string
}

func (d *disagrees) Error() string {
	return fmt.Sprintf("process %d on %s keeps this index with other settings (%s); this process indexes no changed notes", d.with.PID, d.with.Host, strings.Join(d.names, ", "))
}

// Unwrap says what is the matter with a sync.
func (d *disagrees) Unwrap() error { return memoir.ErrUnavailable }

// check returns why this process must leave the index to others; nil: it need not.
func (k *keeping) check() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lock != nil {
		return nil
	}
	d := k.look()
	if d == nil {
		k.tell("")
		return nil
	}
	k.tell(d.Error())
	if k.away == nil && k.holds {
		// Of several such processes one is shown. It is no harm when none is.
		if lock, ok, err := statedir.TryAcquire(disagreesLock(k.path)); ok && err == nil {
			lock.SignAbout(strings.Join(d.names, ", "))
			k.away = lock
		}
	}
	return memoir.WithHint(d, disagreesHint)
}

// look takes part in keeping the index where that is possible. It returns with whom this
// process disagrees, nil when with nobody. A lock that cannot be taken keeps nobody from
// working.
func (k *keeping) look() *disagrees {
	var d *disagrees
	tries := looks
	if k.told != "" {
		tries = 1 // it is told already; a search need not wait to be sure
	}
	for i := range tries {
		if i > 0 {
			time.Sleep(lookWait) // somebody else may have been looking
		}
		var theirs kept
		known := statedir.Read(keptLock(k.path), &theirs, keptBytes)
		d = nil
		if names := k.shape.Disagrees(theirs.Shape); known && names != nil {
			d = &disagrees{theirs.Holder, k.sources(names, theirs.Shape)}
		}
		if !k.holds {
			if d == nil || !statedir.Shared(keptLock(k.path)) {
				return nil
			}
			continue
		}
		if known && maps.Equal(k.shape.Digests, theirs.Shape.Digests) && d == nil {
			if k.share() {
				return nil
			}
			continue
		}
		// They are other settings. They count as long as one who has them is there.
		lock, ok, err := statedir.TryAcquire(keptLock(k.path))
		if err != nil {
			return nil
		}
		if !ok && d == nil && known {
			return nil // they get along, and whoever has read an older file will notice
		}
		if !ok {
			continue
		}
		mine := kept{Holder: statedir.Self(), Shape: k.shape, Turns: theirs.Turns}
		if d != nil {
			mine.Turns = append(mine.Turns, turn{mine.Since, d.names})
			mine.Turns = mine.Turns[max(0, len(mine.Turns)-mostTurns):]
		}
		if err = lock.Write(mine, keptBytes); errors.Is(err, io.ErrShortBuffer) {
			mine.Turns = nil
			err = lock.Write(mine, keptBytes)
		}
		_ = lock.Release()
		if err != nil || k.share() {
			return nil
		}
	}
	return d
}

// share keeps the index together with those who have the same settings. Those that count
// may have become others in between.
func (k *keeping) share() bool {
	lock, ok, err := statedir.TryShare(keptLock(k.path))
	if err != nil || !ok {
		return false
	}
	var theirs kept
	if !statedir.Read(keptLock(k.path), &theirs, keptBytes) || !maps.Equal(k.shape.Digests, theirs.Shape.Digests) {
		_ = lock.Release()
		return false
	}
	k.lock = lock
	return true
}

// sources names settings with the variables and flags that decide them.
func (k *keeping) sources(names []string, theirs config.Shape) (out []string) {
	for _, name := range names {
		var by []string
		if at := k.shape.Own[name]; at != "" {
			by = append(by, at+" here")
		}
		if at := theirs.Own[name]; at != "" {
			by = append(by, at+" there")
		}
		switch {
		case len(by) > 0:
			name += ": " + strings.Join(by, ", ")
		case k.shape.File != theirs.File:
			name += ": " + theirs.File + " there"
		}
		out = append(out, name)
	}
	return out
}

// tell logs once that this process leaves the index to others, or no longer does.
func (k *keeping) tell(what string) {
	if k.told == what {
		return
	}
	if k.told = what; k.log == nil {
		return
	}
	if what == "" {
		k.log.Info("this process keeps the index again")
		return
	}
	k.log.Warn(what, "next", disagreesHint)
}

// leave ends the part of this process.
func (k *keeping) leave() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	_, _ = k.lock.Release(), k.away.Release() // the system does so, too, when the process ends
	k.lock, k.away = nil, nil
}

// shown reports whether this process is the one that others see as leaving the index.
func (k *keeping) shown() bool {
	if k == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.away != nil
}

// leaving returns the function that says why this process leaves its index to others; nil
// where it has none.
func (a *App) leaving(opts Options) func() error {
	index := a.Settings.IndexPath()
	if opts.Lives {
		a.outdated = &outdated{settings: a.Settings.Outdated(), vectors: a.vectors}
		if !opts.Renews {
			a.outdated.path = outdatedLock(index)
		}
	}
	if opts.Need == NeedNotes {
		return nil
	}
	holds := (opts.Lives || opts.Exclusive) && opts.Need != NeedStatus
	a.keeping = &keeping{path: index, shape: a.Settings.Shape(), holds: holds, log: opts.Logger}
	return a.Leaves
}

// others returns what a person has to know of other processes that leave the index.
func (a *App) others() (all []memoir.Degradation) {
	if other, ok := Outdated(a.Settings); ok && !a.outdated.shown() {
		all = append(all, other)
	}
	if !a.keeping.shown() {
		all = append(all, Disagreeing(a.Settings)...)
	}
	return all
}

// Leaves returns why this process leaves its index to others; nil: it does not.
func (a *App) Leaves() error {
	if a.outdated != nil {
		if err := a.outdated.check(); err != nil {
			a.keeping.leave()
			return err
		}
	}
	if a.keeping == nil {
		return nil
	}
	return a.keeping.check()
}

// Disagreeing returns what a person has to know of processes whose settings disagree about
// an index, beside that of the caller's own.
func Disagreeing(settings *config.Loaded) (all []memoir.Degradation) {
	index := settings.IndexPath()
	if h, held := statedir.HeldBy(disagreesLock(index)); held && h.PID != 0 {
		all = append(all, memoir.Degradation{Part: "sync", Action: disagreesHint,
			Reason: fmt.Sprintf("process %d on %s has other settings than the one that keeps this index (%s), and indexes no changed notes", h.PID, h.Host, h.About)})
	}
	var k kept
	if !statedir.Read(keptLock(index), &k, keptBytes) {
		return all
	}
	turns := slices.DeleteFunc(k.Turns, func(t turn) bool { return time.Since(t.At).Abs() > turnsWithin })
	if len(turns) >= manyTurns {
		all = append(all, memoir.Degradation{Part: "sync", Action: disagreesHint,
			Reason: fmt.Sprintf("processes with other settings keep this index by turns, at least %d times in the last 7 days (%s); each time what differs is done anew", len(turns), strings.Join(turns[len(turns)-1].Names, ", "))})
	}
	return all
}

// Disagrees returns why a process with these settings would leave the index to others now;
// false: it would not.
func Disagrees(settings *config.Loaded) (memoir.Degradation, bool) {
	k := keeping{path: settings.IndexPath(), shape: settings.Shape()}
	err := k.check()
	if err == nil {
		return memoir.Degradation{}, false
	}
	return memoir.Degradation{Part: "sync", Reason: err.Error(), Action: memoir.Hint(err)}, true
}
