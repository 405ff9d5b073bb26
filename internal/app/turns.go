package app

import (
	"context"

	"github.com/memoir-ai/memoir"
)

// turns let the memories of one process compute vectors of notes one after the other, a
// batch each: both at once would take twice the processors that settings allow. A lease
// is held for many batches, and would let one memory wait for all of the other.
type turns chan struct{} // holds one token while somebody computes; nil: everybody may

// taking is an embedder that takes its turn. A query does not wait.
type taking struct {
	memoir.Embedder
	turns turns
}

var _ memoir.Wrapper = taking{}

// embedder returns an embedder that takes its turn; nil stays nil.
func (t turns) embedder(e memoir.Embedder) memoir.Embedder {
	if e == nil || t == nil {
		return e
	}
	return taking{e, t}
}

// Unwrap implements [memoir.Wrapper].
func (t taking) Unwrap() any { return t.Embedder }

// Embed implements [memoir.Embedder].
func (t taking) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	if task == memoir.TaskQuery {
		return t.Embedder.Embed(ctx, task, texts)
	}
	select {
	case t.turns <- struct{}{}:
		defer func() { <-t.turns }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return t.Embedder.Embed(ctx, task, texts)
}
