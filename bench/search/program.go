package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/memoir-ai/memoir/bench/internal/measure"
	"github.com/memoir-ai/memoir/internal/vecmath"
)

// A program is a command with folders of its own: nothing of this machine's
// user is read or changed.
type program struct {
	binary string
	env    []string
}

// newProgram returns a program whose home is a folder of its own.
func newProgram(binary, home string, env ...string) program {
	return program{binary, append([]string{
		vecmath.EnvCPU + "=" + os.Getenv(vecmath.EnvCPU), // the kernels that are asked for
		"PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "LANG=C.UTF-8", "HOME=" + home, "USERPROFILE=" + home, "TMPDIR=" + os.TempDir(),
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_CACHE_HOME=" + filepath.Join(home, ".cache"),
		"XDG_DATA_HOME=" + filepath.Join(home, ".local", "share"), "XDG_STATE_HOME=" + filepath.Join(home, ".local", "state"),
	}, env...)}
}

// run measures one run, which must succeed.
func (p program) run(ctx context.Context, args ...string) (measure.Run, error) {
	run, err := measure.Process(ctx, p.env, append([]string{p.binary}, args...)...)
	if err == nil && run.Failed != "" {
		err = fmt.Errorf("%s %s: %s", filepath.Base(p.binary), strings.Join(args, " "), run.Failed)
	}
	return run, err
}

// memoir returns the program, built as a release is, over a folder of notes.
func (b *bench) memoir(ctx context.Context, home, notes string, env ...string) (program, error) {
	if b.binary == "" {
		name := filepath.Join(b.temp, "memoir")
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", name, "github.com/memoir-ai/memoir/cmd/memoir")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return program{}, fmt.Errorf("build memoir: %w\n%s", err, out)
		}
		b.binary = name
	}
	return newProgram(b.binary, home, append([]string{"MEMOIR_WORKSPACE=" + notes, "MEMOIR_STATE_DIR=" + filepath.Join(home, "state")}, env...)...), nil
}

// runs are several of the same kind.
type runs []measure.Run

func (r runs) wall() []float64 {
	var out []float64
	for _, one := range r {
		out = append(out, one.WallMilliseconds)
	}
	return out
}

func (r runs) cpu() []float64 {
	var out []float64
	for _, one := range r {
		out = append(out, one.CPUMilliseconds)
	}
	return out
}

// peak returns the highest of all.
func (r runs) peak() int64 {
	var peak int64
	for _, one := range r {
		peak = max(peak, one.PeakBytes)
	}
	return peak
}

// row returns names, the medians of times, the longest one and the peak.
func (r runs) row(names ...string) []string {
	return append(names, digits(measure.Median(r.wall())), digits(measure.Percentile(r.wall(), 100)), digits(measure.Median(r.cpu())), megabytes(r.peak()))
}
