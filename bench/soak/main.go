// Soak lives with memoir for minutes or hours, as people and agents do, and worse:
// it remembers, corrects, forgets, takes back, edits by hand, searches, tidies,
// kills processes at any moment, damages the index, fills the disk, and turns
// the times of files back and forth. An oracle in memory knows every entry that was
// acknowledged, and compares again and again.
//
//	go run ./bench/soak -for 2m               # seed 1
//	go run ./bench/soak -for 2h -seed 7       # the report of docs/reliability.md
//	go run ./bench/soak -for 2m -vectors      # with the model inside
//
// A run is made of its seed, but for the moments at which a kill hits. It ends with
// status 1 at the first thing that is not as it should be, and keeps the folder.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/bench/internal/measure"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var o options
	flag.DurationVar(&o.length, "for", time.Minute, "how long")
	flag.Uint64Var(&o.seed, "seed", 1, "of what happens")
	flag.IntVar(&o.days, "days", 60, "of notes that are there at the start")
	flag.BoolVar(&o.vectors, "vectors", false, "search by meaning, too")
	flag.Parse()
	dir, err := os.MkdirTemp("", "memoir-soak")
	if err != nil {
		return err
	}
	program := filepath.Join(dir, "memoir")
	build := []string{"build", "-o", program}
	if !o.vectors {
		build = append(build, "-tags", "nomodel")
	}
	if out, err := exec.CommandContext(ctx, "go", append(build, "./cmd/memoir")...).CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	fmt.Printf("%s, %d processors, %s/%s, %s at the start; %s.\n\n```\ngo run ./bench/soak %s\n```\n\n", measure.Processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
		measure.Load(), runtime.Version(), strings.Join(os.Args[1:], " "))
	l, err := newLife(dir, program, o)
	if err != nil {
		return err
	}
	err = l.live(ctx)
	err = errors.Join(err, l.end(err == nil))
	l.report()
	if err != nil {
		return fmt.Errorf("step %d: %w\nthe folder is kept: %s", l.steps, err, dir)
	}
	return os.RemoveAll(dir)
}
