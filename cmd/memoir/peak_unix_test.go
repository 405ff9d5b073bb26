//go:build unix

package main_test

import (
	"os"
	"runtime"
	"syscall"
)

// peakBytes returns the most memory of a process that was resident.
func peakBytes(ended *os.ProcessState) int64 {
	usage, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss) // bytes; elsewhere KiB
	}
	return int64(usage.Maxrss) * 1024
}
