//go:build linux || darwin || freebsd || netbsd || openbsd

package browse

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// Sequences of xterm's, which others follow: a screen of its own, lines that do not go
// on in the next one, and marks round what is pasted.
const (
	enter = "\x1b[?1049h\x1b[?7l\x1b[?2004h\x1b[2J"
	exit  = "\x1b[?2004l\x1b[?7h" + plain + showCursor + "\x1b[?1049l"
)

// terminal is the terminal while the view has it.
type terminal struct {
	in, out *os.File
	before  *term.State
	sent    chan []byte // what was typed; closed when the terminal is gone
	resized chan os.Signal

	stop    func() // ends the reader
	reading sync.WaitGroup
}

// openTerminal takes the terminal.
func openTerminal(in, out *os.File) (*terminal, error) {
	t := &terminal{in: in, out: out, sent: make(chan []byte), resized: make(chan os.Signal, 1)}
	signal.Notify(t.resized, syscall.SIGWINCH)
	if err := t.take(); err != nil {
		signal.Stop(t.resized)
		return nil, err
	}
	return t, nil
}

// take makes the terminal give every key as it is pressed, and reads them.
func (t *terminal) take() error {
	before, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return fmt.Errorf("set the terminal: %w", err)
	}
	t.before = before
	woken, wake, err := os.Pipe()
	if err != nil {
		return errors.Join(err, t.give())
	}
	stop := make(chan struct{})
	t.stop = func() {
		close(stop)
		wake.Close()
		t.reading.Wait()
	}
	t.reading.Go(func() {
		defer woken.Close()
		t.read(int(woken.Fd()), stop)
	})
	return t.write(enter)
}

// give makes the terminal what it was, once.
func (t *terminal) give() error {
	if t.before == nil {
		return nil
	}
	before := t.before
	t.before = nil
	if t.stop != nil {
		t.stop()
		t.stop = nil
	}
	return errors.Join(t.write(exit), term.Restore(int(t.in.Fd()), before))
}

// close makes the terminal what it was.
func (t *terminal) close() {
	signal.Stop(t.resized)
	_ = t.give() // where it is gone nothing can be done
}

// read hands on what is typed until woken can be read and stop is closed.
func (t *terminal) read(woken int, stop <-chan struct{}) {
	in := int(t.in.Fd())
	for {
		var ready unix.FdSet
		ready.Set(in)
		ready.Set(woken)
		_, err := unix.Select(max(in, woken)+1, &ready, nil, nil, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err == nil && ready.IsSet(woken):
			return
		}
		buf := make([]byte, 4096)
		n := 0
		if err == nil {
			n, err = unix.Read(in, buf)
			if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
				continue
			}
		}
		if err != nil || n <= 0 {
			close(t.sent)
			return
		}
		select {
		case t.sent <- buf[:n]:
		case <-stop:
			return
		}
	}
}

func (t *terminal) write(text string) error {
	_, err := io.WriteString(t.out, text)
	return err
}

// size returns how many columns and lines the terminal has, 0 and 0 where it does not
// say.
func (t *terminal) size() (width, height int) {
	width, height, err := term.GetSize(int(t.out.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}

// lend lets a program have the terminal until it ends. failed says why it did not do
// well; err that the terminal could not be taken again.
func (t *terminal) lend(args []string) (failed, err error) {
	if err := t.give(); err != nil {
		return nil, err
	}
	// It gets a process group of its own in the foreground, so that an interrupt there is
	// the program's alone. Who takes the terminal from the background is stopped, unless
	// the signal for that is ignored.
	in := int(t.in.Fd())
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.in, t.out, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Foreground: true, Ctty: in}
	failed = cmd.Run()
	if err := unix.IoctlSetPointerInt(in, unix.TIOCSPGRP, unix.Getpgrp()); err != nil {
		return failed, fmt.Errorf("take the terminal back: %w", err)
	}
	return failed, t.take()
}
