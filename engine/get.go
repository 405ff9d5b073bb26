package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/show"
)

// Get returns the lines from to to of a document, 1-based and inclusive. When
// to is 0 or beyond the end, it is the last line. When from is beyond the end,
// Get returns [memoir.ErrInvalid]; when no source has the document, [memoir.ErrNotFound].
func (e *Engine) Get(ctx context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error) {
	if err := e.calls.begin("read " + string(id)); err != nil {
		return memoir.Excerpt{}, err
	}
	defer e.calls.end()
	if from == 0 {
		from = 1
	}
	if from < 1 || to < 0 || to != 0 && to < from {
		return memoir.Excerpt{}, fmt.Errorf("lines %d to %d: lines are counted from 1, and the last may not be before the first: %w", from, to, memoir.ErrInvalid)
	}
	doc, err := e.indexer.Read(ctx, id)
	if errors.Is(err, memoir.ErrNotFound) {
		return memoir.Excerpt{}, fmt.Errorf("%s: %w", id, memoir.ErrNotFound)
	}
	switch {
	case errors.Is(err, memoir.ErrInvalid): // it names the path
		return memoir.Excerpt{}, err
	case err != nil:
		if skip := (*memoir.SkipError)(nil); errors.As(err, &skip) {
			return memoir.Excerpt{}, fmt.Errorf("read %w", err) // it names the note
		}
		return memoir.Excerpt{}, fmt.Errorf("read %s: %w", id, err)
	}
	return show.Lines(id, doc.Text, from, to)
}
