package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/bench/internal/measure"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/notegen"
)

// indexed is an index of linked notes with vectors of 384 dimensions, closed.
type indexed struct {
	notes, file string
	chunks      int
	asked       []asked // distinct questions, the kinds by turns
}

// asked is a question of a kind.
type asked struct{ kind, text string }

func vectorsOfTest() memoir.Embedder { return &embedtest.Embedder{Dimensions: 384} }

// index returns an index of about n chunks, and makes it the first time.
func (b *bench) index(ctx context.Context, n int) (*indexed, error) {
	if ix, ok := b.indexes[n]; ok {
		return ix, nil
	}
	dir, err := os.MkdirTemp(b.temp, "hybrid-")
	if err != nil {
		return nil, err
	}
	ix := &indexed{notes: filepath.Join(dir, "notes"), file: filepath.Join(dir, "index", "memoir.sqlite")}
	if err := ix.write(b.logs(n), b.seed); err != nil {
		return nil, err
	}
	memory, err := openIndex(ctx, ix.notes, ix.file, vectorsOfTest())
	if err != nil {
		return nil, err
	}
	if err := errors.Join(ix.fill(ctx, memory), memory.Close()); err != nil {
		return nil, err
	}
	b.progress("hybrid: %d chunks are indexed", ix.chunks)
	b.indexes[n] = ix
	return ix, nil
}

// write writes the notes and makes the questions.
func (ix *indexed) write(opts notegen.Options, seed uint64) error {
	const most = 300 // questions of a kind
	kinds := map[string][]string{"English": notegen.Questions(seed, false, most), "Chinese": notegen.Questions(seed, true, most)}
	for log := range notegen.Logs(opts) {
		if err := log.Write(ix.notes); err != nil {
			return err
		}
		for _, f := range log.Facts {
			kind := "fact: " + string(f.Kind)
			kinds[kind] = append(kinds[kind], f.Question)
		}
	}
	for i := range most {
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			if i < len(kinds[kind]) {
				ix.asked = append(ix.asked, asked{kind, kinds[kind][i]})
			}
		}
	}
	return nil
}

// fill indexes the notes and their vectors.
func (ix *indexed) fill(ctx context.Context, memory *engine.Engine) error {
	if _, err := memory.Sync(ctx, nil); err != nil {
		return err
	}
	if _, err := memory.EmbedPending(ctx, nil); err != nil {
		return err
	}
	stats, err := memory.Stats(ctx)
	ix.chunks = stats.Chunks
	return err
}

// hybrid measures whole searches in one process.
func (b *bench) hybrid(ctx context.Context) error {
	t := table{
		Title: "Hybrid: whole searches in one process",
		About: fmt.Sprintf("Linked notes in English and Chinese; questions with and without a known answer in both languages and for identifiers, each asked once as far as there are enough (%d in each of %d rounds). "+
			"The vectors are those of a test, 384 dimensions, so that the query's embedding takes no time. First is the first question after opening; \"files looked at\" is with the look for changed files that every search begins with.", b.questions, b.rounds),
		Columns: []string{"chunks", "search", "first ms", "p50 ms", "p99 ms", "p99 / p50", "CPU p50 ms", "CPU p99 ms", "slowest kind, p50 ms"},
	}
	for _, n := range b.hybridSizes {
		ix, err := b.index(ctx, n)
		if err != nil {
			return fmt.Errorf("%d chunks: %w", n, err)
		}
		samples, err := b.searches(ctx, ix)
		if err != nil {
			return fmt.Errorf("%d chunks: %w", n, err)
		}
		for i, s := range samples {
			t.Rows = append(t.Rows, []string{fmt.Sprint(ix.chunks), s.Name, digits(s.First), digits(s.P50()), digits(s.P99()), digits(s.P99() / s.P50()), digits(s.CPU50()), digits(s.CPU99()),
				b.slowestKind(ix, i, s)})
			b.report.point(chartHybrid, s.Name, float64(ix.chunks), s.P50())
		}
		b.report.point(chartHybrid, samples[0].Name+", p99", float64(ix.chunks), samples[0].P99())
	}
	b.report.add(b.out, t)
	return nil
}

func (b *bench) searches(ctx context.Context, ix *indexed) (_ []*measure.Samples, err error) {
	memory, err := openIndex(ctx, ix.notes, ix.file, vectorsOfTest())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, memory.Close()) }()
	var methods []measure.Method
	for i, m := range []struct {
		name  string
		query memoir.Query
	}{
		{"hybrid", memoir.Query{NoSync: true}},
		{"hybrid, files looked at", memoir.Query{}},
		{"words only", memoir.Query{NoSync: true, Mode: memoir.ModeText}},
	} {
		methods = append(methods, measure.Method{Name: m.name, Ask: func(ctx context.Context, n int) error {
			m.query.Text = b.question(ix, i, n).text
			res, err := memory.Search(ctx, m.query)
			if err == nil && len(res.Degraded) > 0 {
				err = fmt.Errorf("%q is not answered in full: %v", m.query.Text, res.Degraded)
			}
			return err
		}})
	}
	return b.compare(ctx, fmt.Sprintf("hybrid-%d", ix.chunks), b.questions, methods...)
}

// question returns question n of a method. No method is asked a question that
// another was, as long as there are enough: answers are remembered.
func (b *bench) question(ix *indexed, method, n int) asked {
	return ix.asked[(method*b.rounds*b.questions+n)%len(ix.asked)]
}

// slowestKind returns the kind of questions that took longest with a method,
// and how long.
func (b *bench) slowestKind(ix *indexed, method int, s *measure.Samples) string {
	walls := map[string][]float64{}
	for n, wall := range slices.Concat(s.Wall...) {
		kind := b.question(ix, method, n).kind
		walls[kind] = append(walls[kind], wall)
	}
	slowest, most := "", 0.0
	for _, kind := range slices.Sorted(maps.Keys(walls)) {
		if m := measure.Median(walls[kind]); m > most {
			slowest, most = kind, m
		}
	}
	return slowest + " " + digits(most)
}
