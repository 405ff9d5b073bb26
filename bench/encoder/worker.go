package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/memoir-ai/memoir/bench/internal/measure"
	"github.com/memoir-ai/memoir/internal/bert"
	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/vecmath"
)

// A measurement is what one process took to embed the workload. The process
// prints it as JSON.
type measurement struct {
	Texts       int     `json:"texts"`       // passages embedded
	WallSeconds float64 `json:"wallSeconds"` // for the passages
	CPUSeconds  float64 `json:"cpuSeconds"`  // of all threads, for the passages
	LoadSeconds float64 `json:"loadSeconds"` // from the model file to the first vector
	// TokenizeSeconds is what turning the passages into tokens takes in addition.
	// It is 0 where an engine takes texts, or none.
	TokenizeSeconds float64 `json:"tokenizeSeconds"`
	QuerySeconds    float64 `json:"querySeconds"` // median of the queries
	PeakBytes       int64   `json:"peakBytes"`    // resident, of the whole process
}

// runWorker embeds a workload with memoir's encoder and prints the
// measurement.
func runWorker(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("worker", flag.ExitOnError)
	model := flags.String("model", "", "model `file`")
	work := flags.String("workload", "", "workload `file`")
	kernels := flags.String("kernels", "", "`name` of the kernels")
	threads := flags.Int("threads", 1, "goroutines that compute at most")
	vectors := flags.String("vectors", "", "`file` to write the passages' vectors to, float32")
	flags.Parse(args)

	w, err := readWorkload(*work)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(*model)
	if err != nil {
		return err
	}
	passages := ids(w.Passages)
	var m measurement
	m.Texts = len(passages)

	start := time.Now()
	f, err := modelfile.Parse(data)
	if err != nil {
		return err
	}
	encoder, err := encoderOn(f, *kernels, *threads)
	if err != nil {
		return err
	}
	if _, err := encoder.Embed(ctx, passages[:1]); err != nil {
		return err
	}
	m.LoadSeconds = time.Since(start).Seconds()
	if _, err := encoder.Embed(ctx, passages[:min(8, len(passages))]); err != nil {
		return err
	}

	used, start := measure.CPUTime(), time.Now()
	found, err := encoder.Embed(ctx, passages)
	if err != nil {
		return err
	}
	m.WallSeconds = time.Since(start).Seconds()
	m.CPUSeconds = (measure.CPUTime() - used).Seconds()
	if m.QuerySeconds, err = queryLatency(ctx, encoder, ids(w.Queries)); err != nil {
		return err
	}
	if m.TokenizeSeconds, err = tokenizing(f, w.Passages); err != nil {
		return err
	}
	m.PeakBytes = measure.PeakBytes()
	if *vectors != "" {
		if err := writeVectors(*vectors, found); err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(m)
}

// encoderOn returns the encoder of a model file that computes with kernels of a name.
func encoderOn(f *modelfile.File, kernels string, threads int) (*bert.Encoder, error) {
	i := slices.IndexFunc(vecmath.Available(), func(k *vecmath.Kernels) bool { return k.String() == kernels })
	if i < 0 {
		return nil, fmt.Errorf("this machine has no kernels %q", kernels)
	}
	return bert.New(f, bert.Options{Workers: threads, Kernels: vecmath.Available()[i]})
}

func ids(texts []text) [][]int32 {
	var all [][]int32
	for _, t := range texts {
		all = append(all, t.IDs)
	}
	return all
}

// queryLatency returns the median of the seconds that a query takes.
func queryLatency(ctx context.Context, encoder *bert.Encoder, queries [][]int32) (float64, error) {
	var all []float64
	for i := range queries {
		start := time.Now()
		if _, err := encoder.Embed(ctx, queries[i:i+1]); err != nil {
			return 0, err
		}
		all = append(all, time.Since(start).Seconds())
	}
	return measure.Median(all), nil
}

func tokenizing(f *modelfile.File, passages []text) (float64, error) {
	tokenizer, err := f.Tokenizer()
	if err != nil {
		return 0, err
	}
	start := time.Now()
	var buffer []int32
	for _, p := range passages {
		buffer = tokenizer.Encode(buffer[:0], f.Info().DocumentPrefix+p.Text, f.Info().MaxTokens)
	}
	return time.Since(start).Seconds(), nil
}

func writeVectors(name string, vectors [][]float32) error {
	var data []byte
	var err error
	for _, v := range vectors {
		if data, err = binary.Append(data, binary.LittleEndian, v); err != nil {
			return err
		}
	}
	return os.WriteFile(name, data, 0o666)
}
