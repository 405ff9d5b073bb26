package memoir_test

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
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
		n := newNotes(t, memoir.Config{}, "a.md", "tea\n")
		files, err := mdfile.Open(n.dir, mdfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		source := &slow{files, 3 * time.Second}
		n.engine, err = memoir.New(memoir.Config{Store: n.store, Sources: []memoir.Source{source}, SyncBudget: time.Second})
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
		got = append(got, ask())
		source.takes = 0
		got = append(got, ask())
		want := []search{
			{3 * time.Second, 1, ""},
			{time.Second, 1, "answered before all files were compared with the index [memoir index]"},
			{0, 2, ""},
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("an empty index, a new file, and a quick comparison (-got +want):\n%s", diff)
		}
	})
}

// orderly counts what puts the store in order.
type orderly struct {
	memoir.Store
	settled, calibrated atomic.Int64
}

func (o *orderly) Settle(ctx context.Context, space memoir.Space, limits memoir.CacheLimits) error {
	o.settled.Add(1)
	return o.Store.Settle(ctx, space, limits)
}

func (o *orderly) Calibrate(ctx context.Context, space memoir.Space) error {
	o.calibrated.Add(1)
	return o.Store.Calibrate(ctx, space)
}

// A search that embeds what changed measures the calibration and leaves it to
// an index run to put the store in order.
func TestSearchesDoNotSettle(t *testing.T) {
	store := &orderly{Store: memstore.New()}
	n := newNotes(t, memoir.Config{Store: store, Embedder: bare{offset{&embedtest.Embedder{}}}, SyncBudget: time.Minute}, "a.md", "tea\n")
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
	if after := store.settled.Load(); after != before || store.calibrated.Load() != 5 {
		t.Errorf("five searches settled %d times and calibrated %d times, want 0 and 5", after-before, store.calibrated.Load())
	}
	stats, err := n.engine.Stats(t.Context())
	if err != nil || stats.Pending != 0 || stats.Measured == 0 || stats.Calibration == (memoir.Calibration{}) {
		t.Errorf("got %+v, %v: want a calibration", stats, err)
	}
}
