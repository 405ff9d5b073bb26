//go:build unix

package cli_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestServedEndsWithParent: a server ends when the process is killed that started it,
// although somebody else holds its pipes open and says nothing.
func TestServedEndsWithParent(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string]string{"MEMORY.md": "- We use SQLite.\n"})
	in, keptOpen, err := os.Pipe() // this process holds the end that is written to
	if err != nil {
		t.Fatal(err)
	}
	defer keptOpen.Close()
	out, itsOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	shell := exec.CommandContext(t.Context(), "sh", "-c", `"$0" "$@" <&3 >&4 & echo $!; exec 3<&- 4>&-; wait`, filepath.Join(d.dir, "memoir"), "mcp")
	if err := os.Symlink(d.self, filepath.Join(d.dir, "memoir")); err != nil {
		t.Fatal(err)
	}
	shell.Env, shell.Dir, shell.ExtraFiles = d.command([]string{"MEMOIR_WORKSPACE=" + filepath.Join(d.dir, "notes")}).Env, d.dir, []*os.File{in, itsOut}
	said, err := shell.StdoutPipe()
	if err == nil {
		err = shell.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(said).ReadString('\n')
	server, failed := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || failed != nil {
		t.Fatalf("the shell says %q, %v", line, err)
	}
	defer syscall.Kill(server, syscall.SIGKILL) //nolint:errcheck // it should be gone
	if err := itsOut.Close(); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	if _, err := io.WriteString(keptOpen, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, `"id":1`) {
		t.Fatalf("it answers %q, %v", line, err)
	}
	if err := shell.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = shell.Wait()
	if err := out.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(answers); err != nil { // the end of what it writes is its own
		t.Errorf("it lives on: %q, %v", rest, err)
	}
}
