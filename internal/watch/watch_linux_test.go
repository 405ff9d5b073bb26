package watch_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir/internal/watch"
)

// watched returns a watcher of a folder, which it makes.
func watched(t *testing.T) (*watch.Watcher, string) {
	t.Helper()
	dir := t.TempDir()
	w := watch.New()
	if err := w.Blind(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	add(t, w, dir)
	return w, dir
}

func add(t *testing.T, w *watch.Watcher, dir string) {
	t.Helper()
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w.Add(f)
}

func count(t *testing.T, w *watch.Watcher) uint64 {
	t.Helper()
	n, ok := w.Count()
	if !ok {
		t.Fatal("it cannot tell")
	}
	return n
}

// TestEveryChange: whatever happens in a folder is counted when the call that did
// it returns, and nothing else is.
func TestEveryChange(t *testing.T) {
	w, dir := watched(t)
	elsewhere := t.TempDir()
	must := func(errs ...error) {
		t.Helper()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	note := filepath.Join(dir, "a.md")
	for _, tt := range []struct {
		name string
		do   func()
	}{
		{"a file", func() { must(os.WriteFile(note, []byte("a"), 0o600)) }},
		{"written in place", func() {
			f, err := os.OpenFile(note, os.O_WRONLY, 0)
			must(err)
			_, err = f.Write([]byte("b"))
			must(err, f.Close())
		}},
		{"cut short", func() { must(os.Truncate(note, 0)) }},
		{"another mode", func() { must(os.Chmod(note, 0o400)) }},
		{"renamed", func() { must(os.Rename(note, filepath.Join(dir, "b.md"))) }},
		{"moved away", func() { must(os.Rename(filepath.Join(dir, "b.md"), filepath.Join(elsewhere, "b.md"))) }},
		{"moved here", func() { must(os.Rename(filepath.Join(elsewhere, "b.md"), note)) }},
		{"removed", func() { must(os.Remove(note)) }},
		{"a folder", func() { must(os.Mkdir(filepath.Join(dir, "sub"), 0o700)) }},
		{"the folder itself moved", func() {
			must(os.Rename(dir, dir+"-moved"))
			t.Cleanup(func() { os.RemoveAll(dir + "-moved") })
		}},
	} {
		before := count(t, w)
		if again := count(t, w); again != before {
			t.Errorf("before %s: %d became %d, and nothing happened", tt.name, before, again)
		}
		tt.do()
		if after := count(t, w); after == before {
			t.Errorf("%s: not counted", tt.name)
		}
	}
}

func TestReadingIsNoChange(t *testing.T) {
	w, dir := watched(t)
	note := filepath.Join(dir, "a.md")
	if err := os.WriteFile(note, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := count(t, w)
	if _, err := os.ReadFile(note); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadDir(dir); err != nil {
		t.Fatal(err)
	}
	if after := count(t, w); after != before {
		t.Errorf("reading is counted: %d, then %d", before, after)
	}
}

// TestOverflow: more than the queue holds is a change, and not the end.
func TestOverflow(t *testing.T) {
	w, dir := watched(t)
	before := count(t, w)
	for range 10_000 { // the queue holds 16,384 events by default, and each makes three
		if err := os.WriteFile(filepath.Join(dir, "a.md"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, "a.md")); err != nil {
			t.Fatal(err)
		}
	}
	after := count(t, w)
	if after == before {
		t.Error("nothing is counted")
	}
	if err := os.WriteFile(filepath.Join(dir, "b.md"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if count(t, w) == after {
		t.Error("nothing is counted after the overflow")
	}
}

// TestCannotTell: what cannot be watched is said.
func TestCannotTell(t *testing.T) {
	t.Run("a file system of the kernel", func(t *testing.T) {
		w, _ := watched(t)
		add(t, w, "/proc/self")
		if n, ok := w.Count(); ok || w.Blind() == nil {
			t.Errorf("it counts %d, blind: %v", n, w.Blind())
		}
		if w.Wait(t.Context(), 0) {
			t.Error("something has happened")
		}
	})
	t.Run("closed", func(t *testing.T) {
		w, _ := watched(t)
		w.Close()
		w.Close()
		if n, ok := w.Count(); ok {
			t.Errorf("it counts %d", n)
		}
	})
	t.Run("none", func(t *testing.T) {
		var w *watch.Watcher
		add(t, w, t.TempDir())
		if n, ok := w.Count(); ok || w.Blind() == nil || w.Wait(t.Context(), 0) {
			t.Errorf("it counts %d", n)
		}
		w.Close()
	})
}

// TestWait: a wait ends when something happens, also when that was before it or
// somebody else has counted it, and when nobody waits any more.
func TestWait(t *testing.T) {
	w, dir := watched(t)
	before := count(t, w)
	waits := func(ctx context.Context) chan bool {
		done := make(chan bool, 1)
		go func() { done <- w.Wait(ctx, before) }()
		return done
	}
	called, cancel := context.WithCancel(t.Context())
	off := waits(called)
	on := waits(t.Context())
	cancel()
	if <-off {
		t.Error("a wait that was called off says that something happened")
	}
	select {
	case <-on:
		t.Error("a wait has ended with another")
	default:
	}
	if err := os.WriteFile(filepath.Join(dir, "a.md"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	count(t, w)
	if !<-on || !<-waits(t.Context()) {
		t.Error("nothing has happened")
	}
	before = count(t, w)
	closed := waits(t.Context())
	w.Close()
	if <-closed {
		t.Error("a closed watcher says that something happened")
	}
}
