package sqlite_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/sqlite"
	"github.com/memoir-ai/memoir/tune"
)

var rowsSpace = memoir.Space{Provider: "test", Model: "rows", Version: "1", Dimensions: 24}

// rowsIndex makes an index of n chunks with vectors, settled, and closes it.
func rowsIndex(t testing.TB, n int, seed uint64) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "main.sqlite")
	s := open(t, path).ScanAll()
	fillRows(t, s, 0, n, seed)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// fillRows puts n more documents of one chunk with vectors and settles.
func fillRows(t testing.TB, s memoir.Store, first, n int, seed uint64) {
	t.Helper()
	vectors, docs := map[memoir.Hash][]float32{}, make([]memoir.IndexedDocument, n)
	made := newClustered(seed, rowsSpace.Dimensions, 10)
	for i := range n {
		id := memoir.DocID(fmt.Sprintf("%06d.md", first+i))
		h := memoir.HashText(fmt.Sprint(seed, first+i))
		vectors[h] = made.vector()
		docs[i] = memoir.IndexedDocument{DocumentMeta: memoir.DocumentMeta{ID: id, Kind: memoir.KindNote},
			Chunks: []memoir.IndexedChunk{{Chunk: memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: id}}}, EmbedHashes: []memoir.Hash{h}}}}
	}
	if err := s.Write(t.Context(), memoir.Changes{Put: docs}); err != nil {
		t.Fatal(err)
	}
	if err := s.PutVectors(t.Context(), rowsSpace, vectors, nil); err != nil {
		t.Fatal(err)
	}
	settleRows(t, s)
}

func settleRows(t testing.TB, s memoir.Store) {
	t.Helper()
	if err := s.Settle(t.Context(), rowsSpace, tune.Cache{}); err != nil {
		t.Fatal(err)
	}
}

// findsAll compares what a store finds by rows with what it finds by measuring
// every vector, which a limit above their number makes it do.
func findsAll(t testing.TB, what string, s *sqlite.Store) {
	t.Helper()
	exact := open(t, s.Path())
	defer exact.Close()
	for seed := range uint64(5) {
		query := newClustered(seed, rowsSpace.Dimensions, 1).vector()
		want := nearest(t, exact, rowsSpace, query, memoir.Filter{}, 1<<20)
		got := nearest(t, s, rowsSpace, query, memoir.Filter{}, 12)
		if len(got) != min(12, len(want)) || len(want) < 12 {
			t.Fatalf("%s: %d chunks of %d", what, len(got), len(want))
		}
		for i, m := range got {
			if m.ChunkID != want[i].ChunkID || m.Score != want[i].Score {
				t.Fatalf("%s: %d is %v with %v, want %v with %v", what, i, m.ChunkID, m.Score, want[i].ChunkID, want[i].Score)
			}
		}
	}
}

// rowsFiles returns the names and sizes of the files of rows beside an index.
func rowsFiles(t testing.TB, path string) map[string]int64 {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]int64{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.Contains(e.Name(), ".vectors-") {
			files[e.Name()] = info.Size()
		}
	}
	return files
}

const rowsName = "main.sqlite.vectors-1"

func TestRowsFile(t *testing.T) {
	path := rowsIndex(t, 300, 1)
	size := rowsFiles(t, path)[rowsName]
	if size < 300*(64+20) || size > 300*(64+20)+256 {
		t.Fatalf("files %v, want 300 rows of 84 bytes", rowsFiles(t, path))
	}
	s := open(t, path).ScanAll()
	total, err := s.Size()
	info, err2 := os.Stat(path)
	if err != nil || err2 != nil || total < info.Size()+size {
		t.Errorf("size %d, %v; want that of both files, %d and %d", total, err, info.Size(), size)
	}
	findsAll(t, "opened", s)

	fillRows(t, s, 300, 30, 2)
	if got := rowsFiles(t, path)[rowsName]; got != size {
		t.Errorf("30 more: %d bytes, want them left in the table", got)
	}
	findsAll(t, "30 more", s)
	findsAll(t, "30 more, opened anew", open(t, path).ScanAll())
	fillRows(t, s, 330, 300, 3)
	if got := rowsFiles(t, path)[rowsName]; got < 630*84 || got > 630*84+512 {
		t.Errorf("300 more: %d bytes, want them appended", got)
	}
	findsAll(t, "300 more", s)
	findsAll(t, "300 more, opened anew", open(t, path).ScanAll())
	if files := rowsFiles(t, path); len(files) != 1 {
		t.Errorf("files: %v, want one", files)
	}
}

// TestSmallIndex has no file beside it.
func TestSmallIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "main.sqlite")
	s := open(t, path)
	fillRows(t, s, 0, 200, 1)
	findsAll(t, "small", s)
	if files := rowsFiles(t, path); len(files) != 0 {
		t.Errorf("files: %v, want none", files)
	}
}

// TestRowsDamaged: whatever is in the place of the file, the answer is right,
// and the file sound afterwards.
func TestRowsDamaged(t *testing.T) {
	path := rowsIndex(t, 120, 4)
	rows := filepath.Join(filepath.Dir(path), rowsName)
	sound, err := os.ReadFile(rows)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(filepath.Join(filepath.Dir(rowsIndex(t, 120, 5)), rowsName))
	if err != nil {
		t.Fatal(err)
	}
	damages := map[string][]byte{"empty": {}, "of another index": other, "zeros": make([]byte, len(sound)), "text": []byte("a note\n")}
	for size := 1; size < len(sound); size += 997 {
		damages[fmt.Sprint("cut to ", size)] = sound[:size]
	}
	for at := 0; at < len(sound); at += 701 {
		flipped := slices.Clone(sound)
		flipped[at] ^= 0x10
		damages[fmt.Sprint("flipped at ", at)] = flipped
	}
	for what, content := range damages {
		if err := os.WriteFile(rows, content, 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, path).ScanAll()
		findsAll(t, what, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(rows); err != nil || !slices.Equal(got, sound) {
			t.Errorf("%s: the file was not made anew, %v", what, err)
		}
	}
}

// TestRowsNotKept: where there can be no file, rows are made in memory, and it is said.
func TestRowsNotKept(t *testing.T) {
	path := rowsIndex(t, 120, 4)
	rows := filepath.Join(filepath.Dir(path), rowsName)
	if err := os.Remove(rows); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(rows, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := open(t, path).ScanAll()
	findsAll(t, "a folder in its place", s)
	if d := s.Degradations(); len(d) != 1 || d[0].Part != "index" {
		t.Errorf("Degradations: %+v, want that rows cannot be kept", d)
	}
	fillRows(t, s, 120, 100, 6)
	findsAll(t, "more", s)
	if err := os.RemoveAll(rows); err != nil {
		t.Fatal(err)
	}
	settleRows(t, s)
	fillRows(t, s, 220, 100, 7)
	findsAll(t, "out of the way", s)
	if d := s.Degradations(); d != nil || len(rowsFiles(t, path)) != 1 {
		t.Errorf("%+v, files %v; want one file and nothing missing", d, rowsFiles(t, path))
	}
}

// TestRowsLeftovers: what a killed writer left behind goes when the file is
// written again; what may still be written stays, and so does what is not ours.
func TestRowsLeftovers(t *testing.T) {
	path := rowsIndex(t, 120, 4)
	dir := filepath.Dir(path)
	old := time.Now().Add(-2 * time.Hour)
	names := []string{"." + rowsName + ".0123abcd.new", "." + rowsName + ".4567abcd.new", ".note.new", "." + rowsName + ".txt"}
	for i, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if i != 1 {
			if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Remove(filepath.Join(dir, rowsName)); err != nil {
		t.Fatal(err)
	}
	findsAll(t, "without the file", open(t, path).ScanAll())
	for i, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != (i > 0) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRowsReadOnly: a reader alone uses the file, makes what it lacks in memory
// and writes nothing.
func TestRowsReadOnly(t *testing.T) {
	path := rowsIndex(t, 120, 4)
	writer := open(t, path).ScanAll()
	for _, remove := range []bool{false, true} {
		if remove {
			if err := os.Remove(filepath.Join(filepath.Dir(path), rowsName)); err != nil {
				t.Fatal(err)
			}
		}
		before := rowsFiles(t, path)
		s, err := sqlite.Open(t.Context(), path, sqlite.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		s.ScanAll()
		for range 3 {
			findsAll(t, "read-only", s)
			if !remove {
				fillRows(t, writer, 200, 20, rand.Uint64())
			}
		}
		if d := s.Degradations(); d != nil {
			t.Errorf("Degradations: %+v", d)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		want(t, "files", rowsFiles(t, path), before)
	}
}

// TestRowsOfAnEarlierDay: the index comes back from a copy while the file
// beside it stays, and what is embedded then gets the ids of what is lost.
func TestRowsOfAnEarlierDay(t *testing.T) {
	path := rowsIndex(t, 200, 1)
	early, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	later := func(seed uint64, n int) {
		s := open(t, path).ScanAll()
		fillRows(t, s, 200, n, seed)
		findsAll(t, "later", s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	restore := func() {
		if err := os.WriteFile(path, early, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	later(2, 150)
	restore()
	s := open(t, path).ScanAll()
	findsAll(t, "restored", s)
	s.Close()
	later(3, 150)
	for _, n := range []int{100, 150, 250} {
		rows, err := os.ReadFile(filepath.Join(filepath.Dir(path), rowsName))
		if err != nil {
			t.Fatal(err)
		}
		restore()
		if err := os.Remove(filepath.Join(filepath.Dir(path), rowsName)); err != nil {
			t.Fatal(err)
		}
		later(uint64(10+n), n)
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), rowsName), rows, 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, path).ScanAll()
		findsAll(t, fmt.Sprint("restored and grown by ", n), s)
		s.Close()
	}
}

// TestRowsTwoStores: two stores on one index write and search in turns.
func TestRowsTwoStores(t *testing.T) {
	path := rowsIndex(t, 100, 1)
	stores := []*sqlite.Store{open(t, path).ScanAll(), open(t, path).ScanAll()}
	r := rand.New(rand.NewPCG(3, 3))
	for i := range 16 {
		fillRows(t, stores[r.IntN(2)], r.IntN(400), 20+r.IntN(150), uint64(i+2))
		for _, s := range stores {
			findsAll(t, fmt.Sprint("round ", i), s)
		}
	}
	findsAll(t, "in the end", open(t, path).ScanAll())
	if d := stores[0].Degradations(); d != nil {
		t.Errorf("Degradations: %+v", d)
	}
}

// TestRowsAtOnce: searches go on while another goroutine writes.
func TestRowsAtOnce(t *testing.T) {
	s := open(t, rowsIndex(t, 100, 1)).ScanAll()
	done := make(chan error)
	stop := make(chan struct{})
	for range 3 {
		go func() {
			query := newClustered(9, rowsSpace.Dimensions, 1).vector()
			for {
				select {
				case <-stop:
					done <- nil
					return
				default:
				}
				if err := s.View(t.Context(), func(v memoir.View) error {
					ms, err := v.SearchVector(t.Context(), rowsSpace, query, memoir.Filter{}, 10)
					// Documents are there before their vectors.
					if err == nil && (len(ms) > 10 || !slices.IsSortedFunc(ms, func(a, b memoir.Match) int { return cmp.Compare(b.Score, a.Score) })) {
						err = fmt.Errorf("%d chunks in disorder, want 10", len(ms))
					}
					return err
				}); err != nil {
					done <- err
					return
				}
			}
		}()
	}
	for i := range 15 {
		fillRows(t, s, 100*(i%3), 100, uint64(i+2))
	}
	close(stop)
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	findsAll(t, "in the end", s)
}

// TestRowsOfGoneVectors: deleted and replaced vectors are not found, and when
// there are many the file drops their rows.
func TestRowsOfGoneVectors(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	path := rowsIndex(t, 2000, 1)
	s := open(t, path).ScanAll()
	size := rowsFiles(t, path)[rowsName]
	for i := range 30 {
		if err := s.Write(t.Context(), memoir.Changes{Delete: []memoir.DocID{memoir.DocID(fmt.Sprintf("%06d.md", 7*i))}}); err != nil {
			t.Fatal(err)
		}
	}
	findsAll(t, "deleted", s)
	// Most vectors are replaced: of the rows before nothing is left to find.
	vectors, made := map[memoir.Hash][]float32{}, newClustered(5, rowsSpace.Dimensions, 10)
	for i := 30; i < 2000; i++ {
		vectors[memoir.HashText(fmt.Sprint(1, i))] = made.vector()
	}
	if err := s.PutVectors(t.Context(), rowsSpace, vectors, nil); err != nil {
		t.Fatal(err)
	}
	findsAll(t, "replaced", s)
	if got := rowsFiles(t, path)[rowsName]; got < 2*size*9/10 {
		t.Errorf("%d bytes, want the new rows appended to %d", got, size)
	}
	settleRows(t, s)
	if got := rowsFiles(t, path)[rowsName]; got > size+512 {
		t.Errorf("%d bytes after settling, want about %d", got, size)
	}
	findsAll(t, "settled", s)
	findsAll(t, "opened anew", open(t, path).ScanAll())

	// Vectors that no chunk uses are trimmed, and their texts may come back.
	if err := s.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(t.Context(), rowsSpace, tune.Cache{MaxEntries: 10}); err != nil {
		t.Fatal(err)
	}
	fillRows(t, s, 0, 500, 1)
	findsAll(t, "cleared and filled", s)
	findsAll(t, "cleared and filled, opened anew", open(t, path).ScanAll())
}

// TestRowsPurged: what is purged has no row any more, neither in the file nor in what a killed
// process left of one. A store that has the file open goes on.
func TestRowsPurged(t *testing.T) {
	path := rowsIndex(t, 300, 1)
	s, other := open(t, path).ScanAll(), open(t, path).ScanAll()
	findsAll(t, "before", s)
	findsAll(t, "before, the other", other)
	size := rowsFiles(t, path)[rowsName]
	must(t, os.WriteFile(filepath.Join(filepath.Dir(path), "."+rowsName+".1.new"), []byte("left"), 0o600))
	must(t, s.Write(t.Context(), memoir.Changes{Delete: []memoir.DocID{"000007.md"}}))
	must(t, s.Purge(t.Context()))
	for name, now := range rowsFiles(t, path) {
		if name != rowsName || now >= size {
			t.Errorf("%s has %d bytes, want less than %d", name, now, size)
		}
	}
	findsAll(t, "purged", s)
	findsAll(t, "purged, the other", other)
	findsAll(t, "purged, opened anew", open(t, path).ScanAll())
	settleRows(t, s)
	if now := rowsFiles(t, path)[rowsName]; now == 0 || now >= size {
		t.Errorf("settled: %d bytes, want less than %d", now, size)
	}
}

// TestRowsOfGoneVectorsAgain: a view that is asked for more looks behind the rows that
// are gone, of which it has seen more than a first look takes.
func TestRowsOfGoneVectorsAgain(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "main.sqlite")).ScanAll()
	random := rand.New(rand.NewPCG(8, 9))
	query := make([]float32, rowsSpace.Dimensions)
	query[0] = 1
	at := func(angle float64) []float32 {
		v := make([]float32, rowsSpace.Dimensions)
		length := 0.
		for i := 1; i < len(v); i++ {
			v[i] = float32(random.NormFloat64())
			length += float64(v[i] * v[i])
		}
		for i := range v {
			v[i] *= float32(math.Sin(angle) / math.Sqrt(length))
		}
		v[0] = float32(math.Cos(angle))
		return v
	}
	put := func(first, n int, angle float64) {
		t.Helper()
		vectors := map[memoir.Hash][]float32{}
		for i := range n {
			vectors[memoir.HashText(fmt.Sprint(1, first+i))] = at(angle)
		}
		if err := s.PutVectors(t.Context(), rowsSpace, vectors, nil); err != nil {
			t.Fatal(err)
		}
	}
	fillRows(t, s, 0, 6130, 1)
	for _, band := range []struct {
		first, n int
		angle    float64
	}{{0, 2000, .1}, {2000, 4000, 1}, {0, 6000, 2}, {6000, 30, .5}, {6030, 100, 1.4}} { // the first two are replaced
		put(band.first, band.n, band.angle)
	}
	want := nearest(t, open(t, s.Path()), rowsSpace, query, memoir.Filter{}, 1<<20)
	if err := s.View(t.Context(), func(v memoir.View) error {
		for _, limit := range []int{12, 60, 200} {
			got, err := v.SearchVector(t.Context(), rowsSpace, query, memoir.Filter{}, limit)
			if err != nil {
				return err
			}
			if !slices.EqualFunc(got, want[:limit], func(a, b memoir.Match) bool { return a.ChunkID == b.ChunkID && a.Score == b.Score }) {
				t.Errorf("limit %d: %d chunks that are not the nearest", limit, len(got))
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestRowsOfSpaces: a model that takes over removes the file of the one before;
// an index that is set aside removes all.
func TestRowsOfSpaces(t *testing.T) {
	path := rowsIndex(t, 100, 1)
	s := open(t, path).ScanAll()
	findsAll(t, "before", s)
	next := rowsSpace
	next.Version, next.Dimensions = "2", 32
	vectors, made := map[memoir.Hash][]float32{}, newClustered(6, 32, 3)
	for i := range 100 {
		vectors[memoir.HashText(fmt.Sprint(1, i))] = made.vector()
	}
	if err := s.PutVectors(t.Context(), next, vectors, nil); err != nil {
		t.Fatal(err)
	}
	findsAll(t, "beside another", s)
	if err := s.PutSpace(t.Context(), next, memoir.SpaceFacts{TakesOver: true}); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(t.Context(), next, tune.Cache{}); err != nil {
		t.Fatal(err)
	}
	if files := rowsFiles(t, path); len(files) != 1 || files[rowsName] != 0 {
		t.Errorf("files %v, want the new space's", files)
	}
	if got := nearest(t, s, next, made.vector(), memoir.Filter{}, 5); len(got) != 5 {
		t.Errorf("%d chunks in the new space, want 5", len(got))
	}
	if got := nearest(t, s, rowsSpace, make([]float32, 24), memoir.Filter{}, 5); len(got) != 0 {
		t.Errorf("%d chunks in the old space, want none", len(got))
	}
	// The first model comes back, and with it the number of its space.
	fillRows(t, s, 0, 100, 8)
	findsAll(t, "back", s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, path)
	if files := rowsFiles(t, path); len(files) != 0 {
		t.Errorf("files %v, want none after the index was set aside", files)
	}
}

// TestRowsKilled kills a process that appends, at random moments.
func TestRowsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	if path := os.Getenv("MEMOIR_TEST_ROWS_VICTIM"); path != "" {
		s := open(t, path).ScanAll()
		for i := 0; ; i++ {
			fillRows(t, s, 100*(i%20), 100, uint64(i))
			fmt.Printf("step %d\n", i)
		}
	}
	r := rand.New(rand.NewPCG(9, 10))
	for range 6 {
		path := rowsIndex(t, 100, 99)
		kill(t, "MEMOIR_TEST_ROWS_VICTIM", path, r.IntN(8))
		s := open(t, path).ScanAll()
		findsAll(t, "killed", s)
		fillRows(t, s, 50, 100, 77)
		findsAll(t, "going on", s)
	}
}

// TestRowsCutShort: the file of rows is cut short while it is mapped.
func TestRowsCutShort(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the file is not mapped there")
	}
	path := rowsIndex(t, 3000, 1)
	s := open(t, path).ScanAll()
	findsAll(t, "before", s)
	for _, size := range []int64{5000, 0} {
		for name := range rowsFiles(t, path) {
			must(t, os.Truncate(filepath.Join(filepath.Dir(path), filepath.Base(name)), size))
		}
		findsAll(t, "cut short", s)
	}
	want(t, "degraded", s.Degradations(), nil)
}
