package engine_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// TestMaintainOnBattery: a machine that runs on its battery computes the vectors of an
// edit, leaves those of many notes, stops with them when it is unplugged, and goes on when it
// is plugged in again; searches say what they wait for.
func TestMaintainOnBattery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var battery atomic.Bool
		battery.Store(true)
		embedder := &paced{takes: time.Second}
		var files []string
		for day := 1; day <= 28; day++ {
			files = append(files, fmt.Sprintf("2026-01-%02d.md", day), fmt.Sprintf("entry%d about tea\n", day), fmt.Sprintf("2026-02-%02d.md", day), fmt.Sprintf("entry%d about coffee\n", day))
		}
		n := newNotes(t, engine.Config{Embedder: embedder, OnBattery: battery.Load}, files...)
		n.maintain()
		time.Sleep(10 * time.Minute)
		if n.pending() != 56 {
			t.Errorf("on the battery %d of 56 texts are pending", n.pending())
		}
		const waits = "56 of 56 texts have no vector yet, and wait: the machine runs on its battery [memoir index, or set embed.onBattery]"
		if got := reasons(n.search(memoir.Query{Text: "tea"})); got != waits {
			t.Errorf("got %q, want %q", got, waits)
		}
		battery.Store(false)
		for calls := 0; calls < 2; {
			time.Sleep(100 * time.Millisecond)
			_, times := embedder.given()
			calls = len(times)
		}
		battery.Store(true)
		time.Sleep(time.Minute)
		if left := n.pending(); left == 0 || left >= 56-16 {
			t.Errorf("unplugged after two batches %d texts are pending", left)
		}
		battery.Store(false)
		time.Sleep(time.Minute)
		if n.pending() != 0 {
			t.Errorf("plugged in again %d texts are pending", n.pending())
		}
		battery.Store(true)
		n.write("2026-03-01.md", "one more about cocoa\n")
		time.Sleep(time.Minute)
		if n.pending() != 0 {
			t.Error("an edit waits for power")
		}
		if res := n.search(memoir.Query{Text: "cocoa"}); len(res.Degraded) > 0 {
			t.Errorf("got %v", res.Degraded)
		}
	})
}
