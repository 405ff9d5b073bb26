package mcpserver_test

import (
	"bufio"
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/mcpserver"
)

// TestFollowOverHTTP: who follows a note over HTTP hears of its change in the stream of
// its request, and a request that may not write is offered no tool that does.
func TestFollowOverHTTP(t *testing.T) {
	dir := t.TempDir()
	e := memoryIn(t, dir, notes)
	changed := make(chan struct{}, 1)
	server := httptest.NewServer(mcpserver.Handler(e, mcpserver.Options{Writer: e, Changed: changed}, func(r *http.Request) bool { return r.Header.Get("Write") != "" }))
	defer server.Close()
	post := func(method, params string, headers ...string) *http.Response {
		t.Helper()
		body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + meta + `}}`
		req, err := http.NewRequestWithContext(t.Context(), "POST", server.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		req.Header.Set("Mcp-Method", method)
		for i := 0; i < len(headers); i += 2 {
			req.Header.Set(headers[i], headers[i+1])
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	// until reads a stream up to a line that holds a text.
	until := func(lines *bufio.Scanner, want string) string {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), want) {
				return lines.Text()
			}
		}
		t.Fatalf("the stream ends without %s: %v", want, lines.Err())
		return ""
	}
	res := post("subscriptions/listen", `"notifications":{"resourceSubscriptions":["memory:///MEMORY.md"]},`, "Write", "yes")
	stream := bufio.NewScanner(res.Body)
	until(stream, "notifications/subscriptions/acknowledged")
	if err := os.WriteFile(filepath.Join(dir, "MEMORY.md"), []byte("- Prefers tea\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	changed <- struct{}{}
	until(stream, `"uri":"memory:///MEMORY.md"`)
	res.Body.Close()
	for _, writes := range []bool{false, true} {
		var headers []string
		if writes {
			headers = []string{"Write", "yes"}
		}
		res := post("tools/list", "", headers...)
		line := until(bufio.NewScanner(res.Body), `"memory_search"`)
		if strings.Contains(line, `"memory_remember"`) != writes {
			t.Errorf("writes %v: %s", writes, line)
		}
		res.Body.Close()
	}
}

// TestUnlogged: whatever a client sends, the log has nothing of its content.
func TestUnlogged(t *testing.T) {
	var log bytes.Buffer
	e := memory(t, notes)
	server := httptest.NewServer(mcpserver.Handler(e, mcpserver.Options{Writer: e, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}, func(*http.Request) bool { return true }))
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"heron"}}}`
	for _, body := range []string{
		call, "[" + call + "]", call[:60], call + "heron", strings.Replace(call, "memory_search", "heron", 1), strings.Replace(call, "tools/call", "heron", 1), strings.Replace(call, `"query"`, `"heron"`, 1),
		strings.Replace(call, `"2.0"`, `"heron"`, 1), strings.Replace(call, "heron", strings.Repeat("heron", 1<<20), 1), `"heron"`, "heron",
	} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", server.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			continue // it hung up, which is an answer, too
		}
		res.Body.Close()
	}
	server.Close() // it writes no more
	if text := log.String(); text == "" || strings.Contains(text, "heron") {
		t.Errorf("the log has %.2000q", text)
	}
}
