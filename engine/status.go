package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/layout"
)

// Status reports the state of the index as it is, and what it lacks of the
// documents that the sources list. It reads no documents, embeds nothing and
// writes nothing. When the index is too damaged to be counted, a degradation
// says so.
func (e *Engine) Status(ctx context.Context) (memoir.Status, error) {
	if err := e.calls.begin("count the index"); err != nil {
		return memoir.Status{}, err
	}
	defer e.calls.end()
	stats, err := e.store.Stats(ctx, e.Space())
	if errors.Is(err, memoir.ErrCorrupt) {
		damage := memoir.Degradation{Part: "index", Reason: err.Error(), Action: cmp.Or(memoir.Hint(err), "memoir index")}
		return memoir.Status{Space: e.Space(), Degraded: []memoir.Degradation{damage}}, nil
	}
	if err != nil {
		return memoir.Status{}, fmt.Errorf("count the index: %w", err)
	}
	st := memoir.Status{StoreStats: stats, Space: e.Space()}
	if d, ok := memoir.As[ability.Degrader](e.store); ok {
		st.Degraded = d.Degradations()
	}
	e.indexer.Unindexed(ctx, &st)
	st.Degraded = append(st.Degraded, e.conflicts(ctx)...)
	st.Types = e.types(ctx)
	answers, missing := e.searcher.Vectors(stats)
	st.Answering, st.Degraded = answers, append(st.Degraded, missing...)
	return st, nil
}

// conflicts names notes that a synced folder could not merge. Each holds what
// one of two machines wrote, which stands nowhere else.
func (e *Engine) conflicts(ctx context.Context) (found []memoir.Degradation) {
	notes, err := e.list(ctx)
	if err != nil {
		return nil // another part reports the error
	}
	for _, note := range notes {
		if of := layout.Conflict(note.Path); of != "" {
			found = append(found, memoir.Degradation{Part: "notes", Reason: note.Path + " is a conflict copy of " + of + ": two machines changed it at once", Action: "memoir tidy --kind conflict-copy"})
		}
	}
	return found
}

// types counts the documents of each type. It returns nil when they cannot be
// counted; the status then has another entry that says why.
func (e *Engine) types(ctx context.Context) map[string]int {
	var types map[string]int
	_ = e.store.View(ctx, func(v memoir.View) error {
		labels, err := v.Labels(ctx)
		for label, count := range labels {
			if t, ok := label.Value(memoir.KeyType); ok {
				if types == nil {
					types = map[string]int{}
				}
				types[t] = count.Documents
			}
		}
		return err
	})
	return types
}
