package indexing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/trace"
	"github.com/memoir-ai/memoir/tune"
)

// firstSync is how many time budgets the first search of an empty index may
// wait.
const firstSync = 20

// Freshen indexes changed files before a search, within the time budget, and
// says what it could not finish. It computes missing vectors while the context
// that embedding returns lasts. It computes none when embedding is nil or
// returns false. A failure of Freshen never stops the search.
func (x *Indexer) Freshen(ctx context.Context, embedding func(context.Context) (context.Context, context.CancelFunc, bool)) []memoir.Degradation {
	if err := x.outdated(); err != nil {
		return []memoir.Degradation{older(err)}
	}
	running, fresh := x.maintained.state()
	if running {
		embedding = nil // the process computes them in the background
	}
	if !x.turn(ctx, running, fresh) {
		return []memoir.Degradation{{Part: "sync", Reason: "the index is being brought up to date", Action: "ask again in a moment"}}
	}
	goesOn := false // set when a look goes on in the background and ends the sync itself
	defer func() {
		if !goesOn {
			<-x.syncing
		}
	}()
	start, budget := time.Now(), x.budget
	counts, err := x.store.Stats(ctx, memoir.Space{})
	if err == nil && x.quiet(counts) {
		if embedding != nil {
			x.embedSome(ctx, false, embedding)
		}
		return x.last.hidden
	}
	if err == nil && counts.Documents == 0 {
		budget *= firstSync // nothing is indexed yet, so any answer needs this
	}
	before := x.before(counts)
	work, stats, err := x.survey(ctx, false, func(ctx context.Context) (syncWork, memoir.SyncStats, error) {
		l, stage := x.look(ctx), trace.Begin(ctx, "compare")
		defer func() { stage.End(l.seen(goesOn), "files") }()
		if goesOn = !x.wait(ctx, l, before, budget); goesOn {
			return syncWork{}, memoir.SyncStats{}, context.DeadlineExceeded
		}
		return l.work, l.stats, l.err
	})
	if err != nil {
		return []memoir.Degradation{x.uncompared(err)}
	}
	total := len(work.put) + len(work.remove)
	first := total > 0 && len(work.put) == stats.Scanned
	if first {
		budget = firstSync * x.budget // likewise when everything is to be indexed again
	}
	ctx, cancel := context.WithDeadline(ctx, start.Add(budget))
	defer cancel()
	if behind := x.indexNow(ctx, work, first); behind != nil {
		return behind
	}
	if embedding != nil {
		x.embedSome(ctx, total > 0, embedding)
	}
	x.found(before, work)
	return work.hides()
}

// indexNow indexes what a search has found changed, and says how much it could not
// index before ctx ended. When all documents were indexed, it puts the index in order.
func (x *Indexer) indexNow(ctx context.Context, work syncWork, all bool) []memoir.Degradation {
	stage := trace.Begin(ctx, "index")
	stats, err := x.apply(ctx, work, memoir.SyncStats{}, nil)
	stage.End(stats.Added+stats.Changed+stats.Removed, "files")
	if err != nil {
		return []memoir.Degradation{x.behind(err, len(work.put)+len(work.remove), stats)}
	}
	if all {
		if err := x.store.Settle(ctx, memoir.Space{}, tune.Cache{}); err != nil && ctx.Err() == nil {
			x.log.Warn("put the index in order", "err", err)
		}
	}
	return nil
}

// turn takes the token of a sync for a search. If the process itself is running
// a sync, turn waits for that within the budget. During the first sync, which
// indexes the newest notes first, it waits longer as long as nothing can be
// found at all.
func (x *Indexer) turn(ctx context.Context, running, fresh bool) bool {
	budget := x.budget
	if !running {
		budget = 0
	}
	if x.takeToken(ctx, budget) {
		return true
	}
	if stats, err := x.store.Stats(ctx, memoir.Space{}); !fresh || err != nil || stats.Documents > 0 {
		return false
	}
	return x.takeToken(ctx, firstSync*x.budget)
}

// takeToken takes the token of a sync. It waits for it at most that long.
func (x *Indexer) takeToken(ctx context.Context, most time.Duration) bool {
	select {
	case x.syncing <- struct{}{}:
		return true
	default:
	}
	if most <= 0 {
		return false
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case x.syncing <- struct{}{}:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// older says that this process leaves the index to others.
func older(err error) memoir.Degradation {
	return memoir.Degradation{Part: "sync", Reason: err.Error(), Action: memoir.Hint(err)}
}

// uncompared says why the files were not compared with the index.
func (x *Indexer) uncompared(err error) memoir.Degradation {
	if errors.Is(err, context.DeadlineExceeded) {
		return memoir.Degradation{Part: "sync", Reason: "answered before all files were compared with the index", Action: "memoir index"}
	}
	x.log.Warn("compare index and files", "err", err)
	return memoir.Degradation{Part: "sync", Reason: "the files could not be compared with the index: " + err.Error(), Action: cmp.Or(memoir.Hint(err), "memoir index")}
}

// look is a running comparison of files and index. When done is closed, its
// result is there.
type look struct {
	ctx   context.Context
	stop  context.CancelFunc
	done  chan struct{}
	work  syncWork
	stats memoir.SyncStats
	err   error
}

// seen returns how many files were compared, 0 of a look that goes on.
func (l *look) seen(goesOn bool) int {
	if goesOn {
		return 0
	}
	return l.stats.Scanned
}

// look starts a comparison. It stops when the engine closes, but not when ctx
// is done.
func (x *Indexer) look(ctx context.Context) *look {
	l := &look{done: make(chan struct{})}
	l.ctx, l.stop = x.untilClosed(context.WithoutCancel(ctx))
	go func() {
		defer close(l.done)
		l.work, l.stats, l.err = x.compare(l.ctx, whatIsDue)
	}()
	return l
}

// wait waits for a look and reports whether it has ended. A look that takes
// longer than the budget goes on in the background.
func (x *Indexer) wait(ctx context.Context, l *look, before looked, budget time.Duration) (ended bool) {
	select {
	case <-l.done:
	case <-ctx.Done():
	case <-time.After(budget):
		if x.begin("sync") == nil { // it fails when the engine is closing
			go x.catchUp(l, before)
			return false
		}
	}
	l.stop()
	<-l.done
	return true
}

// catchUp waits for a look that a search did not wait for, and indexes what it
// found, within the time budget of a search. So where every look takes too
// long, the next search still finds the changes. It counts as a call of its own
// and ends the sync.
func (x *Indexer) catchUp(l *look, before looked) {
	defer x.end()
	defer func() { <-x.syncing }()
	defer l.stop()
	<-l.done
	ctx, cancel := context.WithTimeout(l.ctx, x.budget)
	defer cancel()
	err := l.err
	if err == nil {
		x.found(before, l.work)
		_, err = x.apply(ctx, l.work, memoir.SyncStats{}, nil)
	}
	if err != nil && ctx.Err() == nil {
		x.log.Warn("sync after a search", "err", err)
	}
}

// fewPending is how many texts a process in the background embeds on a battery, and any
// process with a provider that takes more of them as a job.
const fewPending = 16

// soonEmbedded is how many texts a search may take longer for: the first of an index, and
// one after processes that told something and computed no vectors, such as many calls of
// memoir remember. With more, words answer without that wait.
const soonEmbedded = 64

// embedSome computes missing vectors before a search, within the time budget.
// It does so for files that the search has just indexed, or when so few are missing that
// it may take longer for them. The search reports what is still missing then.
func (x *Indexer) embedSome(ctx context.Context, changed bool, embedding func(context.Context) (context.Context, context.CancelFunc, bool)) {
	if x.embedder == nil {
		return
	}
	ctx, cancel, ok := embedding(ctx)
	if !ok {
		return
	}
	defer cancel()
	soon := soonEmbedded
	if _, jobs := memoir.As[ability.BatchEmbedder](x.embedder); jobs {
		soon = fewPending // a job costs less, and an index run begins it
	}
	stats, err := x.store.Stats(ctx, x.embedder.Space())
	if err != nil || stats.Pending == 0 || !changed && stats.Pending > soon {
		return
	}
	if stats.Pending > soonEmbedded {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, x.budget)
		defer stop()
	}
	release, ok, err := x.lease.Take(ctx, false)
	if err != nil || !ok {
		return // another process computes vectors
	}
	defer release()
	if _, err := x.embedPending(ctx, embedRun{due: time.Now()}, nil); err != nil && ctx.Err() == nil {
		x.log.Warn("embed before the search", "err", err)
	}
}

// behind says how far the index lags behind the files.
func (x *Indexer) behind(err error, total int, stats memoir.SyncStats) memoir.Degradation {
	if errors.Is(err, context.DeadlineExceeded) {
		left := max(total-stats.Added-stats.Changed-stats.Removed, 1)
		return memoir.Degradation{Part: "sync", Reason: fmt.Sprintf("answered before %d changed %s indexed", left, english.PluralWord(left, "file was", "files were")), Action: "memoir index"}
	}
	x.log.Warn("sync before the search", "err", err)
	return memoir.Degradation{Part: "sync", Reason: "changed files could not be indexed: " + err.Error(), Action: cmp.Or(memoir.Hint(err), "memoir index")}
}
