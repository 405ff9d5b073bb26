package rowfile_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/vecmath"
	"github.com/memoir-ai/memoir/store/internal/rowfile"
	"github.com/memoir-ai/memoir/store/internal/vector"
)

var key = rowfile.Key{Stamp: [16]byte{1, 2, 3}, Dimensions: 40}

// vectorOf returns the vector of an id, the same every time.
func vectorOf(id int64) []float32 {
	r := rand.New(rand.NewPCG(uint64(id), 5))
	v := make([]float32, key.Dimensions)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// add adds the vectors of ids up to and with last; the text of each is 1000 more.
func add(first, last int64) func(b *rowfile.Builder) error {
	return func(b *rowfile.Builder) error {
		for id := first; id <= last; id++ {
			if err := b.Add(id, id+1000, vectorOf(id)); err != nil {
				return err
			}
		}
		return nil
	}
}

func extend(t testing.TB, s *rowfile.Set, through int64) *rowfile.Set {
	t.Helper()
	out, err := s.Extend(through, add(s.Through()+1, through))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// blocks returns a file of blocks that end with those ids.
func blocks(t testing.TB, ends ...int64) (data []byte, boundaries []int) {
	t.Helper()
	from := int64(0)
	for _, end := range ends {
		b := rowfile.NewBuilder(key, from, func(block []byte) error {
			data = append(data, block...)
			return nil
		})
		if err := errors.Join(add(from+1, end)(b), b.Close(end)); err != nil {
			t.Fatal(err)
		}
		from = end
		boundaries = append(boundaries, len(data))
	}
	return data, boundaries
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, path string, whole bool) *rowfile.Set {
	t.Helper()
	s, err := rowfile.Open(path, key, whole)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// ids returns the ids of all rows, as a search finds them; their texts are right.
func ids(t testing.TB, s *rowfile.Set) map[int64]int {
	t.Helper()
	q, ok := s.NewQuery(vecmath.Available()[0], vectorOf(1))
	if !ok {
		t.Fatal("no query")
	}
	found := map[int64]int{}
	for _, c := range s.Best(q, math.MaxInt, -2, func(int64) bool { return true }) {
		found[c.ID]++
		if c.Text != c.ID+1000 {
			t.Errorf("text of %d is %d", c.ID, c.Text)
		}
	}
	return found
}

func through(last int64) map[int64]int {
	all := map[int64]int{}
	for id := int64(1); id <= last; id++ {
		all[id] = 1
	}
	return all
}

func wantRows(t testing.TB, what string, s *rowfile.Set, last int64) {
	t.Helper()
	if diff := cmp.Diff(ids(t, s), through(last)); diff != "" || s.Through() != last || s.Rows() != int(last) {
		t.Errorf("%s: %d rows through %d, want %d (-got +want):\n%s", what, s.Rows(), s.Through(), last, diff)
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "行")
	if _, err := rowfile.Open(path, key, false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of no file: %v", err)
	}
	data, _ := blocks(t, 7, 8, 20)
	write(t, path, data)
	for _, whole := range []bool{false, true} {
		s := open(t, path, whole)
		wantRows(t, fmt.Sprint("whole ", whole), s, 20)
		if s.Torn() || s.Unfiled() != 0 || s.InMemory() != 0 {
			t.Errorf("torn %v, %d rows in no file, %d in memory", s.Torn(), s.Unfiled(), s.InMemory())
		}
		if _, err := rowfile.Open(filepath.Dir(path), key, whole); err == nil {
			t.Error("Open of a folder: no error")
		}
		other := key
		other.Stamp[0]++
		for _, k := range []rowfile.Key{other, {Stamp: key.Stamp, Dimensions: 41}} {
			s, err := rowfile.Open(path, k, whole)
			if err != nil || s.Rows() != 0 || !s.Torn() {
				t.Errorf("a file of another index: %v", err)
				continue
			}
			s.Close()
		}
	}
}

// TestTorn cuts a file at every length and turns over a bit of every byte.
func TestTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows")
	ends := []int64{3, 5, 9}
	data, boundaries := blocks(t, ends...)
	sound := func(size int) (last int64) {
		for i, b := range boundaries {
			if b <= size {
				last = ends[i]
			}
		}
		return last
	}
	for size := range len(data) + 1 {
		write(t, path, data[:size])
		s := open(t, path, true)
		last := sound(size)
		if s.Through() != last || s.Rows() != int(last) || s.Torn() != (size > 0 && size != boundaries[0] && size != boundaries[1] && size != boundaries[2]) {
			t.Fatalf("%d bytes: through %d, torn %v; want %d", size, s.Through(), s.Torn(), last)
		}
	}
	for i := range data {
		damaged := append([]byte(nil), data...)
		damaged[i] ^= 1 << (i % 8)
		write(t, path, damaged)
		s := open(t, path, true)
		if last := sound(i); s.Through() != last || s.Rows() != int(last) || !s.Torn() {
			t.Fatalf("byte %d: through %d, torn %v; want %d and torn", i, s.Through(), s.Torn(), last)
		}
	}
}

func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows")
	data, _ := blocks(t, 5)
	write(t, path, data)
	a, b := open(t, path, false), open(t, path, false)
	a, b = extend(t, a, 9), extend(t, b, 12)
	if a.Unfiled() != 4 {
		t.Errorf("%d rows are in no file, want 4", a.Unfiled())
	}
	if err := a.Append(path); err != nil {
		t.Fatal(err)
	}
	if a.Unfiled() != 0 || a.InMemory() != 4 {
		t.Errorf("%d rows are in no file, %d in memory; want 0 and 4", a.Unfiled(), a.InMemory())
	}
	if err := b.Append(path); err == nil {
		t.Error("appended to a file that has changed")
	}
	wantRows(t, "appended", open(t, path, false), 9)
	wantRows(t, "not appended", b, 12)
	a = extend(t, a, 15)
	if err := a.Append(path); err != nil {
		t.Fatal(err)
	}
	wantRows(t, "appended twice", open(t, path, false), 15)
	wantRows(t, "in the end", a, 15)

	os.Remove(path)
	if err := extend(t, a, 16).Append(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Append to a file that is gone: %v", err)
	}
	write(t, path, data[:len(data)-1])
	if err := extend(t, open(t, path, false), 6).Append(path); err == nil {
		t.Error("appended to a torn file")
	}
}

// TestOverlap: two processes appended behind the same block at the same moment.
func TestOverlap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows")
	all, at := blocks(t, 5, 9)
	for _, end := range []int64{7, 9, 12} {
		second, cut := blocks(t, 5, end)
		write(t, path, append(append([]byte(nil), all...), second[cut[0]:]...))
		s := open(t, path, false)
		wantRows(t, fmt.Sprint("second through ", end), s, max(9, end))
		if s.Torn() {
			t.Error("torn")
		}
	}
	write(t, path, all[at[0]:]) // what comes before is missing
	if s := open(t, path, false); s.Rows() != 0 || !s.Torn() {
		t.Errorf("%d rows, torn %v; want none and torn", s.Rows(), s.Torn())
	}
}

// TestExtend: rows that come one by one are as good as those that came at once,
// and a set is not changed by what is made from it.
func TestExtend(t *testing.T) {
	s := rowfile.NewSet(key)
	wantRows(t, "empty", s, 0)
	for id := int64(1); id <= 700; id++ {
		before := s
		s = extend(t, s, id)
		if id%100 == 0 {
			wantRows(t, "before", before, id-1)
			wantRows(t, "after", s, id)
		}
	}
	big := extend(t, rowfile.NewSet(key), 20_000) // several blocks
	if big.Rows() != 20_000 || big.Through() != 20_000 {
		t.Errorf("%d rows through %d, want 20000", big.Rows(), big.Through())
	}
	// A vector of zeros is passed over, and so are ids without vectors.
	z, err := s.Extend(900, func(b *rowfile.Builder) error { return b.Add(800, 1800, make([]float32, key.Dimensions)) })
	if err != nil || z.Rows() != 700 || z.Through() != 900 {
		t.Errorf("%d rows through %d, %v; want 700 through 900", z.Rows(), z.Through(), err)
	}
	failed := errors.New("no more")
	if _, err := s.Extend(900, func(*rowfile.Builder) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("got %v, want the error of the caller", err)
	}
}

func TestSample(t *testing.T) {
	s := extend(t, rowfile.NewSet(key), 10_000)
	rows := s.Sample(16)
	if len(rows) != 16 || rows[0].ID != 1 || rows[15].ID != 10_000 {
		t.Fatalf("%d rows, from %d to %d", len(rows), rows[0].ID, rows[len(rows)-1].ID)
	}
	for _, r := range rows {
		v := vectorOf(r.ID)
		if !r.Is(v) {
			t.Errorf("row %d is not of its vector", r.ID)
		}
		v[3] += .1
		if r.Is(v) || r.Is(vectorOf(r.ID+1)) || r.Is(v[1:]) || r.Is(make([]float32, key.Dimensions)) {
			t.Errorf("row %d is of another vector", r.ID)
		}
	}
	for _, n := range []int64{0, 1, 5} {
		if got := extend(t, rowfile.NewSet(key), n).Sample(16); len(got) != int(n) {
			t.Errorf("%d rows of %d", len(got), n)
		}
	}
}

// TestMargin: no score is farther from the cosine than what is sure, whatever
// the vectors and the processor.
func TestMargin(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for name, value := range map[string]func(i int) float64{
		"gaussian": func(int) float64 { return r.NormFloat64() },
		"corners":  func(int) float64 { return float64(2*r.IntN(2) - 1) },
		"outlier":  func(i int) float64 { return r.NormFloat64() + 300*float64(max(0, 1-i)) },
		"tiny":     func(int) float64 { return r.NormFloat64() * 1e-36 },
		"huge":     func(int) float64 { return r.NormFloat64() * 1e37 },
		"sparse":   func(int) float64 { return r.NormFloat64() * math.Floor(1.1*r.Float64()) },
	} {
		for _, n := range []int{1, 3, 64, 384} {
			key := rowfile.Key{Dimensions: n}
			vectors := make([][]float32, 600)
			for i := range vectors {
				vectors[i] = make([]float32, n)
				for j := range vectors[i] {
					vectors[i][j] = float32(value(j))
				}
			}
			s, err := rowfile.NewSet(key).Extend(int64(len(vectors)), func(b *rowfile.Builder) error {
				for i, v := range vectors {
					if err := b.Add(int64(i+1), int64(i+1), v); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, kernels := range vecmath.Available() {
				exact, ok := vector.NewQuery(vectors[0])
				q, ok2 := s.NewQuery(kernels, vectors[0])
				if ok != ok2 {
					t.Fatalf("%s: a query is %v, and %v", name, ok2, ok)
				}
				if !ok {
					continue
				}
				sure, likely := s.Margin(q)
				if likely > sure {
					t.Errorf("%s %d: likely %v is above sure %v", name, n, likely, sure)
				}
				for _, c := range s.Best(q, math.MaxInt, float32(math.Inf(-1)), func(int64) bool { return true }) {
					cosine, _ := exact.Cosine(vectors[c.ID-1])
					if d := math.Abs(cosine - float64(c.Score)); d > sure {
						t.Fatalf("%s %d: score %v of cosine %v is off by more than %v", name, n, c.Score, cosine, sure)
					}
				}
			}
		}
	}
}

// TestBest: the best of all are the head of all in order, with a floor and a
// condition too.
func TestBest(t *testing.T) {
	s := extend(t, rowfile.NewSet(key), 9000)
	q, _ := s.NewQuery(vecmath.Available()[0], vectorOf(3))
	even := func(text int64) bool { return text%2 == 0 }
	all := s.Best(q, math.MaxInt, -2, even)
	if len(all) != 4500 {
		t.Fatalf("%d rows, want 4500", len(all))
	}
	for i, c := range all[1:] {
		if p := all[i]; c.Score > p.Score || c.Score == p.Score && c.ID <= p.ID {
			t.Fatalf("%v stands behind %v", c, p)
		}
	}
	for _, n := range []int{1, 2, 50, 4499, 4500, 4501} {
		if diff := cmp.Diff(s.Best(q, n, -2, even), all[:min(n, len(all))]); diff != "" {
			t.Errorf("best %d (-got +want):\n%s", n, diff)
		}
	}
	floor := all[70].Score
	if got := s.Best(q, math.MaxInt, floor, even); len(got) < 71 || got[len(got)-1].Score < floor {
		t.Errorf("%d rows down to %v", len(got), floor)
	}
	if got := s.Best(q, 5, 2, even); len(got) != 0 {
		t.Errorf("%d rows above every score", len(got))
	}
}

// FuzzOpen reads anything as a file, also with checksums that hold.
func FuzzOpen(f *testing.F) {
	data, at := blocks(f, 3, 5)
	f.Add(data, false)
	f.Add(data[:at[0]], true)
	f.Add(data[at[0]:], true)
	f.Add([]byte{}, true)
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal && len(data) >= 64 {
			data = append([]byte(nil), data...)
			table := crc32.MakeTable(crc32.Castagnoli)
			rows := int(binary.LittleEndian.Uint32(data[28:]) % 16)
			size := min(len(data), (64+rows*(64+20)+63)/64*64)
			binary.LittleEndian.PutUint32(data[52:], crc32.Checksum(data[64:size], table))
			binary.LittleEndian.PutUint32(data[60:], crc32.Checksum(data[:60], table))
		}
		path := filepath.Join(t.TempDir(), "rows")
		write(t, path, data)
		s, err := rowfile.Open(path, key, true)
		if err != nil {
			t.Fatal(err)
		}
		q, _ := s.NewQuery(vecmath.Available()[0], vectorOf(1))
		if n := len(s.Best(q, math.MaxInt, float32(math.Inf(-1)), func(int64) bool { return true })); n > s.Rows() {
			t.Errorf("%d rows of %d", n, s.Rows())
		}
		if n := len(s.Sample(16)); n > s.Rows() {
			t.Errorf("a sample of %d rows of %d", n, s.Rows())
		}
		sure, likely := s.Margin(q)
		if !(likely >= 0 && sure >= likely && sure < 3) {
			t.Errorf("margins %v and %v", sure, likely)
		}
	})
}
