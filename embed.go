package memoir

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dustin/go-humanize/english"
)

// EmbedStats says what EmbedPending did.
type EmbedStats struct {
	Embedded int // distinct texts that have a vector now
	Copied   int // of them, those whose vector was found elsewhere
	Failed   int // texts that the embedder could not take; they are tried again after a pause
	Underway int // texts that are in a job of the provider; a later call takes their vectors
}

// embedBatch is how many texts are embedded and committed at once: what a
// killed process loses at most, unless the embedder is a [Packer].
const embedBatch = 128

// EmbedPending computes and stores the vectors that are missing in the
// embedder's space, each distinct text once. Without an embedder it does
// nothing. A text that the embedder cannot take is noted, does not hold up the
// others, and is tried again by a later call, after pauses that grow from an
// hour to a week. When it returns early, what was committed stays. progress may
// be nil.
//
// When all is done the space takes over from the one before it, if there is
// one, and vectors beyond [Config.Cache] are removed.
func (e *Engine) EmbedPending(ctx context.Context, progress Progress) (EmbedStats, error) {
	return e.embedAll(ctx, time.Now(), progress)
}

// RetryFailed is EmbedPending that tries every failed text now.
func (e *Engine) RetryFailed(ctx context.Context, progress Progress) (EmbedStats, error) {
	return e.embedAll(ctx, time.Unix(math.MaxInt32, 0), progress)
}

// embedAll tries failed texts again whose next try is not after due.
func (e *Engine) embedAll(ctx context.Context, due time.Time, progress Progress) (EmbedStats, error) {
	if err := e.calls.begin("compute vectors"); err != nil {
		return EmbedStats{}, err
	}
	defer e.calls.end()
	ctx, cancel := e.untilClosed(ctx)
	defer cancel()
	stats, err := e.embedPending(ctx, embedRun{due: due, thorough: true}, progress)
	if errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), ErrClosed) {
		err = fmt.Errorf("compute vectors: %w", ErrClosed)
	}
	return stats, err
}

// embedRun is how thorough a run is.
type embedRun struct {
	due time.Time // failed texts are tried again whose next try is not after it
	// thorough takes vectors that were computed elsewhere, and puts the store in
	// order when all is done. A search that computes a few vectors does neither:
	// its time is short.
	thorough bool
}

func (e *Engine) embedPending(ctx context.Context, run embedRun, progress Progress) (EmbedStats, error) {
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
	size := embedBatch
	if p, ok := e.embedder.(Packer); ok {
		size = max(size, p.Texts())
	}
	limit := size
	jobs, hasJobs := e.embedder.(BatchEmbedder)
	if hasJobs {
		limit = jobPage
		if err := e.collect(ctx, jobs, &stats); err != nil {
			return stats, err
		}
	}
	var after Hash
	for {
		pending, err := e.store.PendingTexts(ctx, space, run.due, after, limit)
		if err != nil {
			return stats, fmt.Errorf("list pending texts: %w", err)
		}
		if len(pending) == 0 {
			break
		}
		after = pending[len(pending)-1].Hash
		if hasJobs {
			if pending, err = e.submit(ctx, run, jobs, pending, &stats); err != nil {
				return stats, err
			}
		}
		for batch := range slices.Chunk(pending, size) {
			if err := e.embed(ctx, run, batch, &stats); err != nil {
				return stats, err
			}
			done := stats.Embedded + stats.Failed
			progress(done, max(done, counts.Pending))
		}
	}
	if !run.thorough {
		err = e.store.Calibrate(ctx, space)
	} else {
		err = e.store.Settle(ctx, space, e.cfg.Cache)
	}
	if err != nil {
		return stats, fmt.Errorf("take the vectors into use: %w", err)
	}
	return stats, nil
}

// embed finds or computes the vectors of one batch and stores them.
func (e *Engine) embed(ctx context.Context, run embedRun, pending []PendingText, stats *EmbedStats) error {
	space := e.embedder.Space()
	put := map[Hash][]float32{}
	if run.thorough {
		e.borrow(ctx, space, pending, put)
		stats.Copied += len(put)
	}
	var rest []PendingText
	readable := scriptsOf(e.embedder)
	for _, p := range pending {
		switch {
		case put[p.Hash] != nil:
		case !readable.reads(p.Text):
			put[p.Hash] = make([]float32, space.Dimensions) // near to nothing
		default:
			rest = append(rest, p)
		}
	}
	failed, stopped := e.compute(ctx, rest, put)
	if stopped != nil {
		ctx = context.WithoutCancel(ctx) // what was computed before may have cost money
	}
	if err := e.store.PutVectors(ctx, space, put); err != nil {
		return fmt.Errorf("store vectors: %w", err)
	}
	if err := e.store.PutFailures(ctx, space, failed); err != nil {
		return fmt.Errorf("note failed texts: %w", err)
	}
	stats.Embedded += len(put)
	stats.Failed += len(failed)
	return stopped
}

// compute adds the vectors that the embedder gives and returns the texts that
// it could not take, none of them when it stopped with an error.
func (e *Engine) compute(ctx context.Context, rest []PendingText, put map[Hash][]float32) (failed []FailedText, stopped error) {
	if len(rest) == 0 {
		return nil, nil
	}
	texts := make([]string, len(rest))
	for i, p := range rest {
		texts[i] = p.Text
	}
	vectors, err := e.embedder.Embed(ctx, TaskDocument, texts)
	switch {
	case err != nil:
		stopped = WithHint(fmt.Errorf("embed %d %s: %w", len(texts), english.PluralWord(len(texts), "text", ""), err), Hint(err))
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
			failed = append(failed, failure(rest[i]))
		case v == nil:
		default:
			if err := checkVector(e.embedder.Space(), v); err != nil {
				return nil, err
			}
			put[rest[i].Hash] = v
		}
	}
	return failed, stopped
}

// borrow adds the vectors that were computed elsewhere.
func (e *Engine) borrow(ctx context.Context, space Space, pending []PendingText, put map[Hash][]float32) {
	if e.cfg.Vectors == nil {
		return
	}
	hashes := make([]Hash, len(pending))
	for i, p := range pending {
		hashes[i] = p.Hash
	}
	for h, v := range e.cfg.Vectors.Vectors(ctx, space, hashes) {
		if checkVector(space, v) == nil {
			put[h] = v
		}
	}
}

// The pauses before a failed text is tried again: each is four times the last.
const (
	firstPause = time.Hour
	maxPause   = 7 * 24 * time.Hour
)

// failure notes one more failed attempt.
func failure(p PendingText) FailedText {
	pause := firstPause
	for range min(p.Attempts, 8) {
		pause = min(4*pause, maxPause)
	}
	return FailedText{
		Hash: p.Hash, Attempts: p.Attempts + 1,
		Reason: "the provider could not take it", NextTry: time.Now().Add(pause),
	}
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
