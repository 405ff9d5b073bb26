package memoir

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize/english"
)

// jobPage is how many pending texts are looked at together when the provider
// takes jobs: as many as one job of the largest has.
const jobPage = 10_000

// collect stores what the provider's jobs have given since the last time.
func (e *Engine) collect(ctx context.Context, jobs BatchEmbedder, stats *EmbedStats) error {
	space := jobs.Space()
	err := jobs.Collect(ctx, func(vectors map[Hash][]float32) error {
		for _, v := range vectors {
			if err := checkVector(space, v); err != nil {
				return err
			}
		}
		if err := e.store.PutVectors(ctx, space, vectors); err != nil {
			return fmt.Errorf("store vectors: %w", err)
		}
		stats.Embedded += len(vectors)
		return nil
	})
	if err != nil {
		return WithHint(fmt.Errorf("collect batch jobs: %w", err), Hint(err))
	}
	return nil
}

// submit hands texts over as jobs, after those whose vectors are found
// elsewhere, and returns the ones that are to be embedded now.
func (e *Engine) submit(ctx context.Context, run embedRun, jobs BatchEmbedder, pending []PendingText, stats *EmbedStats) ([]PendingText, error) {
	space, found := jobs.Space(), map[Hash][]float32{}
	if run.thorough {
		e.borrow(ctx, space, pending, found)
	}
	if len(found) > 0 {
		if err := e.store.PutVectors(ctx, space, found); err != nil {
			return nil, fmt.Errorf("store vectors: %w", err)
		}
		stats.Embedded, stats.Copied = stats.Embedded+len(found), stats.Copied+len(found)
	}
	pending = without(pending, func(p PendingText) bool { return found[p.Hash] != nil })
	underway, err := jobs.Submit(ctx, pending)
	if err != nil {
		return nil, WithHint(fmt.Errorf("submit %d %s: %w", len(pending), english.PluralWord(len(pending), "text", ""), err), Hint(err))
	}
	rest := without(pending, func(p PendingText) bool { return underway[p.Hash] })
	stats.Underway += len(pending) - len(rest)
	return rest, nil
}

// without returns the texts that are not to go, in a slice of its own.
func without(texts []PendingText, gone func(PendingText) bool) []PendingText {
	var rest []PendingText
	for _, t := range texts {
		if !gone(t) {
			rest = append(rest, t)
		}
	}
	return rest
}
