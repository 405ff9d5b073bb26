package cli

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// quiet is how much memory a command takes before the garbage collector runs for the
// first time, in bytes. Most commands end before that, and what they have taken by then
// they still use: collecting frees next to nothing.
const quiet = 48 << 20

// later says that the collector waits for [quiet].
var later atomic.Bool

// CollectLater keeps the garbage collector from running until the program has taken some
// memory; then it runs as usual. Whoever sets GOGC or GOMEMLIMIT is not interfered with.
func CollectLater() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	later.Store(true)
	debug.SetMemoryLimit(quiet)
	debug.SetGCPercent(-1)
	// The first collection finds that nothing uses this.
	runtime.AddCleanup(&struct{ self *atomic.Bool }{&later}, func(int) { collect() }, 0)
}

// collect lets the collector run as usual from now on: what runs for long should not
// keep what it needed at its start.
func collect() {
	if later.CompareAndSwap(true, false) {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(math.MaxInt64)
	}
}
