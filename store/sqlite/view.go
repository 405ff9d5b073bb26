package sqlite

import (
	"context"
	"reflect"

	"github.com/memoir-ai/memoir"
)

// view is the index as one read transaction sees it.
type view struct {
	store    *Store
	conn     *conn
	known    *contents   // nil until it is needed
	ranked   *ranking    // the last one by words
	scoped   *scoped     // of the last filter that does not list chunks
	measured [2]*cosines // of the last two vectors that were searched for, the latest first
}

var _ memoir.View = (*view)(nil)

// View implements [memoir.Store].
func (s *Store) View(ctx context.Context, f func(memoir.View) error) error {
	return s.read(ctx, "look at the index", func(c *conn) error {
		v := &view{store: s, conn: c}
		defer v.release()
		return f(v)
	})
}

func (v *view) contents(ctx context.Context) (_ *contents, err error) {
	if v.known == nil {
		v.known, err = v.store.contents(ctx, v.conn)
	}
	return v.known, err
}

// scoped is a filter with the chunks that pass it.
type scoped struct {
	filter memoir.Filter
	in     chunkSet
}

// scope returns the contents, and the chunks that pass a filter. A search asks
// with the same filter for each of its lists.
func (v *view) scope(ctx context.Context, f memoir.Filter) (*contents, chunkSet, error) {
	k, err := v.contents(ctx)
	if err != nil {
		return nil, nil, err
	}
	if v.scoped != nil && reflect.DeepEqual(v.scoped.filter, f) {
		return k, v.scoped.in, nil
	}
	in, err := v.newScope(ctx, k, f)
	if err == nil && len(f.Chunks) == 0 {
		v.scoped = &scoped{f, in}
	}
	return k, in, err
}

// matches returns the matches of chunk numbers and their scores.
func (k *contents) matches(numbers []int, scores []float64) []memoir.Match {
	out := make([]memoir.Match, len(numbers))
	for i, n := range numbers {
		out[i] = memoir.Match{ChunkMeta: k.meta(n), Score: scores[i]}
	}
	return out
}
