package sqlite

import (
	"context"
	"errors"
	"slices"

	"github.com/memoir-ai/memoir/store/internal/fts5"
)

// Each commit that puts documents adds a segment to the word index, and each
// term of a query is looked up in every segment. FTS5's own merging is switched
// off (schema/0008.sql): it would merge the segments of a large sync several
// times over. What is merged instead is said here (docs/design/sync.md).
const (
	// smallPut is how many chunks are put together by a search that finds a few
	// notes changed, or by a sync that has just begun.
	smallPut = 256
	// smallMerge is how many pages are merged after a small put, if there are
	// four segments of about the same size: several times what it wrote, as a
	// row is merged anew for every size that segments have.
	smallMerge = 64
	// settlePages are merged in one transaction. The pages that it frees take
	// what the next one merges.
	settlePages = 128
	// untidy is the share of the pages outside the largest segment, as its
	// inverse, from which on all segments are made one.
	untidy = 4
)

// mergeSome merges a little of what many small writes left apart.
func mergeSome(ctx context.Context, c *conn) error {
	return c.run(ctx, "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('merge', ?)", smallMerge)
}

// mergeAll makes one segment of the word index when much of it is outside the
// largest. Segments that are damaged are left to the searches that meet them.
func (s *Store) mergeAll(ctx context.Context) error {
	apart, all, err := s.segments(ctx)
	if apart*untidy <= all {
		return err
	}
	for range 2 + 2*all/settlePages { // it ends by itself, sooner
		if err := s.write(ctx, "merge the word index", func(c *conn) error {
			return c.run(ctx, "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('merge', ?)", -settlePages)
		}); err != nil {
			return err
		}
		if apart, _, err = s.segments(ctx); err != nil || apart == 0 {
			return err
		}
	}
	return nil
}

// segments returns how many pages of the word index are outside the largest
// segment, and how many there are.
func (s *Store) segments(ctx context.Context) (apart, all int, err error) {
	err = s.read(ctx, "look at the word index", func(c *conn) error {
		index, err := fts5.Open(wordTables{ctx, c})
		if errors.Is(err, fts5.ErrFormat) || structural(ctx, err) {
			return nil
		}
		if err != nil {
			return err
		}
		pages := index.Pages()
		for _, n := range pages {
			all += n
		}
		if len(pages) > 1 {
			apart = all - slices.Max(pages)
		}
		return nil
	})
	return apart, all, err
}
