package sqlite_test

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/vecmath"
	"github.com/memoir-ai/memoir/store/sqlite"
	"github.com/memoir-ai/memoir/tune"
)

// clustered makes vectors as texts have them: groups about random centres,
// all with a part in common.
type clustered struct {
	*rand.Rand
	common  []float32
	centres [][]float32
}

func newClustered(seed uint64, dimensions, groups int) *clustered {
	c := &clustered{Rand: rand.New(rand.NewPCG(seed, 1))}
	c.common = c.gaussian(dimensions, 1)
	for range groups {
		c.centres = append(c.centres, c.gaussian(dimensions, .7))
	}
	return c
}

func (c *clustered) gaussian(n int, deviation float64) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(deviation * c.NormFloat64())
	}
	return v
}

func (c *clustered) vector() []float32 {
	v, centre := c.gaussian(len(c.common), .5), c.centres[c.IntN(len(c.centres))]
	var squares float64
	for i := range v {
		v[i] += c.common[i] + centre[i]
		squares += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(squares))
	}
	return v
}

// fillVectors puts so many chunks, a thousand a document, with vectors.
func fillVectors(t testing.TB, s memoir.Store, space memoir.Space, n int, vector func(i int) []float32) {
	t.Helper()
	for first := 0; first < n; first += 1000 {
		id := memoir.DocID(fmt.Sprintf("%06d.md", first/1000))
		chunks := make([]memoir.IndexedChunk, min(1000, n-first))
		vectors := map[memoir.Hash][]float32{}
		for i := range chunks {
			chunks[i].ChunkID = memoir.ChunkID{Doc: id, Ordinal: i}
			chunks[i].EmbedHashes = []memoir.Hash{memoir.HashText(fmt.Sprint("text ", first+i))}
			vectors[chunks[i].EmbedHashes[0]] = vector(first + i)
		}
		doc := memoir.IndexedDocument{DocumentMeta: memoir.DocumentMeta{ID: id}, Chunks: chunks}
		if err := s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{doc}}); err != nil {
			t.Fatal(err)
		}
		if err := s.PutVectors(t.Context(), space, vectors, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// vec0Of fills a table of sqlite-vec with the vectors of an index, each with
// the id of its chunk.
func vec0Of(t testing.TB, path string, dimensions int) *sql.DB {
	t.Helper()
	db := shell(t, path)
	db.SetMaxOpenConns(1) // temporary tables are a connection's own
	for _, q := range []string{
		fmt.Sprintf("CREATE VIRTUAL TABLE temp.oracle USING vec0 (embedding float[%d] distance_metric=cosine)", dimensions),
		"INSERT INTO temp.oracle (rowid, embedding) SELECT u.chunk, v.vector FROM uses u JOIN vectors v ON v.text = u.text",
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// vec0Nearest asks that table.
func vec0Nearest(t testing.TB, db *sql.DB, query []float32, limit int) (ids []int64, distances []float64) {
	t.Helper()
	var blob []byte
	for _, x := range query {
		blob = binary.LittleEndian.AppendUint32(blob, math.Float32bits(x))
	}
	rows, err := db.Query("SELECT rowid, distance FROM temp.oracle WHERE embedding MATCH ? AND k = ? ORDER BY distance", blob, limit)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var distance float64
		if err := rows.Scan(&id, &distance); err != nil {
			t.Fatal(err)
		}
		ids, distances = append(ids, id), append(distances, distance)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return ids, distances
}

// BenchmarkNearest searches by vectors alone, in turns with a plain read of as
// many bytes as the rows have and now and then with vec0 over the same vectors,
// and reports how many times as long they take (medians). MEMOIR_BENCH_CHUNKS
// adds a number of chunks.
func BenchmarkNearest(b *testing.B) {
	sizes := []int{6_600}
	if n, err := strconv.Atoi(os.Getenv("MEMOIR_BENCH_CHUNKS")); err == nil {
		sizes = append(sizes, n)
	}
	for _, chunks := range sizes {
		for _, dimensions := range []int{384, 768} {
			b.Run(fmt.Sprintf("chunks=%d/values=%d", chunks, dimensions), func(b *testing.B) { benchmarkNearest(b, chunks, dimensions) })
		}
	}
}

func benchmarkNearest(b *testing.B, chunks, dimensions int) {
	space := memoir.Space{Provider: "test", Model: "bench", Version: "1", Dimensions: dimensions}
	path := filepath.Join(b.TempDir(), "index.db")
	s := open(b, path)
	made := newClustered(5, dimensions, 2000)
	fillVectors(b, s, space, chunks, func(int) []float32 { return made.vector() })
	if err := s.Settle(b.Context(), space, tune.Cache{}); err != nil {
		b.Fatal(err)
	}
	query := made.vector()
	var some []memoir.ChunkID
	for i := range 200 {
		n := i * (chunks / 200)
		some = append(some, memoir.ChunkID{Doc: memoir.DocID(fmt.Sprintf("%06d.md", n/1000)), Ordinal: n % 1000})
	}
	search := func(filter memoir.Filter, limit int) {
		benchmarkSearch(b, s, space, query, filter, limit)
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			fresh, err := sqlite.Open(b.Context(), path, sqlite.Options{})
			if err != nil {
				b.Fatal(err)
			}
			benchmarkSearch(b, fresh, space, query, memoir.Filter{}, 50)
			if err := fresh.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("chunks", func(b *testing.B) {
		for b.Loop() {
			search(memoir.Filter{Chunks: some}, 200)
		}
	})
	b.Run("prefix", func(b *testing.B) {
		for b.Loop() {
			search(memoir.Filter{Prefix: "00000"}, 50)
		}
	})
	kernels, err := vecmath.Best()
	if err != nil {
		b.Fatal(err)
	}
	plain := make([]byte, chunks*dimensions)
	for i := range plain {
		plain[i] = byte(i)
	}
	vec0 := vec0Of(b, path, dimensions)
	for _, limit := range []int{50, 200} {
		b.Run(fmt.Sprint("limit=", limit), func(b *testing.B) {
			var searches, reads, vec0s []float64
			for b.Loop() {
				start := time.Now()
				search(memoir.Filter{}, limit)
				middle := time.Now()
				kernels.ReadSum(plain[:len(plain)/64*64])
				end := time.Now()
				searches, reads = append(searches, float64(middle.Sub(start))), append(reads, float64(end.Sub(middle)))
				if len(searches)%50 == 1 {
					vec0Nearest(b, vec0, query, limit)
					vec0s = append(vec0s, float64(time.Since(end)))
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(searches)/1e6, "ms")
			b.ReportMetric(median(searches)/median(reads), "x-read")
			b.ReportMetric(median(vec0s)/median(searches), "x-vec0")
		})
	}
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

func benchmarkSearch(b *testing.B, s memoir.Store, space memoir.Space, query []float32, filter memoir.Filter, limit int) {
	if err := s.View(b.Context(), func(v memoir.View) error {
		ms, err := v.SearchVector(b.Context(), space, query, filter, limit)
		if err == nil && len(ms) != limit {
			err = fmt.Errorf("%d chunks, want %d", len(ms), limit)
		}
		return err
	}); err != nil {
		b.Fatal(err)
	}
}
