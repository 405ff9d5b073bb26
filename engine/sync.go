package engine

import (
	"context"
	"time"

	"github.com/memoir-ai/memoir"
)

// Sync makes the index agree with the sources. A document whose size,
// modification time and stamp are unchanged is not read; one whose content is
// unchanged is not indexed again. Of documents with one id that of the first
// source counts; the others are skipped, and searches say so. Words are searchable when Sync returns; [Engine.EmbedPending]
// computes the missing vectors. One sync runs at a time; a second call waits.
// After an error, or when ctx is done, what was committed stays, and the next
// sync goes on from there. progress may be nil.
func (e *Engine) Sync(ctx context.Context, progress memoir.Progress) (memoir.SyncStats, error) {
	if err := e.calls.begin("sync"); err != nil {
		return memoir.SyncStats{}, err
	}
	defer e.calls.end()
	return e.indexer.Sync(ctx, progress)
}

// SyncDocuments makes the index agree with the sources about some documents, which
// somebody has just written: no other is looked at, nor listed. One that no source
// has any more is removed from the index. Otherwise it is as [Engine.Sync].
func (e *Engine) SyncDocuments(ctx context.Context, ids []memoir.DocID) (memoir.SyncStats, error) {
	if err := e.calls.begin("sync"); err != nil {
		return memoir.SyncStats{}, err
	}
	defer e.calls.end()
	return e.indexer.SyncDocuments(ctx, ids)
}

// Rebuild forgets all documents and syncs. Vectors of unchanged texts are kept.
func (e *Engine) Rebuild(ctx context.Context, progress memoir.Progress) (memoir.SyncStats, error) {
	if err := e.calls.begin("rebuild"); err != nil {
		return memoir.SyncStats{}, err
	}
	defer e.calls.end()
	return e.indexer.Rebuild(ctx, progress)
}

// EmbedPending computes and stores the vectors that are missing in the
// embedder's space, each distinct text once. Without an embedder it does
// nothing. A text that the embedder cannot take is noted, does not hold up the
// others, and is tried again by a later call, after pauses that grow from an
// hour to a week. When it returns early, what was committed stays. progress may
// be nil.
//
// When all is done the space takes over from the one before it, if there is
// one, and vectors beyond [Config.Cache] are removed.
func (e *Engine) EmbedPending(ctx context.Context, progress memoir.Progress) (memoir.EmbedStats, error) {
	if err := e.calls.begin("compute vectors"); err != nil {
		return memoir.EmbedStats{}, err
	}
	defer e.calls.end()
	return e.indexer.EmbedPending(ctx, progress)
}

// RetryFailed is EmbedPending that tries every failed text now.
func (e *Engine) RetryFailed(ctx context.Context, progress memoir.Progress) (memoir.EmbedStats, error) {
	if err := e.calls.begin("compute vectors"); err != nil {
		return memoir.EmbedStats{}, err
	}
	defer e.calls.end()
	return e.indexer.RetryFailed(ctx, progress)
}

// Maintain keeps the index complete by itself from now on, until the engine closes,
// for a process that lives on: it syncs and computes the missing vectors, those of
// the newest notes first, at once and when the sources tell of a change, after
// [Engine.Remember], and every interval where a source cannot tell; 0: not by
// itself. It gives way to searches, which compute no missing vectors meanwhile. Of
// several processes the one that has [Config.Lease] computes. What fails is logged,
// named by searches, and tried again after pauses that grow.
func (e *Engine) Maintain(interval time.Duration) error {
	return e.indexer.Maintain(interval, e.calls.giveWay)
}
