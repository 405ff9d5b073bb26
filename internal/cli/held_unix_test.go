//go:build unix

package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestHeld: while another process has the notes, remember says which one. When it is
// interrupted, what was told is in the error.
func TestHeld(t *testing.T) {
	d := newDen(t)
	if out, ok := d.run("remember", "--type", "project", "The boat is blue"); !ok {
		t.Fatal(out)
	}
	lock, err := os.OpenFile(d.notebook("notes.lock"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintln(lock, "4711   "); err != nil {
		t.Fatal(err)
	}
	cmd, _ := d.command(t.Context(), "--workspace", ".", "remember", "--type", "project", "The staging server is called heron")
	cmd.Stdout, cmd.Stderr = nil, nil
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(pipe)
	if line, err := said.ReadString('\n'); err != nil || !strings.Contains(line, "process 4711 has the notes") {
		t.Errorf("it says %q, %v", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(said)
	if err != nil || !strings.Contains(string(rest), "interrupted; not kept: The staging server is called heron") {
		t.Errorf("it says %q, %v", rest, err)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("it ends with %v", err)
	}
	if text, err := os.ReadFile(d.path("notes/memory/projects.md")); err != nil || strings.Contains(string(text), "heron") {
		t.Errorf("%s, %v", text, err)
	}
}
