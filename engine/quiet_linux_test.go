package engine_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// countedScans is a folder that counts how often it is listed.
type countedScans struct {
	*mdfile.Source
	scans *atomic.Int64
}

func (c countedScans) Scan(ctx context.Context) iter.Seq2[memoir.ScanEntry, error] {
	c.scans.Add(1)
	return c.Source.Scan(ctx)
}

// TestQuiet: as long as neither a note nor the index changes no note is looked at,
// and whatever changes is found by the next search.
func TestQuiet(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	index := filepath.Join(state, "main.sqlite")
	old := time.Now().Add(-time.Hour)
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, old, old); err != nil { // a young one is read again, whatever was seen
			t.Fatal(err)
		}
	}
	var scans atomic.Int64
	open := func(watch bool) *engine.Engine {
		t.Helper()
		source, err := mdfile.Open(dir, mdfile.Options{Watch: watch})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { source.Close() })
		store, err := sqlite.Open(t.Context(), index, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := engine.New(engine.Config{Store: store, Sources: []memoir.Source{countedScans{source, &scans}}, SyncBudget: new(time.Minute)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		return e
	}
	e := open(true)
	finds := func(word, path string) {
		t.Helper()
		res, err := e.Search(t.Context(), memoir.Query{Text: word, Mode: memoir.ModeText})
		if err != nil || len(res.Degraded) > 0 {
			t.Fatalf("%q: %v, %v", word, res.Degraded, err)
		}
		got := ""
		if len(res.Hits) > 0 {
			got = string(res.Hits[0].Doc)
		}
		if got != path {
			t.Errorf("%q: found %q, want %q", word, got, path)
		}
	}
	looks := func(want int64, doing string, f func()) {
		t.Helper()
		before := scans.Load()
		f()
		if got := scans.Load() - before; got != want {
			t.Errorf("%s: the folder was listed %d times, want %d", doing, got, want)
		}
	}
	write("a.md", "alpha one")
	looks(2, "the first searches", func() { finds("alpha", "a.md"); finds("alpha", "a.md") })
	looks(0, "nothing happened", func() { finds("alpha", "a.md"); finds("one", "a.md") })

	write("a.md", "alpha two") // of the same size and time
	looks(2, "an edit", func() { finds("two", "a.md"); finds("one", "") })
	looks(0, "nothing happened since", func() { finds("two", "a.md") })

	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	finds("alpha", "a.md")
	write("sub/b.md", "beta")
	finds("beta", "sub/b.md")
	if err := os.Remove(filepath.Join(dir, "a.md")); err != nil {
		t.Fatal(err)
	}
	finds("alpha", "")
	finds("beta", "sub/b.md")

	// Others may write to the index, or take it away.
	other := open(false)
	if _, err := other.Rebuild(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	finds("beta", "sub/b.md")
	finds("beta", "sub/b.md")
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(index + suffix); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	// The store sees within 20 ms that the file is gone. Every answer is right
	// meanwhile, and the notes are looked at twice, as after any change.
	for before := scans.Load(); scans.Load() < before+2; {
		finds("beta", "sub/b.md")
	}
	looks(0, "nothing happened at the end", func() { finds("beta", "sub/b.md") })
}

// slowScans is a folder whose listing takes until it is let go.
type slowScans struct {
	countedScans
	held chan struct{}
}

func (s slowScans) Scan(ctx context.Context) iter.Seq2[memoir.ScanEntry, error] {
	<-s.held
	return s.countedScans.Scan(ctx)
}

// TestQuietAfterSlowLook: a look that a search did not wait for tells the next ones
// that nothing has changed.
func TestQuietAfterSlowLook(t *testing.T) {
	dir := t.TempDir()
	path, old := filepath.Join(dir, "a.md"), time.Now().Add(-time.Hour)
	if err := errors.Join(os.WriteFile(path, []byte("Tea.\n"), 0o600), os.Chtimes(path, old, old)); err != nil {
		t.Fatal(err)
	}
	source, err := mdfile.Open(dir, mdfile.Options{Watch: true})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "main.sqlite"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var scans atomic.Int64
	slow := slowScans{countedScans{source, &scans}, make(chan struct{})}
	e, err := engine.New(engine.Config{Store: store, Sources: []memoir.Source{slow}, SyncBudget: new(time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	search := func() memoir.Results {
		t.Helper()
		res, err := e.Search(t.Context(), memoir.Query{Text: "tea"})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	go func() { slow.held <- struct{}{} }()
	if _, err := e.Sync(t.Context(), nil); err != nil { // it has the note in the index
		t.Fatal(err)
	}
	if res := search(); len(res.Degraded) == 0 { // waits for its look no longer than a millisecond
		t.Fatal("the search did not say that it answered before its look ended")
	}
	slow.held <- struct{}{}
	for len(search().Degraded) > 0 { // until the look has ended
	}
	if n := scans.Load(); n != 2 {
		t.Errorf("%d looks, want that of the sync and that of the first search", n)
	}
}
