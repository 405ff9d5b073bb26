// Package lease lets one machine at a time do something, with an object of a bucket that
// all of them write on conditions. No two clocks are compared: a holder is gone when its
// object has not changed for a while of the clock of who watches it.
//
// A holder that was only slow does not know that it is taken for gone. So every turn has a
// number that is higher than those of the machines before, by which what an old holder
// writes late is known, and [Turn.Confirm], which says whether the turn still is one.
package lease

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/objects"
)

// How long things take where nothing else is said.
const (
	Beat    = 2 * time.Second        // after which a holder writes anew that it lives
	Expires = 6 * time.Second        // after which one that has not done so is gone
	poll    = 250 * time.Millisecond // after which who waits looks again
)

// request is how long one look at the object or one write of it may take.
const request = 5 * time.Second

// maxRecord bounds what an object holds.
const maxRecord = 4 << 10

// ErrLost reports that somebody else has taken the turn.
var ErrLost = errors.New("another machine has taken over")

// Options say what is leased.
type Options struct {
	Bucket *objects.Bucket
	Name   string // of the object
	// Beat and Expires are those above where they are 0.
	Beat, Expires time.Duration
	// Now tells the time; nil: [time.Now].
	Now func() time.Time
}

// A record is what the object says.
type record struct {
	Number uint64 `json:"number"`          // of the turn
	Holder string `json:"holder"`          // a name by chance
	Host   string `json:"host"`            // the machine, for people
	Held   bool   `json:"held"`            // false: it was given back
	Beat   uint64 `json:"beat"`            // so that no two records are the same
	State  uint64 `json:"state,omitempty"` // as confirmed last
}

// A Lease is the right to turns. It is safe for concurrent use; within a process, too,
// one turn is there at a time.
type Lease struct {
	opts   Options
	holder string
	host   string
	turn   chan struct{} // holds one token while nobody of this process has a turn

	mu   sync.Mutex // guards what follows
	last record     // as read or written last
	etag string     // of it; "": there is no object, or nobody knows which
	seen time.Time  // when that ETag was read first
}

// Open returns a lease. It asks nobody.
func Open(opts Options) *Lease {
	if opts.Beat <= 0 {
		opts.Beat = Beat
	}
	if opts.Expires <= 0 {
		opts.Expires = Expires
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	l := &Lease{opts: opts, holder: rand.Text(), turn: make(chan struct{}, 1)}
	l.host, _ = os.Hostname() // for people
	l.turn <- struct{}{}
	return l
}

// A Turn is the time in which one machine may do what the lease is for.
type Turn struct {
	lease  *Lease
	number uint64 // guarded by the lease
	state  uint64 // of the turns before, as confirmed last
	stop   context.CancelFunc
	ended  sync.WaitGroup
}

// Number is that of the turn. It is higher than that of any other machine's turn before,
// and the same as that of this process's own turn if nobody had one in between.
func (t *Turn) Number() uint64 {
	t.lease.mu.Lock()
	defer t.lease.mu.Unlock()
	return t.number
}

// State is what was confirmed last when the turn began; 0 when nothing was.
func (t *Turn) State() uint64 { return t.state }

// Acquire waits until the turn is this process's, or ctx is done.
func (l *Lease) Acquire(ctx context.Context) (*Turn, error) {
	for {
		t, ok, err := l.Try(ctx)
		if ok || err != nil {
			return t, err
		}
		select {
		case <-time.After(poll):
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for %s, which keeps the index: %w", l.Holder(), ctx.Err())
		}
	}
}

// Holder is the machine that had the lease when it was looked at last, for people.
func (l *Lease) Holder() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last.Host == "" {
		return "another process"
	}
	return fmt.Sprintf("%q", l.last.Host)
}

// Try takes the turn, and is not ok while somebody else has it. A holder that is gone is
// found out by calls that are [Options.Expires] apart.
func (l *Lease) Try(ctx context.Context) (_ *Turn, ok bool, err error) {
	select {
	case <-l.turn:
	default:
		return nil, false, ctx.Err()
	}
	defer func() {
		if !ok {
			l.turn <- struct{}{}
		}
	}()
	l.mu.Lock()
	defer l.mu.Unlock()
	turn := &Turn{lease: l}
	// What this process wrote last is likely to stand there still.
	looked := l.etag == "" || l.last.Holder != l.holder
	if looked {
		err = l.look(ctx)
	}
	if err == nil && !l.busy() {
		ok, err = l.take(ctx, turn)
	}
	if err == nil && !ok && !looked {
		if err = l.look(ctx); err == nil && !l.busy() {
			ok, err = l.take(ctx, turn)
		}
	}
	if err != nil || !ok {
		return nil, false, err
	}
	beats, stop := context.WithCancel(context.WithoutCancel(ctx))
	turn.stop = stop
	turn.ended.Go(func() { turn.beat(beats) })
	return turn, true, nil
}

// take writes that this process has the turn, and is not ok when somebody was faster.
func (l *Lease) take(ctx context.Context, turn *Turn) (ok bool, err error) {
	next := record{Number: l.last.Number, Holder: l.holder, Host: l.host, Held: true, Beat: l.last.Beat + 1, State: l.last.State}
	if l.last.Holder != l.holder || l.last.Held { // a turn of before may still be under way
		next.Number++
	}
	turn.number, turn.state = next.Number, next.State
	err = l.write(ctx, next)
	if errors.Is(err, objects.ErrChanged) {
		return false, nil
	}
	return err == nil, err
}

// busy reports whether somebody else has the turn.
func (l *Lease) busy() bool {
	return l.last.Held && l.last.Holder != l.holder && l.opts.Now().Sub(l.seen) < l.opts.Expires
}

// look reads the object.
func (l *Lease) look(ctx context.Context) error {
	timed, cancel := context.WithTimeout(ctx, request)
	defer cancel()
	data, etag, err := l.opts.Bucket.Get(timed, l.opts.Name, maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		// If it was taken away, numbers must not begin anew.
		l.last.Held, l.last.Holder, l.etag = false, "", ""
		return nil
	}
	if err != nil {
		return l.failed(ctx, err)
	}
	var r record
	if json.Unmarshal(data, &r) != nil {
		return memoir.WithHint(fmt.Errorf("the object %s of the bucket is not what memoir wrote: %w", l.opts.Name, memoir.ErrForeign), "remove the object, while no memoir serve runs")
	}
	if etag != l.etag {
		l.etag, l.seen = etag, l.opts.Now()
	}
	r.Number, r.State = max(r.Number, l.last.Number), max(r.State, l.last.State)
	l.last = r
	return nil
}

// write writes the object if it is the one that is known. Whatever goes wrong, nothing is
// known of it then.
func (l *Lease) write(ctx context.Context, r record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	timed, cancel := context.WithTimeout(ctx, request)
	defer cancel()
	was := l.etag
	etag, err := l.opts.Bucket.Put(timed, l.opts.Name, data, was)
	switch {
	case errors.Is(err, objects.ErrChanged):
		l.etag = ""
		return err
	case err != nil:
		l.etag = ""
		return l.failed(ctx, err)
	}
	l.last, l.etag, l.seen = r, etag, l.opts.Now()
	return nil
}

// failed makes the end of a request's own time what it is: a bucket that says nothing.
func (l *Lease) failed(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("no answer within %v: %w", request, memoir.ErrUnavailable)
	}
	return fmt.Errorf("take turns at the index: %w", err)
}

// beat says from time to time that the holder lives.
func (t *Turn) beat(ctx context.Context) {
	tick := time.NewTicker(t.lease.opts.Beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = t.confirm(ctx, func(*record) {}) // who needs to know asks
		}
	}
}

// Raise gives the turn a higher number, for where the object with the numbers was taken
// away and there are later turns than it knows of. The errors are those of Confirm.
func (t *Turn) Raise(ctx context.Context, number uint64) error {
	return t.confirm(ctx, func(r *record) { r.Number = max(r.Number, number) })
}

// Confirm notes a state, and reports by [ErrLost] that somebody else has taken the turn
// meanwhile. Without an error nobody had when it was called, and whoever takes it later
// finds the state.
func (t *Turn) Confirm(ctx context.Context, state uint64) error {
	return t.confirm(ctx, func(r *record) { r.State = max(r.State, state) })
}

// confirm changes the object if the turn still is one.
func (t *Turn) confirm(ctx context.Context, change func(*record)) error {
	l := t.lease
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if l.etag == "" { // a write before went wrong: it may have been carried out
		if err := l.look(ctx); err != nil {
			return err
		}
	}
	if l.last.Holder != l.holder || l.last.Number != t.number || l.etag == "" {
		return fmt.Errorf("%w: %w", ErrLost, memoir.ErrConflict)
	}
	r := l.last
	r.Beat++
	change(&r)
	err := l.write(ctx, r)
	if errors.Is(err, objects.ErrChanged) {
		return fmt.Errorf("%w: %w", ErrLost, memoir.ErrConflict)
	}
	if err == nil {
		t.number = r.Number
	}
	return err
}

// Release gives the turn back; where the bucket cannot be asked it ends by itself.
func (t *Turn) Release(ctx context.Context) {
	t.stop()
	t.ended.Wait()
	timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), request)
	defer cancel()
	_ = t.confirm(timed, func(r *record) { r.Held = false }) // else it expires
	t.lease.turn <- struct{}{}
}
