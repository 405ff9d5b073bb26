package doctor_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir/internal/doctor"
	"github.com/memoir-ai/memoir/internal/setup"
)

// TestLiveAtAddress: a server that an agent reaches at an address is asked there, and what
// keeps it from answering is named. It is never called missing.
func TestLiveAtAddress(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "memoir", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "memory_search"}, func(context.Context, *mcp.CallToolRequest, struct {
		Query string `json:"query"`
	}) (*mcp.CallToolResult, any, error) {
		return nil, map[string]any{"results": []any{}}, nil
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer right" {
			http.Error(w, "no such token", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(site.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	t.Setenv("MEMOIR_TEST_TOKEN", "right")
	for _, tt := range []struct{ name, agent, file, text, broken, says string }{
		{"Claude Code", "claude-code", ".claude.json", `{"mcpServers": {"memoir": {"type": "http", "url": "URL", "headers": {"Authorization": "Bearer ${MEMOIR_TEST_TOKEN}"}}}}`, "", "a search was answered"},
		{"Codex", "codex", ".codex/config.toml", "[mcp_servers.memoir]\nurl = \"URL\"\nbearer_token_env_var = \"MEMOIR_TEST_TOKEN\"\n", "", "a search was answered"},
		{"Gemini CLI", "gemini", ".gemini/settings.json", `{"mcpServers": {"memoir": {"httpUrl": "URL", "headers": {"Authorization": "Bearer right"}}}}`, "", "a search was answered"},
		{"a token that was taken back", "gemini", ".gemini/settings.json", `{"mcpServers": {"memoir": {"httpUrl": "URL?key=hidden", "headers": {"Authorization": "Bearer old"}}}}`, "server", "Unauthorized"},
		{"nobody there", "gemini", ".gemini/settings.json", `{"mcpServers": {"memoir": {"httpUrl": "GONE"}}}`, "server", "refused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			path := filepath.Join(home, tt.file)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			text := strings.NewReplacer("URL", site.URL+"/mcp", "GONE", gone.URL).Replace(tt.text)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			a, _ := setup.Find(tt.agent)
			var d doctor.Diagnosis
			d.Live(t.Context(), a, doctor.LiveOptions{Place: setup.Place{Home: home, Lookup: func(string) (string, bool) { return "", false }, OS: "linux"}, StateDir: t.TempDir(), Now: time.Now(), Number: 7})
			broken, all := "", fmt.Sprintf("%+v", d.Checks)
			for _, c := range d.Checks {
				if c.Health == doctor.Broken {
					broken = c.Name
				}
			}
			if broken != tt.broken || !strings.Contains(all, tt.says) || strings.Contains(all, "hidden") {
				t.Errorf("got %s", all)
			}
		})
	}
}
