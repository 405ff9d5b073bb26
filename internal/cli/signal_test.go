//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// started is a memoir that computes a vector and does not come to an end.
type started struct {
	*exec.Cmd
	errs   *bufio.Reader
	output bytes.Buffer
}

// start runs memoir index on a workspace that is named on its command line.
func start(t *testing.T, how string) *started {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "my notes"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "my notes", "MEMORY.md"), []byte("We use SQLite.\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := &started{Cmd: exec.Command(self, "--workspace", "my notes", "index")}
	s.Args[0], s.Dir, s.Stdout = "memoir", dir, &s.output
	s.Env = append(os.Environ(), "HOME="+dir, "TEST_STUCK="+how)
	errs, err := s.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.errs = bufio.NewReader(errs)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Process.Kill() })
	s.wait(t, "embedding")
	return s
}

// wait reads standard error up to a line.
func (s *started) wait(t *testing.T, line string) {
	t.Helper()
	for {
		got, err := s.errs.ReadString('\n')
		if err != nil {
			t.Fatalf("standard error ends before %q: %v", line, err)
		}
		if strings.TrimSpace(got) == line {
			return
		}
	}
}

// end returns the rest of standard error and how the process ended.
func (s *started) end(t *testing.T) (string, syscall.WaitStatus) {
	t.Helper()
	rest, err := io.ReadAll(s.errs)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Wait() // its exit code is looked at
	return string(rest), s.ProcessState.Sys().(syscall.WaitStatus)
}

// A command that a signal stops says so in its exit code, as shells expect,
// and its hint goes on with the same notes.
func TestSignals(t *testing.T) {
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			s := start(t, "until stopped")
			if err := s.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			errs, status := s.end(t)
			if !status.Exited() || status.ExitStatus() != want {
				t.Errorf("got status %v, want exit code %d", status, want)
			}
			if wanted := "\n  try: memoir --workspace 'my notes' index\n"; !strings.Contains(errs, "the next run goes on from there") || !strings.HasSuffix(errs, wanted) {
				t.Errorf("got %q, want it to end in %q", errs, wanted)
			}
		})
	}
}

// The second signal ends a command at once that the first could not stop.
func TestSecondSignal(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			s := start(t, "deaf")
			if err := s.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			s.wait(t, "deaf")
			if err := s.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if _, status := s.end(t); !status.Signaled() || status.Signal() != signal {
				t.Errorf("got status %v, want an end by the signal", status)
			}
		})
	}
}

// A server that computes vectors ends when it is asked to.
func TestServedTerminated(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string]string{"MEMORY.md": "We use SQLite.\n"})
	cmd := d.command([]string{"TEST_STUCK=until stopped"}, "mcp")
	in, err := cmd.StdinPipe() // stays open
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	s := &started{Cmd: cmd, errs: bufio.NewReader(errs)}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Process.Kill() })
	s.wait(t, "embedding")
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if rest, status := s.end(t); !status.Exited() || status.ExitStatus() != 0 || rest != "" {
		t.Errorf("got status %v and %q", status, rest)
	}
}
