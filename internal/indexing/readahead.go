package indexing

import (
	"context"
	"iter"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// Documents are committed many at a time, because a commit costs as much as
// indexing tens of chunks. The first batches are small. So what a search waits
// for is found soon, and a sync that is always stopped after the same time
// still advances (docs/design/sync.md).
const (
	firstBatch = 32 << 10  // bytes of the documents in the first commit
	lastBatch  = 512 << 10 // each batch may have twice as many as the one before, up to this
	// batchTime is how long a document that has been read waits for others to
	// join its batch.
	batchTime = 250 * time.Millisecond
	// maxAhead is how many bytes of documents are in memory: those of the batch
	// that is being committed and of the next one. A single document may be
	// larger.
	maxAhead = 2 * lastBatch
	// documentBytes is what a document counts in addition to its text.
	documentBytes = 4 << 10
)

func (item *syncItem) bytes() int64 { return min(item.meta.Size+documentBytes, maxAhead) }

// batches reads the items and yields their results in order, grouped into those
// that are committed together. While the caller works on one batch, the next is
// read. When it returns, all its goroutines have ended.
func (x *Indexer) batches(ctx context.Context, items []syncItem) iter.Seq[[]readResult] {
	return func(yield func([]readResult) bool) {
		var wg sync.WaitGroup
		defer wg.Wait()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		queue := make(chan chan readResult, maxAhead/documentBytes)
		memory := semaphore.NewWeighted(maxAhead)
		wg.Go(func() {
			defer close(queue)
			x.readAll(ctx, items, queue, memory)
		})
		var batch []readResult
		var size int64
		var since time.Time
		limit := int64(firstBatch)
		hand := func() bool {
			if len(batch) == 0 {
				return true
			}
			if !yield(batch) {
				return false
			}
			memory.Release(size)
			batch, size, limit = nil, 0, min(2*limit, lastBatch)
			return true
		}
		for result := range queue {
			if result == nil { // the next item waits for the memory of this batch
				if !hand() {
					return
				}
				continue
			}
			var wait <-chan time.Time // nil: wait as long as it takes
			if len(batch) > 0 {
				wait = time.After(batchTime - time.Since(since))
			}
			var r readResult
			select {
			case r = <-result:
			case <-wait:
				if !hand() {
					return
				}
				r = <-result
			}
			if len(batch) == 0 {
				since = time.Now()
			}
			batch, size = append(batch, r), size+r.item.bytes()
			if size >= limit && !hand() {
				return
			}
		}
		hand()
	}
}

// readAll reads the items in order, as far as there is memory for them. For
// each it sends the channel on which its result will come. It sends nil before
// it waits for memory. It returns when all items are read, or ctx is done.
func (x *Indexer) readAll(ctx context.Context, items []syncItem, queue chan<- chan readResult, memory *semaphore.Weighted) {
	var wg sync.WaitGroup
	defer wg.Wait()
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, item := range items {
		if !memory.TryAcquire(item.bytes()) {
			select {
			case queue <- nil:
			case <-ctx.Done():
				return
			}
			if memory.Acquire(ctx, item.bytes()) != nil {
				return
			}
		}
		result := make(chan readResult, 1)
		select {
		case queue <- result:
		case <-ctx.Done():
			return
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			result <- x.read(ctx, item)
		})
	}
}

func (x *Indexer) read(ctx context.Context, item syncItem) readResult {
	r := readResult{item: item, at: time.Now()}
	if r.err = ctx.Err(); r.err != nil {
		return r
	}
	r.doc, r.err = item.read(ctx, item.meta.ID)
	if r.err == nil && !x.indexed(item.known, r.doc.Hash) {
		r.index, r.cut = x.analyse(r.doc)
	}
	return r
}
