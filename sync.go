package memoir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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

// Sync makes the index agree with the sources. A document whose size,
// modification time and stamp are unchanged is not read; one whose content is
// unchanged is not indexed again. Of documents with one id that of the first
// source counts, and the others are skipped. Words are searchable when Sync returns; [Engine.EmbedPending]
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

// compare lists what changed, by what the sources list, without reading a document.
func (e *Engine) compare(ctx context.Context) (syncWork, SyncStats, error) {
	var (
		work  syncWork
		stats SyncStats
		c     comparison
		err   error
	)
	listed := make(chan struct{}) // while the sources look at their files
	go func() {
		defer close(listed)
		err = c.list(ctx, e.store)
	}()
	defer func() { <-listed }()
	for _, src := range e.sources {
		for entry, scanErr := range src.Scan(ctx) {
			if scanErr != nil {
				return work, stats, fmt.Errorf("scan the workspace: %w", scanErr)
			}
			if <-listed; err != nil {
				return work, stats, fmt.Errorf("list the index: %w", err)
			}
			known, first := c.claim(entry.ID, entry.Skip != "")
			switch {
			case entry.Skip != "":
				stats.Skipped = append(stats.Skipped, Skipped{entry.ID, entry.Skip})
			case !first:
				stats.Skipped = append(stats.Skipped, Skipped{entry.ID, reasonNamesake})
			default:
				stats.Scanned++
				if known == nil || known.Recipe != e.recipe || !sameFile(known, &entry.DocumentMeta) {
					work.put = append(work.put, syncItem{src, entry.DocumentMeta, known})
				}
			}
		}
	}
	if <-listed; err != nil {
		return work, stats, fmt.Errorf("list the index: %w", err)
	}
	work.remove = c.unclaimed()
	return work, stats, nil
}

const reasonNamesake = "another source before this one has a file of the same name"

// sameFile reports whether a file is, as far as it was not read, the one that
// is known.
func sameFile(known, found *DocumentMeta) bool {
	return known.Size == found.Size && known.Stamp == found.Stamp && known.ModTime.Equal(found.ModTime)
}

// comparison holds what is indexed against what the sources list, mostly in the
// same order.
type comparison struct {
	known  []DocumentMeta // by id
	claims []claim        // of the known ones
	fresh  map[DocID]bool // ids that are not known and were listed
	next   int            // the index of the known one that is likely to be listed next
}

// claim says as what a source listed an id first.
type claim uint8

const (
	unclaimed claim = iota
	document
	skippedFile
)

func (c *comparison) list(ctx context.Context, store Store) error {
	if stats, err := store.Stats(ctx, Space{}); err == nil {
		c.known = make([]DocumentMeta, 0, stats.Documents)
	}
	for meta, err := range store.Documents(ctx) {
		if err != nil {
			return err
		}
		c.known = append(c.known, meta)
	}
	c.claims, c.fresh = make([]claim, len(c.known)), map[DocID]bool{}
	return nil
}

// claim notes that a source lists an id. It returns what is known of the
// document, nil when it is new, and whether the id was not listed before.
func (c *comparison) claim(id DocID, skipped bool) (known *DocumentMeta, first bool) {
	i, ok := c.next, true
	if i == len(c.known) || c.known[i].ID != id {
		i, ok = slices.BinarySearchFunc(c.known, id, func(m DocumentMeta, id DocID) int { return strings.Compare(string(m.ID), string(id)) })
	}
	if !ok {
		first = !c.fresh[id]
		c.fresh[id] = true
		return nil, first
	}
	c.next = i + 1
	if c.claims[i] != unclaimed {
		return nil, false
	}
	c.claims[i] = document
	if skipped {
		c.claims[i] = skippedFile
	}
	return &c.known[i], true
}

// unclaimed returns the documents that no source lists, ordered by id.
func (c *comparison) unclaimed() (ids []DocID) {
	for i, claim := range c.claims {
		if claim != document {
			ids = append(ids, c.known[i].ID)
		}
	}
	return ids
}

// How many documents are removed in one commit: few at first and twice as many
// each time, as they are indexed ([firstBatch]).
const (
	firstRemoved = 64
	lastRemoved  = 1024
)

// apply carries out the work. Documents are read, cut and analysed by several
// goroutines and committed in order, many at a time, by this one.
func (e *Engine) apply(ctx context.Context, work syncWork, stats SyncStats, progress Progress) (SyncStats, error) {
	if progress == nil {
		progress = func(int, int) {}
	}
	total := len(work.put) + len(work.remove)
	done := 0
	for together := firstRemoved; done < len(work.remove); together = min(2*together, lastRemoved) {
		ids := work.remove[done:min(done+together, len(work.remove))]
		if err := e.remove(ctx, ids, &stats); err != nil {
			return stats, err
		}
		done += len(ids)
		progress(done, total)
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

// remove takes documents out of the index.
func (e *Engine) remove(ctx context.Context, ids []DocID, stats *SyncStats) error {
	if len(ids) == 0 {
		return nil
	}
	if err := e.store.DeleteDocuments(ctx, ids); err != nil {
		return fmt.Errorf("remove %s from the index: %w", andMore(ids[0], len(ids)), err)
	}
	stats.Removed += len(ids)
	return nil
}

// andMore names the first of some documents, and how many there are beside it.
func andMore(first DocID, all int) string {
	if all == 1 {
		return string(first)
	}
	return fmt.Sprintf("%s and %d more", first, all-1)
}

// readResult is one document on its way into the index.
type readResult struct {
	item  syncItem
	at    time.Time // before it was read
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

// doubtful is how far from now a modification time must be when the file is
// read to be trusted: file systems tell time in steps of up to two seconds, and
// what is written within one leaves no trace.
const doubtful = 2 * time.Second

// changes are what a batch does to the index.
type changes struct {
	put    []IndexedDocument
	added  int // of them, those that are new
	touch  []DocumentMeta
	remove []DocID
	// warnings are of the documents to put.
	warnings []Warning
}

// commit brings documents into the index and counts what that was. Those
// before one that fails are in the index.
func (e *Engine) commit(ctx context.Context, batch []readResult, stats *SyncStats) error {
	var c changes
	var failed error
	for i := range batch {
		if failed = e.settle(&batch[i], &c, stats); failed != nil {
			break
		}
	}
	return cmp.Or(e.write(ctx, &c, stats), failed)
}

func (e *Engine) write(ctx context.Context, c *changes, stats *SyncStats) error {
	if len(c.put) > 0 {
		if err := e.store.PutDocuments(ctx, c.put); err != nil {
			return fmt.Errorf("index %s: %w", andMore(c.put[0].ID, len(c.put)), err)
		}
		stats.Added += c.added
		stats.Changed += len(c.put) - c.added
		stats.Warnings = append(stats.Warnings, c.warnings...)
	}
	if len(c.touch) > 0 {
		if err := e.store.TouchDocuments(ctx, c.touch); err != nil {
			return fmt.Errorf("index %s: %w", andMore(c.touch[0].ID, len(c.touch)), err)
		}
	}
	return e.remove(ctx, c.remove, stats)
}

// settle finds out what a document that was read changes.
func (e *Engine) settle(r *readResult, c *changes, stats *SyncStats) error {
	id, known := r.item.meta.ID, r.item.known
	var skip *SkipError
	switch {
	case errors.Is(r.err, ErrNotFound):
		stats.Scanned--
		c.drop(known)
		return nil
	case errors.As(r.err, &skip):
		stats.Scanned--
		stats.Skipped = append(stats.Skipped, Skipped{id, skip.Reason})
		if !skip.Temporary {
			c.drop(known)
		}
		return nil
	case r.err != nil:
		return fmt.Errorf("read %s: %w", id, r.err)
	}
	meta := r.doc.DocumentMeta
	if r.at.Sub(meta.ModTime).Abs() < doubtful {
		meta.ModTime = time.Time{} // the next sync reads it again
	}
	meta.Recipe = e.recipe
	switch {
	case !e.indexed(known, meta.Hash):
		r.index.DocumentMeta = meta
		c.put = append(c.put, r.index)
		for _, reason := range r.cut {
			c.warnings = append(c.warnings, Warning{id, reason})
		}
		if known == nil {
			c.added++
		}
	case !sameFile(known, &meta):
		c.touch = append(c.touch, meta)
	}
	return nil
}

// drop removes a document that its source cannot give any more.
func (c *changes) drop(known *DocumentMeta) {
	if known != nil {
		c.remove = append(c.remove, known.ID)
	}
}
