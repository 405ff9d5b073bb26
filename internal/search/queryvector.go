package search

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/script"
)

const (
	// cachedQueries is how many vectors of queries are kept. Of the model
	// inside, they take half a megabyte.
	cachedQueries = 256
	// patience is how many deadlines a call may still run after the search that
	// began it has given it up.
	patience = 10
	// The pauses after a provider was late. Each is twice as long as the one
	// before.
	firstBreak = 2 * time.Second
	maxBreak   = 30 * time.Second
)

// queryVectors embeds queries. It remembers the last ones, and equal queries
// that come together share a call.
//
// It also keeps searches from waiting again and again for a provider that
// hangs. A call that is late goes on in the background. No search waits for the
// provider until that call returns, nor for a pause after it fails. From then
// on a search waits only a quarter of the deadline, until an answer comes in
// time.
type queryVectors struct {
	timeout time.Duration

	mu      sync.Mutex // guards the fields below
	closed  bool
	order   *list.List // of *cachedQuery, the most recently used first
	cached  map[queryKey]*list.Element
	flying  map[queryKey]*queryCall
	breaker map[memoir.Space]*breaker
}

type queryKey struct {
	space memoir.Space
	task  memoir.Task
	text  memoir.Hash
}

type cachedQuery struct {
	key    queryKey
	vector []float32
}

// queryCall is one call to an embedder, which several searches may wait for.
// Its goroutine ends when done is closed.
type queryCall struct {
	done   chan struct{} // closed when vector and err are set
	vector []float32
	err    error
	late   bool // a search has stopped waiting for it
	cancel context.CancelFunc
}

// breaker records whether a provider answers in time.
type breaker struct {
	late    int                          // late calls in a row
	hanging int                          // late calls that still run
	until   time.Time                    // no search waits for the provider before that
	work    map[*context.CancelFunc]bool // work that is cancelled when a call is late
}

// pauseAfter returns how long a provider is left alone after so many late calls
// in a row.
func pauseAfter(late int) time.Duration { return min(maxBreak, firstBreak<<min(late-1, 8)) }

func newQueryVectors(timeout time.Duration) *queryVectors {
	return &queryVectors{
		timeout: timeout, order: list.New(),
		cached: map[queryKey]*list.Element{}, flying: map[queryKey]*queryCall{}, breaker: map[memoir.Space]*breaker{},
	}
}

// close ends the calls under way and waits for them.
func (q *queryVectors) close() {
	q.mu.Lock()
	q.closed = true
	calls := slices.Collect(maps.Values(q.flying))
	q.mu.Unlock()
	for _, call := range calls {
		call.cancel()
		<-call.done
	}
}

// embed returns the vector of a query, or of a text that one is compared with, or an error
// when there is none within the deadline. The caller must not change the vector.
func (q *queryVectors) embed(ctx context.Context, e memoir.Embedder, task memoir.Task, text string) ([]float32, error) {
	key := queryKey{e.Space(), task, memoir.HashText(text)}
	call, vector, wait, err := q.join(e, key, text)
	if err != nil || vector != nil {
		return vector, err
	}
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	select {
	case <-call.done:
		return call.vector, call.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-deadline.C:
		q.giveUp(key, call)
		return nil, fmt.Errorf("%s gave no answer within %v: %w", who(key.space), wait, context.DeadlineExceeded)
	}
}

// who names the provider of a space for people. A provider that has never
// answered has no space yet.
func who(space memoir.Space) string { return cmp.Or(space.Provider, "the provider of vectors") }

// join returns the vector of a query when it is known. Otherwise it returns the
// call that computes it, and how long to wait for that.
func (q *queryVectors) join(e memoir.Embedder, key queryKey, text string) (*queryCall, []float32, time.Duration, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if at := q.cached[key]; at != nil {
		q.order.MoveToFront(at)
		return nil, at.Value.(*cachedQuery).vector, 0, nil
	}
	if q.closed {
		return nil, nil, 0, errors.New("the engine is closed")
	}
	b := q.of(key.space)
	if b.hanging > 0 || time.Now().Before(b.until) {
		return nil, nil, 0, fmt.Errorf("%s did not answer in time; it is tried again in a moment: %w", who(key.space), memoir.ErrUnavailable)
	}
	wait := q.timeout
	if b.late > 0 {
		wait /= 4
	}
	call := q.flying[key]
	if call == nil {
		// The call may outlive the search that begins it.
		ctx, cancel := context.WithTimeout(context.Background(), patience*q.timeout)
		call = &queryCall{done: make(chan struct{}), cancel: cancel}
		q.flying[key] = call
		go q.run(ctx, e, key, text, call)
	}
	return call, nil, wait, nil
}

// inTime returns a context for other work that the provider of a space does.
// The context is cancelled as soon as the vector of a query is late. ok is
// false when the provider's last answer was late; the work should then not
// begin.
func (q *queryVectors) inTime(ctx context.Context, space memoir.Space) (_ context.Context, cancel context.CancelFunc, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	b := q.of(space)
	if b.late > 0 {
		return nil, nil, false
	}
	ctx, stop := context.WithCancel(ctx)
	work := &stop
	b.work[work] = true
	return ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(b.work, work)
		stop()
	}, true
}

// of returns the breaker of a space. The caller holds the lock.
func (q *queryVectors) of(space memoir.Space) *breaker {
	if q.breaker[space] == nil {
		q.breaker[space] = &breaker{work: map[*context.CancelFunc]bool{}}
	}
	return q.breaker[space]
}

// run makes a call and gives its result to everybody who waits for it.
func (q *queryVectors) run(ctx context.Context, e memoir.Embedder, key queryKey, text string, call *queryCall) {
	defer close(call.done)
	defer call.cancel()
	vector, err := embedOne(ctx, e, key.task, text)
	q.mu.Lock()
	defer q.mu.Unlock()
	call.vector, call.err = vector, err
	delete(q.flying, key)
	b := q.breaker[key.space]
	switch {
	case !call.late:
		b.late, b.until = 0, time.Time{}
	case err != nil:
		b.hanging--
		b.until = time.Now().Add(pauseAfter(b.late))
	default:
		b.hanging--
	}
	if err == nil {
		q.remember(key, vector)
	}
}

// giveUp records that a call is late.
func (q *queryVectors) giveUp(key queryKey, call *queryCall) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if call.late || q.flying[key] != call {
		return
	}
	call.late = true
	b := q.breaker[key.space]
	b.late++
	b.hanging++
	for stop := range b.work {
		(*stop)()
	}
}

func (q *queryVectors) remember(key queryKey, vector []float32) {
	q.cached[key] = q.order.PushFront(&cachedQuery{key, vector})
	if q.order.Len() > cachedQueries {
		last := q.order.Remove(q.order.Back()).(*cachedQuery)
		delete(q.cached, last.key)
	}
}

// embedOne embeds a query and refuses a vector that cannot be compared.
func embedOne(ctx context.Context, e memoir.Embedder, task memoir.Task, text string) ([]float32, error) {
	vectors, err := e.Embed(ctx, task, []string{text})
	switch {
	case err != nil:
		return nil, err
	case len(vectors) != 1:
		return nil, fmt.Errorf("%s gave %d vectors for one text", e.Space().Provider, len(vectors))
	case vectors[0] == nil:
		return nil, memoir.WithHint(errors.New("the provider could not take it"), "use other words")
	}
	return vectors[0], e.Space().Check(vectors[0])
}

// isZero reports whether a vector has no direction.
func isZero(v []float32) bool {
	return !slices.ContainsFunc(v, func(x float32) bool { return x != 0 })
}

// cannotRead says that a query is in a script that the model does not know.
func cannotRead(readable script.Set, space memoir.Space, text string) memoir.Degradation {
	return memoir.Degradation{Part: "vectors", Reason: fmt.Sprintf("the model %s does not read %s; words answer alone", space.Model, readable.Unread(text)), Action: "memoir model list"}
}
