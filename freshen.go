package memoir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize/english"
)

// firstSync is how many budgets the first search of an empty index may wait.
const firstSync = 20

// freshen indexes changed files before a search, within the time budget, and
// says what it did not get done. Vectors are computed only if asked for. Nothing
// that it fails at stops the search.
func (e *Engine) freshen(ctx context.Context, vectors bool) []Degradation {
	select {
	case e.syncing <- struct{}{}:
	default:
		return []Degradation{{"sync", "the index is being brought up to date", "ask again in a moment"}}
	}
	goesOn := false // a look does, and ends the sync
	defer func() {
		if !goesOn {
			<-e.syncing
		}
	}()
	start, budget := time.Now(), e.cfg.SyncBudget
	if stats, err := e.store.Stats(ctx, Space{}); err == nil && stats.Documents == 0 {
		budget *= firstSync // nothing is indexed: any answer needs this
	}
	work, stats, err := e.survey(ctx, false, func(ctx context.Context) (syncWork, SyncStats, error) {
		l := e.look(ctx)
		if goesOn = !e.wait(ctx, l, budget); goesOn {
			return syncWork{}, SyncStats{}, context.DeadlineExceeded
		}
		return l.work, l.stats, l.err
	})
	if err != nil {
		return []Degradation{e.uncompared(err)}
	}
	total := len(work.put) + len(work.remove)
	first := total > 0 && len(work.put) == stats.Scanned
	if first {
		budget = firstSync * e.cfg.SyncBudget // so it does where all of it is to be indexed again
	}
	ctx, cancel := context.WithDeadline(ctx, start.Add(budget))
	defer cancel()
	if stats, err = e.apply(ctx, work, SyncStats{}, nil); err != nil {
		return []Degradation{e.behind(err, total, stats)}
	}
	if first {
		if err := e.store.Settle(ctx, Space{}, CacheLimits{}); err != nil && ctx.Err() == nil {
			e.log.Warn("put the index in order", "err", err)
		}
	}
	if vectors {
		e.embedSome(ctx, total > 0)
	}
	return nil
}

// uncompared says why the files were not compared with the index.
func (e *Engine) uncompared(err error) Degradation {
	if errors.Is(err, context.DeadlineExceeded) {
		return Degradation{"sync", "answered before all files were compared with the index", "memoir index"}
	}
	e.log.Warn("compare index and files", "err", err)
	return Degradation{"sync", "the files could not be compared with the index: " + err.Error(), cmp.Or(Hint(err), "memoir index")}
}

// look is a comparison of files and index under way. What it found is there
// when done is closed.
type look struct {
	ctx   context.Context
	stop  context.CancelFunc
	done  chan struct{}
	work  syncWork
	stats SyncStats
	err   error
}

// look starts a comparison, which the engine's closing ends and that of ctx does not.
func (e *Engine) look(ctx context.Context) *look {
	l := &look{done: make(chan struct{})}
	l.ctx, l.stop = e.untilClosed(context.WithoutCancel(ctx))
	go func() {
		defer close(l.done)
		l.work, l.stats, l.err = e.compare(l.ctx)
	}()
	return l
}

// wait waits for a look and reports whether it has ended: one that takes longer
// than the budget goes on without the search.
func (e *Engine) wait(ctx context.Context, l *look, budget time.Duration) (ended bool) {
	select {
	case <-l.done:
	case <-ctx.Done():
	case <-time.After(budget):
		if e.calls.begin("sync") == nil { // else the engine closes
			go e.catchUp(l)
			return false
		}
	}
	l.stop()
	<-l.done
	return true
}

// catchUp waits for a look that a search did not wait for, and indexes what it
// found as far as the budget of a search lasts: where every look takes too long,
// the next search finds that. It is a call of its own and ends the sync.
func (e *Engine) catchUp(l *look) {
	defer e.calls.end()
	defer func() { <-e.syncing }()
	defer l.stop()
	<-l.done
	ctx, cancel := context.WithTimeout(l.ctx, e.cfg.SyncBudget)
	defer cancel()
	err := l.err
	if err == nil {
		_, err = e.apply(ctx, l.work, SyncStats{}, nil)
	}
	if err != nil && ctx.Err() == nil {
		e.log.Warn("sync after a search", "err", err)
	}
}

// fewPending is how many texts a search embeds although no file changed.
const fewPending = 16

// embedSome computes missing vectors before a search, while the budget lasts:
// those of files that it indexed itself, or a few. The search says so when
// some are still missing. A provider that was late is not waited for.
func (e *Engine) embedSome(ctx context.Context, changed bool) {
	if e.embedder == nil {
		return
	}
	ctx, cancel, ok := e.queries.inTime(ctx, e.embedder.Space())
	if !ok {
		return
	}
	defer cancel()
	stats, err := e.store.Stats(ctx, e.embedder.Space())
	if err != nil || stats.Pending == 0 || !changed && stats.Pending > fewPending {
		return
	}
	if _, err := e.embedPending(ctx, embedRun{due: time.Now()}, nil); err != nil && ctx.Err() == nil {
		e.log.Warn("embed before the search", "err", err)
	}
}

// behind says how far the index is behind the files.
func (e *Engine) behind(err error, total int, stats SyncStats) Degradation {
	if errors.Is(err, context.DeadlineExceeded) {
		left := max(total-stats.Added-stats.Changed-stats.Removed, 1)
		return Degradation{"sync", fmt.Sprintf("answered before %d changed %s indexed", left, english.PluralWord(left, "file was", "files were")), "memoir index"}
	}
	e.log.Warn("sync before the search", "err", err)
	return Degradation{"sync", "changed files could not be indexed: " + err.Error(), cmp.Or(Hint(err), "memoir index")}
}
