package remote

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
)

// firstLimit is how many requests are sent at a time at first.
const firstLimit = 2

// A gate limits how many requests are sent at a time, according to how the
// server copes: one more for each round that went well, half as many when it
// was too much (additive increase, multiplicative decrease; Chiu and Jain,
// "Analysis of the Increase and Decrease Algorithms for Congestion Avoidance",
// 1989). When the server asks one request to wait, the gate makes all requests
// wait.
type gate struct {
	mu      sync.Mutex
	limit   float64
	most    float64
	busy    int
	drops   int // how often the limit was halved
	waiting []chan struct{}
	closed  time.Time // no request passes before that
}

func newGate(most int) *gate {
	return &gate{limit: float64(min(firstLimit, most)), most: float64(most)}
}

// A ticket is the permission to send one request.
type ticket struct{ drops int }

// enter waits until a request may be sent. Every ticket must be given back with
// leave.
func (g *gate) enter(ctx context.Context) (ticket, error) {
	if err := g.queue(ctx); err != nil {
		return ticket{}, err
	}
	for {
		g.mu.Lock()
		wait := time.Until(g.closed)
		t := ticket{g.drops}
		g.mu.Unlock()
		if wait <= 0 {
			return t, nil
		}
		err := sleepUnlessLate(ctx, wait)
		if err != nil {
			g.release()
			return ticket{}, err
		}
	}
}

// sleepUnlessLate waits, unless ctx would end before.
func sleepUnlessLate(ctx context.Context, wait time.Duration) error {
	if endsBefore(ctx, wait) {
		return fmt.Errorf("the server asked to wait %v: %w", wait.Round(time.Millisecond), memoir.ErrUnavailable)
	}
	return sleep(ctx, wait)
}

// queue takes a place among the busy ones, in the order of asking.
func (g *gate) queue(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.mu.Lock()
	if len(g.waiting) == 0 && float64(g.busy+1) <= g.limit {
		g.busy++
		g.mu.Unlock()
		return nil
	}
	turn := make(chan struct{}, 1)
	g.waiting = append(g.waiting, turn)
	g.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, w := range g.waiting {
		if w == turn {
			g.waiting = append(g.waiting[:i], g.waiting[i+1:]...)
			return ctx.Err()
		}
	}
	g.busy-- // its turn came meanwhile
	g.admit()
	return ctx.Err()
}

// leave gives a ticket back and says how the request went. Of several requests
// that were sent together, only the first that was too much lowers the limit.
func (g *gate) leave(t ticket, well, tooMuch bool) {
	g.mu.Lock()
	switch {
	case well:
		g.limit = min(g.most, g.limit+1/g.limit)
	case tooMuch && t.drops == g.drops:
		g.limit = max(1, g.limit/2)
		g.drops++
	}
	g.mu.Unlock()
	g.release()
}

func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy--
	g.admit()
}

// admit wakes those whose turn it is. The caller holds the mutex.
func (g *gate) admit() {
	for len(g.waiting) > 0 && float64(g.busy+1) <= g.limit {
		g.busy++
		g.waiting[0] <- struct{}{}
		g.waiting = g.waiting[1:]
	}
}

// close lets no request pass for a while.
func (g *gate) close(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := time.Now().Add(d); until.After(g.closed) {
		g.closed = until
	}
}
