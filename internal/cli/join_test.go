package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/bridge"
)

// talk is a conversation with a memoir mcp, a line after the other.
type talk struct {
	*desk
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	last int
}

// shortDesk is a desk in a folder whose name leaves room for a socket.
func shortDesk(t *testing.T, notes map[string]string) *desk {
	t.Helper()
	d := newDesk(t, nil)
	var err error
	if d.dir, err = os.MkdirTemp("", "j"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(d.dir) })
	old := time.Now().Add(-time.Hour) // the time of a new file is not told at once
	for name, text := range notes {
		d.write(name, text)
		if err := os.Chtimes(filepath.Join(d.dir, "notes", filepath.FromSlash(name)), old, old); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// talk starts memoir mcp, which ends with the test, and greets it.
func (d *desk) talk(env []string, args ...string) *talk {
	d.Helper()
	x := &talk{desk: d, cmd: d.command(env, append([]string{"mcp"}, args...)...)}
	x.cmd.Stderr = os.Stderr
	var err error
	if x.in, err = x.cmd.StdinPipe(); err != nil {
		d.Fatal(err)
	}
	out, err := x.cmd.StdoutPipe()
	if err == nil {
		err = x.cmd.Start()
	}
	if err != nil {
		d.Fatal(err)
	}
	x.out = bufio.NewReader(out)
	d.Cleanup(func() {
		_ = x.in.Close()
		_ = x.cmd.Wait()
	})
	x.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	fmt.Fprintln(x.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return x
}

// send asks without waiting for the answer.
func (x *talk) send(method, params string) {
	x.Helper()
	x.last++
	if _, err := fmt.Fprintf(x.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", x.last, method, params); err != nil {
		x.Fatal(err)
	}
}

// hear returns the next answer.
func (x *talk) hear() string {
	x.Helper()
	line, err := x.out.ReadString('\n')
	if err != nil {
		x.Fatalf("no answer: %v", err)
	}
	return line
}

func (x *talk) ask(method, params string) string {
	x.Helper()
	x.send(method, params)
	return x.hear()
}

func toolCall(name, arguments string) (method, params string) {
	return "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments)
}

// holds reports whether this process has the index open itself.
func (x *talk) holds() bool {
	x.Helper()
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", x.cmd.Process.Pid))
	if err != nil {
		x.Fatal(err)
	}
	for _, fd := range open {
		if to, err := os.Readlink(fd); err == nil && strings.Contains(filepath.Base(to), ".sqlite") {
			return true
		}
	}
	return false
}

// joins checks whether a process asks a server, where the system tells.
func (x *talk) joins(want bool) {
	x.Helper()
	if runtime.GOOS == "linux" && x.holds() == want {
		x.Errorf("it has the index open: %t", want)
	}
}

var joinNotes = map[string]string{
	"MEMORY.md": "# Memory\n\n- We use SQLite because it is one file\n- 数据库用 Postgres\n", "memory/2026-03-02.md": "# Monday\n\nTook a cab home. See [plan](../plan.md).\n",
	"plan.md": "# Plan\n\n## Release\n\nThe ferry leaves at nine <script>alert(1)</script>.\r\n", "memory/朋友.md": "# 朋友\n\n- 李雷喜欢绿茶\n",
}

// readings are calls that change nothing, with good and bad arguments.
func readings() (all [][2]string) {
	add := func(method, params string) { all = append(all, [2]string{method, params}) }
	for _, q := range []string{`{"query":"SQLite"}`, `{"query":"数据库"}`, `{"query":"taxi","max_results":3}`, `{"query":"nothing like it","min_score":0.9}`, `{"query":""}`, `{}`, `{"query":"a","no":1}`, `{"query":"\"ferry leaves\" path:plan"}`, `{"query":"since:yesterday"}`, `{"query":"x","mode":"vector"}`} {
		add(toolCall("memory_search", q))
	}
	for _, g := range []string{`{"path":"plan.md"}`, `{"path":"plan.md","from":2,"lines":2}`, `{"path":"plan.md","from":99}`, `{"path":"no.md"}`, `{"path":"../x.md"}`, `{"path":"memory/朋友.md"}`, `{"path":"plan.md","from":-1}`} {
		add(toolCall("memory_get", g))
	}
	add(toolCall("memory_prime", `{"message":"ferry"}`))
	add(toolCall("memory_forget", `{"entry":"e-000000"}`))
	add(toolCall("memory_forget", `{"entry":"plan.md","dryRun":true}`))
	add(toolCall("memory", `{"command":"view","path":"/memories"}`))
	add("tools/list", `{}`)
	add("resources/list", `{}`)
	add("resources/read", `{"uri":"memory:///plan.md"}`)
	add("resources/read", `{"uri":"memory:///no.md"}`)
	add("prompts/get", `{"name":"recall","arguments":{"question":"SQLite","query":"SQLite","topic":"SQLite"}}`)
	add("completion/complete", `{"ref":{"type":"ref/resource","uri":"memory:///{+path}"},"argument":{"name":"path","value":"mem"}}`)
	add("no/such", `{}`)
	return all
}

// TestJoined: a memoir mcp that asks a server answers to the byte what one that stands
// alone does, and opens nothing itself; what it writes is the server's, and in its audit.
func TestJoined(t *testing.T) {
	d := shortDesk(t, joinNotes)
	d.output("index")
	alone := d.talk([]string{"MEMOIR_SERVE_JOIN=false"}, "--memory-tool")
	alone.joins(false)
	var want []string
	for _, x := range readings() {
		want = append(want, alone.ask(x[0], x[1]))
	}
	s := d.serveHTTP()
	joined := d.talk(nil, "--memory-tool")
	for i, x := range readings() {
		if got := joined.ask(x[0], x[1]); got != want[i] {
			t.Errorf("%s: joined\n%salone\n%s", x, got, want[i])
		}
	}
	joined.joins(true)
	if got := joined.ask(toolCall("memory_remember", `{"text":"The staging server is called heron","type":"project"}`)); !strings.Contains(got, `"outcome":"added"`) {
		t.Error(got)
	}
	if got := joined.ask(toolCall("memory", `{"command":"create","path":"/memories/plan.md","file_text":"The tram leaves at ten"}`)); !strings.Contains(got, "created successfully") {
		t.Error(got)
	}
	if got := joined.ask(toolCall("memory_search", `{"query":"heron"}`)); !strings.Contains(got, "memory/projects.md") {
		t.Error(got)
	}
	if code, body := s.ask("POST", "/v1/search", `{"query":"heron"}`); code != 200 || !strings.Contains(body, "memory/projects.md") {
		t.Errorf("%d %s", code, body)
	}
	if got := joined.ask(toolCall("memory_forget", `{"entry":"`+d.named("memory/projects.md#L3")+`"}`)); !strings.Contains(got, "Forgotten: memory/projects.md#L3: The staging server is called heron") {
		t.Error(got)
	}
	joined.joins(true)
	audit, err := os.ReadFile(filepath.Join(d.dir, "state", "serve", "audit.jsonl"))
	for _, line := range []string{`"who":"owner","route":"/mcp memory_remember","status":200`, `"route":"/mcp memory","status":200`, `"route":"/mcp memory_forget","status":200`} {
		if err != nil || !strings.Contains(string(audit), line) {
			t.Errorf("no %s in the audit, %v:\n%s", line, err, audit)
		}
	}
	s.stop() // in order: its socket is gone, and the next call is answered here
	if got := joined.ask(readings()[0][0], readings()[0][1]); !strings.Contains(got, "We use SQLite") {
		t.Error(got)
	}
	joined.joins(false)
}

// TestJoinedElsewhere: a workspace that a server opens on demand is joined, too; one that
// it does not have, or has by other settings, is not, nor is a server that changes no
// notes joined by who would.
func TestJoinedElsewhere(t *testing.T) {
	d := shortDesk(t, joinNotes)
	d.write("../work/MEMORY.md", "- The staging server is called heron\n")
	d.write("../third/MEMORY.md", "- The third is called crane\n")
	work := filepath.Join(d.dir, "work")
	s := d.serveHTTP("--workspace", filepath.Join(d.dir, "notes"), "--workspace", "office="+work)
	second := d.talk(nil, "--workspace", work)
	if got := second.ask(toolCall("memory_search", `{"query":"staging server"}`)); !strings.Contains(got, "heron") {
		t.Error(got)
	}
	if got := second.ask(toolCall("memory_remember", `{"text":"The testing server is called crow","type":"project"}`)); !strings.Contains(got, `"outcome":"added"`) {
		t.Error(got)
	}
	second.joins(true)
	if audit, err := os.ReadFile(filepath.Join(d.dir, "state", "serve", "audit.jsonl")); err != nil || !strings.Contains(string(audit), `"workspace":"office"`) {
		t.Errorf("the audit has %s, %v", audit, err)
	}
	third := d.talk(nil, "--workspace", filepath.Join(d.dir, "third"))
	if got := third.ask(toolCall("memory_search", `{"query":"crane"}`)); !strings.Contains(got, "third is called") {
		t.Error(got)
	}
	third.joins(false)
	other := d.talk([]string{"MEMOIR_QUERY_MAX_RESULTS=1"})
	other.ask(toolCall("memory_search", `{"query":"SQLite"}`))
	other.joins(false)
	s.stop()
	d.serveHTTP("--read-only")
	writes, reads := d.talk(nil), d.talk(nil, "--read-only")
	for _, x := range []*talk{writes, reads} {
		if got := x.ask(toolCall("memory_search", `{"query":"SQLite"}`)); !strings.Contains(got, "We use SQLite") {
			t.Error(got)
		}
	}
	writes.joins(false)
	reads.joins(true)
}

// TestJoinedKilled: a server that is killed between two calls is not missed.
func TestJoinedKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	d := shortDesk(t, joinNotes)
	d.output("index")
	s := d.serveHTTP()
	x := d.talk(nil)
	x.ask(toolCall("memory_search", `{"query":"SQLite"}`))
	x.joins(true)
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait()
	if got := x.ask(toolCall("memory_remember", `{"text":"The staging server is called heron","type":"project"}`)); !strings.Contains(got, `"outcome":"added"`) {
		t.Error(got)
	}
	if got := x.ask(toolCall("memory_search", `{"query":"heron"}`)); !strings.Contains(got, "memory/projects.md") {
		t.Error(got)
	}
	x.joins(false)
	now := d.status()
	d.until("it keeps the index complete itself", filled(now.Vectors+now.PendingVectors))
	stale := d.talk(nil) // the socket of the killed one is still there
	if got := stale.ask(toolCall("memory_search", `{"query":"heron"}`)); !strings.Contains(got, "memory/projects.md") {
		t.Error(got)
	}
	stale.joins(false)
	d.serveHTTP() // and in nobody's way
	again := d.talk(nil)
	again.ask(toolCall("memory_search", `{"query":"heron"}`))
	again.joins(true)
}

// between stands before a server's socket, and calls do before an answer is handed on:
// false cuts the connection.
func (d *desk) between(s *httpServer, do func(asked, answered string) bool) {
	d.Helper()
	path := bridge.Socket(filepath.Join(d.dir, "state", "serve"), filepath.Join(d.dir, "notes"))
	behind := path + "2"
	if err := os.Rename(path, behind); err != nil {
		d.Fatal(err)
	}
	l, err := net.Listen("unix", path)
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		d.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer from.Close()
				to, err := net.Dial("unix", behind)
				if err != nil {
					return
				}
				defer to.Close()
				var asked, answered bytes.Buffer
				go func() { _, _ = io.Copy(to, io.TeeReader(from, &asked)) }()
				for part := make([]byte, 64<<10); ; { // the server closes when it has answered
					n, err := to.Read(part)
					if err != nil {
						break
					}
					if bytes.HasPrefix(part[:n], []byte("HTTP/1.1 100 ")) {
						_, _ = from.Write(part[:n]) // it asks for the rest of the call
						continue
					}
					answered.Write(part[:n])
				}
				if do(asked.String(), answered.String()) {
					_, _ = from.Write(answered.Bytes())
				}
			})
		}
	})
	d.Cleanup(func() {
		_ = l.Close()
		running.Wait()
	})
}

// TestJoinedLost: a server that is killed when it has done what it was asked, and has not
// answered: nothing is lost, and nothing is done twice.
func TestJoinedLost(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	for _, c := range []struct{ name, call, arguments, want string }{
		{"search", "memory_search", `{"query":"SQLite"}`, "We use SQLite"},
		{"remember", "memory_remember", `{"text":"The staging server is called heron","type":"project"}`, `"path":"memory/projects.md"`},
		{"remember with a key", "memory_remember", `{"text":"The staging server is called heron","type":"project","key":"k1"}`, `"outcome":"added"`},
		{"correct", "memory_remember", `{"text":"We use Postgres because it has replicas","replaces":"MEMORY.md#L3"}`, `"path":"MEMORY.md"`},
		{"forget", "memory_forget", `{"entry":"MEMORY.md#L3"}`, "may have forgotten it"},
		{"create", "memory", `{"command":"create","path":"/memories/a.md","file_text":"x"}`, "may have done it"},
		{"view", "memory", `{"command":"view","path":"/memories"}`, "/memories"},
	} {
		for _, done := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/done=%t", c.name, done), func(t *testing.T) {
				d := shortDesk(t, joinNotes)
				d.output("index")
				s := d.serveHTTP("--memory-tool")
				d.between(s, func(asked, _ string) bool {
					if !done || strings.Contains(asked, "/hello ") {
						return true
					}
					_ = s.cmd.Process.Kill()
					return false
				})
				x := d.talk(nil, "--memory-tool")
				if !done { // it is not reached
					_ = s.cmd.Process.Kill()
					_ = s.cmd.Wait()
				}
				got := x.ask(toolCall(c.call, strings.ReplaceAll(c.arguments, `"entry":"MEMORY.md#L3"`, `"entry":"`+d.named("MEMORY.md#L3")+`"`)))
				if done && !strings.Contains(got, c.want) || !done && strings.Contains(got, "may have") && c.want != "/memories" && !strings.Contains(got, c.want) {
					t.Error(got)
				}
				x.ask(toolCall("memory_search", `{"query":"cab"}`))
				x.joins(false)
				if c.call == "memory_remember" {
					text := d.all()
					word := "heron"
					if c.name == "correct" {
						word = "replicas"
					}
					if n := strings.Count(text, word); n != 1 || strings.Contains(text, "count=") {
						t.Errorf("it is there %d times:\n%s", n, text)
					}
				}
				if c.call == "memory_forget" && done && (strings.Contains(d.all(), "SQLite") || !strings.Contains(d.all(), "Postgres")) {
					t.Errorf("after a forget:\n%s", d.all())
				}
			})
		}
	}
}

// named returns what names the entry at a place also when others before it have gone.
func (d *desk) named(place string) string {
	d.Helper()
	var listed engine.Forgetting
	if err := json.Unmarshal([]byte(d.output("--json", "forget", "--dry-run", place)), &listed); err != nil || len(listed.Entries) != 1 {
		d.Fatalf("%s: %+v, %v", place, listed, err)
	}
	return listed.Entries[0].Name()
}

// all returns the text of all notes.
func (d *desk) all() string {
	d.Helper()
	var all strings.Builder
	err := filepath.WalkDir(filepath.Join(d.dir, "notes"), func(path string, entry os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			var data []byte
			data, err = os.ReadFile(path)
			all.Write(data)
		}
		return err
	})
	if err != nil {
		d.Fatal(err)
	}
	return all.String()
}

// TestJoinedPlace: whatever stands in the place of a server's socket, memoir mcp starts
// and stands alone, and memoir serve serves.
func TestJoinedPlace(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	foreign := t.TempDir()
	for name, put := range map[string]func(path string) error{
		"file":   func(path string) error { return os.WriteFile(path, []byte("mine"), 0o600) },
		"link":   func(path string) error { return os.Symlink(filepath.Join(foreign, "x"), path) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"pipe":   makePipe,
		"silent": func(path string) error { return mute(t, path, 0o600) },
		"others": func(path string) error { return mute(t, path, 0o666) },
	} {
		t.Run(name, func(t *testing.T) {
			d := shortDesk(t, joinNotes)
			path := bridge.Socket(filepath.Join(d.dir, "state", "serve"), filepath.Join(d.dir, "notes"))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := put(path); err != nil {
				t.Skip(err)
			}
			before, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			x := d.talk(nil)
			if got := x.ask(toolCall("memory_search", `{"query":"SQLite"}`)); !strings.Contains(got, "We use SQLite") {
				t.Error(got)
			}
			x.joins(false)
			if name == "silent" || name == "others" {
				return // to a server it is one that was killed
			}
			s := d.serveHTTP()
			if code, body := s.ask("POST", "/v1/search", `{"query":"SQLite"}`); code != 200 {
				t.Errorf("%d %s", code, body)
			}
			if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) {
				t.Errorf("what stood there is gone: %v", err)
			}
		})
	}
}

// mute is a server that takes connections and says nothing.
func mute(t *testing.T, path string, mode os.FileMode) error {
	l, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	t.Cleanup(func() { l.Close() })
	return os.Chmod(path, mode)
}

// TestJoinedStopped: a server that hangs is not waited for at the start.
func TestJoinedStopped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there a process cannot be stopped")
	}
	d := shortDesk(t, joinNotes)
	d.output("index")
	s := d.serveHTTP()
	if err := pause(s.cmd.Process); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.cmd.Process.Kill() }()
	x := d.talk(nil)
	if got := x.ask(toolCall("memory_search", `{"query":"SQLite"}`)); !strings.Contains(got, "We use SQLite") {
		t.Error(got)
	}
	x.joins(false)
}

// TestJoinedStoppedLater: a server that is stopped after it was joined is left, in a read as in
// a write. What was told is in the notes once, also when the server runs again.
func TestJoinedStoppedLater(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there a process cannot be stopped")
	}
	for name, first := range map[string]string{"search": `{"query":"SQLite"}`, "remember": `{"text":"The staging server is called heron","type":"project"}`} {
		t.Run(name, func(t *testing.T) {
			d := shortDesk(t, joinNotes)
			d.output("index")
			s := d.serveHTTP()
			x := d.talk(nil)
			x.joins(true)
			if err := pause(s.cmd.Process); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.cmd.Process.Kill() }()
			if got := x.ask(toolCall("memory_"+name, first)); strings.Contains(got, `"isError":true`) {
				t.Error(got)
			}
			if got := x.ask(toolCall("memory_remember", `{"text":"The testing server is called crow","type":"project"}`)); !strings.Contains(got, `"outcome":"added"`) {
				t.Error(got)
			}
			x.joins(false)
			if err := resume(s.cmd.Process); err != nil {
				t.Fatal(err)
			}
			s.stop()
			text := d.all()
			for _, told := range []string{"heron", "crow"} {
				if n := strings.Count(text, told); n > 1 || n == 0 && (told == "crow" || name == "remember") || strings.Contains(text, "count:") {
					t.Errorf("%s is there %d times: %s", told, n, text)
				}
			}
		})
	}
}

// TestJoinedMany: agents that share a server write and search at once; each statement is
// there once.
func TestJoinedMany(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	d := shortDesk(t, joinNotes)
	s := d.serveHTTP()
	const agents, each = 4, 5
	var work sync.WaitGroup
	for a := range agents {
		x := d.talk(nil)
		work.Go(func() {
			for i := range each {
				x.send(toolCall("memory_remember", fmt.Sprintf(`{"text":"The server number %d%02d is called bird%d-%d and stands in Oslo","type":"project"}`, a, i, a, i)))
				var answer struct{ Result struct{ IsError bool } }
				if line, err := x.out.ReadBytes('\n'); err != nil || json.Unmarshal(line, &answer) != nil || answer.Result.IsError {
					t.Errorf("%s, %v", line, err)
				}
				if a == 0 && i == 2 {
					_ = s.cmd.Process.Kill() // in the midst of it
				}
			}
		})
	}
	work.Wait()
	text := d.all()
	for a := range agents {
		for i := range each {
			if n := strings.Count(text, fmt.Sprintf("bird%d-%d and", a, i)); n != 1 {
				t.Errorf("bird%d-%d is there %d times", a, i, n)
			}
		}
	}
	if errors.Is(s.cmd.Wait(), syscall.EINVAL) {
		t.Error("the server was not started")
	}
}
