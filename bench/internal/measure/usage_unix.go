//go:build unix

package measure

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// CPUTime returns the processor time of all threads of this process, or 0 where
// the system does not tell.
func CPUTime() time.Duration {
	var u syscall.Rusage
	// The call fails only for a wrong argument.
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakOf returns the most memory of an ended process that was resident. It is
// never less than that of the process that started it. It is 0 where the system
// does not tell.
func peakOf(ended *os.ProcessState) int64 {
	u, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(u.Maxrss) // bytes; elsewhere KiB
	}
	return int64(u.Maxrss) * 1024
}
