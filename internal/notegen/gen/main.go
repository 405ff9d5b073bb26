// Command gen writes generated day logs into a folder, to try things on:
//
//	go run ./internal/notegen/gen -days 30 -facts /tmp/notes
//
// With -facts it prints the planted facts, one JSON object a line.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/memoir-ai/memoir/internal/notegen"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	var opts notegen.Options
	flags := flag.NewFlagSet("gen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Uint64Var(&opts.Seed, "seed", 0, "other seeds give other texts")
	flags.IntVar(&opts.Days, "days", notegen.DefaultDays, "number of logs")
	flags.IntVar(&opts.BytesPerDay, "bytes", notegen.DefaultBytesPerDay, "size of one log")
	facts := flags.Bool("facts", false, "print the planted facts")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 || opts.Days < 1 || opts.BytesPerDay < 1 {
		return fmt.Errorf("usage: gen [-seed N] [-days N] [-bytes N] [-facts] DIR")
	}
	planted, err := notegen.Write(flags.Arg(0), opts)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "wrote %d logs below %s\n", opts.Days, flags.Arg(0))
	if !*facts {
		return nil
	}
	out := json.NewEncoder(stdout)
	for _, f := range planted {
		if err := out.Encode(f); err != nil {
			return err
		}
	}
	return nil
}
