//go:build !unix

package measure

import (
	"os"
	"time"
)

// CPUTime returns what all threads of this process have computed, 0 where the
// system does not tell.
func CPUTime() time.Duration { return 0 }

// peakOf returns the most memory of an ended process that was resident, at
// least that of the process that started it; 0 where the system does not tell.
func peakOf(*os.ProcessState) int64 { return 0 }
