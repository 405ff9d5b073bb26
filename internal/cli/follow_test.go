package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/wire"
)

// server is a memoir that serves an agent.
type server struct {
	*bench
	in    io.WriteCloser
	out   *bufio.Scanner
	wait  func() error
	calls int
}

// stop ends the server as an agent does.
func (s *server) stop() {
	s.in.Close()
	if err := s.wait(); err != nil {
		s.t.Errorf("the server ended with %v", err)
	}
}

// serve starts memoir mcp on a state folder. A search of it may sync.
func (b *bench) serve(state string) *server {
	b.t.Helper()
	cmd := b.command(state, "mcp")
	cmd.Env = append(cmd.Env, "MEMOIR_QUERY_SYNC_BUDGET="+patience)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	s := &server{bench: b, in: in, out: bufio.NewScanner(out)}
	s.out.Buffer(nil, 1<<20)
	s.wait = cmd.Wait
	s.call("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

func (s *server) call(method, params string) (result json.RawMessage) {
	s.t.Helper()
	s.calls++
	fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.calls, method, params)
	if !s.out.Scan() {
		s.t.Fatalf("%s: the server is gone: %v", method, s.out.Err())
	}
	var answer struct{ Result json.RawMessage }
	if err := json.Unmarshal(s.out.Bytes(), &answer); err != nil || answer.Result == nil {
		s.t.Fatalf("%s: got %s, %v", method, s.out.Bytes(), err)
	}
	return answer.Result
}

// search asks the server, and returns the paths of what it found.
func (s *server) search(query string) (paths []string, degraded []wire.Degraded) {
	s.t.Helper()
	arguments, err := json.Marshal(map[string]any{"query": query, "mode": "text"})
	if err != nil {
		s.t.Fatal(err)
	}
	var result struct {
		IsError           bool
		Content           json.RawMessage
		StructuredContent wire.Found
	}
	if err := json.Unmarshal(s.call("tools/call", `{"name":"memory_search","arguments":`+string(arguments)+"}"), &result); err != nil {
		s.t.Fatal(err)
	}
	if result.IsError {
		s.t.Errorf("search %q: %s", query, result.Content)
	}
	for _, r := range result.StructuredContent.Results {
		paths = append(paths, r.Path)
	}
	return paths, result.StructuredContent.Degraded
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
	b, _ := newBench(t, 2)
	note := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(b.notes, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	try := func(errs ...error) {
		t.Helper()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	note("first.md", "# First\n\nxylophone\n")
	state := filepath.Join(b.home, "state")
	index := func() string {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(state, "*", "main.sqlite"))
		if err != nil || len(found) != 1 {
			t.Fatalf("the index is at %v, %v", found, err)
		}
		return found[0]
	}
	elsewhere := b.notes + " elsewhere"
	b.run("state", "", "index", "--text-only")
	s := b.serve("state")
	defer s.stop()
	s.finds("xylophone", "first.md")
	for i, accident := range []struct {
		name   string
		happen func()
		back   func() // nil: nothing is to be done
		gone   bool   // nothing is found meanwhile
	}{
		{"state removed", func() { try(removed(state)) }, nil, false},
		{"state removed, then indexed", func() { try(removed(state)); b.run("state", "", "index", "--text-only") }, nil, false},
		{"rebuilt", func() { b.run("state", "", "rebuild", "--text-only") }, nil, false},
		{"emptied", func() { try(os.Truncate(index(), 0)) }, nil, false},
		{"emptied, then rebuilt", func() { try(os.Truncate(index(), 0)); b.run("state", "", "rebuild", "--text-only") }, nil, false},
		{"cut short", func() { try(os.Truncate(index(), 20_000)) }, nil, false},
		{"cut short, then indexed", func() { try(os.Truncate(index(), 20_000)); b.run("state", "", "index", "--text-only") }, nil, false},
		{"overwritten", func() { try(os.WriteFile(index(), []byte(strings.Repeat("no index ", 10_000)), 0o600)) }, nil, false},
		{"replaced", func() {
			path := index()
			try(os.WriteFile(path+".tmp", []byte("no index"), 0o600), os.Rename(path+".tmp", path))
		}, nil, false},
		{"notes unmounted", func() { try(os.Rename(b.notes, elsewhere)) }, func() { try(os.Rename(elsewhere, b.notes)) }, false},
		{"notes unmounted from an empty folder", func() { try(os.Rename(b.notes, elsewhere), os.Mkdir(b.notes, 0o700)) },
			func() { try(os.Remove(b.notes), os.Rename(elsewhere, b.notes)) }, true},
	} {
		accident.happen()
		paths, degraded := s.search("xylophone")
		if accident.back == nil && len(paths) == 0 && len(degraded) == 0 {
			t.Errorf("%s: nothing was found, without a word", accident.name)
		}
		if accident.back != nil {
			if len(paths) != 1 && !accident.gone {
				t.Errorf("%s: got %v", accident.name, paths)
			}
			accident.back()
		}
		s.search("xylophone") // may name what was mended
		s.finds("xylophone", "first.md")

		// What is written now is found by the server, and in the same index by others.
		name, word := fmt.Sprintf("after-%d.md", i), fmt.Sprintf("quagga%d", i)
		note(name, "# After\n\n"+word+"\n")
		s.finds(word, name)
		if got := string(b.run("state", word+"\n", "search", "--stdin", "--mode", "text")); !strings.Contains(got, name) {
			t.Errorf("%s: another process finds %s", accident.name, got)
		}
		if t.Failed() {
			t.Fatalf("after: %s", accident.name)
		}
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
