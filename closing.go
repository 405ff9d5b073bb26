package memoir

import (
	"context"
	"fmt"
	"sync"
)

// calls counts the calls of an engine that are under way, so that it can be
// closed behind them.
type calls struct {
	mu      sync.Mutex // guards closed, and that nothing joins running after it
	closed  bool
	running sync.WaitGroup
}

// begin lets a call begin, whose end the caller tells with [calls.end]. Once the
// engine is closed none does.
func (c *calls) begin(doing string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return fmt.Errorf("%s: %w", doing, ErrClosed)
	}
	c.running.Add(1)
	return nil
}

func (c *calls) end() { c.running.Done() }

// close lets no call begin any more.
func (c *calls) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// Close waits for the calls under way and closes the store. Searches and a sync
// come to their end; what waits for the embedder, in a search or in
// [Engine.EmbedPending], is ended. Later calls, and those that a progress
// function makes meanwhile, give [ErrClosed]. It is not for what the engine
// itself calls, such as [Config.Answered]: it would wait for that.
func (e *Engine) Close() error {
	e.calls.close()
	e.stopEmbedding(ErrClosed)
	e.queries.close()
	e.calls.running.Wait()
	return e.store.Close()
}

// untilClosed returns a context that is also done when the engine closes, for
// work that would go on for long.
func (e *Engine) untilClosed(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(e.embedding, func() { cancel(context.Cause(e.embedding)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}
