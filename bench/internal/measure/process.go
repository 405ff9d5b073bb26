package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// A Run is what a process took from its start to its end.
type Run struct {
	WallMilliseconds float64 `json:"wallMilliseconds"`
	CPUMilliseconds  float64 `json:"cpuMilliseconds"` // of all its threads
	PeakBytes        int64   `json:"peakBytes"`       // resident; 0 where the system does not tell
	Output           string  `json:"output"`          // what it printed
	Failed           string  `json:"failed"`          // how it failed and what it complained of; "" when it did not
}

// LauncherArgument turns a bench into a launcher. When it is the first
// argument, main calls [Launch] with the other ones.
const LauncherArgument = "launch"

// Process runs a command to its end with exactly this environment, and measures
// it. A second process of this program, the launcher, starts it. For the system
// never reports a peak of memory below that of the process that started the
// command, and a bench is full of data.
func Process(ctx context.Context, env []string, command ...string) (Run, error) {
	var run Run
	self, err := os.Executable()
	if err != nil {
		return run, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{LauncherArgument}, command...)...)
	cmd.Env = append([]string{}, env...) // nil would be the environment of this process
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return run, fmt.Errorf("launch %v: %w", command, err)
	}
	if err := json.Unmarshal(out, &run); err != nil {
		return run, fmt.Errorf("launch %v: %w", command, err)
	}
	return run, nil
}

// Launch runs a command and prints its [Run] as JSON. A command that fails is
// no error.
func Launch(ctx context.Context, command []string) error {
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = &out, &complaint
	start := time.Now()
	err := cmd.Run()
	run := Run{WallMilliseconds: Milliseconds(time.Since(start)), Output: out.String()}
	if err != nil {
		run.Failed = fmt.Sprintf("%v: %s", err, bytes.TrimSpace(complaint.Bytes()))
	}
	if ended := cmd.ProcessState; ended != nil {
		run.CPUMilliseconds = Milliseconds(ended.UserTime() + ended.SystemTime())
		run.PeakBytes = peakOf(ended)
	}
	return json.NewEncoder(os.Stdout).Encode(run)
}
