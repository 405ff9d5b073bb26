package embedtest

import (
	"context"
	"sync"

	"github.com/memoir-ai/memoir"
)

// Failing is an embedder whose calls fail while its error is set. It is safe
// for concurrent use.
type Failing struct {
	memoir.Embedder
	mu  sync.Mutex
	err error
}

// NewFailing wraps e. Every call fails with err until [Failing.Set] changes
// that.
func NewFailing(e memoir.Embedder, err error) *Failing {
	return &Failing{Embedder: e, err: err}
}

// Set changes the error of later calls. nil lets them through.
func (f *Failing) Set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

// Embed implements [memoir.Embedder].
func (f *Failing) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	f.mu.Lock()
	err := f.err
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return f.Embedder.Embed(ctx, task, texts)
}

// Counting is an embedder that remembers what it was asked. It is safe for
// concurrent use.
type Counting struct {
	memoir.Embedder
	mu    sync.Mutex
	calls int
	texts []string
}

// NewCounting wraps e.
func NewCounting(e memoir.Embedder) *Counting { return &Counting{Embedder: e} }

// Calls returns how often Embed was called.
func (c *Counting) Calls() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls
}

// Texts returns every text that was given, in order of the calls.
func (c *Counting) Texts() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.texts...)
}

// Embed implements [memoir.Embedder].
func (c *Counting) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	c.mu.Lock()
	c.calls++
	c.texts = append(c.texts, texts...)
	c.mu.Unlock()
	return c.Embedder.Embed(ctx, task, texts)
}

// Blocking is an embedder whose calls wait until it is released, or until their
// context ends. It stands for a provider that hangs. It is safe for concurrent
// use.
type Blocking struct {
	memoir.Embedder
	entered  chan struct{}
	released chan struct{}
	once     sync.Once
}

// NewBlocking wraps e.
func NewBlocking(e memoir.Embedder) *Blocking {
	return &Blocking{Embedder: e, entered: make(chan struct{}, 1), released: make(chan struct{})}
}

// Entered receives a value when a call waits. Calls that begin before the
// value is taken add none.
func (b *Blocking) Entered() <-chan struct{} { return b.entered }

// Release lets all calls go on, those that wait and later ones. It may be
// called more than once.
func (b *Blocking) Release() { b.once.Do(func() { close(b.released) }) }

// Embed implements [memoir.Embedder].
func (b *Blocking) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	select {
	case b.entered <- struct{}{}:
	default:
	}
	select {
	case <-b.released:
		return b.Embedder.Embed(ctx, task, texts)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
