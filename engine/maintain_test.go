package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/giveway"
	"github.com/memoir-ai/memoir/store/memstore"
)

// paced is an embedder that remembers which documents it was given, and may let
// them wait or fail; queries are answered at once.
type paced struct {
	embedtest.Embedder
	takes time.Duration // each call

	mu    sync.Mutex // guards what follows
	texts []string
	calls []time.Time
	err   error
}

func (d *paced) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	if task == memoir.TaskQuery {
		return d.Embedder.Embed(ctx, task, texts)
	}
	d.mu.Lock()
	d.calls = append(d.calls, time.Now())
	err := d.err
	d.mu.Unlock()
	select {
	case <-time.After(d.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	giveway.From(ctx)() // as the model inside does, many times
	if err != nil {
		return nil, err
	}
	vectors, err := d.Embedder.Embed(ctx, task, texts)
	if err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.texts = append(d.texts, texts...)
	}
	return vectors, err
}

// given returns the documents that were embedded, and when it was asked.
func (d *paced) given() ([]string, []time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.texts), slices.Clone(d.calls)
}

func (d *paced) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
}

func (n *notes) maintain() {
	n.Helper()
	if err := n.engine.Maintain(time.Minute); err != nil {
		n.Fatal(err)
	}
}

func (n *notes) pending() int {
	n.Helper()
	stats, err := n.engine.Stats(n.Context())
	if err != nil {
		n.Fatal(err)
	}
	return stats.Pending
}

// TestMaintain: an index that nobody else looks after has words when the first
// search asks and all vectors later, those of the newest notes first, and follows
// the notes; searches say how far it is and wait for no vector of a note.
func TestMaintain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		embedder := &paced{takes: time.Second}
		var files []string
		for day := 1; day <= 28; day++ {
			files = append(files, fmt.Sprintf("2026-02-%02d.md", day), fmt.Sprintf("entry%d about tea\n", day))
		}
		n := newNotes(t, engine.Config{Embedder: embedder}, files...)
		n.maintain()
		start := time.Now()
		first := n.search(memoir.Query{Text: "entry7"})
		if got, want := reasons(first), "the index is still filling: 28 of 28 texts have no vector yet [ask again in a moment]"; got != want || len(first.Hits) != 1 || first.Mode != memoir.ModeText {
			t.Errorf("the first search: %d hits, %s, %q, want %q", len(first.Hits), first.Mode, got, want)
		}
		time.Sleep(1500 * time.Millisecond)
		second := n.search(memoir.Query{Text: "entry7"})
		if got, want := reasons(second), "the index is still filling: 12 of 28 texts have no vector yet [ask again in a moment]"; got != want || second.Mode != memoir.ModeHybrid {
			t.Errorf("the second: %s, %q, want %q", second.Mode, got, want)
		}
		if waited := time.Since(start); waited != 1500*time.Millisecond {
			t.Errorf("searches took %v", waited-1500*time.Millisecond)
		}
		time.Sleep(time.Minute)
		texts, _ := embedder.given()
		if len(texts) != 28 || !strings.Contains(texts[0], "entry28") || !strings.Contains(texts[27], "entry1 ") {
			t.Errorf("%d texts were embedded, %q", len(texts), texts)
		}
		if res := n.search(memoir.Query{Text: "tea"}); len(res.Degraded) > 0 {
			t.Errorf("when all is done: %v", res.Degraded)
		}

		// Nobody asks, and the notes change.
		n.write("2026-02-03.md", "another entry about coffee\n")
		time.Sleep(2 * time.Minute)
		if texts, _ := embedder.given(); len(texts) != 29 || n.pending() != 0 {
			t.Errorf("%d texts were embedded, %d are pending", len(texts), n.pending())
		}
		// A search finds the change first, and leaves the vector to the other.
		n.write("2026-02-04.md", "an entry about cocoa\n")
		asked := time.Now()
		if res := n.search(memoir.Query{Text: "cocoa"}); len(res.Hits) == 0 || res.Hits[0].Doc != "2026-02-04.md" || time.Since(asked) != 0 ||
			reasons(res) != "the index is still filling: 1 of 28 texts has no vector yet [ask again in a moment]" {
			t.Errorf("after an edit: %v, %q after %v", citations(res), reasons(res), time.Since(asked))
		}
		time.Sleep(2 * time.Second)
		if n.pending() != 0 {
			t.Error("a search that found a change does not wake it")
		}
	})
}

// TestMaintainSlight: while a process computes the last few vectors, nobody need be told;
// what has changed is found by its words.
func TestMaintainSlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var files []string
		for i := range 200 {
			files = append(files, fmt.Sprintf("n%d.md", i), fmt.Sprintf("entry%d about tea\n", i))
		}
		n := newNotes(t, engine.Config{Embedder: &paced{takes: time.Second}}, files...)
		n.maintain()
		first := n.search(memoir.Query{Text: "entry7"})
		time.Sleep(10 * time.Minute)
		for _, c := range []struct {
			changed []string
			slight  bool
		}{{[]string{"cocoa"}, true}, {[]string{"coffee", "chicory"}, false}} {
			for i, word := range c.changed {
				n.write(fmt.Sprintf("n%d.md", i), "an entry about "+word+"\n")
			}
			res := n.search(memoir.Query{Text: c.changed[0]})
			if len(res.Degraded) != 1 || res.Degraded[0].Slight != c.slight || first.Degraded[0].Slight || len(res.Hits) == 0 || res.Hits[0].Doc != "n0.md" {
				t.Errorf("%q changed: %v, %+v; the first search: %+v", c.changed, citations(res), res.Degraded, first.Degraded)
			}
			time.Sleep(10 * time.Minute)
		}
	})
}

// TestMaintainRemember: what is told has a vector soon, where nothing tells of changes.
func TestMaintainRemember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		n := newNotes(t, engine.Config{Embedder: &paced{}, Writing: engine.Writing{Dir: dir, State: t.TempDir()}})
		n.maintain()
		time.Sleep(time.Second)
		n.write("a.md", "tea\n") // as remembering does, in the folder that is read
		if _, err := n.engine.Remember(t.Context(), engine.Statement{Text: "Lena Fischer leads the billing team.", Origin: "user"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		if stats, err := n.engine.Stats(t.Context()); err != nil || stats.Texts != 1 || stats.Pending != 0 {
			t.Errorf("got %+v, %v", stats, err)
		}
	})
}

// TestMaintainGivesWay: no batch begins, and none goes on, while a search is under way,
// unless that takes very long.
func TestMaintainGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		embedder := &paced{takes: 100 * time.Millisecond}
		store := &gated{Store: memstore.New(), gate: make(chan struct{})}
		var files []string
		for i := range 160 {
			files = append(files, fmt.Sprintf("%d.md", i), fmt.Sprintf("entry%d about tea\n", i))
		}
		n := newNotes(t, engine.Config{Store: store, Embedder: embedder}, files...)
		n.maintain()
		time.Sleep(350 * time.Millisecond)
		done := make(chan struct{})
		go func() {
			defer close(done)
			n.search(memoir.Query{Text: "tea", NoSync: true})
		}()
		time.Sleep(time.Second)
		if _, calls := embedder.given(); len(calls) != 4 {
			t.Errorf("%d batches were begun, want the 4 before the search", len(calls))
		}
		if texts, _ := embedder.given(); len(texts) != 48 {
			t.Errorf("%d texts were embedded, want those of the 3 batches that ended before the search", len(texts))
		}
		time.Sleep(1100 * time.Millisecond)
		if texts, calls := embedder.given(); len(texts) != 64 || len(calls) != 4 {
			t.Errorf("after two seconds: %d texts were embedded in %d batches, want 64 in 4", len(texts), len(calls))
		}
		close(store.gate)
		<-done
		time.Sleep(time.Second)
		if n.pending() != 0 {
			t.Errorf("%d texts are pending after the search", n.pending())
		}
	})
}

// TestMaintainRetries: a provider that fails is asked again after pauses that grow,
// whatever happens meanwhile, and searches say why vectors are missing.
func TestMaintainRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		embedder := &paced{err: memoir.WithHint(errors.New("no credit is left"), "pay the bill")}
		n := newNotes(t, engine.Config{Embedder: embedder}, "a.md", "tea\n")
		n.maintain()
		for i := range 60 {
			time.Sleep(time.Minute)
			n.write("a.md", fmt.Sprintf("tea %d\n", i))
			n.search(memoir.Query{Text: "tea"})
		}
		if _, calls := embedder.given(); len(calls) < 8 || len(calls) > 12 {
			t.Errorf("asked %d times in an hour", len(calls))
		}
		if got := reasons(n.search(memoir.Query{Text: "tea"})); !strings.Contains(got, "1 of 1 text has no vector yet, and the last try to compute them failed: ") ||
			!strings.Contains(got, "no credit is left [pay the bill]") {
			t.Errorf("degraded: %q", got)
		}
		embedder.fail(nil)
		time.Sleep(11 * time.Minute)
		if got := reasons(n.search(memoir.Query{Text: "tea"})); got != "" || n.pending() != 0 {
			t.Errorf("after it was mended: %q, %d pending", got, n.pending())
		}
	})
}

// fullDisk is a store that nothing can be written to while its disk is full.
type fullDisk struct {
	*memstore.Store
	full atomic.Bool
}

func (d *fullDisk) Write(ctx context.Context, c memoir.Changes) error {
	if d.full.Load() {
		return memoir.ErrUnavailable
	}
	return d.Store.Write(ctx, c)
}

func (d *fullDisk) PutVectors(ctx context.Context, space memoir.Space, vectors map[memoir.Hash][]float32, failed []memoir.FailedText) error {
	if d.full.Load() {
		return memoir.ErrUnavailable
	}
	return d.Store.PutVectors(ctx, space, vectors, failed)
}

// TestMaintainFullDisk: however long a disk was full, vectors are stored as soon as notes
// can be written to the index again.
func TestMaintainFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := &fullDisk{Store: memstore.New()}
		n := newNotes(t, engine.Config{Store: disk, Embedder: &paced{takes: time.Second}}, "a.md", "tea\n")
		n.maintain()
		time.Sleep(time.Second / 2) // the words are there, and the vector is on its way
		disk.full.Store(true)
		for i := range 60 {
			time.Sleep(time.Minute)
			n.write("b.md", fmt.Sprintf("coffee %d\n", i))
		}
		if n.pending() != 1 {
			t.Errorf("%d texts are pending on the full disk, want that of the first note", n.pending())
		}
		disk.full.Store(false)
		n.search(memoir.Query{Text: "coffee"})
		time.Sleep(5 * time.Second)
		if n.pending() != 0 {
			t.Errorf("%d texts are pending after there was room", n.pending())
		}
	})
}

// lease is one that the test holds and asks for.
type lease struct {
	taken  chan struct{}
	wanted chan struct{} // holds one token while somebody wants it
}

func newLease() *lease { return &lease{make(chan struct{}, 1), make(chan struct{}, 1)} }

func (l *lease) Take(ctx context.Context, wait bool) (func(), bool, error) {
	if wait {
		l.taken <- struct{}{}
		return func() { <-l.taken }, true, nil
	}
	select {
	case l.taken <- struct{}{}:
		return func() { <-l.taken }, true, nil
	default:
		return nil, false, nil
	}
}

func (l *lease) Wanted() bool { return len(l.wanted) > 0 }

// TestMaintainLease: of several engines over an index, one embeds, and each
// text once. Another goes on when that one is closed. It stops for an index
// run, which wants it done now.
func TestMaintainLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var files []string
		for i := range 100 {
			files = append(files, fmt.Sprintf("%d.md", i), fmt.Sprintf("entry%d about tea\n", i))
		}
		store, l := memstore.New(), newLease()
		one, two := &paced{takes: time.Second}, &paced{takes: time.Second}
		n := newNotes(t, engine.Config{Store: kept{store}, Embedder: one, Lease: l}, files...)
		other, err := engine.New(engine.Config{Store: store, Embedder: two, Lease: l, Sources: []memoir.Source{n.source()}})
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		n.maintain()
		synctest.Wait()
		if err := other.Maintain(time.Minute); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1500 * time.Millisecond)
		l.wanted <- struct{}{}
		time.Sleep(time.Minute)
		if first, _ := one.given(); len(first) != 32 {
			t.Errorf("%d texts were embedded, want those of the batch under way too", len(first))
		}
		<-l.wanted
		time.Sleep(2500 * time.Millisecond)
		if err := n.engine.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		first, _ := one.given()
		second, _ := two.given()
		all := slices.Concat(first, second)
		slices.Sort(all)
		if len(slices.Compact(slices.Clone(all))) != 100 || len(all) != 100 || len(second) == 0 {
			t.Errorf("%d texts by the first and %d by the second, want 100 together", len(first), len(second))
		}
		stats, err := other.Stats(t.Context())
		if diff := cmp.Diff([]any{stats.Pending, err}, []any{0, nil}); diff != "" {
			t.Error(diff)
		}
	})
}

// kept is a store that stays open when one of its engines closes.
type kept struct{ memoir.Store }

func (kept) Close() error { return nil }

// TestMaintainCloses: it ends with the engine, whatever it waits for.
func TestMaintainCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, takes := range []time.Duration{0, time.Hour} {
			n := newNotes(t, engine.Config{Embedder: &paced{takes: takes}}, "a.md", "tea\n")
			n.maintain()
			time.Sleep(time.Second)
			start := time.Now()
			if err := n.engine.Close(); err != nil || time.Since(start) != 0 {
				t.Errorf("closed after %v: %v", time.Since(start), err)
			}
			if err := n.engine.Maintain(0); !errors.Is(err, memoir.ErrClosed) {
				t.Errorf("after that: %v", err)
			}
		}
	})
}
