package sqlite

import (
	"context"
	"errors"
	"slices"

	"github.com/memoir-ai/memoir/store/internal/fts5"
)

// Each commit that puts documents adds a segment to the word index, and each
// term of a query is looked up in every segment. FTS5's own merging is switched
// off (schema.sql), because it would merge the segments of a large sync several
// times over. These constants say what is merged instead (docs/design/sync.md).
const (
	// smallPut is how many chunks at most make a put small: that of a search
	// that finds a few notes changed, or of a sync that has just begun.
	smallPut = 256
	// smallMerge is how many pages are merged after a small put, if four
	// segments have about the same size. That is several times what the put
	// wrote, because a row is merged anew at every size of segment.
	smallMerge = 64
	// settlePages is how many pages are merged in one transaction. The next one
	// reuses the pages that it frees.
	settlePages = 128
	// untidy is the inverse of the share of pages outside the largest segment
	// from which on all segments are merged into one.
	untidy = 4
)

// mergeSome merges a little of what many small writes have left apart.
func mergeSome(ctx context.Context, c *conn) error {
	return c.run(ctx, "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('merge', ?)", smallMerge)
}

// mergeAll merges the word index into one segment when much of it is outside
// the largest. It ignores damaged segments; a search that meets them reports
// them.
func (s *Store) mergeAll(ctx context.Context) error {
	apart, all, err := s.segments(ctx)
	if apart*untidy <= all {
		return err
	}
	for range 2 + 2*all/settlePages { // a bound; the loop mostly ends sooner
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
