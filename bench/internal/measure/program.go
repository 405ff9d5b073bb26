package measure

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
)

// Main runs a bench until it is done or interrupted, and ends the process with 1 when
// it fails.
func Main(name string, run func(context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Build builds memoir, from the root of the module.
func Build(ctx context.Context, program string, flags ...string) error {
	args := append(append([]string{"build"}, flags...), "-o", program, "./cmd/memoir")
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}

// Opening says what a report of a bench begins with: the machine, how busy it is, and
// the command that was run.
func Opening(name string) string {
	return fmt.Sprintf("%s, %d processors, %s/%s, %s at the start; %s.\n\n```\ngo run ./bench/%s %s\n```\n\n",
		Processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, Load(), runtime.Version(), name, strings.Join(os.Args[1:], " "))
}
