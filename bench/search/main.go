// Command search measures memoir's searches beside sqlite-vec and FTS5 in the
// same process, its index and its commands as processes, and other tools over
// the same files where they are installed. It prints Markdown tables.
//
//	go run ./bench/search                           # small sizes, some minutes
//	go run ./bench/search -full                     # 100,000 chunks
//	go run ./bench/search -sweep -json sweep.json   # from 1,000 to 1,000,000 chunks, hours
//	go run ./bench/search -from sweep.json -plot docs/performance
//
// -parts chooses among them. What takes long to prepare, the vectors of a year
// of notes, is kept in the user's cache folder.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"

	"github.com/memoir-ai/memoir/bench/internal/measure"
	"github.com/memoir-ai/memoir/internal/notegen"
)

func main() {
	measure.Main("search", func(ctx context.Context) error { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) })
}

// settings say what is measured.
type settings struct {
	parts       []string
	vectorSizes []int // chunks
	dimensions  []int // of vectors
	wordSizes   []int // chunks
	hybridSizes []int // chunks
	days        []int // of notes, for the processes
	bytesPerDay int   // of those notes; 0: as notegen has them
	coldDays    int   // of notes, for cold searches with the model inside
	questions   int   // a round
	rounds      int
	repeats     int // of a process
	seed        uint64
	cache       string // folder that outlives the run
	profiles    string // folder for processor profiles of comparisons; "": none
	notes       string // folder of notes of one's own, for cold searches; "": generated ones
	binary      string // memoir; "": it is built, and this is filled in
}

// options are what the command line says.
type options struct {
	settings
	json, from, plot string // names of files and of a folder; "": none
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 1 && args[0] == measure.LauncherArgument {
		return measure.Launch(ctx, args[1:])
	}
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil // it was printed
	}
	if err != nil {
		return err
	}
	if o.from != "" {
		r, err := loadReport(o.from)
		if err != nil {
			return err
		}
		return r.draw(o.plot)
	}
	// What was found before an error is kept.
	r, err := o.measure(ctx, "go run ./bench/search "+strings.Join(args, " "), stdout, stderr)
	if r != nil && o.json != "" {
		err = errors.Join(err, r.save(o.json))
	}
	if r != nil && o.plot != "" {
		err = errors.Join(err, r.draw(o.plot))
	}
	return err
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("search", flag.ContinueOnError)
	flags.SetOutput(stderr)
	parts := flags.String("parts", "", "what to measure: "+strings.Join(partNames(), ",")+" (default: all; with -sweep those that depend on the size)")
	full := flags.Bool("full", false, "100,000 chunks: half an hour, 2 GB of disk")
	sweep := flags.Bool("sweep", false, "sizes from 1,000 chunks on, for charts")
	most := flags.Int("max", 1_000_000, "largest size of -sweep, in chunks")
	chunks := flags.String("chunks", "", "sizes in chunks, as 1000,20000, in place of all others")
	dims := flags.String("dims", "", "dimensions of vectors, as 384,768")
	flags.IntVar(&o.questions, "questions", 40, "questions of a round")
	flags.IntVar(&o.rounds, "rounds", 5, "rounds")
	flags.IntVar(&o.repeats, "repeats", 15, "runs of each process")
	flags.Uint64Var(&o.seed, "seed", 1, "of notes, vectors and questions")
	flags.StringVar(&o.cache, "cache", "", "`folder` for what is kept between runs (default: in the user's cache)")
	flags.StringVar(&o.notes, "notes", "", "`folder` of notes of your own, for cold searches")
	flags.StringVar(&o.profiles, "profile", "", "`folder` for a processor profile of each comparison")
	flags.StringVar(&o.json, "json", "", "`file` to write all figures to")
	flags.StringVar(&o.from, "from", "", "`file` of an earlier -json to draw, without measuring")
	flags.StringVar(&o.plot, "plot", "", "`folder` to draw charts into, as SVG")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.parts = partNames()
	o.vectorSizes, o.dimensions, o.wordSizes, o.hybridSizes = []int{10_000}, []int{384}, []int{6_600}, []int{6_600}
	o.days, o.coldDays = []int{notegen.DefaultDays}, 5
	if *full {
		o.vectorSizes, o.dimensions, o.wordSizes, o.hybridSizes, o.coldDays = []int{100_000}, []int{384, 768}, []int{100_000}, []int{6_600, 100_000}, daysOf(6_600)
	}
	if *sweep {
		o.sizes(slices.DeleteFunc([]int{1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000}, func(n int) bool { return n > *most }))
		o.parts, o.dimensions = []string{"vectors", "words", "hybrid", "disk", "sync"}, []int{384}
	}
	if *parts != "" {
		o.parts = strings.Split(*parts, ",")
	}
	if err := o.override(*chunks, *dims); err != nil {
		return o, err
	}
	return o, o.check(flags.NArg())
}

func (s *settings) sizes(chunks []int) {
	s.vectorSizes, s.wordSizes, s.hybridSizes, s.days = chunks, chunks, chunks, nil
	for _, n := range chunks {
		s.days = append(s.days, daysOf(n))
	}
}

func (s *settings) override(chunks, dims string) error {
	if chunks != "" {
		sizes, err := numbers(chunks)
		if err != nil {
			return err
		}
		s.sizes(sizes)
	}
	if dims != "" {
		var err error
		s.dimensions, err = numbers(dims)
		return err
	}
	return nil
}

func numbers(list string) ([]int, error) {
	var out []int
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a list of numbers above 0", list)
		}
		out = append(out, n)
	}
	return out, nil
}

func (o *options) check(arguments int) error {
	if arguments > 0 {
		return errors.New("there are no arguments beside flags")
	}
	if o.from != "" && o.plot == "" {
		return errors.New("-from wants a folder to draw into: -plot FOLDER")
	}
	if len(o.days) == 0 {
		return errors.New("want a largest size of at least 1000 chunks")
	}
	if o.questions < 1 || o.rounds < 1 || o.repeats < 1 {
		return errors.New("want at least 1 question, round and run")
	}
	for _, p := range o.parts {
		if !slices.Contains(partNames(), p) {
			return fmt.Errorf("there is no part %q; the parts are %s", p, strings.Join(partNames(), ", "))
		}
	}
	if o.cache == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		o.cache = filepath.Join(cache, "memoir-bench-search")
	}
	return nil
}

// A part is a group of figures.
type part struct {
	name string
	run  func(*bench, context.Context) error
}

// parts are the groups, in the order in which they are measured.
func parts() []part {
	return []part{
		{"vectors", (*bench).vectors},
		{"words", (*bench).words},
		{"hybrid", (*bench).hybrid},
		{"disk", (*bench).disk},
		{"sync", (*bench).sync},
		{"cold", (*bench).cold},
		{"others", (*bench).others},
	}
}

func partNames() []string {
	var names []string
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return names
}

// A bench is a run under way.
type bench struct {
	settings
	temp    string // folder that is removed at the end
	report  *report
	out     io.Writer
	err     io.Writer
	indexes map[int]*indexed // by chunks asked for
}

// measure runs the parts. With an error it also returns a report of what was
// measured before, if there is any.
func (s settings) measure(ctx context.Context, command string, stdout, stderr io.Writer) (_ *report, err error) {
	temp, err := os.MkdirTemp("", "memoir-bench-search-")
	if err != nil {
		return nil, err
	}
	b := &bench{settings: s, temp: temp, out: stdout, err: stderr, indexes: map[int]*indexed{}}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	sqlite, vec, err := versions(ctx)
	if err != nil {
		return nil, err
	}
	b.report = &report{Machine: machineLine(sqlite, vec), Command: strings.TrimSpace(command)}
	fmt.Fprintf(stdout, "%s.\n\n```\n%s\n```\n", b.report.Machine, b.report.Command)
	for _, p := range parts() {
		if !slices.Contains(s.parts, p.name) {
			continue
		}
		if err := p.run(b, ctx); err != nil {
			return b.report, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return b.report, nil
}

// compare is [measure.Compare], with a profile if one is wanted.
func (b *bench) compare(ctx context.Context, name string, questions int, methods ...measure.Method) (_ []*measure.Samples, err error) {
	if b.profiles != "" {
		if err := os.MkdirAll(b.profiles, 0o777); err != nil {
			return nil, err
		}
		f, err := os.Create(filepath.Join(b.profiles, name+".pprof"))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return nil, err
		}
		defer pprof.StopCPUProfile()
	}
	runtime.GC() // of what preparing left
	return measure.Compare(ctx, b.rounds, questions, methods...)
}

// progress tells what is under way.
func (b *bench) progress(format string, args ...any) {
	fmt.Fprintf(b.err, format+"\n", args...)
}
