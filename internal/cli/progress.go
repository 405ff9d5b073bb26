package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/cells"
)

// A lastLine is a terminal whose last line may say what is going on, or any other stream.
// What is written goes above that line. It is safe for concurrent use.
type lastLine struct {
	to      io.Writer
	columns func() int // of the terminal: what is longer than the line could not be taken away

	mu  sync.Mutex
	now string // what the line says; "" is nothing
	// What was written last and has no end yet, while the line says something.
	part string
}

// Write implements [io.Writer].
func (l *lastLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == "" {
		return l.to.Write(p)
	}
	text, again := l.part+string(p), ""
	l.part = text[strings.LastIndex(text, "\n")+1:]
	if l.part == "" {
		again = l.now
	}
	_, err := fmt.Fprintf(l.to, "\r\x1b[K%s%s", text, again)
	return len(p), err
}

// say puts a text into the last line; "" takes it away.
func (l *lastLine) say(now string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now != "" {
		fmt.Fprint(l.to, "\r\x1b[K")
	}
	if l.now, _, _ = cells.Cut(now, l.columns()-1); l.now != "" {
		fmt.Fprint(l.to, l.now)
		return
	}
	fmt.Fprint(l.to, l.part)
	l.part = ""
}

// A bar writes what a progress bar looks like to the last line, or only what is being done
// while none of it is: then nothing is known of the rate.
type bar struct {
	*lastLine
	what  string
	begun bool
}

// Write implements [io.Writer].
func (b *bar) Write(p []byte) (int, error) {
	text := strings.TrimSpace(strings.NewReplacer("\x1b[2K", "", "\x1b[0K", "").Replace(string(p)))
	if text != "" && !b.begun {
		text = b.what + "…"
	}
	b.say(text)
	return len(p), nil
}

// width returns how wide the bar itself may be, so that the line ends with the time that
// is left.
func (b *bar) width(total int, unit string) int {
	const least, most = 4, 24
	beside := fmt.Sprintf("%s 100%% || (%d/%[2]d, 9999 %s/min) [59m59s:59m59s]", b.what, total, unit)
	_, taken, _ := cells.Cut(beside, len(beside))
	return max(least, min(most, b.columns()-1-taken))
}

// follows reports whether the last line can say what is going on.
func (s *session) follows() bool { return s.terminal(s.err.to) && os.Getenv("TERM") != "dumb" }

// progress returns a reporter that draws a bar with rate and remaining time on
// a terminal, and a function that removes the bar. Elsewhere it is silent. The
// unit "bytes" is shown in MB.
func (s *session) progress(what, unit string) (memoir.Progress, func()) {
	if !s.follows() {
		return nil, func() {}
	}
	var drawn *progressbar.ProgressBar
	line := &bar{lastLine: s.err, what: what, begun: unit == "bytes"} // of nothing, bytes have no rate
	report := func(done, total int) {
		if drawn == nil {
			options := []progressbar.Option{
				progressbar.OptionSetWriter(line), progressbar.OptionUseANSICodes(true),
				progressbar.OptionSetDescription(what),
				progressbar.OptionShowCount(),
				progressbar.OptionSetPredictTime(true), progressbar.OptionSetElapsedTime(false),
				progressbar.OptionSetWidth(line.width(total, unit)), progressbar.OptionThrottle(100 * time.Millisecond),
				progressbar.OptionSetRenderBlankState(true), progressbar.OptionClearOnFinish(),
			}
			if unit == "bytes" { // which are shown with their rate
				options = append(options, progressbar.OptionShowBytes(true))
			} else {
				options = append(options, progressbar.OptionSetItsString(unit), progressbar.OptionShowIts())
			}
			drawn = progressbar.NewOptions(total, options...)
		}
		if total != drawn.GetMax() {
			drawn.ChangeMax(total)
		}
		line.begun = line.begun || done > 0
		// A bar that cannot be drawn must not stop the work.
		_ = drawn.Set(done)
	}
	return report, func() {
		if drawn != nil {
			_ = drawn.Clear()
		}
	}
}

// waiting says on a terminal what is being done when it is not over after half a second,
// and returns a function that takes that away again. Elsewhere it is silent.
func (s *session) waiting(what string) (over func()) {
	if !s.follows() {
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
		s.err.say(s.language.Say(what) + "…")
		<-ended
		s.err.say("")
	})
	return sync.OnceFunc(func() {
		close(ended)
		said.Wait()
	})
}
