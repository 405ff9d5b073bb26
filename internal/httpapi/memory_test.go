package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/httpapi"
)

// TestMemoryTool: a model's calls of the memory tool are answered as its SDK answers
// them, and what they write is a note as any other: told of, in the audit, taken back.
func TestMemoryTool(t *testing.T) {
	s := start(t, nil)
	tell := func(input string) httpapi.MemoryResult {
		t.Helper()
		got := s.ask("POST", "/v1/anthropic/memory", input)
		var out httpapi.MemoryResult
		if got.status != http.StatusOK {
			t.Fatalf("%s: %d %s", input, got.status, got.body)
		}
		got.into(t, &out)
		return out
	}
	for _, c := range []struct {
		input, says string
		failed      bool
	}{
		{`{"command":"create","path":"/memories/茶.md","file_text":"# 茶\n\n安 likes green tea\n"}`, "File created successfully at: /memories/茶.md", false},
		{`{"command":"create","path":"/memories/茶.md","file_text":"again"}`, "already exists", true},
		{`{"command":"view","path":"/memories"}`, "/memories/茶.md", false},
		{`{"command":"view","path":"/memories/茶.md","view_range":[3,3]}`, "     3\t安 likes green tea", false},
		{`{"command":"str_replace","path":"/memories/茶.md","old_str":"green","new_str":"white"}`, "has been edited", false},
		{`{"command":"insert","path":"/memories/茶.md","insert_line":0,"insert_text":"first\n"}`, "has been edited", false},
		{`{"command":"rename","old_path":"/memories/茶.md","new_path":"/memories/tea.md"}`, "Successfully renamed", false},
		{`{"command":"delete","path":"/memories/tea.md"}`, "Successfully deleted", false},
		{`{"command":"delete","path":"/memories"}`, "Cannot delete", true},
		{`{"command":"format"}`, "There is no command", true},
		{`{"command":"view","path":"/memories","extra":1}`, "extra", true},
		{`{"command":"view"}`, "path is required", true},
		{`{"command":7}`, "not one of this tool", true},
		{`{}`, "There is no command", true},
	} {
		if got := tell(c.input); got.IsError != c.failed || !strings.Contains(got.Content, c.says) {
			t.Errorf("%s: %+v", c.input, got)
		}
	}
	for _, path := range []string{"/etc/passwd", "/memories/../MEMORY.md", "/memories/%2e%2e/MEMORY.md", `/memories/..\\MEMORY.md`, "/memories/NUL.md", "/memories/x\\u0000.md", "/memories/x.md.", "/memories/.hidden.md", "/memories/x.txt"} {
		if got := tell(`{"command":"create","path":"` + path + `","file_text":"broken in"}`); !got.IsError {
			t.Errorf("%s: %+v", path, got)
		}
	}
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("outside\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(s.dir, "memories", "link.md")); err == nil {
		for _, input := range []string{`{"command":"view","path":"/memories/link.md"}`, `{"command":"insert","path":"/memories/link.md","insert_line":0,"insert_text":"x"}`} {
			if got := tell(input); !got.IsError || strings.Contains(got.Content, "outside") {
				t.Errorf("%s: %+v", input, got)
			}
		}
	}
	for path, text := range notes {
		if s.read(path) != text {
			t.Errorf("%s has changed", path)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var paths []string
	for i, a := range s.audited {
		if a.Route != "POST /v1/anthropic/memory" || a.Who != "owner" || strings.Contains(fmt.Sprintf("%+v", a), "tea\n") {
			t.Errorf("%+v", a)
		}
		if i < 6 {
			paths = append(paths, strings.Join(a.Paths, " "))
		}
		if a.Change == "" != (len(a.Paths) == 0) {
			t.Errorf("%+v", a)
		}
	}
	if want := []string{"memories/茶.md", "", "memories/茶.md", "memories/茶.md", "memories/茶.md memories/tea.md", "memories/tea.md"}; !slices.Equal(paths, want) {
		t.Errorf("the audit has the paths %q", paths)
	}
}

// TestMemoryToolPermissions: who may only read views, and a server that changes no
// notes lets everybody view.
func TestMemoryToolPermissions(t *testing.T) {
	const view, create = `{"command":"view","path":"/memories"}`, `{"command":"create","path":"/memories/x.md","file_text":"x"}`
	s := start(t, func(o *httpapi.Options) {
		o.Guard = httpapi.Guard{Tickets: httpapi.NewTickets(), Find: func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
			return "reader", []httpapi.Permission{httpapi.MayRead, httpapi.MayPrivate}, d == httpapi.DigestOf("reader")
		}}
	})
	for _, c := range []struct {
		token, body string
		status      int
	}{
		{"reader", view, 200},
		{"reader", create, 403},
		{"reader", `{"command":"View","path":"/memories"}`, 403},
		{"reader", `{"command":7}`, 403},
		{"secret", create, 200},
	} {
		if got := s.ask("POST", "/v1/anthropic/memory", c.body, "Authorization", "Bearer "+c.token); got.status != c.status {
			t.Errorf("%s %s: %d %s", c.token, c.body, got.status, got.body)
		}
	}
	only := start(t, func(o *httpapi.Options) { o.ReadOnly = true })
	for body, want := range map[string]int{view: 200, create: 403} {
		if got := only.ask("POST", "/v1/anthropic/memory", body); got.status != want {
			t.Errorf("read-only, %s: %d %s", body, got.status, got.body)
		}
	}
	if got := start(t, func(o *httpapi.Options) { o.MemoryTool = nil }).ask("POST", "/v1/anthropic/memory", view); got.status != 503 {
		t.Errorf("without the tool: %d %s", got.status, got.body)
	}
}

// TestMemoryCommand: the description of a call has the names that the tool takes.
func TestMemoryCommand(t *testing.T) {
	s := start(t, nil)
	for f := range reflect.TypeFor[httpapi.MemoryCommand]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		got := s.ask("POST", "/v1/anthropic/memory", `{"`+name+`":null}`)
		if strings.Contains(got.body, "unknown field") {
			t.Errorf("%s: %s", name, got.body)
		}
	}
}

// TestRecorder: a write that a tool of MCP makes is told of, and leaves a line with who
// asked, which tool and which note, and nothing of its content.
func TestRecorder(t *testing.T) {
	s := start(t, nil)
	var audited []httpapi.Written
	to := httpapi.Recorder{Events: s.events, Audit: func(w httpapi.Written) { audited = append(audited, w) }}
	w := to.Writer(s.engine)
	ctx := t.Context()
	out, err := w.Remember(ctx, engine.Statement{Text: "The staging server is called heron", Type: "project", Origin: "agent"})
	if err != nil || out.ID == "" {
		t.Fatalf("%+v, %v", out, err)
	}
	if _, err := w.Remember(ctx, engine.Statement{Text: "The staging server is called osprey", Type: "magic"}); err == nil {
		t.Error("a type that there is not is taken")
	}
	if _, err := w.Forget(ctx, engine.Target{Ref: out.ID}, true); err != nil {
		t.Error(err)
	}
	if _, err := w.Forget(ctx, engine.Target{Ref: out.ID}, false); err != nil {
		t.Error(err)
	}
	if _, err := w.Forget(ctx, engine.Target{Ref: "the heron"}, false); err == nil {
		t.Error("what is not there is forgotten")
	}
	if _, err := w.Prime(ctx, engine.PrimeOptions{}); err != nil {
		t.Error(err)
	}
	var lines []string
	for _, a := range audited {
		lines = append(lines, fmt.Sprintf("%s %d %v %v", a.Route, a.Status, a.Entry == out.ID, a.Paths))
		if data, err := json.Marshal(a); err != nil || strings.Contains(string(data), "heron") || strings.Contains(string(data), "osprey") {
			t.Errorf("%s, %v", data, err)
		}
	}
	want := []string{
		"/mcp memory_remember 200 true [memory/projects.md]", "/mcp memory_remember 400 false []",
		"/mcp memory_forget 200 false []", "/mcp memory_forget 200 false [memory/projects.md]", "/mcp memory_forget 404 false []",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("the audit has\n%s", strings.Join(lines, "\n"))
	}
}
