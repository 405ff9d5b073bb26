package memoir

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/notedate"
)

// SyncStats says what a sync did.
type SyncStats struct {
	Scanned int       // documents that the sources have
	Added   int       // indexed for the first time
	Changed int       // indexed again
	Removed int       // no longer in a source
	Skipped []Skipped // files that are not indexed, with the reason
}

// Skipped is a file that is not indexed.
type Skipped struct {
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
	select {
	case e.syncing <- struct{}{}:
	case <-ctx.Done():
		return SyncStats{}, ctx.Err()
	}
	defer func() { <-e.syncing }()
	work, stats, err := e.compare(ctx)
	if err != nil {
		return stats, err
	}
	return e.apply(ctx, work, stats, progress)
}

// Rebuild forgets all documents and syncs. Vectors of unchanged texts are kept
// by stores that implement [Clearer].
func (e *Engine) Rebuild(ctx context.Context, progress Progress) (SyncStats, error) {
	c, ok := e.store.(Clearer)
	if !ok {
		return SyncStats{}, fmt.Errorf("the store cannot be cleared: %w", ErrUnavailable)
	}
	if err := c.Clear(ctx); err != nil {
		return SyncStats{}, fmt.Errorf("clear the index: %w", err)
	}
	return e.Sync(ctx, progress)
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

// compare lists what changed, by size and modification time, without reading a document.
func (e *Engine) compare(ctx context.Context) (syncWork, SyncStats, error) {
	var (
		work  syncWork
		stats SyncStats
	)
	known := map[DocID]DocumentMeta{}
	for meta, err := range e.store.Documents(ctx) {
		if err != nil {
			return work, stats, fmt.Errorf("list the index: %w", err)
		}
		known[meta.ID] = meta
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
			old, ok := known[entry.ID]
			delete(known, entry.ID)
			switch {
			case !ok:
				work.put = append(work.put, syncItem{src, entry.DocumentMeta, nil})
			case old.Size != entry.Size || !old.ModTime.Equal(entry.ModTime) || old.Recipe != e.recipe:
				work.put = append(work.put, syncItem{src, entry.DocumentMeta, &old})
			}
		}
	}
	for id := range known {
		work.remove = append(work.remove, id)
	}
	slices.Sort(work.remove)
	return work, stats, nil
}

// apply carries out the work. Documents are read, cut and analysed by several
// goroutines and committed in order by this one.
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for r := range e.readAll(ctx, work.put) {
		if err := e.commit(ctx, <-r, &stats); err != nil {
			return stats, err
		}
		done++
		progress(done, total)
	}
	return stats, ctx.Err()
}

// readResult is one document on its way into the index.
type readResult struct {
	item  syncItem
	doc   Document
	index IndexedDocument // zero when the content is the one that is indexed
	err   error
}

// readAll starts reading the items and returns the results in their order.
// The goroutines end when the caller stops ranging or ctx is done.
func (e *Engine) readAll(ctx context.Context, items []syncItem) iter.Seq[chan readResult] {
	return func(yield func(chan readResult) bool) {
		var wg sync.WaitGroup
		defer wg.Wait()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		queue := make(chan chan readResult, 2*runtime.GOMAXPROCS(0)) // bounds what is in memory
		slots := make(chan struct{}, runtime.GOMAXPROCS(0))
		wg.Go(func() {
			defer close(queue)
			for _, item := range items {
				result := make(chan readResult, 1)
				select {
				case queue <- result:
				case <-ctx.Done():
					return
				}
				slots <- struct{}{}
				wg.Go(func() {
					defer func() { <-slots }()
					result <- e.read(ctx, item)
				})
			}
		})
		for r := range queue {
			if !yield(r) {
				return
			}
		}
	}
}

// indexed reports whether what is known of a document is this content, cut and
// analysed as the engine does it now.
func (e *Engine) indexed(known *DocumentMeta, hash Hash) bool {
	return known != nil && known.Hash == hash && known.Recipe == e.recipe
}

func (e *Engine) read(ctx context.Context, item syncItem) readResult {
	r := readResult{item: item}
	if r.err = ctx.Err(); r.err != nil {
		return r
	}
	r.doc, r.err = item.source.Read(ctx, item.meta.ID)
	if r.err == nil && !e.indexed(item.known, r.doc.Hash) {
		r.index = e.analyse(r.doc)
	}
	return r
}

// doubtful is how old a file must be when it is read for its modification time
// to be trusted: file systems tell time in steps of up to two seconds.
const doubtful = 2 * time.Second

// commit brings one document into the index and counts what that was.
func (e *Engine) commit(ctx context.Context, r readResult, stats *SyncStats) error {
	id, known := r.item.meta.ID, r.item.known
	var skip *SkipError
	switch {
	case errors.Is(r.err, ErrNotFound):
		stats.Scanned--
		return e.drop(ctx, known, stats)
	case errors.As(r.err, &skip):
		stats.Scanned--
		stats.Skipped = append(stats.Skipped, Skipped{id, skip.Reason})
		if skip.Temporary {
			return nil
		}
		return e.drop(ctx, known, stats)
	case r.err != nil:
		return fmt.Errorf("read %s: %w", id, r.err)
	}
	meta := r.doc.DocumentMeta
	if time.Since(meta.ModTime) < doubtful {
		meta.ModTime = time.Time{} // the next sync reads it again
	}
	meta.Recipe = e.recipe
	if e.indexed(known, meta.Hash) {
		if known.Size == meta.Size && known.ModTime.Equal(meta.ModTime) {
			return nil
		}
		if err := e.store.TouchDocument(ctx, meta); err != nil {
			return fmt.Errorf("index %s: %w", id, err)
		}
		return nil
	}
	r.index.DocumentMeta = meta
	if err := e.store.PutDocuments(ctx, []IndexedDocument{r.index}); err != nil {
		return fmt.Errorf("index %s: %w", id, err)
	}
	if known == nil {
		stats.Added++
	} else {
		stats.Changed++
	}
	return nil
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

// analyse cuts a document and analyses the pieces, and finds its names.
func (e *Engine) analyse(doc Document) IndexedDocument {
	opts := e.chunking
	opts.Entries = isCurated(doc.ID)
	note := chunk.File(string(doc.ID), doc.Text, opts)
	date := dateOf(doc.ID, note.Meta.Date)
	salience := salienceOf(note.Meta.Raw)
	var titleTerms, dateTerms []string
	for _, s := range slices.Concat([]string{note.Title, nameOf(doc.ID)}, note.Meta.Aliases, note.Meta.Tags) {
		titleTerms = analyze.Document(titleTerms, s)
	}
	var day string
	if !date.IsZero() {
		day = date.Format(time.DateOnly)
		dateTerms = analyze.Document(nil, analyze.DateWords(date))
	}
	out := IndexedDocument{doc.DocumentMeta, note.Title, day, salience, namesOf(doc.ID, note), make([]IndexedChunk, 0, len(note.Pieces))}
	for i, p := range note.Pieces {
		c := IndexedChunk{Chunk: Chunk{
			Passage:   Passage{ChunkID{doc.ID, i}, doc.Kind, day, salience, analyze.IsCode(p.Text), digestOf(p.Text)},
			StartLine: p.StartLine, EndLine: p.EndLine, Title: note.Title, Heading: p.Heading, Text: p.Text,
		}}
		c.EmbedHash = HashText(c.EmbedText())
		c.Terms[FieldTitle] = titleTerms
		c.Terms[FieldHeading] = analyze.Document(nil, strings.Join(p.Heading, "\n"))
		c.Terms[FieldDate] = dateTerms
		c.Terms[FieldBody] = analyze.Document(nil, p.Text)
		out.Chunks = append(out.Chunks, c)
	}
	return out
}

// isCurated reports whether each entry of the file stands for itself, as in
// OpenClaw's MEMORY.md and USER.md.
func isCurated(id DocID) bool {
	return id == "MEMORY.md" || id == "USER.md"
}

// dateOf returns the day that a document is about: its front matter's, else
// its file name's, else the zero time.
func dateOf(id DocID, frontMatter string) time.Time {
	if day := strings.ReplaceAll(frontMatter, "/", "-"); len(day) >= len(time.DateOnly) {
		if t, err := time.Parse(time.DateOnly, day[:len(time.DateOnly)]); err == nil {
			return t
		}
	}
	t, _ := notedate.FromPath(string(id))
	return t
}

// nameOf returns the file name without its ending.
func nameOf(id DocID) string {
	base := path.Base(string(id))
	return strings.TrimSuffix(base, path.Ext(base))
}
