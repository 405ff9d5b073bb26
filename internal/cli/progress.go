package cli

import (
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
