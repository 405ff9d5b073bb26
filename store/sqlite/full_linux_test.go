package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/mounttest"
)

// onSmallDisk runs the test again in a process of its own, in which a folder is a
// disk of 8 MB, and returns that folder there. Elsewhere it returns "".
func onSmallDisk(t *testing.T) string {
	t.Helper()
	if !mounttest.Own(t) {
		return ""
	}
	return mounttest.Disk(t, "8m")
}

// fill leaves so much room on a disk; the file that it makes is to be removed.
func fill(t *testing.T, dir string, room int) string {
	t.Helper()
	var st syscall.Statfs_t
	must(t, syscall.Statfs(dir, &st))
	name := filepath.Join(dir, "filler")
	must(t, os.WriteFile(name, make([]byte, int(st.Bavail)*int(st.Bsize)-room), 0o600))
	return name
}

// isFull checks that an error says which disk is full and what to do.
func isFull(t *testing.T, err error, dir string) {
	t.Helper()
	if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "full") ||
		!strings.Contains(memoir.Hint(err), "make room") {
		t.Errorf("got %v, hint %q; want which disk is full, and to make room there", err, memoir.Hint(err))
	}
}

// lacks checks that something says that part is missing, for a reason.
func lacks(t *testing.T, what string, list []memoir.Degradation, part, reason string) {
	t.Helper()
	names(t, list)
	for _, d := range list {
		if d.Part == part && strings.Contains(d.Reason, reason) {
			return
		}
	}
	t.Errorf("%s: %+v, want %s: …%s…", what, list, part, reason)
}

// TestFullDisk: an index that stopped on a full disk says so, answers from what
// there is, and goes on by itself when there is room.
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	dir := onSmallDisk(t)
	if dir == "" {
		return
	}
	w := newWorkspace(t, 6)
	for _, tt := range []struct {
		name string
		room int // for the index
		warm bool
	}{
		{"no room", 0, false},
		{"room for its beginning", 400 << 10, false},
		{"room for its beginning, a server", 400 << 10, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := *w
			w.index = filepath.Join(dir, "state", "main.sqlite")
			state := filepath.Dir(w.index)
			must(t, os.RemoveAll(state))
			must(t, os.Mkdir(state, 0o700))
			e, s := w.engine(t, 0)
			filler := fill(t, dir, tt.room)
			_, err := e.Sync(t.Context(), nil)
			isFull(t, err, state)
			if !tt.warm {
				shut(t, e)
				e, s = w.engine(t, 0)
			}
			st, err := e.Status(t.Context())
			must(t, err)
			lacks(t, "status", st.Degraded, "sync", "not indexed yet")
			lacks(t, "search", ask(t, e, w.queries[0]).Degraded, "sync", "full")
			if err := s.Check(t.Context()); err != nil {
				t.Errorf("Check: %v", err)
			}

			must(t, os.Remove(filler))
			if !tt.warm {
				shut(t, e)
				e, s = w.engine(t, 0)
			}
			w.check(t, e)
			must(t, s.Check(t.Context()))
			shut(t, e)
		})
	}
}

// TestFullDiskOfWords: where the vectors found no room, words answer.
func TestFullDiskOfWords(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	dir := onSmallDisk(t)
	if dir == "" {
		return
	}
	w := newWorkspace(t, 6)
	w.index = filepath.Join(dir, "state", "main.sqlite")
	must(t, os.Mkdir(filepath.Dir(w.index), 0o700))
	e, s := w.engine(t, 0)
	filler := fill(t, dir, 1<<20)
	_, err := e.Sync(t.Context(), nil)
	must(t, err)
	_, err = e.EmbedPending(t.Context(), nil)
	isFull(t, err, filepath.Dir(w.index))
	res := ask(t, e, w.queries[0])
	lacks(t, "search", res.Degraded, "vectors", "no vector yet")
	if len(res.Hits) == 0 {
		t.Error("nothing was found")
	}
	must(t, os.Remove(filler))
	w.sync(t, e)
	s.Later()
	ask(t, e, w.queries[0])
	w.check(t, e)
	shut(t, e)
}

// TestOpenedOnFullDisk: an index that is whole answers as ever, and takes in
// notes as soon as there is room.
func TestOpenedOnFullDisk(t *testing.T) {
	dir := onSmallDisk(t)
	if dir == "" {
		return
	}
	w := newWorkspace(t, 6)
	before := w.index
	w.index = filepath.Join(dir, "main.sqlite")
	must(t, os.WriteFile(w.index, bytesOf(t, before), 0o600))
	filler := fill(t, dir, 0)
	e, s := w.engine(t, 0)
	if got := ask(t, e, w.queries[0]); len(got.Hits) != len(w.want[0].Hits) {
		t.Errorf("got %+v, want the hits of before", got)
	}
	must(t, os.WriteFile(filepath.Join(w.notes, "new.md"), []byte("# Zanzibar\n\nA new note.\n"), 0o600))
	query := memoir.Query{Text: "Zanzibar", Mode: memoir.ModeText}
	res := ask(t, e, query)
	lacks(t, "search", res.Degraded, "sync", "full")
	if len(res.Hits) > 0 {
		t.Errorf("got %+v", res.Hits)
	}
	must(t, os.Remove(filler))
	s.Later()
	res = ask(t, e, query)
	if len(res.Hits) != 1 || len(res.Degraded) > 0 {
		t.Errorf("with room: got %+v, %+v", res.Hits, res.Degraded)
	}
	must(t, os.Remove(filepath.Join(w.notes, "new.md")))
	ask(t, e, w.queries[0])
	s.Later()
	w.check(t, e)
	shut(t, e)
}
