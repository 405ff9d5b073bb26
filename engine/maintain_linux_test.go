package engine_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

// told is a log that hands out its messages.
type told chan string

func (told) Enabled(context.Context, slog.Level) bool { return true }
func (t told) Handle(_ context.Context, r slog.Record) error {
	t <- r.Message
	return nil
}
func (t told) WithAttrs([]slog.Attr) slog.Handler { return t }
func (t told) WithGroup(string) slog.Handler      { return t }

// TestMaintainBurst: what the system tells of changes is looked at without a search,
// many changes together are one more look or two, and nothing is looked at when nothing happens.
func TestMaintainBurst(t *testing.T) {
	dir := t.TempDir()
	source, err := mdfile.Open(dir, mdfile.Options{Watch: true})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	if err := os.WriteFile(filepath.Join(dir, "first.md"), []byte("tea\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var scans atomic.Int64
	log := make(told, 1000)
	e, err := engine.New(engine.Config{Store: memstore.New(), Sources: []memoir.Source{countedScans{source, &scans}}, Embedder: &embedtest.Embedder{}, Logger: slog.New(log)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Maintain(time.Nanosecond); err != nil { // it would look all the time if it had to
		t.Fatal(err)
	}
	filled := func(texts int) {
		t.Helper()
		for {
			select {
			case <-log:
			case <-time.After(time.Minute):
				t.Fatal("nothing happens")
			}
			if stats, err := e.Stats(t.Context()); err != nil {
				t.Fatal(err)
			} else if stats.Texts == texts && stats.Pending == 0 {
				return
			}
		}
	}
	filled(1)
	before := scans.Load()
	for i := range 300 {
		path := filepath.Join(dir, fmt.Sprintf("new%d", i%7), fmt.Sprintf("%d.md", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, fmt.Appendf(nil, "entry%d\n", i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	filled(301)
	if looks := scans.Load() - before; looks > 3 {
		t.Errorf("300 new notes were %d looks", looks)
	}
}

// busyFolder is a folder in which somebody writes while it is looked at the first time.
type busyFolder struct {
	countedScans
	during func()
}

func (b *busyFolder) Scan(ctx context.Context) iter.Seq2[memoir.ScanEntry, error] {
	return func(yield func(memoir.ScanEntry, error) bool) {
		for e, err := range b.countedScans.Scan(ctx) {
			if !yield(e, err) {
				return
			}
		}
		if b.during != nil {
			b.during()
			b.during = nil
		}
	}
}

// TestMaintainBurstInSync: 2,000 notes that change while a sync is under way are one
// more look, and no search is needed for it.
func TestMaintainBurstInSync(t *testing.T) {
	const burst = 2000
	dir := t.TempDir()
	for i := range 20 {
		if err := os.Mkdir(filepath.Join(dir, fmt.Sprint(i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "first.md"), []byte("tea\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	source, err := mdfile.Open(dir, mdfile.Options{Watch: true})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	var scans atomic.Int64
	folder := &busyFolder{countedScans: countedScans{source, &scans}, during: func() {
		for i := range burst {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i%20), fmt.Sprintf("%d.md", i)), fmt.Appendf(nil, "entry%d\n", i), 0o600); err != nil {
				t.Error(err)
			}
		}
	}}
	indexed := make(chan int, 2*burst)
	e, err := engine.New(engine.Config{Store: memstore.New(), Sources: []memoir.Source{folder}, Changed: func(ids, _ []memoir.DocID) { indexed <- len(ids) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Maintain(time.Nanosecond); err != nil { // it would look all the time if it had to
		t.Fatal(err)
	}
	for n := 0; n < burst+1; {
		select {
		case more := <-indexed:
			n += more
		case <-time.After(5 * time.Minute):
			t.Fatalf("%d notes are indexed, and nothing happens", n)
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if got := scans.Load(); got != 2 {
		t.Errorf("there were %d looks, want the first and one more", got)
	}
}
