package indexing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/trace"
	"github.com/memoir-ai/memoir/tune"
)

// Sync makes the index agree with the sources. It does not read a document
// whose size, modification time and stamp are unchanged, nor index one again
// whose content is unchanged. When several sources have documents with one id,
// the first source counts and the others are skipped. When Sync returns, words
// are searchable; [Indexer.EmbedPending] computes the missing vectors. Only one
// sync runs at a time; a second call waits. After an error, or when ctx is
// done, what was committed stays, and the next sync goes on from there. A process
// that must leave the index to others gets the error that says so.
// progress may be nil.
func (x *Indexer) Sync(ctx context.Context, progress memoir.Progress) (memoir.SyncStats, error) {
	return x.sync(ctx, whatDiffers, progress)
}

// extent says what a sync indexes.
type extent uint8

const (
	whatIsDue   extent = iota // what differs, the newest first, but for growing documents that are not due
	whatDiffers               // after a look for damage that nobody has met yet
	everything                // whatever the index says of it, after the same look
)

// sync is the work of Sync.
func (x *Indexer) sync(ctx context.Context, all extent, progress memoir.Progress) (memoir.SyncStats, error) {
	if err := x.outdated(); err != nil {
		return memoir.SyncStats{}, err
	}
	select {
	case x.syncing <- struct{}{}:
	case <-ctx.Done():
		return memoir.SyncStats{}, ctx.Err()
	}
	defer func() { <-x.syncing }()
	start, stage := time.Now(), trace.Begin(ctx, "sync")
	stats, err := x.syncAlone(ctx, all, progress)
	stage.End(stats.Added+stats.Changed+stats.Removed, "documents")
	if ctx.Err() == nil {
		x.synced(stats, time.Since(start), err)
	}
	return stats, err
}

// syncAlone is sync for whoever has its token.
func (x *Indexer) syncAlone(ctx context.Context, all extent, progress memoir.Progress) (memoir.SyncStats, error) {
	counts, err := x.store.Stats(ctx, memoir.Space{})
	if err != nil {
		counts = memoir.StoreStats{} // the index will be healed
	}
	before := x.before(counts)
	compare := func(ctx context.Context) (syncWork, memoir.SyncStats, error) { return x.compare(ctx, all) }
	work, stats, err := x.survey(ctx, all > whatIsDue, compare)
	if err != nil {
		return stats, err
	}
	if x.found(before, work); all == whatIsDue {
		work.newestFirst()
	}
	stats, err = x.applyAndSettle(ctx, work, stats, false, progress)
	for tries := 0; tries < 2 && errors.Is(err, memoir.ErrCorrupt); tries++ {
		// Some damage shows only when the index is written to, and some of that only when it is written to again.
		if work, stats, err = x.survey(ctx, false, compare); err == nil {
			stats, err = x.applyAndSettle(ctx, work, stats, true, progress)
		}
	}
	return stats, err
}

// applyAndSettle does the work, and puts the index in order when that changed something, or
// when it met damage before, which may be met again.
func (x *Indexer) applyAndSettle(ctx context.Context, work syncWork, stats memoir.SyncStats, again bool, progress memoir.Progress) (memoir.SyncStats, error) {
	stats, err := x.apply(ctx, work, stats, progress)
	if err != nil || !again && stats.Added+stats.Changed+stats.Removed == 0 {
		return stats, err
	}
	if err := x.store.Settle(ctx, memoir.Space{}, tune.Cache{}); err != nil {
		return stats, fmt.Errorf("put the index in order: %w", err)
	}
	return stats, nil
}

// Rebuild reads and indexes every document again, whatever the index says of it.
// Vectors of unchanged texts are kept. An index that is known to be sound answers
// meanwhile, so that a rebuild that ends early leaves what was there; any other is
// cleared first. When the documents cannot be listed, nothing changes.
func (x *Indexer) Rebuild(ctx context.Context, progress memoir.Progress) (memoir.SyncStats, error) {
	if err := x.outdated(); err != nil {
		return memoir.SyncStats{}, err
	}
	if c, ok := memoir.As[ability.Checker](x.store); ok && c.Check(ctx) == nil {
		return x.sync(ctx, everything, progress)
	}
	for _, src := range x.sources {
		for _, err := range src.Scan(ctx) {
			if err != nil {
				return memoir.SyncStats{}, fmt.Errorf("scan the workspace: %w", err)
			}
		}
	}
	if err := x.store.Clear(ctx); err != nil {
		return memoir.SyncStats{}, fmt.Errorf("clear the index: %w", err)
	}
	return x.Sync(ctx, progress)
}

// syncWork is what a comparison of sources and index found to do.
type syncWork struct {
	put    []syncItem
	remove []memoir.DocID
	hidden int // documents whose id a document of an earlier source has
	stay   int // notes that stay indexed although their folder holds none now
	away   []away
}

// away is a folder that its source cannot look at now, and of which documents stay indexed.
type away struct {
	reason string
	stay   int
}

// newestFirst orders the work by the day in a document's name, or else by its
// modification time.
func (w *syncWork) newestFirst() {
	day := func(item syncItem) time.Time {
		if day, ok := layout.Date(string(item.meta.ID)); ok {
			return day
		}
		return item.meta.ModTime
	}
	order.Stable(w.put, func(a, b syncItem) int { return day(b).Compare(day(a)) })
}

type syncItem struct {
	read  func(context.Context, memoir.DocID) (memoir.Document, error)
	meta  memoir.DocumentMeta
	known *memoir.DocumentMeta // as indexed; nil when new
}

// survey compares the index with the sources, and heals the index if need be.
// thorough is that of [ability.Healer].
func (x *Indexer) survey(ctx context.Context, thorough bool, compare func(context.Context) (syncWork, memoir.SyncStats, error)) (syncWork, memoir.SyncStats, error) {
	h, ok := memoir.As[ability.Healer](x.store)
	if !ok {
		return compare(ctx)
	}
	if err := h.Heal(ctx, thorough); err != nil {
		return syncWork{}, memoir.SyncStats{}, err
	}
	work, stats, err := compare(ctx)
	if errors.Is(err, memoir.ErrCorrupt) {
		if err := h.Heal(ctx, false); err != nil {
			return syncWork{}, memoir.SyncStats{}, err
		}
		work, stats, err = compare(ctx)
	}
	return work, stats, err
}

// How many documents are removed in one commit. The number starts small and
// doubles each time, as it does for indexing ([firstBatch]).
const (
	firstRemoved = 64
	lastRemoved  = 1024
)

// apply carries out the work. Several goroutines read, cut and analyse
// documents; this one commits them in order, many at a time.
func (x *Indexer) apply(ctx context.Context, work syncWork, stats memoir.SyncStats, progress memoir.Progress) (memoir.SyncStats, error) {
	if progress == nil {
		progress = func(int, int) {}
	}
	total := len(work.put) + len(work.remove)
	done := 0
	for together := firstRemoved; done < len(work.remove); together = min(2*together, lastRemoved) {
		ids := work.remove[done:min(done+together, len(work.remove))]
		if err := x.write(ctx, &changes{Changes: memoir.Changes{Delete: ids}}, &stats); err != nil {
			return stats, err
		}
		done += len(ids)
		progress(done, total)
	}
	for batch := range x.batches(ctx, work.put) {
		if err := x.commit(ctx, batch, &stats); err != nil {
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
	at    time.Time // before it was read
	doc   memoir.Document
	index memoir.IndexedDocument // zero when that content is indexed already
	cut   []string               // what analysis left out
	err   error
}

// indexed reports whether the index has this content of a document, cut and
// analysed as the engine does it now.
func (x *Indexer) indexed(known *memoir.DocumentMeta, hash memoir.Hash) bool {
	return known != nil && known.Hash == hash && known.Recipe == x.recipe
}

// doubtful is how old a modification time must be, when the file is read, to be
// trusted. File systems tell time in steps of up to two seconds, and two writes
// within one step look the same.
const doubtful = 2 * time.Second

// changes are what a batch does to the index.
type changes struct {
	memoir.Changes
	added    int              // how many of the documents to put are new
	warnings []memoir.Warning // about the documents to put
}

// commit writes documents to the index and counts them. When one fails, those
// before it are in the index.
func (x *Indexer) commit(ctx context.Context, batch []readResult, stats *memoir.SyncStats) error {
	var c changes
	var failed error
	for i := range batch {
		if failed = x.settle(&batch[i], &c, stats); failed != nil {
			break
		}
	}
	return cmp.Or(x.write(ctx, &c, stats), failed)
}

// write makes changes and counts them.
func (x *Indexer) write(ctx context.Context, c *changes, stats *memoir.SyncStats) error {
	if c.Empty() {
		return nil
	}
	stage := trace.Begin(ctx, "write")
	err := x.store.Write(ctx, c.Changes)
	stage.End(len(c.Put)+len(c.Delete), "documents")
	if err != nil {
		return fmt.Errorf("%s: %w", c.doing(), err)
	}
	x.Wake()
	x.tell(c)
	stats.Added += c.added
	stats.Changed += len(c.Put) - c.added
	stats.Removed += len(c.Delete)
	stats.Warnings = append(stats.Warnings, c.warnings...)
	return nil
}

// tell reports which documents changed.
func (x *Indexer) tell(c *changes) {
	if len(c.Put)+len(c.Delete) == 0 {
		return
	}
	indexed := make([]memoir.DocID, len(c.Put))
	for i := range c.Put {
		indexed[i] = c.Put[i].ID
	}
	x.changed(indexed, slices.Clone(c.Delete))
}

// doing names the changes for people: the first document, and how many others
// there are.
func (c *changes) doing() string {
	ids := make([]memoir.DocID, 0, len(c.Put)+len(c.Touch))
	for i := range c.Put {
		ids = append(ids, c.Put[i].ID)
	}
	for _, meta := range c.Touch {
		ids = append(ids, meta.ID)
	}
	if len(ids) == 0 {
		return "remove " + andMore(c.Delete) + " from the index"
	}
	return "index " + andMore(ids)
}

func andMore(ids []memoir.DocID) string {
	if len(ids) == 1 {
		return string(ids[0])
	}
	return fmt.Sprintf("%s and %d more", ids[0], len(ids)-1)
}

// settle decides what a document that was read changes.
func (x *Indexer) settle(r *readResult, c *changes, stats *memoir.SyncStats) error {
	id, known := r.item.meta.ID, r.item.known
	var skip *memoir.SkipError
	switch {
	case errors.Is(r.err, memoir.ErrNotFound):
		stats.Scanned--
		c.drop(known)
		return nil
	case errors.As(r.err, &skip):
		stats.Scanned--
		stats.Skipped = append(stats.Skipped, memoir.Skipped{ID: id, Reason: skip.Reason})
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
	meta.Recipe = x.recipe
	switch {
	case !x.indexed(known, meta.Hash):
		r.index.DocumentMeta = meta
		c.Put = append(c.Put, r.index)
		for _, reason := range r.cut {
			c.warnings = append(c.warnings, memoir.Warning{ID: id, Reason: reason})
		}
		if known == nil {
			c.added++
		}
	case !sameFile(known, &meta):
		c.Touch = append(c.Touch, meta)
	}
	return nil
}

// drop removes a document that its source can no longer give.
func (c *changes) drop(known *memoir.DocumentMeta) {
	if known != nil {
		c.Delete = append(c.Delete, known.ID)
	}
}
