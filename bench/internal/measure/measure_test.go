package measure_test

import (
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/bench/internal/measure"
)

// TestMain is the launcher of processes, and a process with an end of its own.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 2 && os.Args[1] == measure.LauncherArgument:
		if err := measure.Launch(context.Background(), os.Args[2:]); err != nil {
			os.Exit(1)
		}
	case len(os.Args) == 2 && os.Args[1] == "succeed":
		os.Stdout.WriteString(os.Getenv("ANSWER"))
	case len(os.Args) == 2 && os.Args[1] == "fail":
		os.Stderr.WriteString("out of paper\n")
		os.Exit(3)
	default:
		os.Exit(m.Run())
	}
}

func TestMedianAndPercentile(t *testing.T) {
	if got := measure.Median([]float64{3, 1, 2}); got != 2 {
		t.Errorf("median: got %v, want 2", got)
	}
	if got := measure.Median([]float64{4, 1, 2, 3}); got != 2.5 {
		t.Errorf("median of four: got %v, want 2.5", got)
	}
	values := make([]float64, 200)
	for i := range values {
		values[len(values)-1-i] = float64(i + 1)
	}
	for p, want := range map[float64]float64{0: 1, 50: 100, 99: 198, 100: 200} {
		if got := measure.Percentile(values, p); got != want {
			t.Errorf("percentile %v: got %v, want %v", p, got, want)
		}
	}
	if !math.IsNaN(measure.Median(nil)) || !math.IsNaN(measure.Percentile(nil, 50)) {
		t.Error("of nothing: want NaN")
	}
	if values[0] != 200 {
		t.Error("the values were sorted in place")
	}
}

// Methods take turns: all questions of one, then of the other, in each round.
func TestCompare(t *testing.T) {
	var asked []string
	ask := func(name string) measure.Method {
		return measure.Method{Name: name, Ask: func(_ context.Context, n int) error {
			asked = append(asked, name+string(rune('0'+n)))
			return nil
		}}
	}
	got, err := measure.Compare(t.Context(), 2, 2, ask("a"), ask("b"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(asked, []string{"a0", "b0", "a0", "a1", "b0", "b1", "a2", "a3", "b2", "b3"}); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
	for _, s := range got {
		if len(s.Wall) != 2 || len(s.Wall[0]) != 2 || len(s.CPU) != 2 {
			t.Errorf("%s: got %+v, want two rounds of two", s.Name, s)
		}
	}
	broken := errors.New("broken")
	_, err = measure.Compare(t.Context(), 1, 1, measure.Method{Name: "c", Ask: func(context.Context, int) error { return broken }})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the method's error", err)
	}
}

func TestRatio(t *testing.T) {
	own := &measure.Samples{Wall: [][]float64{{1, 1, 9}, {2, 2, 2}, {1, 1, 1}}, CPU: [][]float64{{1}, {1}, {1}}}
	reference := &measure.Samples{Wall: [][]float64{{10, 10, 10}, {40, 40, 40}, {90, 10, 30}}, CPU: [][]float64{{3}, {4}, {5}}}
	if got := own.WallRatio(reference); got != 20 {
		t.Errorf("by the clock: got %v, want 20", got)
	}
	if got := own.CPURatio(reference); got != 4 {
		t.Errorf("by CPU: got %v, want 4", got)
	}
	if p50, p99 := own.P50(), own.P99(); p50 != 1 || p99 != 9 {
		t.Errorf("got p50 %v and p99 %v, want 1 and 9", p50, p99)
	}
	if p50, p99 := reference.CPU50(), reference.CPU99(); p50 != 4 || p99 != 5 {
		t.Errorf("got CPU p50 %v and p99 %v, want 4 and 5", p50, p99)
	}
}

func TestProcess(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run, err := measure.Process(t.Context(), []string{"ANSWER=四十二", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}, self, "succeed")
	if err != nil || run.Failed != "" {
		t.Fatalf("got %+v, %v", run, err)
	}
	if run.Output != "四十二" || run.WallMilliseconds <= 0 {
		t.Errorf("got %+v, want its answer and a time", run)
	}
	run, err = measure.Process(t.Context(), nil, self, "fail")
	if want := "exit status 3: out of paper"; err != nil || run.Failed != want {
		t.Errorf("got %+v, %v; want a run that failed with %q", run, err, want)
	}
	run, err = measure.Process(t.Context(), nil, self+"-that-is-not-there")
	if err != nil || run.Failed == "" {
		t.Errorf("got %+v, %v; want a run that failed", run, err)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Errorf("the launcher failed: %v", err)
	}
}
