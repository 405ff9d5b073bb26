// Command gen writes generated day logs into a folder, to try things on:
//
//	go run ./internal/notegen/gen -days 30 -facts /tmp/notes
//	go run ./internal/notegen/gen -years 100 -queries /tmp/queries.jsonl /tmp/century
//	memoir eval --workspace /tmp/century --queries /tmp/queries.jsonl
//
// With -facts it prints the planted facts, one JSON object a line; with
// -queries it writes a question for each, as memoir eval reads them.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
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

const usage = "usage: gen [-seed N] [-days N | -years N] [-bytes N] [-links] [-facts] [-queries FILE] DIR"

func run(args []string, stdout, stderr io.Writer) error {
	var opts notegen.Options
	flags := flag.NewFlagSet("gen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Uint64Var(&opts.Seed, "seed", 0, "other seeds give other texts")
	flags.IntVar(&opts.Days, "days", notegen.DefaultDays, "number of logs")
	years := flags.Int("years", 0, "number of whole years, the last of which is 2025, instead of -days")
	flags.IntVar(&opts.BytesPerDay, "bytes", notegen.DefaultBytesPerDay, "size of one log")
	flags.BoolVar(&opts.Links, "links", false, "link each section to the log of another day")
	facts := flags.Bool("facts", false, "print the planted facts")
	queries := flags.String("queries", "", "`file` for a question about each fact, for memoir eval")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 || opts.Days < 1 || opts.BytesPerDay < 1 || *years < 0 || *years > 150 {
		return errors.New(usage)
	}
	if *years > 0 {
		of := notegen.Years(*years)
		opts.Days, opts.First = of.Days, of.First
	}
	out := planted{facts: io.Discard}
	if *facts {
		out.facts = stdout
	}
	err := writeQueries(*queries, func(w io.Writer) error {
		out.queries = w
		return write(flags.Arg(0), opts, out)
	})
	if err == nil {
		fmt.Fprintf(stderr, "wrote %d logs below %s\n", opts.Days, flags.Arg(0))
	}
	return err
}

// writeQueries calls write with the file of that name, or with a writer that
// forgets when there is no name.
func writeQueries(name string, write func(io.Writer) error) error {
	if name == "" {
		return write(io.Discard)
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// planted is where facts go.
type planted struct {
	facts   io.Writer // as [notegen.Fact]
	queries io.Writer // as questions of memoir eval
}

// write writes the logs and their facts one by one.
func write(dir string, opts notegen.Options, to planted) error {
	facts, queries := bufio.NewWriter(to.facts), bufio.NewWriter(to.queries)
	asFact, asQuery := json.NewEncoder(facts), json.NewEncoder(queries)
	for log := range notegen.Logs(opts) {
		if err := log.Write(dir); err != nil {
			return err
		}
		for _, f := range log.Facts {
			if err := errors.Join(asFact.Encode(f), asQuery.Encode(f.Query())); err != nil {
				return err
			}
		}
	}
	return errors.Join(facts.Flush(), queries.Flush())
}
