package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/bench/internal/measure"
	"github.com/memoir-ai/memoir/internal/vecmath"
	"github.com/memoir-ai/memoir/store/sqlite"
	"github.com/memoir-ai/memoir/tune"
)

const (
	nearestAsked = 50   // matches of a question
	putBatch     = 1000 // vectors of a call, a multiple of perDocument
	perDocument  = 100  // chunks
)

// vectors compares memoir's store with vec0 and with a plain read of as many
// bytes as its rows of 8 bits have.
func (b *bench) vectors(ctx context.Context) error {
	t := table{
		Title: "Vectors: the nearest 50",
		About: fmt.Sprintf("Synthetic clustered vectors of unit length, %d held-out questions, %d rounds in turns in one process. \"plain read\" adds up the bytes that rows of 8 bits have, on one processor. "+
			"First is the first question after opening. Recall is against exact double precision; x is how many times as long vec0 takes.", b.questions, b.rounds),
		Columns: []string{"vectors", "method", "first ms", "p50 ms", "p99 ms", "CPU ms", "x by the clock", "x by CPU", "plain reads", "recall@10", "recall@50"},
	}
	for _, dimensions := range b.dimensions {
		for _, n := range b.vectorSizes {
			rows, err := b.vectorSet(ctx, n, dimensions)
			if err != nil {
				return fmt.Errorf("%d x %d: %w", n, dimensions, err)
			}
			t.Rows = append(t.Rows, rows...)
		}
	}
	b.report.add(b.out, t)
	return nil
}

func (b *bench) vectorSet(ctx context.Context, n, dimensions int) (rows [][]string, err error) {
	dir, err := os.MkdirTemp(b.temp, "vectors-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	vec0, err := openVec0(ctx, filepath.Join(dir, "vec0.sqlite"), dimensions)
	if err != nil {
		return nil, err
	}
	defer vec0.close()
	set := newLatent(b.seed, dimensions)
	truth := newExact(set.questions(b.questions), nearestAsked)
	index := filepath.Join(dir, "memoir.sqlite")
	space := memoir.Space{Provider: "bench", Model: "latent", Version: "1", Dimensions: dimensions}
	if err := b.fillVectors(ctx, index, space, set, n, vec0, truth); err != nil {
		return nil, err
	}
	store, err := sqlite.Open(ctx, index, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer store.Close()

	ask, err := vec0.asking(ctx, askVec0)
	if err != nil {
		return nil, err
	}
	found := [2][][]int{make([][]int, b.questions), make([][]int, b.questions)}
	samples, err := b.compareVectors(ctx, truth, n, func(ctx context.Context, i int) (err error) {
		found[0][i], err = searchVector(ctx, store, space, truth.questions[i])
		return err
	}, func(ctx context.Context, i int) (err error) {
		found[1][i], err = ask(ctx, blob(truth.questions[i]), nearestAsked)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, s := range samples {
		row := []string{fmt.Sprintf("%d x %d", n, dimensions), s.Name, digits(s.First), digits(s.P50()), digits(s.P99()), digits(s.CPU50()),
			times(s.WallRatio(samples[1])), times(s.CPURatio(samples[1])), times(1 / s.CPURatio(samples[2])), "–", "–"}
		if i < len(found) {
			row[9], row[10] = fmt.Sprintf("%.4f", truth.recall(found[i], 10)), fmt.Sprintf("%.4f", truth.recall(found[i], nearestAsked))
		}
		rows = append(rows, row)
		if dimensions == 384 {
			b.report.point(chartVectors, s.Name, float64(n), s.P50())
		}
	}
	b.progress("vectors %d x %d: memoir %s ms, vec0 %s ms", n, dimensions, digits(samples[0].P50()), digits(samples[1].P50()))
	return rows, nil
}

// compareVectors asks memoir and vec0 the questions, and reads as many bytes as
// n rows of 8 bits have.
func (b *bench) compareVectors(ctx context.Context, truth *exact, n int, memoir, vec0 func(context.Context, int) error) ([]*measure.Samples, error) {
	kernels, err := vecmath.Best()
	if err != nil {
		return nil, err
	}
	plain := make([]byte, (n*len(truth.questions[0])+63)/64*64)
	for i := range plain {
		plain[i] = byte(i) // memory that was never written to would be one page
	}
	var sum uint64
	again := func(ask func(context.Context, int) error) func(context.Context, int) error {
		return func(ctx context.Context, i int) error { return ask(ctx, i%b.questions) }
	}
	samples, err := b.compare(ctx, fmt.Sprintf("vectors-%dx%d", n, len(truth.questions[0])), b.questions,
		measure.Method{Name: "memoir", Ask: again(memoir)},
		measure.Method{Name: "vec0", Ask: again(vec0)},
		measure.Method{Name: "plain read", Ask: func(context.Context, int) error {
			for rows := range slices.Chunk(plain, 1<<20) { // a goroutine is not interrupted within a call
				sum += kernels.ReadSum(rows)
			}
			return nil
		}})
	runtime.KeepAlive(sum)
	return samples, err
}

// fillVectors puts n vectors of the set where they are compared, and lets the
// truth look at them.
func (b *bench) fillVectors(ctx context.Context, index string, space memoir.Space, set *latent, n int, vec0 *baseline, truth *exact) (err error) {
	store, err := sqlite.Open(ctx, index, sqlite.Options{})
	if err != nil {
		return err
	}
	defer func() {
		if e := store.Close(); err == nil {
			err = e
		}
	}()
	start := time.Now()
	for from := 0; from < n; from += putBatch {
		batch := set.batch(from, min(from+putBatch, n))
		truth.add(from, batch)
		if err := vec0.addVectors(ctx, from, batch); err != nil {
			return err
		}
		if err := putVectors(ctx, store, space, from, batch); err != nil {
			return err
		}
		if (from/putBatch)%100 == 99 {
			b.progress("vectors: %d of %d after %v", from+len(batch), n, time.Since(start).Round(time.Second))
		}
	}
	return store.Settle(ctx, space, tune.Cache{})
}

// putVectors puts a chunk for each vector, numbered from first, and the vectors.
func putVectors(ctx context.Context, store memoir.Store, space memoir.Space, first int, vectors [][]float32) error {
	byHash := map[memoir.Hash][]float32{}
	var docs []memoir.IndexedDocument
	for i, v := range vectors {
		n := first + i
		if n%perDocument == 0 {
			meta := memoir.DocumentMeta{ID: memoir.DocID(fmt.Sprintf("%08d.md", n/perDocument)), Kind: memoir.KindNote, Hash: "-"}
			docs = append(docs, memoir.IndexedDocument{DocumentMeta: meta})
		}
		doc := &docs[len(docs)-1]
		hash := memoir.HashText(fmt.Sprint(n))
		byHash[hash] = v
		c := memoir.IndexedChunk{EmbedHashes: []memoir.Hash{hash}}
		c.ChunkID = memoir.ChunkID{Doc: doc.ID, Ordinal: n % perDocument}
		c.Kind, c.StartLine, c.EndLine, c.Text = memoir.KindNote, 1, 1, "-"
		doc.Chunks = append(doc.Chunks, c)
	}
	if err := store.Write(ctx, memoir.Changes{Put: docs}); err != nil {
		return err
	}
	return store.PutVectors(ctx, space, byHash, nil)
}

// searchVector returns the numbers of the nearest vectors, best first.
func searchVector(ctx context.Context, store memoir.Store, space memoir.Space, v []float32) ([]int, error) {
	var matches []memoir.Match
	err := store.View(ctx, func(view memoir.View) (err error) {
		matches, err = view.SearchVector(ctx, space, v, memoir.Filter{}, nearestAsked)
		return err
	})
	out := make([]int, len(matches))
	for i, m := range matches {
		document, err := strconv.Atoi(strings.TrimSuffix(string(m.Doc), ".md"))
		if err != nil {
			return nil, err
		}
		out[i] = document*perDocument + m.Ordinal
	}
	return out, err
}
