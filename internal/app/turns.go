package app

import (
	"context"

	"github.com/memoir-ai/memoir"
)

// turns make the memories of one process take turns at computing vectors of
// notes, a batch each. Both at once would use twice the processors that the
// settings allow. A lease does not help here: it is held for many batches, so
// one memory would wait for all of the other.
type turns chan struct{} // holds one token while somebody computes; nil: everybody may

// taking is an embedder that takes turns for documents. A query does not wait.
type taking struct {
	memoir.Embedder
	turns turns
}

var _ memoir.Wrapper = taking{}

// embedder returns an embedder that takes turns; nil stays nil.
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
