// Package lease lets one machine at a time do something. All machines write one object of
// a bucket, each write on the condition that the object is unchanged. Nobody compares two
// clocks: a holder counts as gone when its object has not changed for a while by the
// clock of the machine that waits.
//
// A holder that was only slow does not know that others take it for gone. So every turn
// has a number that is higher than those of other machines before it. By the number
// others recognise what an old holder writes late. [Turn.Confirm] tells the holder
// whether it still has the turn.
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

// The times that hold where nothing else is set.
const (
	Beat    = 2 * time.Second        // between two signs of life of a holder
	Expires = 6 * time.Second        // without a sign of life, after which a holder is gone
	poll    = 250 * time.Millisecond // between two looks of a process that waits
)

// request is how long one read or one write of the object may take.
const request = 5 * time.Second

// maxRecord bounds the size of the object, in bytes.
const maxRecord = 4 << 10

// ErrLost reports that another machine has taken the turn.
var ErrLost = errors.New("another machine has taken over")

// Options say what the lease is and where it stands.
type Options struct {
	Bucket *objects.Bucket
	Name   string // of the object
	// Beat and Expires are the constants above where they are 0.
	Beat, Expires time.Duration
	// Now returns the time; nil is [time.Now].
	Now func() time.Time
}

// A record is the content of the object.
type record struct {
	Number uint64 `json:"number"`          // of the turn
	Holder string `json:"holder"`          // a random name
	Host   string `json:"host"`            // the machine, for people
	Held   bool   `json:"held"`            // false: it was given back
	Beat   uint64 `json:"beat"`            // makes every record a new one
	State  uint64 `json:"state,omitempty"` // the state that was confirmed last
}

// A Lease lets its owner take turns. It is safe for concurrent use: within one process,
// too, there is only one turn at a time.
type Lease struct {
	opts   Options
	holder string
	host   string
	turn   chan struct{} // holds one token while no goroutine of this process has a turn

	mu   sync.Mutex // guards what follows
	last record     // what was read or written last
	etag string     // of last; "" when there is no object, or its ETag is not known
	seen time.Time  // when this ETag was first read
}

// Open returns a lease. It sends no request.
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

// A Turn is the time in which this machine may do what the lease is for.
type Turn struct {
	lease  *Lease
	number uint64 // guarded by the lease
	state  uint64 // what earlier turns confirmed last
	stop   context.CancelFunc
	ended  sync.WaitGroup
}

// Number is the number of the turn. It is higher than the number of any earlier turn of
// another machine. It is the same as in this process's own last turn if no other machine
// had one in between.
func (t *Turn) Number() uint64 {
	t.lease.mu.Lock()
	defer t.lease.mu.Unlock()
	return t.number
}

// State is the state that was confirmed last before the turn began; 0 when there was
// none.
func (t *Turn) State() uint64 { return t.state }

// Acquire waits until this process has the turn, or until ctx is done.
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

// Holder names the machine that held the lease at the last look, for people to read.
func (l *Lease) Holder() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last.Host == "" {
		return "another process"
	}
	return fmt.Sprintf("%q", l.last.Host)
}

// Try takes the turn; ok is false while somebody else has it. Try finds out that a holder
// is gone only when calls are made [Options.Expires] apart.
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
	// What this process wrote last probably still stands there.
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

// take writes that this process has the turn. ok is false when somebody else was faster.
func (l *Lease) take(ctx context.Context, turn *Turn) (ok bool, err error) {
	next := record{Number: l.last.Number, Holder: l.holder, Host: l.host, Held: true, Beat: l.last.Beat + 1, State: l.last.State}
	if l.last.Holder != l.holder || l.last.Held { // an earlier turn's write may still be under way
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
		// If somebody deleted the object, numbers must not begin anew.
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

// write replaces the object if it is still the one that is known. After any failure the
// lease no longer knows what the object is.
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

// failed adds to an error what was being done. If only the time for one request is over,
// it says that the bucket did not answer.
func (l *Lease) failed(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("no answer within %v: %w", request, memoir.ErrUnavailable)
	}
	return fmt.Errorf("take turns at the index: %w", err)
}

// beat gives a sign of life from time to time.
func (t *Turn) beat(ctx context.Context) {
	tick := time.NewTicker(t.lease.opts.Beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = t.confirm(ctx, func(*record) {}) // whoever needs to know calls Confirm
		}
	}
}

// Raise gives the turn a higher number. It is needed when the object was deleted and
// others know of later turns than the object does. The errors are those of Confirm.
func (t *Turn) Raise(ctx context.Context, number uint64) error {
	return t.confirm(ctx, func(r *record) { r.Number = max(r.Number, number) })
}

// Confirm records a state. It returns [ErrLost] if somebody else has taken the turn.
// Without an error, nobody else had it when Confirm was called, and whoever takes the
// turn later finds the state.
func (t *Turn) Confirm(ctx context.Context, state uint64) error {
	return t.confirm(ctx, func(r *record) { r.State = max(r.State, state) })
}

// confirm changes the object if this turn still holds it.
func (t *Turn) confirm(ctx context.Context, change func(*record)) error {
	l := t.lease
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if l.etag == "" { // an earlier write failed, and may have been carried out
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

// Release gives the turn back. If the bucket does not answer, the turn expires by itself.
func (t *Turn) Release(ctx context.Context) {
	t.stop()
	t.ended.Wait()
	timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), request)
	defer cancel()
	_ = t.confirm(timed, func(r *record) { r.Held = false }) // otherwise it expires
	t.lease.turn <- struct{}{}
}
