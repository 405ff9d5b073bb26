package memoir

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// firstSync is how many budgets the first search of an empty index may wait.
const firstSync = 20

// freshen indexes changed files before a search, within the time budget, and
// says what it did not get done. Nothing that it fails at stops the search.
func (e *Engine) freshen(ctx context.Context) []Degradation {
	select {
	case e.syncing <- struct{}{}:
		defer func() { <-e.syncing }()
	default:
		return []Degradation{{"sync", "the index is being brought up to date", "ask again in a moment"}}
	}
	work, stats, err := e.compare(ctx)
	if err != nil {
		e.log.Warn("compare index and files", "err", err)
		return []Degradation{{"sync", "the files could not be compared with the index: " + err.Error(), "memoir index"}}
	}
	total := len(work.put) + len(work.remove)
	if total == 0 {
		return nil
	}
	budget := e.cfg.SyncBudget
	if len(work.put) == stats.Scanned {
		budget *= firstSync // nothing is indexed: any answer needs this
	}
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	start := time.Now()
	stats, err = e.apply(ctx, work, SyncStats{}, nil)
	if err != nil {
		return []Degradation{e.behind(err, total, stats)}
	}
	e.log.Debug("synced before the search", "files", total, "took", time.Since(start))
	// The vectors of what changed, while the budget lasts; the search says
	// itself when some are missing.
	if _, err := e.EmbedPending(ctx, nil); err != nil && ctx.Err() == nil {
		e.log.Warn("embed before the search", "err", err)
	}
	return nil
}

// behind says how far the index is behind the files.
func (e *Engine) behind(err error, total int, stats SyncStats) Degradation {
	if errors.Is(err, context.DeadlineExceeded) {
		done := stats.Added + stats.Changed + stats.Removed
		return Degradation{"sync", fmt.Sprintf("answered before %d changed files were indexed", max(total-done, 1)), "memoir index"}
	}
	e.log.Warn("sync before the search", "err", err)
	action := Hint(err)
	if action == "" {
		action = "memoir index"
	}
	return Degradation{"sync", "changed files could not be indexed: " + err.Error(), action}
}
