package indexing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/giveway"
)

// The pace of [Indexer.Maintain].
const (
	// debounce is how long there must be no change before the notes are compared
	// with the index, so that a burst of changes causes one look. mostDebounce
	// is how long a look can be put off in this way.
	debounce     = 300 * time.Millisecond
	mostDebounce = 3 * time.Second
	// looksApart is the least time between two looks at notes that change all
	// the time. restShare makes it longer after a slow look: that many times as
	// long as the look took.
	looksApart = 2 * time.Second
	restShare  = 9
	// idleShare makes the time to the next look longer where looks go by the clock and
	// the last one found nothing: that many times as long as it took, but no longer than
	// mostIdle. So looks at very many notes that nobody changes take a thousandth of a core.
	idleShare = 999
	mostIdle  = 15 * time.Minute
	// standBy is how often a lease that another process holds is tried again
	// while vectors are missing.
	standBy = 2 * time.Second
	// leftLook is how often it is looked whether this process must still leave the index
	// to others.
	leftLook = 10 * time.Second
	// powerLook is how often it is looked whether the machine still runs on its
	// battery while vectors wait for that.
	powerLook = 30 * time.Second
	// The pauses after a failure. Each is twice as long as the one before.
	firstRetry = 5 * time.Second
	lastRetry  = 10 * time.Minute
	// smallBatch is how many texts are embedded at once beside other work. That
	// takes the model inside a fraction of a second. pendingPage is how many
	// texts are listed at once.
	smallBatch  = 16
	pendingPage = 1024
	// patience is how long one batch waits for calls that somebody waits for, before
	// it begins and in the middle. After that it goes on, so that vectors are computed even
	// when there is always such a call.
	patience = 2 * time.Second
)

// maintenance is the state of [Indexer.Maintain].
type maintenance struct {
	wake chan struct{} // holds a token when there is something to do now

	mu    sync.Mutex // guards the fields below
	count int        // calls that run
	first bool       // nothing was indexed at the start, and the first sync has not ended yet
	jobs  bool       // missing vectors are left to the provider's jobs
	err   error      // why the last attempt to compute vectors failed, or errOnBattery; nil if it did not
}

// errOnBattery says why many missing vectors wait.
var errOnBattery = memoir.WithHint(errors.New("the machine runs on its battery"), "memoir index, or set embed.onBattery")

// note records how the last attempt to compute vectors went.
func (m *maintenance) note(jobs bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jobs, m.err = jobs, err
}

// begin records that a call begins, and end that it has ended.
func (m *maintenance) begin(first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count, m.first = m.count+1, first
}

func (m *maintenance) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count--
	m.first = false
}

// state reports whether a call is running, and whether it is still indexing
// everything for the first time.
func (m *maintenance) state() (running, first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.count > 0, m.first
}

// synced records that the first sync has ended.
func (m *maintenance) synced() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.first = false
}

// Wake tells [Indexer.Maintain] that there is something to do now.
func (x *Indexer) Wake() {
	select {
	case x.maintained.wake <- struct{}{}:
	default:
	}
}

// Filling reports whether missing vectors are computed in the background, and
// why the last attempt to compute some failed, or why they wait. The error is nil
// when it did not fail and nothing waits.
func (x *Indexer) Filling() (bool, error) {
	m := &x.maintained
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.count > 0 && !m.jobs && m.err != errOnBattery, m.err
}

// Maintain keeps the index complete until the engine closes. It syncs and
// computes the missing vectors, those of the newest notes first. It begins
// again when a source reports a change, when [Indexer.Wake] is called and, for
// sources that cannot report changes, after every interval unless that is 0; later
// where such looks take long and find nothing.
// The process that holds the lease computes the vectors, in small batches;
// before each and within it waits until alone returns, which waits for calls that
// somebody waits for, at most as long as it is told. While the machine runs on its battery
// it leaves more than a few of them. A failure is tried again after pauses that grow. Searches compute no missing vectors meanwhile. Maintain
// returns at once and works in the background.
func (x *Indexer) Maintain(interval time.Duration, alone func(context.Context, time.Duration)) error {
	if err := x.begin("maintain the index"); err != nil {
		return err
	}
	ctx, cancel := x.untilClosed(context.Background())
	stats, err := x.store.Stats(ctx, memoir.Space{})
	x.maintained.begin(err == nil && stats.Documents == 0)
	go func() {
		defer x.end()
		defer cancel()
		defer x.maintained.end()
		r := round{Indexer: x, interval: interval, alone: alone}
		for look := true; ctx.Err() == nil; {
			if look {
				r.look(ctx)
				x.maintained.synced()
			}
			again := r.fill(ctx)
			look = r.wait(ctx, again)
		}
	}()
	return nil
}

// round is the state that one turn of [Indexer.Maintain] hands to the next.
type round struct {
	*Indexer
	interval time.Duration
	alone    func(context.Context, time.Duration)

	marks      []uint64      // of the sources, before the last look; nil: a source cannot tell
	lookAgain  time.Time     // no look before that
	byClock    bool          // it is time for the next look, and nothing else asks for it
	idle       time.Duration // how long the last look took, if the clock asked for it and it found nothing; else 0
	left       bool          // the last look left the index to others
	lookFailed retries
	fillAgain  time.Time // no vectors before that, after a failure
	fillFailed retries
}

// retries counts failures in a row.
type retries int

// pause counts one more failure and returns how long to wait after it.
func (r *retries) pause() time.Duration {
	*r++
	return min(lastRetry, firstRetry<<min(int(*r)-1, 20))
}

// look makes the index agree with the notes.
func (r *round) look(ctx context.Context) {
	select {
	case <-r.maintained.wake:
	default:
	}
	if r.left = r.outdated() != nil; r.left {
		r.marks, r.lookAgain, r.idle = nil, time.Now().Add(looksApart), 0 // no event tells when it is over
		return
	}
	r.marks = r.Indexer.marks()
	start := time.Now()
	stats, err := r.sync(ctx, whatIsDue, nil)
	took := time.Since(start)
	r.lookAgain, r.idle = time.Now().Add(max(looksApart, restShare*took)), 0
	switch {
	case ctx.Err() != nil:
	case err != nil:
		r.lookAgain = time.Now().Add(r.lookFailed.pause())
		r.log.Warn("index changed notes", "err", err, "again", r.lookAgain)
	default:
		if r.lookFailed > 0 {
			r.fillAgain = time.Time{} // the disk may have been full for the vectors, too
		}
		r.lookFailed = 0
		if n := stats.Added + stats.Changed + stats.Removed; n > 0 {
			r.log.Info("indexed changed notes", "added", stats.Added, "changed", stats.Changed, "removed", stats.Removed, "ms", took.Milliseconds())
		} else {
			if r.byClock {
				r.idle = took
			}
			r.log.Debug("no note has changed", "files", stats.Scanned, "ms", took.Milliseconds())
		}
	}
	select {
	case <-r.maintained.wake: // the sync's own writes
	default:
	}
}

// due reports whether the notes should be compared with the index before more
// vectors are computed.
func (r *round) due() bool {
	if len(r.maintained.wake) > 0 {
		return true
	}
	return time.Now().After(r.lookAgain) && r.marks != nil && !slices.Equal(r.marks, r.Indexer.marks())
}

// fill computes missing vectors until none is left or something else is more
// urgent. It returns how long to wait before it continues; 0: until something
// happens.
func (r *round) fill(ctx context.Context) (again time.Duration) {
	if ctx.Err() == nil && r.outdated() != nil {
		return leftLook
	}
	if r.embedder == nil || ctx.Err() != nil {
		return 0
	}
	if left := time.Until(r.fillAgain); left > 0 {
		return left // a changed note is no reason to ask a failing provider sooner
	}
	again, err := r.embedNewest(ctx)
	switch {
	case ctx.Err() != nil:
		return 0
	case err == errOnBattery:
		again = powerLook
	case err != nil:
		again = r.fillFailed.pause()
		r.fillAgain = time.Now().Add(again)
		r.log.Warn("compute vectors", "err", err, "again", again)
	case again == 0:
		r.fillFailed = 0
	}
	_, jobs := memoir.As[ability.BatchEmbedder](r.embedder)
	r.maintained.note(jobs, err)
	return again
}

// embedNewest does the work of fill and returns the error of a failure.
func (r *round) embedNewest(ctx context.Context) (again time.Duration, err error) {
	if r.embedder.Space() == (memoir.Space{}) {
		// The space is not known yet, because the provider could not be asked.
		// Embedding no text at all opens the embedder.
		if _, err := r.embedder.Embed(ctx, memoir.TaskDocument, nil); err != nil {
			return 0, err
		}
	}
	space := r.embedder.Space()
	counts, err := r.store.Stats(ctx, space)
	if err != nil {
		return 0, fmt.Errorf("count pending texts: %w", err)
	}
	if counts.Pending+counts.Failed == 0 && (counts.Texts == 0 || counts.Serving == space) && !counts.Measure() {
		return 0, nil
	}
	_, jobs := memoir.As[ability.BatchEmbedder](r.embedder)
	if jobs && counts.Pending > fewPending {
		return 0, nil // a job costs less, and an index run begins it
	}
	if r.saves(counts.Pending) {
		return 0, errOnBattery
	}
	release, ok, err := r.lease.Take(ctx, false)
	if err != nil {
		return 0, err
	}
	if !ok {
		return standBy, nil
	}
	defer release()
	if jobs {
		_, err := r.embedPending(ctx, embedRun{due: time.Now(), keep: true}, nil)
		return 0, err
	}
	return r.embedPages(ctx, space)
}

// courteous returns a context whose computations wait for calls that somebody waits
// for, in all as long as the patience of one batch.
func (r *round) courteous(ctx context.Context) context.Context {
	var waited atomic.Int64 // nanoseconds
	return giveway.With(ctx, func() {
		left := patience - time.Duration(waited.Load())
		if left <= 0 {
			return
		}
		start := time.Now()
		r.alone(ctx, left)
		waited.Add(int64(time.Since(start)))
	})
}

// saves reports whether so many texts wait for their vectors until the machine no
// longer runs on its battery.
func (r *round) saves(pending int) bool { return pending > fewPending && r.battery() }

// embedPages computes missing vectors while this process holds the lease.
func (r *round) embedPages(ctx context.Context, space memoir.Space) (again time.Duration, err error) {
	size := smallBatch
	if p, ok := memoir.As[ability.Packer](r.embedder); ok {
		size = min(max(size, p.Texts()), embedBatch)
	}
	run := embedRun{due: time.Now(), keep: true}
	for last := memoir.Hash(""); ; {
		page, err := r.store.NewestPending(ctx, space, run.due, pendingPage)
		if err != nil {
			return 0, fmt.Errorf("list pending texts: %w", err)
		}
		if len(page) == 0 {
			break
		}
		if page[0].Hash == last {
			return 0, fmt.Errorf("the vector of a text does not stay in the index: %w", memoir.ErrUnavailable)
		}
		last = page[0].Hash
		if page, err = r.copied(ctx, space, page, &memoir.EmbedStats{}); err != nil {
			return 0, err
		}
		for i, batch := range slices.Collect(slices.Chunk(page, size)) {
			ctx := r.courteous(ctx)
			giveway.From(ctx)()
			if r.lease.Wanted() || r.outdated() != nil {
				return standBy, nil
			}
			if i > 0 && r.saves(len(page)-i*size) {
				return 0, errOnBattery
			}
			var stats memoir.EmbedStats
			if err := r.embed(ctx, run, batch, &stats); err != nil {
				return 0, err
			}
			r.fillFailed = 0
			r.maintained.note(false, nil)
			if r.due() {
				return time.Nanosecond, nil
			}
		}
	}
	if err := r.takeUp(ctx, space, true); err != nil {
		return 0, err
	}
	r.log.Info("all vectors are computed", "space", space.Key())
	return 0, nil
}

// wait waits until there is something to do and reports whether to look at the
// notes. again is how long until fill wants to continue; 0: it does not.
func (r *round) wait(ctx context.Context, again time.Duration) (look bool) {
	timer := newTimer(again)
	defer timer.Stop()
	looks := newTimer(r.nextLook())
	defer looks.Stop()
	happened, stop := r.happens(ctx)
	defer stop()
	r.byClock = false
	select {
	case <-ctx.Done():
		return false
	case <-r.maintained.wake:
		return true
	case <-timer.C:
		return r.left || r.due()
	case <-looks.C:
		r.byClock = true
		return true
	case <-happened:
	}
	return r.settled(ctx)
}

// nextLook returns the time until the next look that no change has caused; 0:
// there is none.
func (r *round) nextLook() time.Duration {
	switch {
	case r.lookFailed > 0:
		return max(1, time.Until(r.lookAgain))
	case r.marks == nil && r.interval > 0:
		return max(r.interval, min(idleShare*r.idle, mostIdle), time.Until(r.lookAgain))
	}
	return 0
}

// newTimer returns a timer that never fires when d is 0.
func newTimer(d time.Duration) *time.Timer {
	t := time.NewTimer(max(d, 1))
	if d == 0 {
		t.Stop()
	}
	return t
}

// happens returns a channel that is ready when a source reports a change since
// the last look, and a function that stops waiting for one. A source that can
// no longer tell also makes the channel ready, so that from then on it is
// looked at regularly.
func (r *round) happens(ctx context.Context) (<-chan struct{}, func()) {
	ctx, cancel := context.WithCancel(ctx)
	happened := make(chan struct{}, len(r.sources))
	var waiting sync.WaitGroup
	for i, mark := range r.marks {
		w, ok := memoir.As[ability.Watched](r.sources[i])
		if !ok {
			continue
		}
		waiting.Go(func() {
			w.Wait(ctx, mark)
			happened <- struct{}{}
		})
	}
	return happened, func() {
		cancel()
		waiting.Wait()
	}
}

// settled waits until changes have ceased and the next look is due. It returns
// false when ctx is done first.
func (r *round) settled(ctx context.Context) bool {
	for start := time.Now(); ctx.Err() == nil; {
		before := r.Indexer.marks()
		pause := time.NewTimer(debounce)
		select {
		case <-ctx.Done():
		case <-r.maintained.wake:
			pause.Stop()
			return true
		case <-pause.C:
		}
		pause.Stop()
		now := time.Now()
		if now.After(r.lookAgain) && (slices.Equal(before, r.Indexer.marks()) || now.Sub(start) >= mostDebounce) {
			return true
		}
	}
	return false
}
