// Soak lives with memoir for minutes or hours, as people and agents do, and worse:
// it remembers, corrects, forgets, takes back, edits by hand, searches, tidies,
// kills processes at any moment, damages the index, fills the disk, lets calls of the
// operating system fail below it, and turns the clock and the times of files back and
// forth. An oracle in memory knows every entry that was
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
	"path/filepath"
	"time"

	"github.com/memoir-ai/memoir/bench/internal/measure"
)

func main() { measure.Main("soak", run) }

func run(ctx context.Context) error {
	var o options
	flag.DurationVar(&o.length, "for", time.Minute, "how long")
	flag.Uint64Var(&o.seed, "seed", 1, "of what happens")
	flag.IntVar(&o.days, "days", 60, "of notes that are there at the start")
	flag.BoolVar(&o.vectors, "vectors", false, "search by meaning, too")
	flag.StringVar(&o.program, "program", "", "a memoir that was built, whose clock is not turned; else one is built that lets it")
	flag.Parse()
	dir, err := os.MkdirTemp("", "memoir-soak")
	if err != nil {
		return err
	}
	if o.program == "" {
		o.program = filepath.Join(dir, "memoir")
		if err := build(ctx, dir, o); err != nil {
			return err
		}
	} else if o.program, err = filepath.Abs(o.program); err != nil {
		return err
	}
	fmt.Print(measure.Opening("soak"))
	l, err := newLife(dir, o)
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

// build builds a memoir whose clock can be turned.
func build(ctx context.Context, dir string, o options) error {
	overlay, err := clockOverlay(ctx, dir)
	if err != nil {
		return fmt.Errorf("turn the clock: %w", err)
	}
	flags := []string{"-overlay", overlay}
	if !o.vectors {
		flags = append(flags, "-tags", "nomodel")
	}
	return measure.Build(ctx, o.program, flags...)
}
