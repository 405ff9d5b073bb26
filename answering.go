package memoir

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
)

// answering is the embedder whose space answers a search.
type answering struct {
	embedder Embedder // nil: words answer alone
	former   bool     // it is not the engine's own space
	degraded []Degradation
}

// answering chooses the space that answers: the embedder's own, or the one
// before it while the embedder's is not complete. Of two that are incomplete it
// is the one that covers more texts, its own when both cover as many.
func (e *Engine) answering(ctx context.Context) answering {
	own := e.embedder.Space()
	serving, err := e.store.Serving(ctx)
	if err != nil || own == (Space{}) || serving == (Space{}) || serving == own {
		return answering{embedder: e.embedder}
	}
	stats, err := e.store.Stats(ctx, own)
	if err != nil || stats.Complete() {
		return answering{embedder: e.embedder}
	}
	older, err := e.store.Stats(ctx, serving)
	if err != nil || stats.Pending+stats.Failed <= older.Pending+older.Failed {
		return answering{embedder: e.embedder}
	}
	embedder, err := e.former.open(ctx, serving, e.cfg)
	if err != nil {
		e.log.Warn("open the model in use", "space", serving.Key(), "err", err)
		return answering{former: true, degraded: []Degradation{{"vectors",
			fmt.Sprintf("the model %s is %d %% ready, and %s, which the index was made with, cannot be opened: %v", own.Model, stats.ready(), serving.Model, err),
			cmp.Or(Hint(err), "memoir index")}}}
	}
	return answering{embedder, true, []Degradation{changing(own, stats, serving)}}
}

// ready returns how many of a hundred texts are done; 100 only when all are.
func (s StoreStats) ready() int {
	return 100 * (s.Texts - s.Pending - s.Failed) / max(s.Texts, 1)
}

// former keeps the embedder of the space that serves while another fills.
type former struct {
	mu       sync.Mutex
	space    Space
	embedder Embedder
	err      error
	retry    time.Time // of an error
}

// reopenPause is how long a space that could not be opened is left alone.
const reopenPause = time.Minute

// open returns the embedder of a space, opened once.
func (f *former) open(ctx context.Context, space Space, cfg Config) (Embedder, error) {
	if cfg.Open == nil {
		return nil, fmt.Errorf("no other model can be opened: %w", ErrUnavailable)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.space == space && (f.err == nil || time.Now().Before(f.retry)) {
		return f.embedder, f.err
	}
	within, cancel := context.WithTimeout(ctx, cfg.EmbedTimeout)
	defer cancel()
	embedder, err := cfg.Open(within, space)
	if err == nil && embedder.Space() != space {
		embedder, err = nil, fmt.Errorf("the model has changed: %w", ErrUnavailable)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err() // says nothing of the model
	}
	f.space, f.embedder, f.err, f.retry = space, embedder, err, time.Now().Add(reopenPause)
	return embedder, err
}
