package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
)

// calls counts the calls of an engine that are under way, so that it can be
// closed behind them.
type calls struct {
	mu      sync.Mutex // guards what follows
	running int
	aside   int           // of those, the ones that go on behind their caller
	alone   chan struct{} // nil: nobody waits for it; closed when only those run
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
	c.running--
	c.ended()
}

// beginAside and endAside are begin and end of what goes on behind its caller.
func (c *calls) beginAside(doing string) error {
	if err := c.begin(doing); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.aside++
	return nil
}

func (c *calls) endAside() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	c.aside--
	c.ended()
}

// ended tells those who wait that a call has ended; the caller holds the lock.
func (c *calls) ended() {
	if c.running == 0 && c.idle != nil {
		close(c.idle)
	}
	if c.running == c.aside && c.alone != nil {
		close(c.alone)
		c.alone = nil
	}
}

// patience is how long what has time waits for calls that somebody waits for: it
// gets on where there always is one.
const patience = 2 * time.Second

// giveWay waits until nothing runs but what goes on behind its caller.
func (c *calls) giveWay(ctx context.Context) {
	c.mu.Lock()
	if c.running == c.aside {
		c.mu.Unlock()
		return
	}
	if c.alone == nil {
		c.alone = make(chan struct{})
	}
	alone := c.alone
	c.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-alone:
	case <-timer.C:
	case <-ctx.Done():
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
