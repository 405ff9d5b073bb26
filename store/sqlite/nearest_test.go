package sqlite_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/internal/vector"
)

// exactly ranks vectors, one by one, the chunks as fillVectors puts them.
func exactly(vectors [][]float32, query []float32, limit int, in func(i int) bool) (ms []memoir.Match) {
	q, _ := vector.NewQuery(query)
	for i, v := range vectors {
		if cosine, ok := q.Cosine(v); ok && in(i) {
			ms = append(ms, memoir.Match{ChunkMeta: memoir.ChunkMeta{ChunkID: chunkAt(i)}, Score: cosine})
		}
	}
	slices.SortStableFunc(ms, func(a, b memoir.Match) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return ms[:min(limit, len(ms))]
}

func chunkAt(i int) memoir.ChunkID {
	return memoir.ChunkID{Doc: memoir.DocID(fmt.Sprintf("%06d.md", i/1000)), Ordinal: i % 1000}
}

func everything(int) bool { return true }

// wantNearest compares what a store finds with the order of exact cosines.
func wantNearest(t *testing.T, what string, got, want []memoir.Match) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d chunks, want %d", what, len(got), len(want))
	}
	for i, m := range got {
		if m.ChunkID != want[i].ChunkID || m.Score != want[i].Score {
			t.Fatalf("%s: %d is %v with %v, want %v with %v", what, i, m.ChunkID, m.Score, want[i].ChunkID, want[i].Score)
		}
	}
}

func nearest(t testing.TB, s memoir.Store, space memoir.Space, query []float32, filter memoir.Filter, limit int) (ms []memoir.Match) {
	t.Helper()
	if err := s.View(t.Context(), func(v memoir.View) (err error) {
		ms, err = v.SearchVector(t.Context(), space, query, filter, limit)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return ms
}

// kinds of vectors, of n dimensions.
func vectorKinds(n int) map[string]func() []float32 {
	r := rand.New(rand.NewPCG(21, 1))
	groups := newClustered(22, n, 40)
	same := groups.vector()
	return map[string]func() []float32{
		"gaussian":  func() []float32 { return groups.gaussian(n, 1) },
		"clustered": groups.vector,
		// Few values matter, so that errors of rounding have a direction.
		"sparse": func() []float32 {
			v := make([]float32, n)
			v[0] = 100
			for range 3 {
				v[r.IntN(n)] = float32(r.NormFloat64() * .3)
			}
			return v
		},
		"equal": func() []float32 {
			if r.IntN(3) == 0 {
				return groups.vector()
			}
			return same
		},
		"lengths": func() []float32 { return groups.gaussian(n, math.Pow(10, r.Float64()*60-30)) },
		"corners": func() []float32 {
			v := make([]float32, n)
			for i := range v {
				v[i] = float32(2*r.IntN(2) - 1)
			}
			return v
		},
	}
}

// TestNearestExact: the rows of 8 bits never show. What is found, its order and
// its scores are those of measuring every vector.
func TestNearestExact(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	const chunks = 1500
	for _, dimensions := range []int{3, 100} {
		for name, vector := range vectorKinds(dimensions) {
			t.Run(fmt.Sprint(name, dimensions), func(t *testing.T) {
				space := memoir.Space{Provider: "test", Model: name, Version: "1", Dimensions: dimensions}
				s := open(t, filepath.Join(t.TempDir(), "index.db"))
				var vectors [][]float32
				fillVectors(t, s, space, chunks, func(int) []float32 {
					vectors = append(vectors, vector())
					return vectors[len(vectors)-1]
				})
				for range 2 {
					query := vector()
					for _, limit := range []int{1, 10, 150} {
						wantNearest(t, "all", nearest(t, s, space, query, memoir.Filter{}, limit), exactly(vectors, query, limit, everything))
					}
					filter := memoir.Filter{Prefix: "000001"}
					in := func(i int) bool { return i/1000 == 1 }
					wantNearest(t, "prefix", nearest(t, s, space, query, filter, 20), exactly(vectors, query, 20, in))
					filter = memoir.Filter{}
					for i := 0; i < chunks; i += 7 {
						filter.Chunks = append(filter.Chunks, chunkAt(i))
					}
					in = func(i int) bool { return i%7 == 0 }
					wantNearest(t, "chunks", nearest(t, s, space, query, filter, 20), exactly(vectors, query, 20, in))
				}
			})
		}
	}
}

// TestNearestAgain: a view that was asked before answers as a fresh one, about
// another query and another space too.
func TestNearestAgain(t *testing.T) {
	space := memoir.Space{Provider: "test", Model: "m", Version: "1", Dimensions: 32}
	s := open(t, filepath.Join(t.TempDir(), "index.db"))
	groups := newClustered(41, space.Dimensions, 30)
	var vectors [][]float32
	fillVectors(t, s, space, 1500, func(int) []float32 {
		vectors = append(vectors, groups.vector())
		return vectors[len(vectors)-1]
	})
	other := space
	other.Version = "2"
	var some []memoir.ChunkID
	for i := 0; i < 1500; i += 5 {
		some = append(some, chunkAt(i))
	}
	fifth := func(i int) bool { return i%5 == 0 }
	if err := s.View(t.Context(), func(v memoir.View) error {
		for range 3 {
			for _, query := range [][]float32{groups.vector(), groups.vector()} {
				for _, limit := range []int{5, 40, 400, 10} {
					got, err := v.SearchVector(t.Context(), space, query, memoir.Filter{}, limit)
					if err != nil {
						return err
					}
					wantNearest(t, "all", got, exactly(vectors, query, limit, everything))
					if got, err = v.SearchVector(t.Context(), space, query, memoir.Filter{Chunks: some}, limit); err != nil {
						return err
					}
					wantNearest(t, "chunks", got, exactly(vectors, query, limit, fifth))
					if got, err = v.SearchVector(t.Context(), other, query, memoir.Filter{}, limit); err != nil || len(got) != 0 {
						return fmt.Errorf("%d chunks in a space without vectors, %v", len(got), err)
					}
				}
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestNearestOracle: sqlite-vec finds the same in the same vectors.
func TestNearestOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	space := memoir.Space{Provider: "test", Model: "m", Version: "1", Dimensions: 96}
	path := filepath.Join(t.TempDir(), "index.db")
	s := open(t, path)
	groups := newClustered(31, space.Dimensions, 30)
	fillVectors(t, s, space, 3000, func(int) []float32 { return groups.vector() })
	oracle := vec0Of(t, path, space.Dimensions)
	for range 20 {
		query := groups.vector()
		got := nearest(t, s, space, query, memoir.Filter{}, 50)
		ids, distances := vec0Nearest(t, oracle, query, 50)
		for i, m := range got {
			if d := 1 - m.Score; math.Abs(d-distances[i]) > 2e-5 {
				t.Fatalf("%d: distance %v, want %v", i, d, distances[i])
			}
			apart := i == 0 || distances[i]-distances[i-1] > 4e-5
			apart = apart && (i == len(got)-1 || distances[i+1]-distances[i] > 4e-5)
			if n := int(ids[i]>>20-1)*1000 + int(ids[i]&(1<<20-1)); apart && m.ChunkID != chunkAt(n) {
				t.Errorf("%d is %v, want %v", i, m.ChunkID, chunkAt(n))
			}
		}
	}
}
