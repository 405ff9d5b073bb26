package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/memoir-ai/memoir/embed/embedtest"
)

// noFilter is the exit code of a system that does not let a process filter its
// system calls.
const noFilter = 125

// offline runs memoir, with the parts that are configured, in a process that
// the kernel kills when any thread of it makes a socket other than a local one,
// whoever asks for it: an address, a name to look up, a library.
func offline() {
	runtime.LockOSThread() // the filter is the thread's, and stays with what it executes
	if err := filterSockets(); err != nil {
		fmt.Fprintln(os.Stderr, "filter system calls:", err)
		os.Exit(noFilter)
	}
	self, err := os.Executable()
	if err == nil {
		err = syscall.Exec(self, append([]string{"memoir-real"}, os.Args[1:]...), os.Environ())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// filterSockets installs a filter in the language of seccomp(2).
func filterSockets() error {
	const (
		numberAt, archAt, firstArgumentAt = 0, 4, 16 // in struct seccomp_data

		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		give  = unix.BPF_RET | unix.BPF_K
	)
	arch, ok := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]
	if !ok {
		return errors.New("unknown architecture")
	}
	filter := []unix.SockFilter{
		{Code: load, K: archAt},
		{Code: equal, K: arch, Jt: 0, Jf: 6},
		{Code: load, K: numberAt},
		{Code: equal, K: unix.SYS_IO_URING_SETUP, Jt: 4},
		{Code: equal, K: unix.SYS_SOCKET, Jt: 0, Jf: 2},
		{Code: load, K: firstArgumentAt},
		{Code: equal, K: unix.AF_UNIX, Jt: 0, Jf: 1},
		{Code: give, K: unix.SECCOMP_RET_ALLOW},
		{Code: give, K: unix.SECCOMP_RET_KILL_PROCESS},
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
}

// guarded runs memoir without a network and returns its output, and whether it
// was killed for wanting one.
func guarded(t *testing.T, stdin string, args ...string) (out string, killed bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Args[0] = "memoir-offline"
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	err = cmd.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return stdout.String(), false
	case errors.As(err, &ended) && ended.Sys().(syscall.WaitStatus).Signal() == syscall.SIGSYS:
		return "", true
	case errors.As(err, &ended) && ended.ExitCode() == noFilter && os.Getenv("MEMOIR_TEST_DISALLOW_SKIP") != "1":
		t.Skip(stderr.String())
	}
	t.Fatalf("memoir %s: %v\n%s%s", strings.Join(args, " "), err, stdout.String(), stderr.String())
	return "", false
}

const conversation = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"which database?"}}}
`

// An install without settings opens no connection and looks up no name, also
// where keys and addresses of others lie about in the environment.
func TestNoConnection(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	models(t)
	for _, name := range []string{"OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "VOYAGE_API_KEY", "MISTRAL_API_KEY", "COHERE_API_KEY", "JINA_API_KEY", "HF_TOKEN"} {
		t.Setenv(name, "sk-test")
	}
	for _, name := range []string{"OLLAMA_HOST", "HF_ENDPOINT", "OPENAI_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:9")
	}
	folder := filepath.Join(t.TempDir(), "published")
	for name, data := range embedtest.Published(3) {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name, stdin string
		args        []string
		want        string // in the output
	}{
		{"init", "", []string{"init"}, "kept  MEMORY.md"},
		{"index", "", []string{"index"}, "1 note"},
		{"search", "", []string{"search", "--json", "which database?"}, `"mode":"hybrid"`},
		{"search lines", "sqlite\n", []string{"search", "--stdin"}, "SQLite"},
		{"mcp", conversation, []string{"mcp"}, "SQLite"},
		{"get", "", []string{"get", "MEMORY.md"}, "SQLite"},
		{"status", "", []string{"status"}, ""},
		{"config", "", []string{"config"}, "provider"},
		{"version", "", []string{"version"}, "kernels"},
		{"rebuild", "", []string{"rebuild"}, "1 note"},
		{"list of models", "", []string{"model", "list"}, "* inside"},
		{"self-test", "", []string{"model", "verify"}, "is right"},
		{"model of a folder", "", []string{"model", "pull", folder}, "self-test passed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, killed := guarded(t, tt.stdin, tt.args...)
			if killed {
				t.Fatal("it made a socket")
			}
			if !strings.Contains(out, tt.want) {
				t.Errorf("got %q, want %q in it", out, tt.want)
			}
		})
	}
}

// The guard of the test above holds: what is told to connect is killed, by
// address and by name.
func TestConnectionIsSeen(t *testing.T) {
	models(t)
	for _, name := range []string{"a.md", "b.md"} {
		if err := os.WriteFile(filepath.Join(os.Getenv("MEMOIR_WORKSPACE"), name), []byte("Which database? It is in "+name+".\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("MEMOIR_PROVIDER", "openai")
	for _, address := range []string{"http://127.0.0.1:9", "http://[::1]:9", "http://memoir.invalid"} {
		t.Setenv("MEMOIR_OPENAI_BASE_URL", address)
		t.Setenv("MEMOIR_HUB_BASE_URL", address)
		for _, args := range [][]string{{"embed", "x"}, {"model", "pull", "acme/tiny"}} {
			if out, killed := guarded(t, "", args...); !killed {
				t.Errorf("memoir %s at %s: got %q, want it killed", strings.Join(args, " "), address, out)
			}
		}
	}
	t.Setenv("MEMOIR_PROVIDER", "none")
	good(t, "index")
	if _, killed := guarded(t, "", "search", "which database?"); killed {
		t.Error("a search by words was killed")
	}
	t.Setenv("MEMOIR_RERANK_PROVIDER", "tei")
	if out, killed := guarded(t, "", "search", "which database?"); !killed {
		t.Errorf("reranking: got %q, want it killed", out)
	}
}
