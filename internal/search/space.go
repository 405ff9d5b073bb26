package search

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/memoir-ai/memoir"
)

// answering is the embedder whose space answers a search.
type answering struct {
	embedder memoir.Embedder // nil: only words answer
	former   bool            // it is not the engine's own space
	degraded []memoir.Degradation
}

// answering chooses the space that answers: the embedder's own, or the previous
// one while the embedder's is incomplete. When both are incomplete, it chooses
// the one that covers more texts, and the embedder's own when both cover as
// many.
func (e *Searcher) answering(ctx context.Context) answering {
	own := e.cfg.Embedder.Space()
	stats, err := e.cfg.Store.Stats(ctx, own)
	serving := stats.Serving
	if err != nil || own == (memoir.Space{}) || serving == (memoir.Space{}) || serving == own || stats.Complete() {
		return answering{embedder: e.cfg.Embedder}
	}
	older, err := e.cfg.Store.Stats(ctx, serving)
	if err != nil || stats.Pending+stats.Failed <= older.Pending+older.Failed {
		return answering{embedder: e.cfg.Embedder}
	}
	embedder, err := e.former.open(ctx, serving, e.cfg)
	if err != nil {
		e.cfg.Logger.Warn("open the model in use", "space", serving.Key(), "err", err)
		return answering{former: true, degraded: []memoir.Degradation{{Part: "vectors",
			Reason: fmt.Sprintf("the model %s is %d %% ready, and %s, which the index was made with, cannot be opened: %v", own.Model, ready(stats), serving.Model, err),
			Action: cmp.Or(memoir.Hint(err), "memoir index")}}}
	}
	return answering{embedder, true, []memoir.Degradation{changing(own, stats, serving)}}
}

// ready returns the percentage of texts that are done. It is 100 only when all
// are.
func ready(s memoir.StoreStats) int {
	return 100 * (s.Texts - s.Pending - s.Failed) / max(s.Texts, 1)
}

// former keeps the embedder of the serving space while another space is filled.
type former struct {
	mu       sync.Mutex
	space    memoir.Space
	embedder memoir.Embedder
	err      error
	retry    time.Time // when to try again after an error
}

// reopenPause is how long a space that could not be opened is left alone.
const reopenPause = time.Minute

// open returns the embedder of a space. It opens it only once.
func (f *former) open(ctx context.Context, space memoir.Space, cfg Config) (memoir.Embedder, error) {
	if cfg.Open == nil {
		return nil, fmt.Errorf("no other model can be opened: %w", memoir.ErrUnavailable)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.space == space && (f.err == nil || time.Now().Before(f.retry)) {
		return f.embedder, f.err
	}
	within, cancel := context.WithTimeout(ctx, cfg.EmbedTimeout)
	defer cancel()
	embedder, err := cfg.Open(within, space)
	if err == nil && embedder.Space() != space {
		embedder, err = nil, fmt.Errorf("the model has changed: %w", memoir.ErrUnavailable)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err() // that says nothing about the model
	}
	f.space, f.embedder, f.err, f.retry = space, embedder, err, time.Now().Add(reopenPause)
	return embedder, err
}

// changing says how far a change of model has got.
func changing(to memoir.Space, stats memoir.StoreStats, from memoir.Space) memoir.Degradation {
	return memoir.Degradation{Part: "vectors", Reason: fmt.Sprintf("the model %s is %d %% ready; %s answers until then", to.Model, ready(stats), from.Model), Action: "memoir index"}
}

// slightShare is the share of the texts from which on it is told that they have no vector
// yet while a process computes them: one in a hundred. Fewer than one question in a hundred
// is about one of fewer, and those are found by their words (docs/design/answers.md).
const slightShare = 100

// pendingTexts says that texts wait for a vector, and whether a process is
// computing them.
func (e *Searcher) pendingTexts(stats memoir.StoreStats) memoir.Degradation {
	filling, err := e.cfg.Documents.Filling()
	far := fmt.Sprintf("%s of %s %s %s no vector yet", humanize.Comma(int64(stats.Pending)), humanize.Comma(int64(stats.Texts)),
		english.PluralWord(stats.Texts, "text", ""), english.PluralWord(stats.Pending, "has", "have"))
	switch {
	case filling && err != nil:
		return memoir.Degradation{Part: "vectors", Reason: far + ", and the last try to compute them failed: " + err.Error(), Action: cmp.Or(memoir.Hint(err), "memoir index")}
	case filling:
		return memoir.Degradation{Part: "vectors", Reason: "the index is still filling: " + far, Action: "ask again in a moment",
			Slight: stats.Pending*slightShare < stats.Texts}
	case err != nil:
		return memoir.Degradation{Part: "vectors", Reason: fmt.Sprintf("%s, and wait: %v", far, err), Action: cmp.Or(memoir.Hint(err), "memoir index")}
	}
	return memoir.Degradation{Part: "vectors", Reason: fmt.Sprintf("%s no vector yet", have(stats.Pending)), Action: "memoir index"}
}

// have returns "1 text has" or "n texts have".
func have(texts int) string {
	return fmt.Sprintf("%d %s", texts, english.PluralWord(texts, "text has", "texts have"))
}

// Vectors returns the space whose vectors answer searches, and what keeps
// vectors from taking part. The space is the zero value while there are none.
// stats are those of the embedder's space.
func (e *Searcher) Vectors(stats memoir.StoreStats) (answers memoir.Space, missing []memoir.Degradation) {
	own, serving := e.space(), stats.Serving
	if own == (memoir.Space{}) {
		return memoir.Space{}, nil
	}
	if serving != (memoir.Space{}) && serving != own && !stats.Complete() {
		return serving, []memoir.Degradation{changing(own, stats, serving)}
	}
	if stats.Texts > stats.Pending+stats.Failed {
		answers = own
	}
	if stats.Pending > 0 {
		missing = append(missing, e.pendingTexts(stats))
	}
	if stats.Failed > 0 {
		missing = append(missing, memoir.Degradation{Part: "vectors",
			Reason: fmt.Sprintf("%s no vector, which the provider could not give; that is tried again after a pause", have(stats.Failed)), Action: "memoir index --retry-failed"})
	}
	return answers, missing
}
