package cli

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// quiet is how many bytes a command allocates before the garbage collector runs
// for the first time. Most commands end before that, and still use almost all
// that they have allocated, so collecting would free next to nothing.
const quiet = 48 << 20

// later says that the collector waits for [quiet].
var later atomic.Bool

// CollectLater keeps the garbage collector from running until the program has
// allocated some memory. From then on it runs as usual. If GOGC or GOMEMLIMIT
// is set, CollectLater does nothing.
func CollectLater() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	later.Store(true)
	debug.SetMemoryLimit(quiet)
	debug.SetGCPercent(-1)
	// Nothing refers to this, so the first collection calls the function.
	runtime.AddCleanup(&struct{ self *atomic.Bool }{&later}, func(int) { collect() }, 0)
}

// collect lets the collector run as usual from now on, because a program that
// runs for long should free what only its start needed.
func collect() {
	if later.CompareAndSwap(true, false) {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(math.MaxInt64)
	}
}
