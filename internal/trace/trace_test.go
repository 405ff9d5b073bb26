package trace_test

import (
	"context"
	"sync"
	"testing"

	"github.com/memoir-ai/memoir/internal/trace"
)

// TestStages: stages come in the order in which they began, whichever ends first.
func TestStages(t *testing.T) {
	ctx, x := trace.With(t.Context())
	outer := trace.Begin(ctx, "outer")
	trace.Begin(ctx, "inner").End(3, "passages")
	outer.End(0, "")
	got := x.Stages()
	if len(got) != 2 || got[0].Name != "outer" || got[1].Name != "inner" || got[1].Count != 3 || got[1].Of != "passages" {
		t.Fatalf("got %+v", got)
	}
	if got[0].Took < got[1].Took || got[1].Start < got[0].Start {
		t.Errorf("the inner stage is not within the outer: %+v", got)
	}
}

// TestSideBySide: stages of one request may end at the same time.
func TestSideBySide(t *testing.T) {
	ctx, x := trace.With(t.Context())
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() { trace.Begin(ctx, "words").End(1, "passages") })
	}
	wait.Wait()
	if n := len(x.Stages()); n != 8 {
		t.Errorf("got %d stages", n)
	}
}

// TestNobodyAsked: a request without a trace pays nothing.
func TestNobodyAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if n := testing.AllocsPerRun(100, func() { trace.Begin(ctx, "words").End(1, "passages") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
