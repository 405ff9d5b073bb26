package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// parentFake starts memoir with its own arguments, input and output, and waits for it.
func parentFake() {
	self, err := os.Executable()
	if err == nil {
		cmd := exec.Command(self, os.Args[1:]...)
		cmd.Args[0], cmd.Stdin, cmd.Stdout, cmd.Stderr = "memoir", os.Stdin, os.Stdout, os.Stderr
		err = cmd.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// orphan is a memoir mcp whose parent is another process than the test, which holds
// its pipes.
type orphan struct {
	parent *exec.Cmd
	in     *os.File // that it reads from
	out    *os.File
	said   *bufio.Reader // what it says
}

// orphan starts one, and waits until it answers.
func (d *desk) orphan() *orphan {
	d.Helper()
	in, keptOpen, err := os.Pipe()
	if err != nil {
		d.Fatal(err)
	}
	out, itsOut, err := os.Pipe()
	if err != nil {
		d.Fatal(err)
	}
	o := &orphan{parent: d.command(nil, "mcp"), in: keptOpen, out: out, said: bufio.NewReader(out)}
	o.parent.Args[0], o.parent.Stdin, o.parent.Stdout = "parent-fake", in, itsOut
	d.Cleanup(func() { _, _ = o.in.Close(), o.out.Close() }) // they may be closed
	if err := o.parent.Start(); err != nil {
		d.Fatal(err)
	}
	_, _ = in.Close(), itsOut.Close() // the processes have their own
	if _, err := io.WriteString(o.in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		d.Fatal(err)
	}
	if line, err := o.said.ReadString('\n'); err != nil || !strings.Contains(line, `"id":1`) {
		d.Fatalf("it answers %q, %v", line, err)
	}
	return o
}

// ends waits until nobody can write to its output any more.
func (o *orphan) ends(t *testing.T) {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		_, err := io.ReadAll(o.said)
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("it lives on")
		_ = o.in.Close() // at which it ends
	}
}

// TestServedEndsWithParent: a server ends when the process is killed that started it,
// although somebody else holds its pipes open and says nothing.
func TestServedEndsWithParent(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string]string{"MEMORY.md": "- We use SQLite.\n"})
	o := d.orphan()
	if err := o.parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = o.parent.Wait() // killed
	o.ends(t)
}
