package ptytest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/sys/unix"
)

// A Terminal has a program in it. Its methods fail the test when something goes wrong.
type Terminal struct {
	t       *testing.T
	master  *os.File
	slave   *os.File
	before  unix.Termios
	cmd     *exec.Cmd
	ended   chan struct{} // closed when the program has ended
	drained chan struct{} // closed when nothing more is read

	mu      sync.Mutex
	changed chan struct{} // closed when the screen changes
	screen  screen
}

// patience is how long a test waits for something to be shown.
const patience = time.Minute

// Start runs a program in a terminal of a size. It is killed when the test ends.
func Start(t *testing.T, cmd *exec.Cmd, width, height int) *Terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here:", err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	x := &Terminal{t: t, master: master, slave: slave, cmd: cmd, ended: make(chan struct{}), drained: make(chan struct{}), changed: make(chan struct{})}
	x.Resize(width, height)
	before, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	x.before = *before
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(x.drained)
		x.read()
	}()
	go func() {
		defer close(x.ended)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-x.ended
		slave.Close()
		<-x.drained
		master.Close()
	})
	return x
}

// read shows what the program writes, until nobody has the terminal any more.
func (x *Terminal) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := x.master.Read(buf)
		if err != nil {
			return
		}
		x.mu.Lock()
		x.screen.write(string(buf[:n]))
		close(x.changed)
		x.changed = make(chan struct{})
		x.mu.Unlock()
	}
}

// Type sends what a person types.
func (x *Terminal) Type(text string) {
	x.t.Helper()
	if _, err := x.master.WriteString(text); err != nil {
		x.t.Fatal(err)
	}
}

// Resize changes the size of the window.
func (x *Terminal) Resize(width, height int) {
	x.t.Helper()
	x.mu.Lock()
	x.screen.width, x.screen.height = width, height
	x.mu.Unlock()
	if err := unix.IoctlSetWinsize(int(x.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(width), Row: uint16(height)}); err != nil {
		x.t.Fatal(err)
	}
}

// Signal sends a signal to the program.
func (x *Terminal) Signal(s os.Signal) {
	x.t.Helper()
	if err := x.cmd.Process.Signal(s); err != nil {
		x.t.Fatal(err)
	}
}

// Screen returns the lines of the screen, without blanks at their ends.
func (x *Terminal) Screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.screen.text()
}

// Wait waits until the screen is as it should be, and returns it.
func (x *Terminal) Wait(what string, right func(screen string) bool) string {
	x.t.Helper()
	late, ended := time.After(patience), x.ended
	for {
		x.mu.Lock()
		text, changed := x.screen.text(), x.changed
		x.mu.Unlock()
		if right(text) {
			return text
		}
		select {
		case <-changed:
		case <-ended: // what it wrote last may still come
			late, ended = time.After(5*time.Second), nil
		case <-late:
			x.t.Fatalf("%s does not come:\n%s", what, text)
		}
	}
}

// WaitFor waits until the screen holds a text, and returns it.
func (x *Terminal) WaitFor(text string) string {
	x.t.Helper()
	return x.Wait(fmt.Sprintf("%q", text), func(screen string) bool { return strings.Contains(screen, text) })
}

// End waits until the program has ended, and checks that the terminal is what it was.
// It returns the exit code, -1 for a program that a signal killed.
func (x *Terminal) End() int {
	x.t.Helper()
	select {
	case <-x.ended:
	case <-time.After(patience):
		x.t.Fatalf("the program does not end:\n%s", x.Screen())
	}
	now, err := unix.IoctlGetTermios(int(x.slave.Fd()), unix.TCGETS)
	if err != nil {
		x.t.Fatal(err)
	}
	if *now != x.before {
		x.t.Errorf("the terminal is set to\n%+v, and was\n%+v", *now, x.before)
	}
	x.Wait("a terminal as it was", func(string) bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return x.screen.asBefore()
	})
	return x.cmd.ProcessState.ExitCode()
}

// screen is what a terminal shows, as far as programs of this module ask for it. What
// it does not know it counts.
type screen struct {
	width, height int
	cells         map[[2]int]string // by line and column, from 1; of a wide character the first
	hidden        map[[2]int]string // those of the screen before
	line, column  int
	back          [2]int          // where the cursor was there
	modes         map[string]bool // private modes that were switched
	rest          string          // of a sequence that has not come whole
	strange       []string
}

// asBefore reports whether all modes are those of a terminal that nobody has.
func (s *screen) asBefore() bool {
	return !s.modes["1049"] && !s.modes["2004"] && s.on("7") && s.on("25")
}

// on reports whether a mode is on that is so from the start.
func (s *screen) on(mode string) bool {
	on, switched := s.modes[mode]
	return on || !switched
}

func (s *screen) write(text string) {
	if s.cells == nil {
		s.cells, s.modes, s.line, s.column = map[[2]int]string{}, map[string]bool{}, 1, 1
	}
	text = s.rest + text
	s.rest = ""
	for text != "" {
		switch {
		case strings.HasPrefix(text, "\x1b]8;"): // a link, which takes no place
			_, after, ended := strings.Cut(text, "\x1b\\")
			if !ended {
				s.rest = text
				return
			}
			text = after
		case text[0] == 0x1b:
			end := strings.IndexFunc(text[min(2, len(text)):], func(r rune) bool { return r >= 0x40 && r <= 0x7e })
			if end < 0 {
				s.rest = text
				return
			}
			end += 3
			s.escape(text[1:end])
			text = text[end:]
		case text[0] == '\r':
			s.column, text = 1, text[1:]
		case text[0] == '\n':
			s.line, text = s.line+1, text[1:]
		case text[0] < 0x20 || text[0] == 0x7f:
			s.strange = append(s.strange, fmt.Sprintf("%q", text[0]))
			text = text[1:]
		default:
			i := strings.IndexFunc(text, func(r rune) bool { return r < 0x20 })
			if i < 0 {
				i = len(text)
				for back := 1; back < utf8.UTFMax && back <= len(text); back++ { // a character that has not come whole
					if tail := text[len(text)-back:]; utf8.RuneStart(tail[0]) && !utf8.FullRuneInString(tail) {
						i, s.rest = len(text)-back, tail
						break
					}
				}
				s.put(text[:i])
				return
			}
			s.put(text[:i])
			text = text[i:]
		}
	}
}

// put writes characters where the cursor is.
func (s *screen) put(text string) {
	state := -1
	for text != "" {
		cluster, rest, width, next := uniseg.FirstGraphemeClusterInString(text, state)
		if s.column+width-1 > s.width && s.width > 0 {
			s.strange = append(s.strange, fmt.Sprintf("%q beyond the last column", cluster))
		}
		for i := range max(1, width) {
			delete(s.cells, [2]int{s.line, s.column + i})
		}
		s.cells[[2]int{s.line, s.column}] = cluster
		s.column += width
		text, state = rest, next
	}
}

func (s *screen) escape(sequence string) {
	final := sequence[len(sequence)-1]
	args := strings.TrimPrefix(sequence[:len(sequence)-1], "[")
	switch {
	case sequence[0] != '[':
		s.strange = append(s.strange, fmt.Sprintf("%q", sequence))
	case final == 'h' || final == 'l':
		s.modes[strings.TrimPrefix(args, "?")] = final == 'h'
		if args == "?1049" { // a screen of its own, and back to the one before
			s.cells, s.hidden = s.hidden, s.cells
			if s.cells == nil || final == 'h' {
				s.cells = map[[2]int]string{}
			}
			if final == 'h' {
				s.back = [2]int{s.line, s.column}
			} else {
				s.line, s.column = s.back[0], s.back[1]
			}
		}
	case final == 'H':
		s.line, s.column = 1, 1
		_, _ = fmt.Sscanf(args, "%d;%d", &s.line, &s.column)
	case final == 'K':
		for at := range s.cells {
			if at[0] == s.line && at[1] >= s.column {
				delete(s.cells, at)
			}
		}
	case final == 'J':
		s.cells = map[[2]int]string{}
	case final == 'm':
	default:
		s.strange = append(s.strange, fmt.Sprintf("%q", sequence))
	}
}

func (s *screen) text() string {
	var b strings.Builder
	for line := 1; line <= max(1, s.height); line++ {
		var row strings.Builder
		blank := 0
		for column := 1; column <= s.width; {
			cluster, ok := s.cells[[2]int{line, column}]
			if !ok || cluster == " " {
				blank++
				column++
				continue
			}
			row.WriteString(strings.Repeat(" ", blank) + cluster)
			blank = 0
			column += max(1, uniseg.StringWidth(cluster))
		}
		b.WriteString(row.String() + "\n")
	}
	return b.String()
}

// Strange returns what the program wrote that no program of this module should: control
// characters, sequences that are not known, characters beyond the last column.
func (x *Terminal) Strange() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.screen.strange
}
