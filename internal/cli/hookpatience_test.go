package cli_test

import (
	"io"
	"sync"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/cli"
)

// TestHookPatience: a hook ends though what it waits for never comes, and though its own limit is longer. Agents
// whose own limit is over may wait for the process to end.
func TestHookPatience(t *testing.T) {
	notes(t)
	t.Setenv("MEMOIR_HOOK_SEARCH_TIME", "24h")
	was := *cli.HookPatience
	*cli.HookPatience = time.Millisecond
	defer func() { *cli.HookPatience = was }()
	var work sync.WaitGroup
	start := *cli.StartHook
	*cli.StartHook = func(f func()) { work.Go(f) }
	never, end := io.Pipe()
	defer func() {
		end.Close()
		work.Wait() // it writes to the folder that the test removes
		*cli.StartHook = start
	}()
	if code, out, errs := run(t.Context(), never, nil, "hook", "gemini", "prompt"); code != 0 || out+errs != "" {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
}
