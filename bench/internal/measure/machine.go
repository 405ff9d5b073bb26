// Package measure is what the benches have in common: they read the machine's
// clocks, let several ways to answer the same questions take turns, and say
// what is typical of many readings.
//
// A machine does other work at the same time. That disturbs alike what is
// measured in turns. Processor time is disturbed least, because it does not
// count waiting for a processor.
package measure

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Processor returns the processor's name, as Linux tells it; elsewhere the
// architecture.
func Processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	found := map[string]string{}
	for line := range strings.Lines(string(info)) {
		key, value, _ := strings.Cut(line, ":")
		found[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	if found["model name"] == "" {
		return runtime.GOARCH
	}
	return fmt.Sprintf("%s (family %s, model %s)", found["model name"], found["cpu family"], found["model"])
}

// Load returns how many processes wanted a processor, on average over 1, 5 and
// 15 minutes.
func Load() string {
	averages, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "load unknown"
	}
	fields := strings.Fields(string(averages))
	return "load " + strings.Join(fields[:min(3, len(fields))], " ")
}

// PeakBytes returns the most memory of this program that was resident, or 0
// when that is not known. The figure of getrusage would include that of the
// process that started this one.
func PeakBytes() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib * 1024
		}
	}
	return 0
}
