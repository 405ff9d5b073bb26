package engine

import (
	"context"
	"fmt"

	"github.com/memoir-ai/memoir"
)

// Status reports the state of the index as it is, and what is missing of the
// documents that the sources list. It reads none of them, embeds nothing and
// writes nothing.
func (e *Engine) Status(ctx context.Context) (memoir.Status, error) {
	if err := e.calls.begin("count the index"); err != nil {
		return memoir.Status{}, err
	}
	defer e.calls.end()
	stats, err := e.store.Stats(ctx, e.Space())
	if err != nil {
		return memoir.Status{}, fmt.Errorf("count the index: %w", err)
	}
	st := memoir.Status{StoreStats: stats, Space: e.Space()}
	if d, ok := e.store.(memoir.Degrader); ok {
		st.Degraded = d.Degradations()
	}
	st.Degraded = append(st.Degraded, e.indexer.Unindexed(ctx)...)
	answers, missing, err := e.searcher.Vectors(ctx, stats)
	if err != nil {
		return memoir.Status{}, err
	}
	st.Answering, st.Degraded = answers, append(st.Degraded, missing...)
	return st, nil
}
