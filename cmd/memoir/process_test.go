package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/notegen"
)

// envNotes names a folder of Markdown for the benchmarks to index, instead of
// two days of generated notes.
const envNotes = "MEMOIR_BENCH_NOTES"

// A program is the built binary with folders of its own.
type program struct {
	binary string
	env    []string
}

// build makes the binary as a release is made.
func build(b *testing.B) program {
	b.Helper()
	dir := b.TempDir()
	binary := filepath.Join(dir, "memoir")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	// Settings of this machine's user would change what is measured.
	env := slices.DeleteFunc(os.Environ(), func(s string) bool {
		return strings.HasPrefix(s, "MEMOIR_") && !strings.HasPrefix(s, "MEMOIR_CPU=")
	})
	return program{binary, append(env,
		"XDG_CONFIG_HOME="+filepath.Join(dir, "config"),
		"XDG_CACHE_HOME="+filepath.Join(dir, "cache"),
		"XDG_DATA_HOME="+filepath.Join(dir, "data"),
		"MEMOIR_STATE_DIR="+filepath.Join(dir, "state"),
		"MEMOIR_WORKSPACE="+notes(b),
	)}
}

// notes returns a folder of notes, modified long ago so that their times are
// trusted.
func notes(b *testing.B) string {
	b.Helper()
	if dir := os.Getenv(envNotes); dir != "" {
		return dir
	}
	dir := b.TempDir()
	if _, err := notegen.Write(dir, notegen.Options{Seed: 1, Days: 2}); err != nil {
		b.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "memory", "*.md"))
	if err != nil {
		b.Fatal(err)
	}
	past := time.Now().Add(-time.Hour)
	for _, name := range names {
		if err := os.Chtimes(name, past, past); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// run runs the program to its end and returns how it ended.
func (p program) run(b *testing.B, args ...string) *os.ProcessState {
	b.Helper()
	cmd := exec.Command(p.binary, args...)
	cmd.Env = p.env
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("memoir %s: %v", strings.Join(args, " "), err)
	}
	if len(out) == 0 {
		b.Fatalf("memoir %s: no answer", strings.Join(args, " "))
	}
	return cmd.ProcessState
}

// measure reports the median of the time and of the processor time of a run,
// the latter because other programs hardly disturb it, and the highest peak of
// resident memory where the system tells.
func (p program) measure(b *testing.B, args ...string) {
	b.Helper()
	p.measureEach(b, func() []string { return args })
}

// measureEach is measure with other arguments for each run.
func (p program) measureEach(b *testing.B, args func() []string) {
	b.Helper()
	var took, used []time.Duration
	var peak int64
	for b.Loop() {
		start := time.Now()
		ended := p.run(b, args()...)
		took = append(took, time.Since(start))
		used = append(used, ended.UserTime()+ended.SystemTime())
		peak = max(peak, peakBytes(ended))
	}
	b.ReportMetric(medianMilliseconds(took), "ms")
	b.ReportMetric(medianMilliseconds(used), "cpu-ms")
	if peak > 0 {
		b.ReportMetric(float64(peak)/1e6, "peak-MB")
	}
}

func medianMilliseconds(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Microseconds()) / 1000
}

// BenchmarkFirstVector goes from the start of a process to the vector of a
// query and its end.
func BenchmarkFirstVector(b *testing.B) {
	build(b).measure(b, "embed", "--query", "which database did we choose for the billing service and why")
}

// BenchmarkColdIndex indexes the notes from nothing, with their vectors.
func BenchmarkColdIndex(b *testing.B) {
	build(b).measureEach(b, func() []string { return []string{"index", "--state-dir", b.TempDir()} })
}

// BenchmarkColdSearch searches by word and by meaning in a process of its own,
// with everything indexed.
func BenchmarkColdSearch(b *testing.B) {
	p := build(b)
	p.run(b, "index")
	p.measure(b, "search", "which database did we choose for the billing service and why")
}
