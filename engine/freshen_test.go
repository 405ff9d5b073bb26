package engine_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
	"github.com/memoir-ai/memoir/tune"
)

// slow is a source that takes its time to list what there is.
type slow struct {
	memoir.Source
	takes time.Duration
}

func (s *slow) Scan(ctx context.Context) iter.Seq2[memoir.ScanEntry, error] {
	return func(yield func(memoir.ScanEntry, error) bool) {
		select {
		case <-time.After(s.takes):
		case <-ctx.Done():
			yield(memoir.ScanEntry{}, ctx.Err())
			return
		}
		for entry, err := range s.Source.Scan(ctx) {
			if !yield(entry, err) {
				return
			}
		}
	}
}

// The budget of a search bounds the comparison of files and index, too; the
// first search of an empty index may take longer.
func TestBudgetBoundsComparison(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotes(t, engine.Config{}, "a.md", "tea\n")
		files, err := mdfile.Open(n.dir, mdfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		source := &slow{files, 3 * time.Second}
		n.engine, err = engine.New(engine.Config{Store: n.store, Sources: []memoir.Source{source}, SyncBudget: new(time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		type search struct {
			Took     time.Duration
			Hits     int
			Degraded string
		}
		ask := func() search {
			start := time.Now()
			res := n.search(memoir.Query{Text: "tea"})
			return search{time.Since(start), len(res.Hits), reasons(res)}
		}
		got := []search{ask()}
		n.write("b.md", "more tea\n")
		got = append(got, ask(), ask())
		time.Sleep(2 * time.Second)
		synctest.Wait() // until the look has ended
		res := n.search(memoir.Query{Text: "tea", NoSync: true})
		got = append(got, search{0, len(res.Hits), reasons(res)})
		source.takes = 0
		got = append(got, ask())
		want := []search{
			{3 * time.Second, 1, ""},
			{time.Second, 1, "answered before all files were compared with the index [memoir index]"},
			{0, 1, "the index is being brought up to date [ask again in a moment]"},
			{0, 2, ""},
			{0, 2, ""},
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("an empty index, a new file, the look that found it, and a quick one (-got +want):\n%s", diff)
		}
	})
}

// The first search of many notes answers by words when they are indexed, and waits for no
// more vectors than any search does; those of a few notes it waits for.
func TestFirstSearch(t *testing.T) {
	for notes, want := range map[int]struct {
		took    time.Duration
		pending bool
	}{
		20:  {2 * time.Second, false}, // all in one call
		200: {time.Second, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			var files []string
			for i := range notes {
				files = append(files, fmt.Sprintf("%d.md", i), fmt.Sprintf("entry%d about tea\n", i))
			}
			n := newNotes(t, engine.Config{Embedder: &paced{takes: 2 * time.Second}, SyncBudget: new(time.Second)}, files...)
			start := time.Now()
			res := n.search(memoir.Query{Text: "entry7"})
			if took := time.Since(start); took != want.took || len(res.Hits) != 1 || (n.pending() > 0) != want.pending {
				t.Errorf("%d notes: %v, %d hits, %d texts without a vector", notes, took, len(res.Hits), n.pending())
			}
		})
	}
}

// What a look goes on after a search ends when the engine closes, and at once
// when the search is called off.
func TestLookEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotes(t, engine.Config{}, "a.md", "tea\n")
		n.sync()
		memory, err := engine.New(engine.Config{Store: n.store, Sources: []memoir.Source{&slow{n.source(), time.Hour}}, SyncBudget: new(time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := memory.Search(ctx, memoir.Query{Text: "tea"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("called off: got %v", err)
		}
		if res, err := memory.Search(t.Context(), memoir.Query{Text: "tea"}); err != nil || len(res.Hits) != 1 || len(res.Degraded) != 1 {
			t.Errorf("got %+v, %v, want a hit and what is missing", res, err)
		}
		if err := memory.Close(); err != nil || time.Since(start) != 1100*time.Millisecond {
			t.Errorf("closed after %v: %v", time.Since(start), err)
		}
	})
}

// orderly counts what puts the store in order.
type orderly struct {
	memoir.Store
	settled, calibrated atomic.Int64
}

func (o *orderly) Settle(ctx context.Context, space memoir.Space, limits tune.Cache) error {
	o.settled.Add(1)
	return o.Store.Settle(ctx, space, limits)
}

func (o *orderly) PutSpace(ctx context.Context, space memoir.Space, facts memoir.SpaceFacts) error {
	o.calibrated.Add(1)
	return o.Store.PutSpace(ctx, space, facts)
}

// Processes that only tell something leave their texts without vectors, a few each. The next
// search computes them, also when they have become more than one of them would leave.
func TestVectorsOfManyTellers(t *testing.T) {
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}, SyncBudget: new(time.Minute)})
	for i := range 40 {
		n.write(fmt.Sprintf("%02d.md", i), fmt.Sprintf("alpha%d beta%d gamma%d\n", i, i, i))
		n.sync()
	}
	if res := n.search(memoir.Query{Text: "alpha3"}); len(res.Degraded) != 0 {
		t.Errorf("degraded %v", res.Degraded)
	}
	if stats, err := n.engine.Stats(t.Context()); err != nil || stats.Pending != 0 {
		t.Errorf("%d are pending, %v", stats.Pending, err)
	}
}

// A search that embeds changed texts measures the calibration. It leaves
// putting the store in order to an index run.
func TestSearchesDoNotSettle(t *testing.T) {
	store := &orderly{Store: memstore.New()}
	n := newNotes(t, engine.Config{Store: store, Embedder: bare{offset{&embedtest.Embedder{}}}, SyncBudget: new(time.Minute)}, "a.md", "tea\n")
	n.sync()
	n.embed()
	before := store.settled.Load()
	for i := range 40 {
		n.write(fmt.Sprintf("%02d.md", i), fmt.Sprintf("alpha%d beta%d gamma%d\n", i, i, i))
		if i%8 == 7 {
			if res := n.search(memoir.Query{Text: "tea"}); len(res.Degraded) != 0 {
				t.Errorf("degraded %v", res.Degraded)
			}
		}
	}
	if after, n := store.settled.Load(), store.calibrated.Load(); after != before || n == 0 || n > 5 {
		t.Errorf("five searches settled %d times and calibrated %d times, want 0, and 5 at most", after-before, n)
	}
	stats, err := n.engine.Stats(t.Context())
	if err != nil || stats.Pending != 0 || stats.Measured == 0 || stats.Calibration == (memoir.Calibration{}) {
		t.Errorf("got %+v, %v: want a calibration", stats, err)
	}
}

// damagedOnce is a store whose damage shows only when it is put in order.
type damagedOnce struct {
	memoir.Store
	tries atomic.Int64
}

func (d *damagedOnce) Settle(ctx context.Context, space memoir.Space, limits tune.Cache) error {
	if d.tries.Add(1) == 1 {
		return fmt.Errorf("merge the word index: %w", memoir.ErrCorrupt)
	}
	return d.Store.Settle(ctx, space, limits)
}

// TestSyncMendsWhatSettlingMeets: damage that only merging meets is mended in the same run.
func TestSyncMendsWhatSettlingMeets(t *testing.T) {
	store := &damagedOnce{Store: memstore.New()}
	n := newNotes(t, engine.Config{Store: store}, "a.md", "tea\n")
	n.sync()
	if res := n.search(memoir.Query{Text: "tea"}); len(res.Hits) != 1 || store.tries.Load() != 2 {
		t.Errorf("got %+v after settling %d times", res, store.tries.Load())
	}
}
