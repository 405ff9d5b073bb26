package cli

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/memoir-ai/memoir"
)

// progress returns a reporter that draws a bar with rate and remaining time on
// a terminal, and a function that removes the bar. Elsewhere it is silent. The
// unit "bytes" is shown in MB.
func (s *session) progress(what, unit string) (memoir.Progress, func()) {
	if !s.terminal(s.err) {
		return nil, func() {}
	}
	var bar *progressbar.ProgressBar
	report := func(done, total int) {
		if bar == nil {
			bar = progressbar.NewOptions(total,
				progressbar.OptionSetWriter(s.err),
				progressbar.OptionSetDescription(what),
				progressbar.OptionSetItsString(unit),
				progressbar.OptionShowCount(), progressbar.OptionShowIts(),
				progressbar.OptionShowBytes(unit == "bytes"),
				progressbar.OptionSetPredictTime(true), progressbar.OptionSetElapsedTime(false),
				progressbar.OptionSetWidth(24), progressbar.OptionThrottle(100*time.Millisecond),
				progressbar.OptionSetRenderBlankState(true), progressbar.OptionClearOnFinish(),
			)
		}
		if total != bar.GetMax() {
			bar.ChangeMax(total)
		}
		// A bar that cannot be drawn must not stop the work.
		_ = bar.Set(done)
	}
	return report, func() {
		if bar != nil {
			_ = bar.Clear()
		}
	}
}

// waiting says on a terminal what is being done when it is not over after half a second,
// and returns a function that takes that away again. Elsewhere it is silent.
func (s *session) waiting(what string) (over func()) {
	if !s.terminal(s.err) || os.Getenv("TERM") == "dumb" {
		return func() {}
	}
	ended := make(chan struct{})
	var said sync.WaitGroup
	said.Go(func() {
		select {
		case <-ended:
			return
		case <-time.After(500 * time.Millisecond):
		}
		fmt.Fprintf(s.err, "%s…", s.language.Say(what))
		<-ended
		fmt.Fprint(s.err, "\r\x1b[K")
	})
	return sync.OnceFunc(func() {
		close(ended)
		said.Wait()
	})
}
