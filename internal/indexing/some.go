package indexing

import (
	"context"
	"fmt"
	"slices"

	"github.com/memoir-ai/memoir"
)

// SyncDocuments makes the index agree with the sources for some documents only.
// It reads these, and neither checks nor lists others. A document that no
// source has any more is removed from the index. All else is as for
// [Indexer.Sync].
func (x *Indexer) SyncDocuments(ctx context.Context, ids []memoir.DocID) (memoir.SyncStats, error) {
	select {
	case x.syncing <- struct{}{}:
	case <-ctx.Done():
		return memoir.SyncStats{}, ctx.Err()
	}
	defer func() { <-x.syncing }()
	work, stats, err := x.survey(ctx, false, func(ctx context.Context) (syncWork, memoir.SyncStats, error) {
		return x.some(ctx, ids)
	})
	if err != nil {
		return stats, err
	}
	return x.apply(ctx, work, stats, nil)
}

// some reads documents and returns the work that they make.
func (x *Indexer) some(ctx context.Context, ids []memoir.DocID) (syncWork, memoir.SyncStats, error) {
	var c comparison
	if err := c.list(ctx, x.store); err != nil {
		return syncWork{}, memoir.SyncStats{}, fmt.Errorf("list the index: %w", err)
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	var work syncWork
	for _, id := range ids {
		known, _ := c.claim(id, false)
		work.put = append(work.put, syncItem{x.Read, memoir.DocumentMeta{ID: id}, known})
	}
	return work, memoir.SyncStats{Scanned: len(ids)}, nil
}
