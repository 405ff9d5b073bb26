package indexing

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/script"
)

// embedBatch is how many texts are embedded and committed at once. A killed
// process loses at most that many vectors, unless the embedder is a
// [ability.Packer].
const embedBatch = 128

// EmbedPending computes and stores the vectors that are missing in the
// embedder's space, each distinct text once. Without an embedder it does
// nothing. A text that the embedder cannot take is noted and does not hold up
// the others. Later calls try it again, after pauses that grow from an hour to
// a week. When EmbedPending returns early, what was committed stays. progress
// may be nil.
//
// When no text is left, the space takes over from the previous one, if there is
// one, and vectors beyond the cache limits are removed.
func (x *Indexer) EmbedPending(ctx context.Context, progress memoir.Progress) (memoir.EmbedStats, error) {
	return x.embedAll(ctx, time.Now(), progress)
}

// RetryFailed does what EmbedPending does, and tries every failed text again
// now.
func (x *Indexer) RetryFailed(ctx context.Context, progress memoir.Progress) (memoir.EmbedStats, error) {
	return x.embedAll(ctx, time.Unix(math.MaxInt32, 0), progress)
}

// embedAll embeds the pending texts, and the failed ones whose next try is not
// after due.
func (x *Indexer) embedAll(ctx context.Context, due time.Time, progress memoir.Progress) (memoir.EmbedStats, error) {
	var stats memoir.EmbedStats
	if x.embedder == nil {
		return stats, nil
	}
	ctx, cancel := x.untilClosed(ctx)
	defer cancel()
	release, _, err := x.lease.Take(ctx, true)
	if err == nil {
		stats, err = x.embedPending(ctx, embedRun{due: due, thorough: true, keep: true}, progress)
		release()
	}
	if errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), memoir.ErrClosed) {
		err = fmt.Errorf("compute vectors: %w", memoir.ErrClosed)
	}
	return stats, err
}

// embedRun is how thorough a run is.
type embedRun struct {
	due time.Time // failed texts whose next try is not after it are tried again
	// thorough also uses vectors that were computed elsewhere, and puts the
	// store in order at the end. A search that computes a few vectors does
	// neither, because its time is short.
	thorough bool
	keep     bool // store vectors even after ctx is done; a search cannot wait for that
}

func (x *Indexer) embedPending(ctx context.Context, run embedRun, progress memoir.Progress) (memoir.EmbedStats, error) {
	var stats memoir.EmbedStats
	if progress == nil {
		progress = func(int, int) {}
	}
	space := x.embedder.Space()
	counts, err := x.store.Stats(ctx, space)
	if err != nil {
		return stats, fmt.Errorf("count pending texts: %w", err)
	}
	size := embedBatch
	if p, ok := memoir.As[ability.Packer](x.embedder); ok {
		size = max(size, p.Texts())
	}
	limit := size
	if run.thorough {
		limit = max(size, pendingPage)
	}
	jobs, hasJobs := memoir.As[ability.BatchEmbedder](x.embedder)
	if hasJobs {
		limit = jobPage
		if err := x.collect(ctx, jobs, &stats); err != nil {
			return stats, err
		}
	}
	var after memoir.Hash
	for {
		pending, err := x.store.PendingTexts(ctx, space, run.due, after, limit)
		if err != nil {
			return stats, fmt.Errorf("list pending texts: %w", err)
		}
		if len(pending) == 0 {
			break
		}
		after = pending[len(pending)-1].Hash
		if run.thorough {
			if pending, err = x.copied(ctx, space, pending, &stats); err != nil {
				return stats, err
			}
			if stats.Copied > 0 {
				progress(stats.Embedded+stats.Failed, max(stats.Embedded+stats.Failed, counts.Pending))
			}
		}
		if hasJobs {
			if pending, err = x.submit(ctx, jobs, pending, &stats); err != nil {
				return stats, err
			}
		}
		for batch := range slices.Chunk(pending, size) {
			if err := x.embed(ctx, run, batch, &stats); err != nil {
				return stats, err
			}
			done := stats.Embedded + stats.Failed
			progress(done, max(done, counts.Pending))
		}
	}
	return stats, x.takeUp(ctx, space, run.thorough)
}

// takeUp takes the vectors of a space into use. With thorough it removes those that are
// beyond the limits.
func (x *Indexer) takeUp(ctx context.Context, space memoir.Space, thorough bool) error {
	err := x.adopt(ctx, space, thorough)
	if err == nil && thorough {
		err = x.store.Settle(ctx, space, x.cache)
	}
	if err != nil {
		return fmt.Errorf("take the vectors into use: %w", err)
	}
	return nil
}

// embed computes the vectors of one batch and stores them.
func (x *Indexer) embed(ctx context.Context, run embedRun, pending []memoir.PendingText, stats *memoir.EmbedStats) error {
	space := x.embedder.Space()
	put := map[memoir.Hash][]float32{}
	var rest []memoir.PendingText
	var others []memoir.FailedText
	readable := script.Of(x.embedder)
	for _, p := range pending {
		switch {
		case another(p):
			others = append(others, failure(p, "its notes have no such text"))
		case readable.Reads(p.Text):
			rest = append(rest, p)
		default:
			put[p.Hash] = make([]float32, space.Dimensions) // a vector that matches nothing
		}
	}
	failed, stopped := x.compute(ctx, rest, put)
	failed = append(failed, others...)
	if stopped != nil || run.keep {
		ctx = context.WithoutCancel(ctx) // the vectors may have cost money
	}
	if err := x.store.PutVectors(ctx, space, put, failed); err != nil {
		return fmt.Errorf("store vectors: %w", err)
	}
	stats.Embedded += len(put)
	stats.Failed += len(failed)
	return stopped
}

// compute adds the vectors that the embedder returns, and returns the texts
// that it could not take. When the embedder stops with an error, compute
// returns none of these.
func (x *Indexer) compute(ctx context.Context, rest []memoir.PendingText, put map[memoir.Hash][]float32) (failed []memoir.FailedText, stopped error) {
	if len(rest) == 0 {
		return nil, nil
	}
	texts := make([]string, len(rest))
	for i, p := range rest {
		texts[i] = p.Text
	}
	vectors, err := x.embedder.Embed(ctx, memoir.TaskDocument, texts)
	switch {
	case err != nil:
		stopped = memoir.WithHint(fmt.Errorf("embed %d %s: %w", len(texts), english.PluralWord(len(texts), "text", ""), err), memoir.Hint(err))
	case len(vectors) != len(texts):
		return nil, fmt.Errorf("embed: %d %s for %d %s",
			len(vectors), english.PluralWord(len(vectors), "vector", ""), len(texts), english.PluralWord(len(texts), "text", ""))
	}
	if len(vectors) != len(texts) {
		return nil, stopped
	}
	for i, v := range vectors {
		switch {
		case v == nil && stopped == nil:
			failed = append(failed, failure(rest[i], "the provider could not take it"))
		case v == nil:
		default:
			if err := x.embedder.Space().Check(v); err != nil {
				return nil, err
			}
			put[rest[i].Hash] = v
		}
	}
	return failed, stopped
}

// copied stores vectors that were computed elsewhere, all at once, and returns the
// texts that are left.
func (x *Indexer) copied(ctx context.Context, space memoir.Space, pending []memoir.PendingText, stats *memoir.EmbedStats) ([]memoir.PendingText, error) {
	if x.vectors == nil || len(pending) == 0 {
		return pending, nil
	}
	hashes := make([]memoir.Hash, len(pending))
	for i, p := range pending {
		hashes[i] = p.Hash
	}
	found := map[memoir.Hash][]float32{}
	for h, v := range x.vectors.Vectors(ctx, space, hashes) {
		if space.Check(v) == nil {
			found[h] = v
		}
	}
	if len(found) == 0 {
		return pending, nil
	}
	if err := x.store.PutVectors(ctx, space, found, nil); err != nil {
		return nil, fmt.Errorf("store vectors: %w", err)
	}
	stats.Embedded, stats.Copied = stats.Embedded+len(found), stats.Copied+len(found)
	return without(pending, func(p memoir.PendingText) bool { return found[p.Hash] != nil }), nil
}

// The pauses before a failed text is tried again. Each is four times as long as
// the one before.
const (
	firstPause = time.Hour
	maxPause   = 7 * 24 * time.Hour
)

// another reports whether a text is not the one that has the hash, as in a damaged index. Its
// vector would be kept under the hash, and taken over by the next index.
func another(p memoir.PendingText) bool { return memoir.HashText(p.Text) != p.Hash }

// failure returns a pending text with one more failed attempt.
func failure(p memoir.PendingText, reason string) memoir.FailedText {
	pause := firstPause
	for range min(p.Attempts, 8) {
		pause = min(4*pause, maxPause)
	}
	return memoir.FailedText{
		Hash: p.Hash, Attempts: p.Attempts + 1,
		Reason: reason, NextTry: time.Now().Add(pause),
	}
}
