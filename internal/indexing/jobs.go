package indexing

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
)

// jobPage is how many pending texts are considered together when the provider
// takes jobs: as many as the largest job can have.
const jobPage = 10_000

// collect stores the vectors that the provider's jobs have brought since the
// last time.
func (x *Indexer) collect(ctx context.Context, jobs ability.BatchEmbedder, stats *memoir.EmbedStats) error {
	space := jobs.Space()
	err := jobs.Collect(ctx, func(vectors map[memoir.Hash][]float32) error {
		for _, v := range vectors {
			if err := space.Check(v); err != nil {
				return err
			}
		}
		if err := x.store.PutVectors(ctx, space, vectors, nil); err != nil {
			return fmt.Errorf("store vectors: %w", err)
		}
		stats.Embedded += len(vectors)
		return nil
	})
	if err != nil {
		return memoir.WithHint(fmt.Errorf("collect batch jobs: %w", err), memoir.Hint(err))
	}
	return nil
}

// submit hands texts over as jobs, and returns those that must be embedded now.
func (x *Indexer) submit(ctx context.Context, jobs ability.BatchEmbedder, pending []memoir.PendingText, stats *memoir.EmbedStats) ([]memoir.PendingText, error) {
	underway, err := jobs.Submit(ctx, without(pending, another))
	if err != nil {
		return nil, memoir.WithHint(fmt.Errorf("submit %d %s: %w", len(pending), english.PluralWord(len(pending), "text", ""), err), memoir.Hint(err))
	}
	rest := without(pending, func(p memoir.PendingText) bool { return underway[p.Hash] })
	stats.Underway += len(pending) - len(rest)
	return rest, nil
}

// without returns the texts for which gone is false, in a new slice.
func without(texts []memoir.PendingText, gone func(memoir.PendingText) bool) []memoir.PendingText {
	var rest []memoir.PendingText
	for _, t := range texts {
		if !gone(t) {
			rest = append(rest, t)
		}
	}
	return rest
}
