package cli_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memoir-ai/memoir/internal/cli"
)

// TestWaiting: what takes long is said before a second is over, and taken away; what is
// quick says nothing.
func TestWaiting(t *testing.T) {
	t.Setenv("TERM", "xterm")
	synctest.Test(t, func(t *testing.T) {
		var screen strings.Builder
		over := cli.Waiting(&screen, "searching")
		time.Sleep(100 * time.Millisecond)
		over()
		if screen.String() != "" {
			t.Errorf("at once it says %q", screen.String())
		}
		over = cli.Waiting(&screen, "searching")
		time.Sleep(time.Second)
		synctest.Wait()
		if screen.String() != "searching…" {
			t.Errorf("after a second it says %q", screen.String())
		}
		over()
		over()
		if screen.String() != "searching…\r\x1b[K" {
			t.Errorf("at the end it has said %q", screen.String())
		}
	})
}
