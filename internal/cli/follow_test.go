package cli_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/wire"
)

// server is a memoir that lives on, and how it is asked.
type server struct {
	*bench
	ask  func(arguments string) (status string, answer []byte) // a search
	stop func()
}

// ways are the servers that there are.
var ways = map[string]func(b *bench, state string) *server{"mcp": (*bench).serve, "serve": (*bench).serveHTTP}

// started starts memoir with a search that may sync.
func (b *bench) started(state string, args ...string) (cmd *exec.Cmd, in io.WriteCloser, out io.Reader) {
	b.t.Helper()
	cmd = b.command(state, args...)
	cmd.Env = append(cmd.Env, "MEMOIR_QUERY_SYNC_BUDGET="+patience)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if out, err = cmd.StdoutPipe(); err != nil {
		b.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	return cmd, in, out
}

// serve starts memoir mcp on a state folder.
func (b *bench) serve(state string) *server {
	b.t.Helper()
	cmd, in, answers := b.started(state, "mcp")
	out, calls := bufio.NewScanner(answers), 0
	out.Buffer(nil, 1<<20)
	call := func(method, params string) json.RawMessage {
		b.t.Helper()
		calls++
		fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", calls, method, params)
		if !out.Scan() {
			b.t.Fatalf("%s: the server is gone: %v", method, out.Err())
		}
		var answer struct{ Result json.RawMessage }
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil || answer.Result == nil {
			b.t.Fatalf("%s: got %s, %v", method, out.Bytes(), err)
		}
		return answer.Result
	}
	call("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	ask := func(arguments string) (string, []byte) {
		b.t.Helper()
		var result struct {
			IsError           bool
			Content           json.RawMessage
			StructuredContent json.RawMessage
		}
		if err := json.Unmarshal(call("tools/call", `{"name":"memory_search","arguments":`+arguments+"}"), &result); err != nil {
			b.t.Fatal(err)
		}
		if result.IsError {
			return "an error", result.Content
		}
		return "", result.StructuredContent
	}
	return &server{b, ask, func() { // as an agent does
		in.Close()
		if err := cmd.Wait(); err != nil {
			b.t.Errorf("the server ended with %v", err)
		}
	}}
}

// serveHTTP starts memoir serve on a state folder.
func (b *bench) serveHTTP(state string) *server {
	b.t.Helper()
	cmd, _, out := b.started(state, "serve", "--addr", "127.0.0.1:0")
	client := bearing(newToken(b.t, filepath.Join(b.home, state)))
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.t.Fatal(err)
	}
	ask := func(arguments string) (string, []byte) {
		b.t.Helper()
		res, err := client.Post(strings.TrimSpace(url)+"/v1/search", "application/json", strings.NewReader(arguments))
		if err == nil && res.StatusCode == http.StatusUnauthorized { // the state is gone, and the tokens with it
			res.Body.Close()
			client = bearing(newToken(b.t, filepath.Join(b.home, state)))
			res, err = client.Post(strings.TrimSpace(url)+"/v1/search", "application/json", strings.NewReader(arguments))
		}
		if err != nil {
			b.t.Fatal(err)
		}
		defer res.Body.Close()
		answer, err := io.ReadAll(res.Body)
		if err != nil {
			b.t.Fatal(err)
		}
		if res.StatusCode != http.StatusOK {
			return res.Status, answer
		}
		return "", answer
	}
	s := &httpServer{desk: &desk{T: b.t}, cmd: cmd}
	return &server{b, ask, s.stop}
}

// search asks the server, and returns the paths of what it found.
func (s *server) search(query string) (paths []string, degraded []wire.Degraded) {
	s.t.Helper()
	arguments, err := json.Marshal(map[string]any{"query": query, "mode": "text"})
	if err != nil {
		s.t.Fatal(err)
	}
	status, answer := s.ask(string(arguments))
	if status != "" {
		s.t.Errorf("search %q: %s %s", query, status, answer)
		return nil, nil
	}
	var found wire.Found
	if err := json.Unmarshal(answer, &found); err != nil {
		s.t.Fatal(err)
	}
	for _, r := range found.Results {
		paths = append(paths, r.Name())
	}
	return paths, found.Degraded
}

// finds checks that a query finds one note, and nothing is missing.
func (s *server) finds(query, path string) {
	s.t.Helper()
	paths, degraded := s.search(query)
	if len(paths) != 1 || paths[0] != path || len(degraded) > 0 {
		s.t.Errorf("%q: got %v, degraded %+v; want %s", query, paths, degraded, path)
	}
}

// A server lives through what happens to its state and its notes: the next
// search says what it lacks, if anything, and the one after it is whole.
func TestServerLivesOn(t *testing.T) {
	t.Parallel()
	for name, serve := range ways {
		t.Run(name, func(t *testing.T) { livesOn(t, serve) })
	}
}

func livesOn(t *testing.T, serve func(*bench, string) *server) {
	b, _ := newBench(t, 2)
	b.note("first.md", "# First\n\nxylophone\n")
	state := filepath.Join(b.home, "state")
	index := func() string {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(state, "cache", "*", "main.sqlite"))
		if err != nil || len(found) != 1 {
			t.Fatalf("the index is at %v, %v", found, err)
		}
		return found[0]
	}
	b.run("state", "", "index", "--text-only")
	s := serve(b, "state")
	defer s.stop()
	s.finds("xylophone", "first.md")
	for i, accident := range b.accidents(index) {
		accident.happen()
		paths, degraded := s.search("xylophone")
		if accident.back == nil && len(paths) == 0 && len(degraded) == 0 {
			t.Errorf("%s: nothing was found, without a word", accident.name)
		}
		if accident.back != nil {
			if len(paths) != 1 {
				t.Errorf("%s: got %v", accident.name, paths)
			}
			accident.back()
		}
		s.search("xylophone") // may name what was mended
		s.finds("xylophone", "first.md")

		// What is written now is found by the server, and in the same index by others.
		name, word := fmt.Sprintf("after-%d.md", i), fmt.Sprintf("quagga%d", i)
		b.note(name, "# After\n\n"+word+"\n")
		s.finds(word, name)
		if got := string(b.run("state", word+"\n", "search", "--stdin", "--mode", "text")); !strings.Contains(got, name) {
			t.Errorf("%s: another process finds %s", accident.name, got)
		}
		if t.Failed() {
			t.Fatalf("after: %s", accident.name)
		}
	}
}

func (b *bench) note(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.notes, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		b.t.Fatal(err)
	}
}

// accident is what happens to the state of a server, or to its notes.
type accident struct {
	name   string
	happen func()
	back   func() // nil: nothing is to be done
}

// accidents are those of one state folder, whose index has that path.
func (b *bench) accidents(index func() string) []accident {
	state, elsewhere := filepath.Join(b.home, "state"), b.notes+" elsewhere"
	return []accident{
		{"state removed", func() { b.try(removed(state)) }, nil},
		{"state removed, then indexed", func() { b.try(removed(state)); b.run("state", "", "index", "--text-only") }, nil},
		{"rebuilt", func() { b.run("state", "", "rebuild", "--text-only") }, nil},
		{"emptied", func() { b.try(os.Truncate(index(), 0)) }, nil},
		{"emptied, then rebuilt", func() { b.try(os.Truncate(index(), 0)); b.run("state", "", "rebuild", "--text-only") }, nil},
		{"cut short", func() { b.try(os.Truncate(index(), 20_000)) }, nil},
		{"cut short, then indexed", func() { b.try(os.Truncate(index(), 20_000)); b.run("state", "", "index", "--text-only") }, nil},
		{"overwritten", func() { b.try(os.WriteFile(index(), []byte(strings.Repeat("no index ", 10_000)), 0o600)) }, nil},
		{"replaced", func() {
			path := index()
			b.try(os.WriteFile(path+".tmp", []byte("no index"), 0o600), os.Rename(path+".tmp", path))
		}, nil},
		{"notes unmounted", func() { b.try(os.Rename(b.notes, elsewhere)) }, func() { b.try(os.Rename(elsewhere, b.notes)) }},
		{"notes unmounted from an empty folder", func() { b.try(os.Rename(b.notes, elsewhere), os.Mkdir(b.notes, 0o700)) },
			func() { b.try(os.Remove(b.notes), os.Rename(elsewhere, b.notes)) }},
	}
}

func (b *bench) try(errs ...error) {
	b.t.Helper()
	if err := errors.Join(errs...); err != nil {
		b.t.Fatal(err)
	}
}

// removed removes a folder that a server writes to meanwhile.
func removed(dir string) (err error) {
	for range 1000 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
	}
	return err
}
