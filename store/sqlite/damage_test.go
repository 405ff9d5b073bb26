package sqlite_test

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/notegen"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// workspace is a folder of notes with an index, which is closed.
type workspace struct {
	notes, index string
	watch        bool // its engines are told of changes
	queries      []memoir.Query
	want         []memoir.Results // by query, of the sound index
}

// never is the budget of an engine that syncs in no search.
const never = -time.Second

// newWorkspace makes notes of so many days and indexes them.
func newWorkspace(t testing.TB, days int) *workspace {
	t.Helper()
	dir := t.TempDir()
	w := &workspace{notes: filepath.Join(dir, "notes"), index: filepath.Join(dir, "state", "main.sqlite")}
	facts, err := notegen.Write(w.notes, notegen.Options{Seed: 7, Days: days})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range facts[:8] {
		q := memoir.Query{Text: f.Text, Limit: 10}
		if i%2 == 1 {
			q.Mode = memoir.ModeText
		}
		w.queries = append(w.queries, q)
	}
	e, _ := w.engine(t, 0)
	w.sync(t, e)
	for _, q := range w.queries {
		w.want = append(w.want, ask(t, e, q))
	}
	shut(t, e)
	return w
}

// engine opens an engine on the index, with so much time for a sync in a search.
func (w *workspace) engine(t testing.TB, budget time.Duration) (*engine.Engine, *sqlite.Store) {
	t.Helper()
	notes, err := mdfile.Open(w.notes, mdfile.Options{Watch: w.watch})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { notes.Close() })
	s, err := sqlite.Open(t.Context(), w.index, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	switch budget {
	case 0:
		budget = time.Minute
	case never:
		budget = 0
	}
	e, err := engine.New(engine.Config{
		Store: s, Sources: []memoir.Source{notes}, Embedder: &embedtest.Embedder{Dimensions: 384},
		SyncBudget: &budget, EmbedTimeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	return e, s
}

// sync does what memoir index does.
func (w *workspace) sync(t testing.TB, e *engine.Engine) {
	t.Helper()
	if _, err := e.Sync(t.Context(), nil); err != nil {
		t.Fatalf("Sync: %v", err)
	}
	if _, err := e.EmbedPending(t.Context(), nil); err != nil {
		t.Fatalf("EmbedPending: %v", err)
	}
}

// ask searches and leaves out of the answer how long that took.
func ask(t testing.TB, e *engine.Engine, q memoir.Query) memoir.Results {
	t.Helper()
	res, err := e.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("search %q: %v", q.Text, err)
	}
	res.Took = 0
	return res
}

func shut(t testing.TB, e *engine.Engine) {
	t.Helper()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

// check asks everything and compares with the answers of the sound index.
func (w *workspace) check(t testing.TB, e *engine.Engine) {
	t.Helper()
	for i, q := range w.queries {
		if diff := cmp.Diff(w.want[i], ask(t, e, q)); diff != "" {
			t.Errorf("%q, %s (-want +got):\n%s", q.Text, q.Mode, diff)
		}
	}
}

// copyIndex gives the workspace an index of its own to damage.
func (w *workspace) copyIndex(t testing.TB) *workspace {
	t.Helper()
	data, err := os.ReadFile(w.index)
	if err != nil {
		t.Fatal(err)
	}
	out := *w
	out.index = filepath.Join(t.TempDir(), "main.sqlite")
	if err := os.WriteFile(out.index, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return &out
}

// overwrite fills a page of the file, by chance, with random bytes.
func overwrite(t testing.TB, path string, r *rand.Rand) int64 {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	const size = 8192
	page := r.Int64N(info.Size() / size)
	noise := make([]byte, size)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	if _, err := f.WriteAt(noise, page*size); err != nil {
		t.Fatal(err)
	}
	return page + 1
}

// names returns the parts that an answer names as missing, each with a reason
// and what to do.
func names(t testing.TB, list []memoir.Degradation) []string {
	t.Helper()
	var out []string
	for _, d := range list {
		if d.Part == "" || d.Reason == "" || d.Action == "" {
			t.Errorf("%+v does not say what is missing, why and what to do", d)
		}
		out = append(out, d.Part)
	}
	return out
}

// TestDamagedPage overwrites a page of the index, 80 times. Every search is
// answered, and says what is missing if anything is; the next index mends it. A
// search that may not sync answers by the parts that are left, or says that it
// needs one.
func TestDamagedPage(t *testing.T) {
	whole := newWorkspace(t, 6)
	for _, tt := range []struct {
		name   string
		trials int
		budget time.Duration
		warm   bool // the index is open and was searched before it is damaged
	}{
		{"command", 80, 0, false},
		{"server", 80, 0, true},
		{"command that does not sync", 20, never, false},
		{"server that does not sync", 20, never, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if testing.Short() {
				tt.trials = 3
			}
			named := map[string]int{}
			for trial := range tt.trials {
				w := whole.copyIndex(t)
				r := rand.New(rand.NewPCG(uint64(trial), 21))
				var e *engine.Engine
				var s *sqlite.Store
				if tt.warm {
					e, s = w.engine(t, tt.budget)
					ask(t, e, memoir.Query{Text: "first", Mode: memoir.ModeText})
				}
				page := overwrite(t, w.index, r)
				if tt.warm {
					s.Later()
				} else {
					e, s = w.engine(t, tt.budget)
				}
				i := r.IntN(len(w.queries))
				res, err := e.Search(t.Context(), w.queries[i])
				if err != nil && (tt.budget != never || !errors.Is(err, memoir.ErrCorrupt) || memoir.Hint(err) != "memoir index") {
					t.Errorf("trial %d, page %d, %+v: %v", trial, page, w.queries[i], err)
				}
				parts := names(t, res.Degraded)
				if err != nil {
					res, parts = w.want[i], []string{"all"}
				}
				for _, p := range parts {
					named[p]++
				}
				res.Took = 0
				if len(parts) == 0 {
					if diff := cmp.Diff(w.want[i], res); diff != "" {
						t.Errorf("trial %d, page %d: another answer without a word (-want +got):\n%s", trial, page, diff)
					}
				}
				replaced := strings.Contains(fmt.Sprint(res.Degraded), "being rebuilt")
				if len(res.Hits) == 0 && !(replaced && tt.budget == never) {
					t.Errorf("trial %d, page %d: %v leaves nothing", trial, page, res.Degraded)
				}
				if len(parts) > 0 && !replaced {
					st, err := e.Status(t.Context())
					if err != nil || len(st.Degraded) == 0 {
						t.Errorf("trial %d, page %d: %v was met, and the status says %+v, %v", trial, page, res.Degraded, st.Degraded, err)
					}
				}
				w.sync(t, e)
				s.Later() // that it was set aside is told for a while
				w.check(t, e)
				if st, err := e.Status(t.Context()); err != nil || len(st.Degraded) > 0 {
					t.Errorf("trial %d, page %d: mended, and the status says %+v, %v", trial, page, st.Degraded, err)
				}
				shut(t, e)
			}
			t.Logf("missing: %v", named)
		})
	}
}

// TestDamageThatNoCheckFinds makes each table and index empty one after the other, and a
// page of the other kind of its first one. SQLite's check finds nothing there, and each
// write fails. The next index mends it.
func TestDamageThatNoCheckFinds(t *testing.T) {
	whole := newWorkspace(t, 3)
	_, s := whole.engine(t, never)
	if err := s.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	empty := 0
	for name, root := range roots(t, whole.index) {
		w := whole.copyIndex(t)
		if !otherKind(t, w.index, root) {
			continue
		}
		empty++
		t.Run(name, func(t *testing.T) {
			for try := range 2 {
				e, s := w.engine(t, never)
				_, err := e.Sync(t.Context(), nil)
				if err == nil {
					_, err = e.EmbedPending(t.Context(), nil)
				}
				if err != nil {
					shut(t, e)
					if try > 0 {
						t.Errorf("memoir index does not mend it: %v", err)
					}
					continue
				}
				s.Later() // that it was set aside is told for a while
				w.check(t, e)
				shut(t, e)
				return
			}
		})
	}
	if empty < 10 {
		t.Errorf("%d tables and indexes are empty", empty)
	}
}

// TestRowInTheWay: a row that should not be there any more keeps a document from being
// written. The same sync mends that.
func TestRowInTheWay(t *testing.T) {
	w := newWorkspace(t, 3)
	e, s := w.engine(t, never)
	w.sync(t, e)
	db, err := sql.Open("sqlite", w.index)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("INSERT INTO chunks (id, start_line, end_line, heading, text) SELECT (max(id) + 1) << 20 | 0, 1, 1, '[]', 'of an older state' FROM files"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.notes, "new.md"), []byte("The tide tables are in the blue cabinet.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Sync(t.Context(), nil); err != nil {
		t.Errorf("the sync: %v", err)
	}
	s.Later() // that it was set aside is told for a while
	if res := ask(t, e, memoir.Query{Text: "tide tables", Mode: memoir.ModeText}); len(res.Hits) == 0 || res.Hits[0].Doc != "new.md" {
		t.Errorf("the new note is not found, but %d others", len(res.Hits))
	}
	shut(t, e)
}

// roots returns the first page of each table and index, from 1.
func roots(t *testing.T, path string) map[string]int64 {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]int64{}
	for rows.Next() {
		var name string
		var page int64
		if err := rows.Scan(&name, &page); err != nil {
			t.Fatal(err)
		}
		out[name] = page
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// otherKind turns an empty leaf of a table into one of an index, or the other way
// round, and reports whether it was empty.
// See https://www.sqlite.org/fileformat2.html#b_tree_pages.
func otherKind(t *testing.T, path string, page int64) bool {
	t.Helper()
	const size, index, table = 8192, 10, 13
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	header := make([]byte, 5) // kind, first free block, cells
	if _, err := f.ReadAt(header, (page-1)*size); err != nil {
		t.Fatal(err)
	}
	if header[3] != 0 || header[4] != 0 {
		return false
	}
	if _, err := f.WriteAt([]byte{index + table - header[0]}, (page-1)*size); err != nil {
		t.Fatal(err)
	}
	return true
}

// TestDamageWhileQuiet: a server that is told of changes mends what a search has met by
// the searches that follow, though no note changes.
func TestDamageWhileQuiet(t *testing.T) {
	w := newWorkspace(t, 6)
	w.watch = true
	e, s := w.engine(t, 0)
	defer shut(t, e)
	for range 2 { // after which a look at the notes has nothing to find
		ask(t, e, w.queries[0])
	}
	run(t, w.index, "UPDATE chunks_fts_data SET block = x'00' WHERE id > 10")
	met := 0
	for range 4 { // what was replaced is told once
		s.Later()
		missing := ask(t, e, memoir.Query{Text: "what did we decide about the session store"}).Degraded
		if len(missing) == 0 && met > 0 {
			return
		}
		met += len(missing)
	}
	t.Errorf("%d times something was missing, the last time still", met)
}
