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
	"os/signal"
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "search:", err)
		os.Exit(1)
	}
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
}

// sweepSizes are the sizes of the charts, in chunks.
var sweepSizes = []int{1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 1 && args[0] == measure.LauncherArgument {
		return measure.Launch(ctx, args[1:])
	}
	flags := flag.NewFlagSet("search", flag.ContinueOnError)
	flags.SetOutput(stderr)
	parts := flags.String("parts", strings.Join(partNames(), ","), "what to measure")
	full := flags.Bool("full", false, "100,000 chunks: half an hour, 2 GB of disk")
	sweep := flags.Bool("sweep", false, "all but cold and others at sizes from 1,000 chunks on")
	most := flags.Int("max", sweepSizes[len(sweepSizes)-1], "largest size of -sweep, in chunks")
	chunks := flags.String("chunks", "", "sizes in chunks, as 1000,20000, in place of all others")
	dims := flags.String("dims", "", "dimensions of vectors, as 384,768")
	questions := flags.Int("questions", 40, "questions of a round")
	rounds := flags.Int("rounds", 5, "rounds")
	repeats := flags.Int("repeats", 15, "runs of each process")
	seed := flags.Uint64("seed", 1, "of notes, vectors and questions")
	cache := flags.String("cache", "", "`folder` for what is kept between runs (default: in the user's cache)")
	notes := flags.String("notes", "", "`folder` of notes of your own, for cold searches")
	profiles := flags.String("profile", "", "`folder` for a processor profile of each comparison")
	jsonFile := flags.String("json", "", "`file` to write all figures to")
	from := flags.String("from", "", "`file` of an earlier -json to draw, without measuring")
	plotDir := flags.String("plot", "", "`folder` to draw charts into, as SVG")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *from != "" {
		r, err := loadReport(*from)
		if err != nil {
			return err
		}
		return r.draw(*plotDir)
	}
	s := settings{
		vectorSizes: []int{10_000}, dimensions: []int{384}, wordSizes: []int{6_600}, hybridSizes: []int{6_600}, days: []int{notegen.DefaultDays}, coldDays: 5,
		parts: strings.Split(*parts, ","), questions: *questions, rounds: *rounds, repeats: *repeats, seed: *seed, cache: *cache, notes: *notes, profiles: *profiles,
	}
	if *full {
		s.vectorSizes, s.dimensions, s.wordSizes, s.hybridSizes, s.coldDays = []int{100_000}, []int{384, 768}, []int{100_000}, []int{6_600, 100_000}, daysOf(6_600)
	}
	if *sweep {
		s.sizes(slices.DeleteFunc(slices.Clone(sweepSizes), func(n int) bool { return n > *most }))
		s.parts, s.dimensions = []string{"vectors", "words", "hybrid", "disk", "sync"}, []int{384}
	}
	if err := s.override(*chunks, *dims); err != nil {
		return err
	}
	if err := s.check(flags.NArg()); err != nil {
		return err
	}
	r, err := s.measure(ctx, "go run ./bench/search "+strings.Join(args, " "), stdout, stderr)
	if err == nil && *jsonFile != "" {
		err = r.save(*jsonFile)
	}
	if err == nil && *plotDir != "" {
		err = r.draw(*plotDir)
	}
	return err
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

func (s *settings) check(arguments int) error {
	if arguments > 0 {
		return errors.New("there are no arguments beside flags")
	}
	if s.questions < 1 || s.rounds < 1 || s.repeats < 1 {
		return errors.New("want at least 1 question, round and run")
	}
	for _, p := range s.parts {
		if !slices.Contains(partNames(), p) {
			return fmt.Errorf("there is no part %q; the parts are %s", p, strings.Join(partNames(), ", "))
		}
	}
	if s.cache == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		s.cache = filepath.Join(cache, "memoir-bench-search")
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
	binary  string           // memoir, once it is built
}

// measure runs the parts.
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
			return nil, fmt.Errorf("%s: %w", p.name, err)
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
