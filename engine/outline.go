package engine

import (
	"context"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/search"
)

// An Outline says how a note is cut into passages and how it hangs together with
// others.
type Outline = search.Outline

// An OutlinePassage is a passage of an Outline.
type OutlinePassage = search.OutlinePassage

// Outline returns the passages of a document as it is now, and the links from and to
// other notes. A document that no source has gives [memoir.ErrNotFound].
func (e *Engine) Outline(ctx context.Context, id memoir.DocID) (Outline, error) {
	if err := e.calls.begin("read " + string(id)); err != nil {
		return Outline{}, err
	}
	defer e.calls.end()
	return e.searcher.Outline(ctx, id)
}

// Sample returns up to limit vectors of passages, as good as by chance, of the space
// that answers searches: none while there are none.
func (e *Engine) Sample(ctx context.Context, limit int) (sample []memoir.SampledVector, err error) {
	if err := e.calls.begin("sample vectors"); err != nil {
		return nil, err
	}
	defer e.calls.end()
	stats, err := e.store.Stats(ctx, e.Space())
	if err != nil {
		return nil, err
	}
	answers, _ := e.searcher.Vectors(stats)
	if answers == (memoir.Space{}) {
		return nil, nil
	}
	err = e.store.View(ctx, func(v memoir.View) error {
		sample, err = v.Sample(ctx, answers, limit)
		return err
	})
	return sample, err
}
