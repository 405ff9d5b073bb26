package indexing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/tune"
)

// Sync makes the index agree with the sources. It does not read a document
// whose size, modification time and stamp are unchanged, nor index one again
// whose content is unchanged. When several sources have documents with one id,
// the first source counts and the others are skipped. When Sync returns, words
// are searchable; [Indexer.EmbedPending] computes the missing vectors. Only one
// sync runs at a time; a second call waits. After an error, or when ctx is
// done, what was committed stays, and the next sync goes on from there.
// progress may be nil.
func (x *Indexer) Sync(ctx context.Context, progress memoir.Progress) (memoir.SyncStats, error) {
	return x.sync(ctx, true, progress)
}

// sync is the work of Sync. A thorough sync looks for damage that nobody has
// met yet. Any other indexes the newest documents first, and leaves growing
// documents alone until they are due.
func (x *Indexer) sync(ctx context.Context, thorough bool, progress memoir.Progress) (memoir.SyncStats, error) {
	select {
	case x.syncing <- struct{}{}:
	case <-ctx.Done():
		return memoir.SyncStats{}, ctx.Err()
	}
	defer func() { <-x.syncing }()
	start := time.Now()
	stats, err := x.syncAlone(ctx, thorough, progress)
	if ctx.Err() == nil {
		x.synced(stats, time.Since(start), err)
	}
	return stats, err
}

// syncAlone is sync for whoever has its token.
func (x *Indexer) syncAlone(ctx context.Context, thorough bool, progress memoir.Progress) (memoir.SyncStats, error) {
	counts, err := x.store.Stats(ctx, memoir.Space{})
	if err != nil {
		counts = memoir.StoreStats{} // the index will be healed
	}
	before := x.before(counts)
	compare := x.compareAll
	if !thorough {
		compare = x.compareDue
	}
	work, stats, err := x.survey(ctx, thorough, compare)
	if err != nil {
		return stats, err
	}
	if x.found(before, work); !thorough {
		work.newestFirst()
	}
	stats, err = x.apply(ctx, work, stats, progress)
	if errors.Is(err, memoir.ErrCorrupt) {
		// Some damage shows only when the index is written to.
		if work, stats, err = x.survey(ctx, false, compare); err == nil {
			stats, err = x.apply(ctx, work, stats, progress)
		}
	}
	if err != nil || stats.Added+stats.Changed+stats.Removed == 0 {
		return stats, err
	}
	if err := x.store.Settle(ctx, memoir.Space{}, tune.Cache{}); err != nil {
		return stats, fmt.Errorf("put the index in order: %w", err)
	}
	return stats, nil
}

// Rebuild forgets all documents and syncs. Vectors of unchanged texts are kept. When
// the documents cannot be listed, nothing is forgotten.
func (x *Indexer) Rebuild(ctx context.Context, progress memoir.Progress) (memoir.SyncStats, error) {
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
	slices.SortStableFunc(w.put, func(a, b syncItem) int { return day(b).Compare(day(a)) })
}

type syncItem struct {
	read  func(context.Context, memoir.DocID) (memoir.Document, error)
	meta  memoir.DocumentMeta
	known *memoir.DocumentMeta // as indexed; nil when new
}

// survey compares the index with the sources, and heals the index if need be.
// thorough is that of [memoir.Healer].
func (x *Indexer) survey(ctx context.Context, thorough bool, compare func(context.Context) (syncWork, memoir.SyncStats, error)) (syncWork, memoir.SyncStats, error) {
	h, ok := memoir.As[memoir.Healer](x.store)
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

// compareAll compares the index with what the sources list and returns what
// changed. It reads no documents.
func (x *Indexer) compareAll(ctx context.Context) (syncWork, memoir.SyncStats, error) {
	return x.compare(ctx, false)
}

// compareDue does what compareAll does, without growing documents that are not
// due.
func (x *Indexer) compareDue(ctx context.Context) (syncWork, memoir.SyncStats, error) {
	return x.compare(ctx, true)
}

// compare does what compareAll does, or compareDue if due.
func (x *Indexer) compare(ctx context.Context, due bool) (work syncWork, stats memoir.SyncStats, err error) {
	c := comparison{ready: make(chan struct{})}
	go func() { // reads the index while the sources look at their files
		defer close(c.ready)
		c.err = c.list(ctx, x.store)
	}()
	defer func() { <-c.ready }()
	folders, listed := 0, 0 // of notes, and what they list
	for _, src := range x.sources {
		n, err := x.compareSource(ctx, src, due, &c, &work, &stats)
		if err != nil {
			return work, stats, err
		}
		if src.Kind() == memoir.KindNote {
			folders, listed = folders+1, listed+n
		}
	}
	if err := c.wait(); err != nil {
		return work, stats, err
	}
	work.remove = c.unclaimed()
	if due && folders > 0 && listed == 0 {
		work.stays(&c)
	}
	return work, stats, nil
}

// compareSource compares what one source lists with what is known, adds what is new
// or changed to the work, and returns how many files the source lists.
func (x *Indexer) compareSource(ctx context.Context, src memoir.Source, due bool, c *comparison, work *syncWork, stats *memoir.SyncStats) (listed int, err error) {
	read := src.Read
	growing, grows := memoir.As[memoir.Growing](src)
	grows = grows && due
	for entry, err := range src.Scan(ctx) {
		if err != nil {
			return listed, fmt.Errorf("scan the workspace: %w", err)
		}
		if err := c.wait(); err != nil {
			return listed, err
		}
		listed++
		known, first := c.claim(entry.ID, entry.Skip != "")
		if entry.Temporary {
			c.kept = append(c.kept, string(entry.ID))
		}
		switch {
		case entry.Skip != "":
			stats.Skipped = append(stats.Skipped, memoir.Skipped{ID: entry.ID, Reason: entry.Skip})
		case !first:
			work.hidden++
			stats.Skipped = append(stats.Skipped, memoir.Skipped{ID: entry.ID, Reason: reasonNamesake})
		default:
			stats.Scanned++
			current := known != nil && known.Recipe == x.recipe
			if current && (sameFile(known, &entry.DocumentMeta) || grows && !growing.Due(ctx, *known, entry.DocumentMeta)) {
				continue
			}
			work.put = append(work.put, syncItem{read, entry.DocumentMeta, known})
		}
	}
	return listed, nil
}

// stays leaves indexed notes where they are whose folder holds none at all: as likely as
// not their disk is not mounted. A single one may well have been the last.
func (w *syncWork) stays(c *comparison) {
	for i := range c.known {
		if c.known[i].Kind == memoir.KindNote && c.claims[i] == unclaimed {
			w.stay++
		}
	}
	if w.stay < 2 {
		w.stay = 0
		return
	}
	w.remove = slices.DeleteFunc(w.remove, func(id memoir.DocID) bool {
		i, ok := c.find(id)
		return ok && c.known[i].Kind == memoir.KindNote
	})
}

const reasonNamesake = "another source before this one has a file of the same name"

// sameFile reports whether a listed file is the one that is known, as far as
// can be told without reading it.
func sameFile(known, found *memoir.DocumentMeta) bool {
	return known.Size == found.Size && known.Stamp == found.Stamp && known.ModTime.Equal(found.ModTime)
}

// comparison compares what is indexed with what the sources list. Both mostly
// come in the same order.
type comparison struct {
	ready chan struct{} // closed when what follows is listed, or err says why it is not
	err   error

	known  []memoir.DocumentMeta // ordered by id
	claims []claim               // one for each of known
	fresh  map[memoir.DocID]bool // ids that were listed and are not known
	kept   []string              // ids of files that may be readable in a moment
	next   int                   // the index in known of the document likely to be listed next
}

// claim says as what a source first listed an id.
type claim uint8

const (
	unclaimed claim = iota
	document
	skippedFile
)

func (c *comparison) list(ctx context.Context, store memoir.Store) error {
	if stats, err := store.Stats(ctx, memoir.Space{}); err == nil {
		c.known = make([]memoir.DocumentMeta, 0, stats.Documents)
	}
	for meta, err := range store.Documents(ctx) {
		if err != nil {
			return err
		}
		c.known = append(c.known, meta)
	}
	c.claims, c.fresh = make([]claim, len(c.known)), map[memoir.DocID]bool{}
	return nil
}

// wait waits until the index is listed.
func (c *comparison) wait() error {
	if <-c.ready; c.err != nil {
		return fmt.Errorf("list the index: %w", c.err)
	}
	return nil
}

// find returns where a document stands among the known ones.
func (c *comparison) find(id memoir.DocID) (int, bool) {
	return slices.BinarySearchFunc(c.known, id, func(m memoir.DocumentMeta, id memoir.DocID) int { return strings.Compare(string(m.ID), string(id)) })
}

// claim records that a source lists an id. It returns what the index knows of
// the document, nil when it is new, and whether this is the first source to
// list it.
func (c *comparison) claim(id memoir.DocID, skipped bool) (known *memoir.DocumentMeta, first bool) {
	i, ok := c.next, true
	if i == len(c.known) || c.known[i].ID != id {
		i, ok = c.find(id)
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

// unclaimed returns the documents that no source lists, ordered by id. It
// leaves out those that their source could not look at now.
func (c *comparison) unclaimed() (ids []memoir.DocID) {
	for i, claim := range c.claims {
		if claim != document && !c.keeps(string(c.known[i].ID), claim) {
			ids = append(ids, c.known[i].ID)
		}
	}
	return ids
}

// keeps reports whether a document stays although no source lists it.
func (c *comparison) keeps(id string, claim claim) bool {
	return slices.ContainsFunc(c.kept, func(kept string) bool {
		return id == kept || claim == unclaimed && strings.HasPrefix(id, kept+"/")
	})
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
	if err := x.store.Write(ctx, c.Changes); err != nil {
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
