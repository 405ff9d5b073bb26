package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
)

// calls counts the calls of an engine that are under way, so that Close can
// wait for them.
type calls struct {
	mu      sync.Mutex // guards the fields below
	running int
	aside   int           // calls among running that work in the background, with no caller waiting
	alone   chan struct{} // closed when only background calls run; nil: nobody waits for that
	idle    chan struct{} // closed when no call runs any more; nil until the engine closes
}

// begin starts a call, which the caller ends with [calls.end]. It fails once
// the engine is closed.
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

// beginAside and endAside are begin and end for a call in the background.
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

// ended wakes those who wait for calls to end. The caller holds the lock.
func (c *calls) ended() {
	if c.running == 0 && c.idle != nil {
		close(c.idle)
	}
	if c.running == c.aside && c.alone != nil {
		close(c.alone)
		c.alone = nil
	}
}

// giveWay waits until only background calls run, at most that long.
func (c *calls) giveWay(ctx context.Context, most time.Duration) {
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
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-alone:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// close lets no further call begin. It returns a channel that is closed when
// the calls under way have ended.
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
// run to their end. Waiting for the embedder, in a search or in
// [Engine.EmbedPending], is cut short. Later calls return [memoir.ErrClosed],
// and so do calls that a progress function makes meanwhile. A function that the engine
// itself calls, such as [Config.Answered], must not call Close: Close would
// wait for it forever.
func (e *Engine) Close() error {
	idle := e.calls.close()
	e.stopEmbedding(memoir.ErrClosed)
	e.searcher.Close()
	<-idle
	return e.store.Close()
}
