//go:build !unix

package measure

import (
	"os"
	"time"
)

// CPUTime returns the processor time of all threads of this process, or 0 where
// the system does not tell.
func CPUTime() time.Duration { return 0 }

// peakOf returns the most memory of an ended process that was resident. It is
// never less than that of the process that started it. It is 0 where the system
// does not tell.
func peakOf(*os.ProcessState) int64 { return 0 }
