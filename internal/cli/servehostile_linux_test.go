package cli_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// endless is a body of a gigabyte that nobody keeps in memory.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	copy(p, bytes.Repeat([]byte("x"), n))
	e.left -= n
	return n, nil
}

// TestServeHostile: what MCP over HTTP, and the server as a process, are sent that no
// honest client sends: it is refused, nothing is written, and the server goes on in the
// memory that it had.
func TestServeHostile(t *testing.T) {
	d := newDesk(t, map[string]string{"MEMORY.md": "# Memory\n\n- We use SQLite\n"})
	s := d.serveHTTP()
	const remember = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_remember","arguments":{"text":"The staging server is called heron","type":"project"EXTRA}}}`
	call := strings.ReplaceAll(remember, "EXTRA", "")
	mcp := []string{"Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", "2025-11-25"}
	for name, c := range map[string]struct {
		body    string
		headers []string
		status  int
		holds   string
	}{
		"a batch":             {"[" + call + "," + call + "]", nil, 400, ""},
		"a batch of old":      {"[" + call + "]", []string{"Mcp-Protocol-Version", "2025-11-25"}, 400, ""},
		"another type":        {call, []string{"Content-Type", "text/plain"}, 415, ""},
		"a form":              {call, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, ""},
		"another site":        {call, []string{"Origin", "http://evil.example"}, 403, ""},
		"another name":        {call, []string{"Host", "evil.example"}, 403, ""},
		"half of it":          {call[:60], nil, 400, ""},
		"an unknown argument": {strings.ReplaceAll(remember, "EXTRA", `,"sudo":true`), nil, 200, "sudo"},
		"a name twice":        {strings.ReplaceAll(remember, "EXTRA", `,"text":"The staging server is called heron, too"`), nil, 400, "comes twice"},
		"a method twice":      {strings.Replace(call, `"method":"tools/call"`, `"method":"ping","method":"tools/call"`, 1), nil, 400, "comes twice"},
		"9,000 levels":        {strings.ReplaceAll(remember, "EXTRA", `,"key":`+strings.Repeat("[", 9_000)+strings.Repeat("]", 9_000)), nil, 400, "levels deep"},
		"10,000 levels":       {strings.ReplaceAll(remember, "EXTRA", `,"key":`+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)), nil, 0, ""},
	} {
		code, body := s.ask("POST", "/mcp", c.body, append(append([]string{}, mcp...), c.headers...)...)
		if c.status != 0 && code != c.status || c.status == 0 && (code < 400 || code >= 500) || !strings.Contains(body, c.holds) {
			t.Errorf("%s: %d %.300s", name, code, body)
		}
	}
	before := s.resident(t)
	for _, path := range []string{"/v1/search", "/mcp", "/v1/notes/memory/a.md"} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+path, &endless{1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, ".md") {
			req.Method = "PUT"
			req.Header.Set("If-None-Match", "*")
		}
		req.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(mcp); i += 2 {
			req.Header.Set(mcp[i], mcp[i+1])
		}
		res, err := s.client.Do(req)
		if err != nil { // it hung up, which is an answer, too
			continue
		}
		res.Body.Close()
		if res.StatusCode < 400 || res.StatusCode >= 500 {
			t.Errorf("a gigabyte to %s: %d", path, res.StatusCode)
		}
	}
	if after := s.resident(t); after-before > 96<<20 && !testing.Short() { // the race detector takes memory of its own
		t.Errorf("a gigabyte took %d MB", (after-before)>>20)
	}
	if text := d.all(); strings.Contains(text, "heron") || text != "# Memory\n\n- We use SQLite\n" {
		t.Errorf("the notes are %q", text)
	}
	if code, body := s.ask("POST", "/v1/search", `{"query":"SQLite"}`); code != 200 || !strings.Contains(body, "MEMORY.md") {
		t.Errorf("after all that: %d %s", code, body)
	}
}
