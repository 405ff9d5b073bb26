package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// must fails the test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// overwriteFile writes a file over another, which stays the same file.
func overwriteFile(t testing.TB, path string, data []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	must(t, err)
	_, err = f.Write(data)
	must(t, err)
	must(t, f.Close())
}

func bytesOf(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return data
}

// accidents are what can happen to an index while it is open.
var accidents = []struct {
	name   string
	happen func(t *testing.T, w *workspace, other []byte) // other: an index of other notes
}{
	{"removed", func(t *testing.T, w *workspace, _ []byte) { must(t, os.RemoveAll(filepath.Dir(w.index))) }},
	{"the file alone removed", func(t *testing.T, w *workspace, _ []byte) { must(t, os.Remove(w.index)) }},
	{"moved away", func(t *testing.T, w *workspace, _ []byte) {
		must(t, os.Rename(filepath.Dir(w.index), filepath.Dir(w.index)+" of before"))
	}},
	{"removed and made anew", func(t *testing.T, w *workspace, _ []byte) {
		must(t, os.RemoveAll(filepath.Dir(w.index)))
		e, _ := w.engine(t, 0)
		w.sync(t, e)
		shut(t, e)
	}},
	{"rebuilt", func(t *testing.T, w *workspace, _ []byte) {
		e, _ := w.engine(t, 0)
		_, err := e.Rebuild(t.Context(), nil)
		must(t, err)
		shut(t, e)
	}},
	{"emptied", func(t *testing.T, w *workspace, _ []byte) { must(t, os.Truncate(w.index, 0)) }},
	{"cut in half", func(t *testing.T, w *workspace, _ []byte) {
		must(t, os.Truncate(w.index, int64(len(bytesOf(t, w.index))/2)))
	}},
	{"cut by a byte", func(t *testing.T, w *workspace, _ []byte) {
		must(t, os.Truncate(w.index, int64(len(bytesOf(t, w.index))-1)))
	}},
	{"overwritten with text", func(t *testing.T, w *workspace, _ []byte) {
		overwriteFile(t, w.index, []byte(strings.Repeat("no database ", 10_000)))
	}},
	{"overwritten with another index", func(t *testing.T, w *workspace, other []byte) { overwriteFile(t, w.index, other) }},
	{"replaced by another index", func(t *testing.T, w *workspace, other []byte) {
		must(t, os.WriteFile(w.index+".tmp", other, 0o600))
		must(t, os.Rename(w.index+".tmp", w.index))
	}},
	{"replaced by text", func(t *testing.T, w *workspace, _ []byte) {
		must(t, os.Remove(w.index))
		must(t, os.WriteFile(w.index, []byte("# a note\n"), 0o600))
	}},
	{"replaced by nothing", func(t *testing.T, w *workspace, _ []byte) {
		must(t, os.Remove(w.index))
		must(t, os.WriteFile(w.index, nil, 0o600))
	}},
	{"all files emptied", func(t *testing.T, w *workspace, _ []byte) {
		files, err := filepath.Glob(filepath.Join(filepath.Dir(w.index), "*"))
		must(t, err)
		for _, name := range files {
			must(t, os.Truncate(name, 0))
		}
	}},
	{"shared memory emptied", func(t *testing.T, w *workspace, _ []byte) { must(t, os.Truncate(w.index+"-shm", 0)) }},
	{"shared memory removed", func(t *testing.T, w *workspace, _ []byte) { must(t, os.Remove(w.index+"-shm")) }},
	{"shared memory replaced", func(t *testing.T, w *workspace, _ []byte) {
		must(t, os.WriteFile(w.index+".tmp", bytesOf(t, w.index+"-shm"), 0o600))
		must(t, os.Rename(w.index+".tmp", w.index+"-shm"))
	}},
	{"log emptied", func(t *testing.T, w *workspace, _ []byte) { must(t, os.Truncate(w.index+"-wal", 0)) }},
	{"log removed", func(t *testing.T, w *workspace, _ []byte) { must(t, os.Remove(w.index+"-wal")) }},
	{"notes removed and back", func(t *testing.T, w *workspace, _ []byte) {
		must(t, os.Rename(w.notes, w.notes+" elsewhere"))
		t.Cleanup(func() { os.Rename(w.notes+" elsewhere", w.notes) })
	}},
}

// TestFollows does to an index, while it is open and has been searched, what
// disks and people do. The next search says so if its answer is another one, and
// those after it mend what is left.
func TestFollows(t *testing.T) {
	whole := newWorkspace(t, 6)
	other := bytesOf(t, newWorkspace(t, 3).index)
	for _, tt := range accidents {
		for _, written := range []bool{false, true} {
			name := tt.name
			if written {
				name += " after a write"
			}
			t.Run(name, func(t *testing.T) {
				w := whole.copyIndex(t)
				e, s := w.engine(t, 0)
				w.check(t, e)
				if written { // the log has something then
					putVector(t, s, "no note says this", 1, 0, 0)
				}
				tt.happen(t, w, other)
				s.Later()
				res, err := e.Search(t.Context(), w.queries[0])
				if err != nil {
					t.Errorf("the first search: %v", err)
				} else if res.Took = 0; len(res.Degraded) == 0 {
					if diff := cmp.Diff(w.want[0], res); diff != "" {
						t.Errorf("the first search gives another answer without a word (-want +got):\n%s", diff)
					}
				}
				if _, err := os.Stat(w.notes); err != nil {
					must(t, os.Rename(w.notes+" elsewhere", w.notes))
				}
				w.mended(t, e, s) // searches may say until then that the index was set aside
				w.check(t, e)

				// Another process finds the same.
				shut(t, e)
				e, s = w.engine(t, 0)
				w.mended(t, e, s)
				w.check(t, e)
				if err := s.Check(t.Context()); err != nil {
					t.Error(err)
				}
				shut(t, e)
			})
		}
	}
}

// mended asks until all answers are whole again, for ten seconds at most: each question
// reads other pages, so that damage may show with a later one, and what is mended while
// searches go on takes its time.
func (w *workspace) mended(t *testing.T, e *engine.Engine, s *sqlite.Store) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		whole := true
		for i, q := range w.queries {
			whole = cmp.Equal(w.want[i], ask(t, e, q)) && whole
		}
		if s.Later(); whole {
			return
		}
	}
}

// TestFollowsAtOnce: searches are under way while the index is removed and
// damaged; each finds all or nothing.
func TestFollowsAtOnce(t *testing.T) {
	path := sample(t)
	data := bytesOf(t, path)
	s := open(t, path)
	stop := make(chan struct{})
	done := make(chan error)
	for range 4 {
		go func() {
			for {
				select {
				case <-stop:
					done <- nil
					return
				default:
				}
				ms, err := searchText(t.Context(), s, "word")
				if err == nil && len(ms) != 0 && len(ms) != 2 {
					err = fmt.Errorf("%d matches", len(ms))
				}
				if err != nil && !errors.Is(err, memoir.ErrCorrupt) {
					done <- err
					return
				}
			}
		}()
	}
	for range 20 {
		must(t, os.Remove(path))
		s.Later()
		_, err := s.Stats(t.Context(), space)
		must(t, err)
		must(t, os.WriteFile(path+".tmp", data, 0o600))
		must(t, os.Rename(path+".tmp", path))
		s.Later()
		must(t, s.Heal(t.Context(), true))
	}
	close(stop)
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	s.Later()
	want(t, "in the end", found(t, s, "word"), []string{"a.md", "b.md"})
}

// TestFollowsForReading: so does a store that only reads.
func TestFollowsForReading(t *testing.T) {
	path := sample(t)
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{ReadOnly: true})
	must(t, err)
	defer s.Close()
	want(t, "before", found(t, s, "word"), []string{"a.md", "b.md"})
	must(t, os.Remove(path))
	s.Later()
	if _, err := searchText(t.Context(), s, "word"); err == nil || memoir.Hint(err) != "memoir index" {
		t.Errorf("without a file: %v, hint %q", err, memoir.Hint(err))
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it made an index")
	}
	must(t, os.Rename(sample(t), path))
	want(t, "after", found(t, s, "word"), []string{"a.md", "b.md"})
	overwriteFile(t, path, []byte("no index"))
	s.Later()
	if _, err := searchText(t.Context(), s, "word"); err == nil {
		t.Error("it found something in a file that is no index")
	}
	if names := setAside(t, path); len(names) > 0 {
		t.Errorf("it set %v aside", names)
	}
	if data := bytesOf(t, path); string(data) != "no index" {
		t.Errorf("it wrote %q", data)
	}
}

// TestForeignLater: a database of another program in the place of an index is
// left as it is.
func TestForeignLater(t *testing.T) {
	path := sample(t)
	s := open(t, path)
	want(t, "before", found(t, s, "word"), []string{"a.md", "b.md"})
	theirs := filepath.Join(t.TempDir(), "theirs.db")
	run(t, theirs, "CREATE TABLE precious (x)", "INSERT INTO precious VALUES (1)")
	data := bytesOf(t, theirs)
	for _, replace := range []func(){
		func() { overwriteFile(t, path, data) },
		func() { must(t, os.Rename(theirs, path)) },
	} {
		replace()
		s.Later()
		if _, err := searchText(t.Context(), s, "word"); err == nil || !strings.Contains(err.Error(), "another program") {
			t.Errorf("got %v, want a word of the other program", err)
		}
		if err := s.Clear(t.Context()); err == nil {
			t.Error("it was cleared")
		}
		if string(bytesOf(t, path)) != string(data) || len(setAside(t, path)) > 0 {
			t.Error("it was touched")
		}
	}
	must(t, os.Remove(path))
	put(t, s, "c.md", "word")
	want(t, "after", found(t, s, "word"), []string{"c.md"})
}

// BenchmarkView is what it costs to see one state of the index, to look whether
// it is damaged, and to count it.
func BenchmarkView(b *testing.B) {
	s := open(b, sample(b))
	b.Run("view", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			must(b, s.View(b.Context(), func(memoir.View) error { return nil }))
		}
	})
	b.Run("stats", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := s.Stats(b.Context(), memoir.Space{})
			must(b, err)
		}
	})
	b.Run("heal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			must(b, s.Heal(b.Context(), false))
		}
	})
}
