package memoir

import (
	"context"
	"fmt"
	"math"
)

// EmbedStats says what EmbedPending did.
type EmbedStats struct {
	Embedded int // distinct texts that have a vector now
	Failed   int // texts that the embedder could not take; a later call tries them again
}

// embedBatch is how many texts are embedded and committed at once: what a
// killed process loses at most.
const embedBatch = 128

// EmbedPending computes and stores the vectors that are missing in the
// embedder's space, each distinct text once. Without an embedder it does
// nothing. When it returns early, what was committed stays. progress may be nil.
func (e *Engine) EmbedPending(ctx context.Context, progress Progress) (EmbedStats, error) {
	var stats EmbedStats
	if e.embedder == nil {
		return stats, nil
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	space := e.embedder.Space()
	counts, err := e.store.Stats(ctx, space)
	if err != nil {
		return stats, fmt.Errorf("count pending texts: %w", err)
	}
	var after Hash
	for {
		pending, err := e.store.PendingTexts(ctx, space, after, embedBatch)
		if err != nil {
			return stats, fmt.Errorf("list pending texts: %w", err)
		}
		if len(pending) == 0 {
			return stats, nil
		}
		after = pending[len(pending)-1].Hash
		if err := e.embed(ctx, pending, &stats); err != nil {
			return stats, err
		}
		done := stats.Embedded + stats.Failed
		progress(done, max(done, counts.Pending))
	}
}

// embed embeds one batch and stores its vectors.
func (e *Engine) embed(ctx context.Context, pending []PendingText, stats *EmbedStats) error {
	texts := make([]string, len(pending))
	for i, p := range pending {
		texts[i] = p.Text
	}
	vectors, err := e.embedder.Embed(ctx, TaskDocument, texts)
	if err != nil {
		return fmt.Errorf("embed %d texts: %w", len(texts), err)
	}
	if len(vectors) != len(texts) {
		return fmt.Errorf("embed: %d vectors for %d texts", len(vectors), len(texts))
	}
	space := e.embedder.Space()
	put := make(map[Hash][]float32, len(vectors))
	for i, v := range vectors {
		if v == nil {
			stats.Failed++
			continue
		}
		if err := checkVector(space, v); err != nil {
			return err
		}
		put[pending[i].Hash] = v
	}
	if err := e.store.PutVectors(ctx, space, put); err != nil {
		return fmt.Errorf("store vectors: %w", err)
	}
	stats.Embedded += len(put)
	return nil
}

// checkVector refuses what would poison an index: wrong dimensions, NaN, infinity.
func checkVector(space Space, v []float32) error {
	if len(v) != space.Dimensions {
		return fmt.Errorf("%s gave a vector of %d dimensions, not %d", space.Provider, len(v), space.Dimensions)
	}
	for _, x := range v {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("%s gave a vector with a value that is not finite", space.Provider)
		}
	}
	return nil
}
