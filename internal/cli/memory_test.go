package cli

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestCollectLater: nothing is collected until the program has taken some memory, and
// then, or when it is to run for long, all is as usual.
func TestCollectLater(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	usual := func() bool { return debug.SetMemoryLimit(-1) == math.MaxInt64 }
	for name, end := range map[string]func(){"large": runtime.GC, "long": collect} {
		CollectLater()
		if usual() {
			t.Fatal("the collector runs as before")
		}
		end()
		for begun := time.Now(); !usual(); runtime.Gosched() {
			if time.Since(begun) > time.Minute {
				t.Fatalf("%s: the collector never runs as usual again", name)
			}
		}
		if got := debug.SetGCPercent(100); got != 100 {
			t.Errorf("%s: the collector runs at %d percent", name, got)
		}
	}
	t.Setenv("GOGC", "50")
	CollectLater()
	if !usual() {
		t.Error("what the environment says of the collector is overruled")
	}
}
