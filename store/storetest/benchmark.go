package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
)

// benchmarkSpace has the size of a small model's vectors.
var benchmarkSpace = memoir.Space{Provider: "test", Model: "bench", Version: "1", Dimensions: 384}

// Benchmark measures a store: putting documents of ten chunks, and searching
// 2,000 and 20,000 chunks of 120 words whose frequencies follow Zipf's law;
// MEMOIR_BENCH_CHUNKS adds another size, a multiple of 10.
// Open returns an empty store, which the suite closes.
func Benchmark(b *testing.B, open func(b *testing.B) memoir.Store) {
	b.Run("Put", func(b *testing.B) { benchmarkPut(b, open(b), false) })
	b.Run("Replace", func(b *testing.B) { benchmarkPut(b, open(b), true) })
	sizes := []int{2_000, 20_000}
	if n, err := strconv.Atoi(os.Getenv("MEMOIR_BENCH_CHUNKS")); err == nil {
		sizes = append(sizes, n)
	}
	for _, chunks := range sizes {
		b.Run(fmt.Sprintf("%dk", chunks/1000), func(b *testing.B) {
			s := open(b)
			defer s.Close()
			fill(b, s, chunks)
			benchmarkSearch(b, s, chunks)
		})
	}
}

func benchmarkPut(b *testing.B, s memoir.Store, same bool) {
	defer s.Close()
	g := newGenerator()
	docs := make([][]memoir.IndexedChunk, 64)
	for i := range docs {
		docs[i] = g.document(g.id(i))
	}
	i := 0
	for b.Loop() {
		id, list := g.id(i), docs[i%len(docs)]
		if same {
			id = g.id(0)
		}
		for j := range list {
			list[j].Doc = id
		}
		if err := s.Write(b.Context(), memoir.Changes{Put: []memoir.IndexedDocument{document(note(id), list)}}); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(float64(10*i)/b.Elapsed().Seconds(), "chunks/s")
}

func benchmarkSearch(b *testing.B, s memoir.Store, chunks int) {
	queries := []struct {
		name  string
		terms []memoir.Term
	}{
		{"rare", terms("w3000", "w4000")},
		{"question", terms("w1", "w20", "w150", "w600", "w2000", "w5000")},
		{"frequent", terms("w0", "w1", "w2")},
	}
	for _, q := range queries {
		b.Run("text/"+q.name, func(b *testing.B) {
			query := slices.Clone(q.terms)
			for b.Loop() {
				query[0].Weight += 1e-9 // no two queries are the same
				benchmarkView(b, s, func(v memoir.View) (int, error) {
					ms, err := memoir.SearchText(b.Context(), v, query, memoir.Filter{}, 50)
					return len(ms), err
				})
			}
		})
	}
	v := newGenerator().vector()
	for _, f := range []struct {
		name   string
		filter memoir.Filter
	}{
		{"all", memoir.Filter{}},
		{"prefix", memoir.Filter{Prefix: "00001"}},
		{"must", memoir.Filter{Phrases: []memoir.Phrase{{Terms: []string{"w10"}}}}},
		{"minus", memoir.Filter{Without: []memoir.Filter{{Phrases: []memoir.Phrase{{Terms: []string{"w500"}}}}}}},
	} {
		b.Run("vector/"+f.name, func(b *testing.B) {
			for b.Loop() {
				benchmarkView(b, s, func(view memoir.View) (int, error) {
					ms, err := view.SearchVector(b.Context(), benchmarkSpace, v, f.filter, 50)
					return len(ms), err
				})
			}
		})
	}
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			benchmarkView(b, s, func(v memoir.View) (int, error) {
				ps, err := v.List(b.Context(), memoir.Filter{}, 50)
				return len(ps), err
			})
		}
	})
	b.Run("stats", func(b *testing.B) {
		for b.Loop() {
			if st, err := s.Stats(b.Context(), benchmarkSpace); err != nil || st.Chunks != chunks || st.Pending != 0 {
				b.Fatalf("%+v, %v; want %d chunks", st, err, chunks)
			}
		}
	})
}

// benchmarkView asks for 50 chunks, and gets some.
func benchmarkView(b *testing.B, s memoir.Store, ask func(memoir.View) (int, error)) {
	if err := s.View(b.Context(), func(v memoir.View) error {
		n, err := ask(v)
		if err == nil && n == 0 {
			err = errors.New("nothing was found")
		}
		return err
	}); err != nil {
		b.Fatal(err)
	}
}

// fill puts documents of ten chunks each, with a vector for every chunk.
func fill(b *testing.B, s memoir.Store, chunks int) {
	g := newGenerator()
	for i := range chunks / 10 {
		list := g.document(g.id(i))
		vectors := map[memoir.Hash][]float32{}
		for _, c := range list {
			vectors[c.EmbedHashes[0]] = g.vector()
		}
		if err := s.Write(b.Context(), memoir.Changes{Put: []memoir.IndexedDocument{document(note(g.id(i)), list)}}); err != nil {
			b.Fatal(err)
		}
		if err := s.PutVectors(b.Context(), benchmarkSpace, vectors, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// generator makes the same documents and vectors in every run.
type generator struct {
	*rand.Rand
	zipf *rand.Zipf
}

func newGenerator() *generator {
	r := rand.New(rand.NewPCG(3, 4))
	return &generator{r, rand.NewZipf(r, 1.07, 1, 60_000)}
}

func (g *generator) id(i int) memoir.DocID { return memoir.DocID(fmt.Sprintf("%06d.md", i)) }

func (g *generator) document(id memoir.DocID) []memoir.IndexedChunk {
	texts := make([]string, 10)
	for i := range texts {
		words := make([]string, 120)
		for j := range words {
			words[j] = fmt.Sprintf("w%d", g.zipf.Uint64())
		}
		texts[i] = strings.Join(words, " ")
	}
	return chunks(id, "", texts...)
}

func (g *generator) vector() []float32 {
	v := make([]float32, benchmarkSpace.Dimensions)
	for i := range v {
		v[i] = float32(g.NormFloat64())
	}
	return v
}
