package engine_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/store/memstore"
)

// gated is a store whose views wait.
type gated struct {
	memoir.Store
	gate   chan struct{}
	closed atomic.Bool
}

func (g *gated) View(ctx context.Context, f func(memoir.View) error) error {
	<-g.gate
	if g.closed.Load() {
		return errors.New("a search looks at a closed store")
	}
	return g.Store.View(ctx, f)
}

func (g *gated) Close() error {
	g.closed.Store(true)
	return g.Store.Close()
}

// Close waits for the searches under way, and their answers are reported before
// it returns. Later calls are refused.
func TestCloseWaitsForSearches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &gated{Store: memstore.New(), gate: make(chan struct{})}
		var answered, closed atomic.Bool
		n := newNotes(t, engine.Config{Store: store, Answered: func(memoir.Query, memoir.Results) { answered.Store(true) }}, "a.md", "tea\n")
		n.sync()
		found := make(chan error, 1)
		go func() {
			res, err := n.engine.Search(t.Context(), memoir.Query{Text: "tea"})
			if err == nil && len(res.Hits) != 1 {
				err = errors.New("no hit")
			}
			found <- err
		}()
		synctest.Wait()
		done := make(chan error, 1)
		go func() {
			err := n.engine.Close()
			closed.Store(true)
			if !answered.Load() {
				err = errors.New("closed before the search was over")
			}
			done <- err
		}()
		synctest.Wait()
		if closed.Load() {
			t.Error("the engine is closed while a search is under way")
		}
		for name, err := range lateCalls(t, n.engine) {
			if !errors.Is(err, memoir.ErrClosed) {
				t.Errorf("%s of an engine that closes: %v, want %v", name, err, memoir.ErrClosed)
			}
		}
		close(store.gate)
		if err := <-found; err != nil {
			t.Errorf("the search under way: %v", err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// lateCalls makes every call once.
func lateCalls(t *testing.T, e *engine.Engine) map[string]error {
	ctx, errs := t.Context(), map[string]error{}
	_, errs["Search"] = e.Search(ctx, memoir.Query{Text: "tea"})
	_, errs["Why"] = e.Why(ctx, memoir.Query{Text: "tea"}, "a.md", 0)
	_, errs["Get"] = e.Get(ctx, "a.md", 0, 0)
	_, errs["Stats"] = e.Stats(ctx)
	_, errs["Status"] = e.Status(ctx)
	_, errs["Sync"] = e.Sync(ctx, nil)
	_, errs["Rebuild"] = e.Rebuild(ctx, nil)
	_, errs["EmbedPending"] = e.EmbedPending(ctx, nil)
	_, errs["RetryFailed"] = e.RetryFailed(ctx, nil)
	return errs
}

// Computing vectors, which may take hours, is ended by closing the engine.
func TestCloseEndsEmbedding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotes(t, engine.Config{Embedder: embedtest.NewBlocking(&embedtest.Embedder{})}, "a.md", "tea\n")
		n.sync()
		done := make(chan error, 1)
		go func() {
			_, err := n.engine.EmbedPending(t.Context(), nil)
			done <- err
		}()
		synctest.Wait()
		start := time.Now()
		if err := n.engine.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; !errors.Is(err, memoir.ErrClosed) {
			t.Errorf("got %v, want %v", err, memoir.ErrClosed)
		}
		if waited := time.Since(start); waited > 0 {
			t.Errorf("closing took %v", waited)
		}
	})
}

// Searches, syncs and a close at once: each call is answered or refused.
func TestCloseBesideCalls(t *testing.T) {
	var answered, told atomic.Int64
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}, Answered: func(memoir.Query, memoir.Results) { told.Add(1) }}, "a.md", "tea\n", "b.md", "cake\n")
	n.sync()
	var callers sync.WaitGroup
	begun := make(chan struct{}, 1)
	for range 4 {
		callers.Go(func() {
			for {
				_, err := n.engine.Search(t.Context(), memoir.Query{Text: "tea"})
				if _, syncing := n.engine.Sync(t.Context(), nil); err == nil && syncing != nil && !errors.Is(syncing, memoir.ErrClosed) {
					err = syncing
				}
				if errors.Is(err, memoir.ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				answered.Add(1)
				select {
				case begun <- struct{}{}:
				default:
				}
			}
		})
	}
	<-begun
	if err := n.engine.Close(); err != nil {
		t.Error(err)
	}
	if after := told.Load(); after < answered.Load() {
		t.Errorf("%d of %d answers were told of", after, answered.Load())
	}
	callers.Wait()
}
