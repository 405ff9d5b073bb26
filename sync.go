package memoir

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// SyncStats says what a sync did.
type SyncStats struct {
	Scanned int       // documents that the sources have
	Added   int       // indexed for the first time
	Changed int       // indexed again
	Removed int       // no longer in a source
	Skipped []Skipped // files that are not indexed, with the reason
	// Warnings are of documents that were indexed now, and of which something does
	// not count for being broken or beyond a limit.
	Warnings []Warning
}

// Skipped is a file that is not indexed.
type Skipped struct {
	ID     DocID
	Reason string
}

// Warning says what of a document that is indexed does not count.
type Warning struct {
	ID     DocID
	Reason string
}

// Progress is told how far a long run is; done never shrinks. It is called
// from one goroutine at a time and must not block.
type Progress func(done, total int)

// Sync makes the index agree with the sources. A document whose size and
// modification time are unchanged is not read; one whose content is unchanged
// is not indexed again. Words are searchable when Sync returns; [Engine.EmbedPending]
// computes the missing vectors. One sync runs at a time; a second call waits.
// After an error, or when ctx is done, what was committed stays, and the next
// sync goes on from there. progress may be nil.
func (e *Engine) Sync(ctx context.Context, progress Progress) (SyncStats, error) {
	if err := e.calls.begin("sync"); err != nil {
		return SyncStats{}, err
	}
	defer e.calls.end()
	return e.sync(ctx, progress)
}

func (e *Engine) sync(ctx context.Context, progress Progress) (SyncStats, error) {
	select {
	case e.syncing <- struct{}{}:
	case <-ctx.Done():
		return SyncStats{}, ctx.Err()
	}
	defer func() { <-e.syncing }()
	work, stats, err := e.survey(ctx, true, e.compare)
	if err != nil {
		return stats, err
	}
	stats, err = e.apply(ctx, work, stats, progress)
	if errors.Is(err, ErrCorrupt) {
		// Some damage shows when it is written to.
		if work, stats, err = e.survey(ctx, false, e.compare); err == nil {
			stats, err = e.apply(ctx, work, stats, progress)
		}
	}
	if err != nil || stats.Added+stats.Changed+stats.Removed == 0 {
		return stats, err
	}
	if err := e.store.Settle(ctx, Space{}, CacheLimits{}); err != nil {
		return stats, fmt.Errorf("put the index in order: %w", err)
	}
	return stats, nil
}

// Rebuild forgets all documents and syncs. Vectors of unchanged texts are kept
// by stores that implement [Clearer].
func (e *Engine) Rebuild(ctx context.Context, progress Progress) (SyncStats, error) {
	if err := e.calls.begin("rebuild"); err != nil {
		return SyncStats{}, err
	}
	defer e.calls.end()
	c, ok := e.store.(Clearer)
	if !ok {
		return SyncStats{}, fmt.Errorf("the store cannot be cleared: %w", ErrUnavailable)
	}
	if err := c.Clear(ctx); err != nil {
		return SyncStats{}, fmt.Errorf("clear the index: %w", err)
	}
	return e.sync(ctx, progress)
}

// syncWork is what the comparison of sources and index found to do.
type syncWork struct {
	put    []syncItem
	remove []DocID
}

type syncItem struct {
	source Source
	meta   DocumentMeta
	known  *DocumentMeta // as indexed; nil when new
}

// survey compares the index with the sources, healed if need be; thorough is as
// for [Healer].
func (e *Engine) survey(ctx context.Context, thorough bool, compare func(context.Context) (syncWork, SyncStats, error)) (syncWork, SyncStats, error) {
	h, ok := e.store.(Healer)
	if !ok {
		return compare(ctx)
	}
	if err := h.Heal(ctx, thorough); err != nil {
		return syncWork{}, SyncStats{}, err
	}
	work, stats, err := compare(ctx)
	if errors.Is(err, ErrCorrupt) {
		if err := h.Heal(ctx, false); err != nil {
			return syncWork{}, SyncStats{}, err
		}
		work, stats, err = compare(ctx)
	}
	return work, stats, err
}

// compare lists what changed, by size and modification time, without reading a document.
func (e *Engine) compare(ctx context.Context) (syncWork, SyncStats, error) {
	var (
		work  syncWork
		stats SyncStats
	)
	var known []DocumentMeta
	for meta, err := range e.store.Documents(ctx) {
		if err != nil {
			return work, stats, fmt.Errorf("list the index: %w", err)
		}
		known = append(known, meta)
	}
	places := make(map[DocID]int, len(known)) // in known
	for i := range known {
		places[known[i].ID] = i
	}
	for _, src := range e.sources {
		for entry, err := range src.Scan(ctx) {
			if err != nil {
				return work, stats, fmt.Errorf("scan the workspace: %w", err)
			}
			if entry.Skip != "" {
				stats.Skipped = append(stats.Skipped, Skipped{entry.ID, entry.Skip})
				continue
			}
			stats.Scanned++
			i, ok := places[entry.ID]
			if !ok {
				work.put = append(work.put, syncItem{src, entry.DocumentMeta, nil})
				continue
			}
			delete(places, entry.ID)
			if old := &known[i]; old.Size != entry.Size || !old.ModTime.Equal(entry.ModTime) || old.Recipe != e.recipe {
				work.put = append(work.put, syncItem{src, entry.DocumentMeta, old})
			}
		}
	}
	for id := range places {
		work.remove = append(work.remove, id)
	}
	slices.Sort(work.remove)
	return work, stats, nil
}

// apply carries out the work. Documents are read, cut and analysed by several
// goroutines and committed in order, many at a time, by this one.
func (e *Engine) apply(ctx context.Context, work syncWork, stats SyncStats, progress Progress) (SyncStats, error) {
	if progress == nil {
		progress = func(int, int) {}
	}
	total := len(work.put) + len(work.remove)
	done := 0
	for _, id := range work.remove {
		if err := e.store.DeleteDocument(ctx, id); err != nil {
			return stats, fmt.Errorf("remove %s from the index: %w", id, err)
		}
		stats.Removed++
		done++
	}
	for batch := range e.batches(ctx, work.put) {
		if err := e.commit(ctx, batch, &stats); err != nil {
			return stats, err
		}
		done += len(batch)
		progress(done, total)
	}
	return stats, ctx.Err()
}

// readResult is one document on its way into the index.
type readResult struct {
	item  syncItem
	doc   Document
	index IndexedDocument // zero when the content is the one that is indexed
	cut   []string        // what it leaves out
	err   error
}

// indexed reports whether what is known of a document is this content, cut and
// analysed as the engine does it now.
func (e *Engine) indexed(known *DocumentMeta, hash Hash) bool {
	return known != nil && known.Hash == hash && known.Recipe == e.recipe
}

// doubtful is how old a file must be when it is read for its modification time
// to be trusted: file systems tell time in steps of up to two seconds.
const doubtful = 2 * time.Second

// commit brings documents into the index and counts what that was. Those
// before one that fails are in the index.
func (e *Engine) commit(ctx context.Context, batch []readResult, stats *SyncStats) error {
	var docs []IndexedDocument
	var warnings []Warning
	var failed error
	added := 0
	for i := range batch {
		r := &batch[i]
		put, err := e.settle(ctx, r, stats)
		if err != nil {
			failed = err
			break
		}
		if put {
			docs = append(docs, r.index)
			for _, reason := range r.cut {
				warnings = append(warnings, Warning{r.item.meta.ID, reason})
			}
			if r.item.known == nil {
				added++
			}
		}
	}
	if len(docs) == 0 {
		return failed
	}
	if err := e.store.PutDocuments(ctx, docs); err != nil {
		if len(docs) == 1 {
			return fmt.Errorf("index %s: %w", docs[0].ID, err)
		}
		return fmt.Errorf("index %s and %d more: %w", docs[0].ID, len(docs)-1, err)
	}
	stats.Warnings = append(stats.Warnings, warnings...)
	stats.Added += added
	stats.Changed += len(docs) - added
	return failed
}

// settle does what a document needs that is not to be put into the index, and
// reports whether it is.
func (e *Engine) settle(ctx context.Context, r *readResult, stats *SyncStats) (put bool, err error) {
	id, known := r.item.meta.ID, r.item.known
	var skip *SkipError
	switch {
	case errors.Is(r.err, ErrNotFound):
		stats.Scanned--
		return false, e.drop(ctx, known, stats)
	case errors.As(r.err, &skip):
		stats.Scanned--
		stats.Skipped = append(stats.Skipped, Skipped{id, skip.Reason})
		if skip.Temporary {
			return false, nil
		}
		return false, e.drop(ctx, known, stats)
	case r.err != nil:
		return false, fmt.Errorf("read %s: %w", id, r.err)
	}
	meta := r.doc.DocumentMeta
	if time.Since(meta.ModTime) < doubtful {
		meta.ModTime = time.Time{} // the next sync reads it again
	}
	meta.Recipe = e.recipe
	if !e.indexed(known, meta.Hash) {
		r.index.DocumentMeta = meta
		return true, nil
	}
	if known.Size == meta.Size && known.ModTime.Equal(meta.ModTime) {
		return false, nil
	}
	if err := e.store.TouchDocument(ctx, meta); err != nil {
		return false, fmt.Errorf("index %s: %w", id, err)
	}
	return false, nil
}

// drop removes a document that its source cannot give any more.
func (e *Engine) drop(ctx context.Context, known *DocumentMeta, stats *SyncStats) error {
	if known == nil {
		return nil
	}
	if err := e.store.DeleteDocument(ctx, known.ID); err != nil {
		return fmt.Errorf("remove %s from the index: %w", known.ID, err)
	}
	stats.Removed++
	return nil
}
