package engine

import (
	"context"
	"time"

	"github.com/memoir-ai/memoir"
)

// Sync makes the index agree with the sources. It does not read a document
// whose size, modification time and stamp are unchanged, nor index one again
// whose content is unchanged. When several sources have documents with one id,
// the first source counts; the others are skipped, and searches say so. When
// Sync returns, words are searchable; [Engine.EmbedPending] computes the
// missing vectors. Only one sync runs at a time; a second call waits. After an
// error, or when ctx is done, what was committed stays, and the next sync goes
// on from there. progress may be nil.
func (e *Engine) Sync(ctx context.Context, progress memoir.Progress) (memoir.SyncStats, error) {
	if err := e.calls.begin("sync"); err != nil {
		return memoir.SyncStats{}, err
	}
	defer e.calls.end()
	return e.indexer.Sync(ctx, progress)
}

// SyncDocuments makes the index agree with the sources for some documents only,
// which somebody has just written. It neither checks nor lists others. A
// document that no source has any more is removed from the index. All else is
// as for [Engine.Sync].
func (e *Engine) SyncDocuments(ctx context.Context, ids []memoir.DocID) (memoir.SyncStats, error) {
	if err := e.calls.begin("sync"); err != nil {
		return memoir.SyncStats{}, err
	}
	defer e.calls.end()
	return e.indexer.SyncDocuments(ctx, ids)
}

// Rebuild reads and indexes every document again, whatever the index says of it.
// Vectors of unchanged texts are kept. A sound index answers meanwhile, so that a
// rebuild that ends early leaves what was there; a damaged one is cleared first.
// When the documents cannot be listed, nothing changes.
func (e *Engine) Rebuild(ctx context.Context, progress memoir.Progress) (memoir.SyncStats, error) {
	if err := e.calls.begin("rebuild"); err != nil {
		return memoir.SyncStats{}, err
	}
	defer e.calls.end()
	return e.indexer.Rebuild(ctx, progress)
}

// EmbedPending computes and stores the vectors that are missing in the
// embedder's space, each distinct text once. Without an embedder it does
// nothing. A text that the embedder cannot take is noted and does not hold up
// the others. Later calls try it again, after pauses that grow from an hour to
// a week. When EmbedPending returns early, what was committed stays. progress
// may be nil.
//
// When no text is left, the space takes over from the previous one, if there is
// one, and vectors beyond [Config.Cache] are removed.
func (e *Engine) EmbedPending(ctx context.Context, progress memoir.Progress) (memoir.EmbedStats, error) {
	if err := e.calls.begin("compute vectors"); err != nil {
		return memoir.EmbedStats{}, err
	}
	defer e.calls.end()
	return e.indexer.EmbedPending(ctx, progress)
}

// RetryFailed does what EmbedPending does, and tries every failed text again
// now.
func (e *Engine) RetryFailed(ctx context.Context, progress memoir.Progress) (memoir.EmbedStats, error) {
	if err := e.calls.begin("compute vectors"); err != nil {
		return memoir.EmbedStats{}, err
	}
	defer e.calls.end()
	return e.indexer.RetryFailed(ctx, progress)
}

// Maintain makes the engine keep its index complete until it closes, for a
// process that lives on. It syncs and computes the missing vectors, those of
// the newest notes first. It does so at once, when a source reports a change,
// and after [Engine.Remember]. For sources that cannot report changes it also
// does so after every interval, unless that is 0. It gives way to searches,
// which compute no missing vectors meanwhile. Of several processes only the one
// with [Config.Lease] computes. A failure is logged, named by searches, and
// tried again after pauses that grow.
func (e *Engine) Maintain(interval time.Duration) error {
	return e.indexer.Maintain(interval, e.calls.giveWay)
}
