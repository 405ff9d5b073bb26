//go:build unix

package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The npm package runs the program of its platform: what goes in, comes out,
// the exit code and a signal are the program's.
func TestShim(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node.js on this machine")
	}
	described, err := exec.Command(node, "-p", "process.platform + '-' + process.arch").Output()
	if err != nil {
		t.Fatal(err)
	}
	platform := npmName + "-" + strings.TrimSpace(string(described))
	install := func(program string) string {
		t.Helper()
		modules := filepath.Join(t.TempDir(), "node_modules")
		manifest, err := pretty(npmPackage{Name: npmName, OptionalDependencies: map[string]string{platform: "1.2.3", npmName + "-beos-ppc": "1.2.3"}})
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{npmName + "/package.json": manifest, npmName + "/bin/memoir.js": npmShim, platform + "/bin/memoir": []byte(program)} {
			if len(data) == 0 {
				continue
			}
			file := filepath.Join(modules, name)
			if err := writeData(file, data); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(file, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		return filepath.Join(modules, npmName, "bin", "memoir.js")
	}

	t.Run("streams and exit code", func(t *testing.T) {
		cmd := exec.Command(node, install("#!/bin/sh\ncat\nprintf '<%s>' \"$@\"\necho trouble >&2\nexit 7\n"), "search", "a b", "--json")
		cmd.Stdin = strings.NewReader("from outside ")
		var trouble strings.Builder
		cmd.Stderr = &trouble
		out, err := cmd.Output()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 7 {
			t.Errorf("got %v, want exit code 7", err)
		}
		if got, want := string(out)+trouble.String(), "from outside <search><a b><--json>trouble\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	// The program gets it, and can still read what comes in after it.
	t.Run("signal", func(t *testing.T) {
		cmd := exec.Command(node, install("#!/bin/sh\ntrap 'echo stopping; kill $!' TERM\nsleep 60 >/dev/null 2>&1 &\necho ready\nwait\nread line\necho \"<$line>\"\nexit 3\n"))
		var trouble strings.Builder
		cmd.Stderr = &trouble
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		lines.Scan() // ready
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		lines.Scan()
		got := lines.Text()
		if _, err := io.WriteString(in, "later\n"); err != nil {
			t.Error(err)
		}
		lines.Scan()
		got += lines.Text()
		err = cmd.Wait()
		var exit *exec.ExitError
		if got != "stopping<later>" || !errors.As(err, &exit) || exit.ExitCode() != 3 {
			t.Errorf("got %q, %v and %q, want stopping<later> and exit code 3", got, err, &trouble)
		}
	})
	t.Run("killed", func(t *testing.T) {
		err := exec.Command(node, install("#!/bin/sh\nkill -KILL $$\n")).Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 137 {
			t.Errorf("got %v, want exit code 137", err)
		}
	})
	t.Run("not installed", func(t *testing.T) {
		out, err := exec.Command(node, install("")).CombinedOutput()
		if err == nil || !strings.Contains(string(out), platform+" is not installed") {
			t.Errorf("got %q and %v, want a failure that names %s", out, err, platform)
		}
	})
}
