package notebook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memoir-ai/memoir/internal/regular"
)

// sameFolder returns a notebook of the same folder, as another process has it.
func sameFolder(t *testing.T, n *Notebook) *Notebook {
	t.Helper()
	other, err := Open(n.root, n.dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// awaitLine waits until so many wait in the line before the lock.
func awaitLine(t *testing.T, n *Notebook, want int) {
	t.Helper()
	info, err := os.Stat(filepath.Join(n.dir, "notes.line"))
	if err != nil {
		t.Fatal(err)
	}
	file := fmt.Sprintf(":%d ", info.Sys().(*syscall.Stat_t).Ino)
	for t.Context().Err() == nil {
		locks, err := os.ReadFile("/proc/locks")
		if err != nil {
			t.Skip(err)
		}
		waiting := 0
		for line := range strings.Lines(string(locks)) {
			if strings.Contains(line, "->") && strings.Contains(line, file) {
				waiting++
			}
		}
		if waiting == want {
			return
		}
		runtime.Gosched()
	}
}

// TestLockInLine: processes get the lock in the order in which they came. One that had it
// and wants it again is the last, also when nobody has it this moment.
func TestLockInLine(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "a\n"})
	unlock, err := n.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const waiting = 8
	got := make(chan string, waiting+1)
	for i := range waiting {
		other := sameFolder(t, n)
		go func() {
			_, err := other.Do(context.Background(), "test", "why", func(d *Draft) error {
				got <- fmt.Sprint(i)
				return nil
			})
			if err != nil {
				got <- err.Error()
			}
		}()
		awaitLine(t, n, i+1)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	do(t, n, func(d *Draft) error {
		got <- "again"
		return d.Append("a.md", "b\n")
	})
	var order, want []string
	for i := range waiting {
		order, want = append(order, <-got), append(want, fmt.Sprint(i))
	}
	order, want = append(order, <-got), append(want, "again")
	if !slices.Equal(order, want) {
		t.Errorf("got %v, want %v", order, want)
	}
}

// TestLockStopped: one in the line that does not go on keeps nobody away for ever, neither
// the next one nor those after it.
func TestLockStopped(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "a\n"})
	do(t, n, func(d *Draft) error { return d.Append("a.md", "a\n") })
	stopped, err := takePlace(t.Context(), filepath.Join(n.dir, "notes.line"), n.patience)
	if err != nil || stopped == nil {
		t.Fatal(stopped, err)
	}
	n.patience = time.Millisecond
	do(t, n, func(d *Draft) error { return d.Append("a.md", "b\n") })
	n.patience = time.Hour
	do(t, n, func(d *Draft) error { return d.Append("a.md", "c\n") })
	if err := stopped.leave(); err != nil {
		t.Error(err)
	}
	if got := notes(t, n)["a.md"]; got != "a\na\nb\nc\n" {
		t.Errorf("got %q", got)
	}
}

// TestNumberKept: one that keeps the number of the line, because it was stopped just then,
// keeps nobody away for ever, and whoever gives up meanwhile is told at once.
func TestNumberKept(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "a\n"})
	do(t, n, func(d *Draft) error { return d.Append("a.md", "b\n") })
	f, err := os.OpenFile(filepath.Join(n.dir, "notes.line"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stopped := &place{file: f}
	if err := stopped.lock(unix.F_OFD_SETLK, unix.F_WRLCK, 0, lineNumber); err != nil {
		t.Fatal(err)
	}
	n.patience = time.Millisecond
	do(t, n, func(d *Draft) error { return d.Append("a.md", "c\n") })
	n.patience = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := n.Do(ctx, "test", "why", func(d *Draft) error { return d.Append("a.md", "d\n") }); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := notes(t, n)["a.md"]; !strings.HasPrefix(got, "a\nb\nc\n") {
		t.Errorf("got %q", got)
	}
}

// TestLineDamaged: whatever stands in the file of the line, the lock is had; but a link
// is not followed.
func TestLineDamaged(t *testing.T) {
	for _, damaged := range []string{"", "x", "\xff\xff\xff\xff\xff\xff\xff\xff", "\xff\xff\xff\xff\xff\xff\xff\x7f", strings.Repeat("line\n", 100)} {
		n := openNotes(t, map[string]string{"a.md": "a\n"})
		do(t, n, func(d *Draft) error { return d.Append("a.md", "b\n") })
		line := filepath.Join(n.dir, "notes.line")
		if err := os.WriteFile(line, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		n.patience = time.Hour
		do(t, n, func(d *Draft) error { return d.Append("a.md", "c\n") })
		do(t, n, func(d *Draft) error { return d.Append("a.md", "d\n") })
		if err := os.Remove(line); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(t.TempDir(), "elsewhere"), line); err != nil {
			t.Fatal(err)
		}
		_, err := n.Do(t.Context(), "test", "why", func(d *Draft) error { return d.Append("a.md", "e\n") })
		if !errors.Is(err, regular.ErrKind) {
			t.Errorf("a link: got %v, want %v", err, regular.ErrKind)
		}
		if got := notes(t, n)["a.md"]; got != "a\nb\nc\nd\n" {
			t.Errorf("%q: got %q", damaged, got)
		}
	}
}

// TestLockEnded: a call that waits for the lock ends with its context, however many
// wait, and none of them keeps the lock that it gets too late.
func TestLockEnded(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "a\n"})
	other := sameFolder(t, n)
	unlock, err := n.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	const waiting = 3
	ended := make(chan error, waiting)
	for range waiting {
		go func() {
			_, err := other.Do(ctx, "test", "why", func(d *Draft) error { return d.Append("a.md", "b\n") })
			ended <- err
		}()
	}
	awaitLine(t, n, 1)
	cancel()
	for range waiting {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	do(t, other, func(d *Draft) error { return d.Append("a.md", "c\n") })
	do(t, n, func(d *Draft) error { return d.Append("a.md", "d\n") })
	if got := notes(t, n)["a.md"]; got != "a\nc\nd\n" {
		t.Errorf("got %q", got)
	}
}

// TestLockRemoved: who waits for the lock of a folder of which the file is removed, as
// with the folder, gets that of the file that is made in its place, or none.
func TestLockRemoved(t *testing.T) {
	for _, folder := range []bool{false, true} {
		n := openNotes(t, map[string]string{"a.md": "a\n"})
		unlock, err := n.lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		type held struct {
			unlock func() error
			err    error
		}
		got := make(chan held, 1)
		other := sameFolder(t, n)
		go func() {
			unlock, err := other.lock(context.Background())
			got <- held{unlock, err}
		}()
		awaitLine(t, n, 1)
		gone := filepath.Join(n.dir, "notes.lock")
		if folder {
			gone = n.dir
		}
		if err := os.RemoveAll(gone); err != nil {
			t.Fatal(err)
		}
		if err := unlock(); err != nil {
			t.Fatal(err)
		}
		last := <-got
		if folder {
			if !errors.Is(last.err, os.ErrNotExist) {
				t.Fatalf("without the folder: got %v, want %v", last.err, os.ErrNotExist)
			}
			do(t, other, func(d *Draft) error { return d.Append("a.md", "b\n") })
			continue
		}
		if last.err != nil {
			t.Fatal(last.err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := sameFolder(t, n).lock(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("two have the lock: %v", err)
		}
		if err := last.unlock(); err != nil {
			t.Error(err)
		}
	}
}

// TestLockHeld: a change that has waited for long is told once for whom it waits.
func TestLockHeld(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "a\n"})
	unlock, err := n.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan int, 8)
	other, err := Open(n.root, n.dir, Options{Held: func(pid int) { told <- pid }})
	if err != nil {
		t.Fatal(err)
	}
	other.patience = time.Millisecond
	done := make(chan error, 1)
	go func() {
		_, err := other.Do(context.Background(), "test", "why", func(d *Draft) error { return d.Append("a.md", "b\n") })
		done <- err
	}()
	if pid := <-told; pid != os.Getpid() {
		t.Errorf("it waits for process %d, and not for %d", pid, os.Getpid())
	}
	if err := errors.Join(unlock(), <-done); err != nil {
		t.Fatal(err)
	}
	if len(told) > 0 {
		t.Error("it was told twice")
	}
	if got := notes(t, n)["a.md"]; got != "a\nb\n" {
		t.Errorf("got %q", got)
	}
}
