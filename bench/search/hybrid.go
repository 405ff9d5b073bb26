package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/bench/internal/measure"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/notegen"
)

// indexed is an index of linked notes with vectors of 384 dimensions, closed.
type indexed struct {
	notes, file string
	chunks      int
	asked       []string // distinct questions, the kinds by turns
}

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
	kinds := [][]string{notegen.Questions(b.seed, false, 300), notegen.Questions(b.seed, true, 300), nil, nil, nil}
	changed := ""
	for log := range notegen.Logs(b.logs(n)) {
		if err := log.Write(ix.notes); err != nil {
			return nil, err
		}
		for i, f := range log.Facts {
			if len(kinds[2+i]) < 300 {
				kinds[2+i] = append(kinds[2+i], f.Question)
			}
		}
		changed = filepath.Join(ix.notes, filepath.FromSlash(log.Path))
	}
	for i := range 300 {
		for _, k := range kinds {
			if i < len(k) {
				ix.asked = append(ix.asked, k[i])
			}
		}
	}
	engine, err := openIndex(ctx, ix.notes, ix.file, vectorsOfTest())
	if err != nil {
		return nil, err
	}
	if err := errors.Join(b.fill(ctx, engine, ix, changed), engine.Close()); err != nil {
		return nil, err
	}
	b.indexes[n] = ix
	return ix, nil
}

// fill indexes the notes, with times for the chart, and their vectors.
func (b *bench) fill(ctx context.Context, engine *memoir.Engine, ix *indexed, changed string) error {
	var took [3]float64
	for i := range took {
		if i == 2 {
			if err := appendLine(changed, 1); err != nil {
				return err
			}
		}
		start := time.Now()
		if _, err := engine.Sync(ctx, nil); err != nil {
			return err
		}
		took[i] = measure.Milliseconds(time.Since(start))
	}
	if _, err := engine.EmbedPending(ctx, nil); err != nil {
		return err
	}
	stats, err := engine.Stats(ctx)
	if err != nil {
		return err
	}
	ix.chunks = stats.Chunks
	for i, name := range []string{"from nothing", "nothing changed", "one file changed"} {
		b.report.point(chartIndex, name, float64(ix.chunks), took[i])
	}
	b.progress("hybrid: %d chunks are indexed: %s ms, nothing changed %s ms, one file %s ms", ix.chunks, digits(took[0]), digits(took[1]), digits(took[2]))
	return nil
}

// appendLine changes a note, and says so by its modification time.
func appendLine(name string, n int) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "\nOne more line, number %d.\n", n)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	modified := time.Date(2025, time.February, 1, 0, 0, n, 0, time.UTC)
	return os.Chtimes(name, modified, modified)
}

// hybrid measures whole searches in one process.
func (b *bench) hybrid(ctx context.Context) error {
	t := table{
		Title: "Hybrid: whole searches in one process",
		About: fmt.Sprintf("Linked notes in English and Chinese; questions with and without a known answer in both languages and for identifiers, each asked once as far as there are enough (%d in each of %d rounds). "+
			"The vectors are those of a test, 384 dimensions, so that the query's embedding takes no time. First is the first question after opening; \"files looked at\" is with the look for changed files that every search begins with.", b.questions, b.rounds),
		Columns: []string{"chunks", "search", "first ms", "p50 ms", "p99 ms", "p99 / p50", "CPU ms"},
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
		for _, s := range samples {
			t.Rows = append(t.Rows, []string{fmt.Sprint(ix.chunks), s.Name, digits(s.First), digits(s.P50()), digits(s.P99()), digits(s.P99() / s.P50()), digits(s.CPU50())})
			b.report.point(chartHybrid, s.Name, float64(ix.chunks), s.P50())
		}
		b.report.point(chartHybrid, samples[0].Name+", p99", float64(ix.chunks), samples[0].P99())
	}
	b.report.add(b.out, t)
	return nil
}

func (b *bench) searches(ctx context.Context, ix *indexed) (_ []*measure.Samples, err error) {
	engine, err := openIndex(ctx, ix.notes, ix.file, vectorsOfTest())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
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
			// No method asks what another did: answers are remembered.
			m.query.Text = ix.asked[(i*b.rounds*b.questions+n)%len(ix.asked)]
			res, err := engine.Search(ctx, m.query)
			if err == nil && len(res.Degraded) > 0 {
				err = fmt.Errorf("%q is not answered in full: %v", m.query.Text, res.Degraded)
			}
			return err
		}})
	}
	return measure.Compare(ctx, b.rounds, b.questions, methods...)
}
