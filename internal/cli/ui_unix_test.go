//go:build unix

package cli_test

import (
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ui starts memoir ui where no server runs, and returns the link that it prints.
func (d *desk) ui() string {
	d.Helper()
	cmd := d.command(nil, "ui", "--print", "--addr", "127.0.0.1:0")
	return d.serving(cmd).url
}

// TestUIOfAnother: a server was killed, and another program listens at its address. It is not
// asked for a link, and is sent nothing.
func TestUIOfAnother(t *testing.T) {
	d := newDesk(t, map[string]string{"a.md": "# A\n"})
	s := d.serveHTTP()
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	l, err := net.Listen("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if link := d.ui(); strings.HasPrefix(link, s.url) || !strings.Contains(link, "/?ticket=") {
		t.Errorf("the link is %s", link)
	}
	d.output("admin", "list")
	if err := l.(*net.TCPListener).SetDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Accept(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it was connected to: %v", err)
	}
}

// TestUIOpens: the browser is given a file that nobody else can read, and no word by which
// others who see how it was started could be first. The file leads to the page.
func TestUIOpens(t *testing.T) {
	d := newDesk(t, map[string]string{"a.md": "# A\n"})
	s := d.serveHTTP("--workspace", filepath.Join(d.dir, "notes"), "--workspace", "office="+filepath.Join(d.dir, "office"))
	bin, started := filepath.Join(d.dir, "bin"), filepath.Join(d.dir, "started")
	opener := map[string]string{"darwin": "open"}[runtime.GOOS]
	if opener == "" {
		opener = "xdg-open"
	}
	if err := errors.Join(os.MkdirAll(bin, 0o755), os.MkdirAll(filepath.Join(d.dir, "office"), 0o700), syscall.Mkfifo(started, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, opener), []byte("#!/bin/sh\nprintf '%s\\n' \"$@\" > '"+started+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for place, at := range map[string]string{"notes": s.url + "/", "office": s.url + "/w/office/"} {
		d.place = filepath.Join(d.dir, place)
		if out, err := d.command([]string{"PATH=" + bin + ":" + os.Getenv("PATH")}, "ui").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		words, err := os.ReadFile(started) // waits for the browser
		if err != nil {
			t.Fatal(err)
		}
		file := strings.TrimSuffix(string(words), "\n")
		info, err := os.Stat(file)
		if err != nil || strings.Contains(string(words), "ticket") {
			t.Fatalf("the browser is started with %q, %v", words, err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("the file has the mode %v", info.Mode())
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`<meta http-equiv="refresh" content="0; url=(\S+ticket=\w+)">`).FindStringSubmatch(string(text))
		if found == nil || !strings.HasPrefix(found[1], at+"?ticket=") {
			t.Fatalf("the file leads to %q, want %s: %s", found, at, text)
		}
		if os.Getuid() == 65534 {
			continue // whose programs cannot be told from those of other users
		}
		if cookie := cookieOf(t, found[1]); pageWith(t, at, cookie) != http.StatusOK || pageWith(t, at, "") != http.StatusUnauthorized {
			t.Errorf("the page at %s does not open with %q, or without", at, cookie)
		}
	}
	s.stop()
	if left, err := filepath.Glob(filepath.Join(d.dir, "state", "serve", "*.html")); err != nil || len(left) > 0 {
		t.Errorf("the server ended, and left %v, %v", left, err)
	}
}

// TestUIInAProject: in the folder of a project, agreed to or not, memoir ui finds the server that
// memoir serve has started there.
func TestUIInAProject(t *testing.T) {
	d := newDesk(t, nil)
	project := filepath.Join(d.dir, "clone")
	here := func(args ...string) *exec.Cmd {
		cmd := d.command(nil, args...)
		cmd.Args, cmd.Dir = append(cmd.Args[:1], args...), project
		return cmd
	}
	for _, dir := range []string{".git", ".memoir/memory"} {
		if err := os.MkdirAll(filepath.Join(project, filepath.FromSlash(dir)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(project, ".memoir", "MEMORY.md"), []byte("# Memory\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		out, err := here(args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run("init") // the user's own
	for _, agreed := range []bool{false, true} {
		if agreed {
			run("trust")
		}
		s := d.serving(here("serve", "--addr", "127.0.0.1:0"))
		ui := here("ui", "--print", "--addr", "256.0.0.1:0") // where no server can be
		link, err := ui.Output()
		if err != nil || !strings.HasPrefix(string(link), s.url+"/?ticket=") {
			t.Errorf("agreed to: %v: the server is at %s, the link is %q: %v", agreed, s.url, link, err)
		}
		s.stop()
	}
}
