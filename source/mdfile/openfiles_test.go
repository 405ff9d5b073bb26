//go:build unix

package mdfile_test

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/source/mdfile"
)

// A process that has no file to spare sees an error, not notes that are gone
// or cannot be read: a sync would take them out of the index.
func TestTooManyOpenFiles(t *testing.T) {
	dir := workspace(t, map[string]string{"a.md": "a", "b/.memoirignore": "x", "b/c/日记.md": "d"})
	s, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	refused, whole := 0, 0
	for spare := range 8 {
		scan, read := withSpare(t, spare, func() (error, error) {
			found := 0
			for e, err := range s.Scan(t.Context()) {
				if err != nil {
					return err, nil
				}
				if found++; e.Skip != "" {
					t.Errorf("with %d files to spare: %s is skipped: %s", spare, e.ID, e.Skip)
				}
			}
			if found != 2 {
				t.Errorf("with %d files to spare: %d notes, want 2 or an error", spare, found)
			}
			_, err := s.Read(t.Context(), "b/c/日记.md")
			return nil, err
		})
		for _, err := range []error{scan, read} {
			switch {
			case err == nil:
				whole++
			case !errors.Is(err, syscall.EMFILE) || memoir.Hint(err) == "":
				t.Errorf("with %d files to spare: got %v (hint %q), want it to say that too many files are open, and what to do", spare, err, memoir.Hint(err))
			default:
				refused++
			}
		}
	}
	if refused == 0 || whole == 0 {
		t.Errorf("%d refused and %d went well: the limits were not tried", refused, whole)
	}
}

// withSpare calls f while the process can open just so many files more.
func withSpare(t *testing.T, spare int, f func() (error, error)) (error, error) {
	t.Helper()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	low := before
	low.Cur = min(low.Cur, 128)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	var held []*os.File
	defer func() {
		for _, h := range held {
			h.Close()
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
			t.Error(err)
		}
	}()
	for {
		h, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		held = append(held, h)
	}
	for range min(spare, len(held)) {
		held[len(held)-1].Close()
		held = held[:len(held)-1]
	}
	return f()
}
