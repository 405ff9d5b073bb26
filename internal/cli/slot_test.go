package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestSlot: memoir is OpenClaw's memory: its own tools answer from the notes of the
// workspace, as its gateway and its doctor do, the turn before a compaction writes where
// the plan says, what it writes is found, and the server ends with the host.
func TestSlot(t *testing.T) {
	dir, root, path := agentsFolder(t)
	a := realAgents[slices.IndexFunc(realAgents, func(a realAgent) bool { return a.name == "openclaw" })]
	program := filepath.Join(dir, a.program)
	if _, err := os.Stat(program); err != nil {
		t.Skip("it is not in the folder")
	}
	m := newAgentMachine(t, a, program, root, path)
	workspace := filepath.Join(m.home, "openclaw")
	writeFile(t, filepath.Join(workspace, "MEMORY.md"), "- Router VLAN 30 is for the cameras.\n")
	holds := func(text string, parts ...string) {
		t.Helper()
		for _, p := range parts {
			if !strings.Contains(text, p) {
				t.Errorf("no %q at the end of\n%s", p, text[max(0, len(text)-3000):])
			}
		}
	}
	m.agent("plugins", "install", "ROOT/plugins/openclaw-memoir", "--force", "--accept-capabilities")
	m.agent("config", "set", "plugins.entries.openclaw-memoir.config.dreaming.enabled", "false") // or the built-in memory answers
	holds(m.agent("plugins", "inspect", "openclaw-memoir", "--runtime", "--json"), `"activationReason": "selected memory slot"`, `"status": "loaded"`, `"memory_get"`)

	// A session: the tools are OpenClaw's, the answer is memoir's.
	m.model.call("memory_search", `{"query":"which vlan do the cameras have"}`)
	m.say("first", "which vlan?")
	holds(m.model.reset(), "call memory_search with the words of the question", `VLAN 30`, `MEMORY.md#L1`, `\"provider\": \"memoir\"`)
	m.model.call("memory_get", `{"path":"MEMORY.md"}`)
	m.say("second", "read it")
	holds(m.model.reset(), `\"status\": \"ok\"`, `VLAN 30`)

	// A session that is full: the plan of memoir, one file, and nothing else.
	file := "memory/" + time.Now().Format(time.DateOnly) + ".md"
	m.model.tokens = 92_000
	m.say("third", "a long talk")
	m.model.call("write", fmt.Sprintf(`{"path":%q,"content":"- The alarm code of the shed was changed in May.\\n"}`, file))
	m.model.when = "Pre-compaction memory flush"
	m.say("third", "go on")
	holds(m.model.reset(), "Store what later sessions need only in "+file)
	m.model.tokens = 0
	if got, err := os.ReadFile(filepath.Join(workspace, file)); err != nil || !strings.Contains(string(got), "alarm code of the shed") {
		t.Errorf("%s is %q, %v", file, got, err)
	}

	// The gateway, and what it says of its memory.
	call, stop, said := m.gateway()
	found := call("memory.search", `{"query":"alarm code of the shed"}`)
	holds(found, `"path": "`+file+`"`, `"searchMode": "hybrid"`)
	if strings.Contains(found, "stale") {
		t.Errorf("it is called stale: %s", found)
	}
	holds(call("doctor.memory.status", `{"probe":true}`), `"provider": "local"`, `"ok": true`)
	holds(m.agent("status"), "plugin openclaw-memoir")
	if m.killServers() == 0 {
		t.Errorf("no server runs for the gateway, which said\n%s", said)
	}
	holds(call("memory.search", `{"query":"alarm code of the shed"}`), `"path": "`+file+`"`) // of another one
	if len(m.servers()) == 0 {
		t.Error("no server runs after one was killed")
	}
	stop()
	if left := m.servers(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// gateway starts OpenClaw's, and returns what calls a method of it, what ends it, and
// what it said until it was ready. OpenClaw gives up a start in which one of its own
// threads took five seconds, which a busy machine needs, so that it is tried again.
func (m *agentMachine) gateway() (call func(method, params string) string, stop func(), said string) {
	m.Helper()
	for tries := 1; ; tries++ {
		var ready bool
		if stop, said, ready = m.startGateway(); ready {
			break
		}
		if stop(); tries == 20 {
			m.Fatalf("the gateway ended before it was ready:\n%s", said)
		}
		m.Logf("the gateway ended before it was ready, and is started again: %.300s", said)
	}
	m.Cleanup(stop)
	return func(method, params string) string {
		return m.agent("gateway", "call", method, "--url", "ws://"+m.hostAddress, "--token", "T", "--timeout", "3600000", "--json", "--params", params)
	}, stop, said
}

func (m *agentMachine) startGateway() (stop func(), said string, ready bool) {
	m.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		m.Fatal(err)
	}
	port := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	if err := l.Close(); err != nil {
		m.Fatal(err)
	}
	ctx, cancel := m.untilTheEnd()
	gateway := m.command(ctx, append(m.words, "gateway", "run", "--port", port, "--auth", "token", "--token", "T")...)
	gateway.Env = nil
	gateway.Cancel = func() error { return gateway.Process.Signal(os.Interrupt) }
	out, err := gateway.StdoutPipe()
	if err != nil {
		m.Fatal(err)
	}
	gateway.Stderr = gateway.Stdout
	if err := gateway.Start(); err != nil {
		m.Fatal(err)
	}
	m.host, m.hostAddress = gateway.Process, "127.0.0.1:"+port
	stop = sync.OnceFunc(func() {
		cancel()
		_ = gateway.Wait() // it was interrupted
	})
	lines := bufio.NewScanner(out)
	for !strings.Contains(lines.Text(), "[gateway] ready") {
		if !lines.Scan() {
			return stop, said, false
		}
		said += lines.Text() + "\n"
	}
	go func() {
		_, _ = io.Copy(io.Discard, out) // so that it is not cut off
	}()
	return stop, said, true
}

// servers returns the processes of memoir mcp that the machine runs.
func (m *agentMachine) servers() []int {
	m.Helper()
	programs, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		m.Error(err)
	}
	var all []int
	for _, p := range programs {
		program, _ := os.Readlink(p) // of a process that has just ended nothing
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(p), "cmdline"))
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(p))); err == nil && program == m.memoir && slices.Contains(strings.Split(string(line), "\x00"), "mcp") {
			all = append(all, pid)
		}
	}
	return all
}

// killServers kills them and returns how many they were.
func (m *agentMachine) killServers() int {
	m.Helper()
	all := m.servers()
	for _, pid := range all {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended
		}
	}
	return len(all)
}
