package engine

import (
	"fmt"
	"sync"

	"github.com/memoir-ai/memoir"
)

// calls counts the calls of an engine that are under way, so that it can be
// closed behind them.
type calls struct {
	mu      sync.Mutex // guards what follows
	running int
	idle    chan struct{} // nil until the engine closes; closed when nothing runs any more
}

// begin lets a call begin, whose end the caller tells with [calls.end]. Once the
// engine is closed none does.
func (c *calls) begin(doing string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle != nil {
		return fmt.Errorf("%s: %w", doing, memoir.ErrClosed)
	}
	c.running++
	return nil
}

func (c *calls) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running--; c.running == 0 && c.idle != nil {
		close(c.idle)
	}
}

// close lets no call begin any more. What it returns is closed when those under
// way have ended.
func (c *calls) close() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle == nil {
		if c.idle = make(chan struct{}); c.running == 0 {
			close(c.idle)
		}
	}
	return c.idle
}

// Close waits for the calls under way and closes the store. Searches and a sync
// come to their end; what waits for the embedder, in a search or in
// [Engine.EmbedPending], is ended. Later calls, and those that a progress
// function makes meanwhile, give [ErrClosed]. It is not for what the engine
// itself calls, such as [Config.Answered]: it would wait for that.
func (e *Engine) Close() error {
	idle := e.calls.close()
	e.stopEmbedding(memoir.ErrClosed)
	e.searcher.Close()
	<-idle
	return e.store.Close()
}
