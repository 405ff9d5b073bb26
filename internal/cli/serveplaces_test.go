package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/cli"
	"github.com/memoir-ai/memoir/internal/wire"
)

// TestServeSeveral: one server answers for several workspaces, each below its own
// address, and a token for one of them opens no other.
func TestServeSeveral(t *testing.T) {
	d := newDesk(t, map[string]string{"a.md": "# A\n\nThe ferry leaves at nine.\n"})
	for name, text := range map[string]string{"work": "The release is on Friday.", "日记": "今天的潮水很高。", "secret": "nobody named this folder"} {
		if err := os.MkdirAll(filepath.Join(d.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d.dir, name, "n.md"), []byte("# N\n\n"+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := d.serveHTTP("--workspace", "work", "--workspace", "tage="+filepath.Join(d.dir, "日记"))
	find := func(at, query string) string {
		var found wire.Answer
		if code, body := s.ask("POST", at+"/v1/search", `{"query":"`+query+`","mode":"text"}`); code != 200 || json.Unmarshal([]byte(body), &found) != nil {
			t.Errorf("%s: %d %s", at, code, body)
		}
		if len(found.Results) == 0 {
			return ""
		}
		return found.Results[0].Snippet
	}
	for at, query := range map[string]string{"": "ferry", "/w/work": "release", "/w/tage": "潮水"} {
		if got := find(at, query); !strings.Contains(got, query) {
			t.Errorf("%s: %q", at, got)
		}
	}
	// Other programs of this user may ask, too: at least our request is counted.
	counted := regexp.MustCompile(`(?m)^memoir_workspace_requests_total\{workspace="tage"\} [1-9]\d*$`)
	if code, body := s.ask("GET", "/metrics", "", "Cookie", cookieOf(t, d.output("ui", "--print"))); code != 200 || !strings.Contains(body, "memoir_workspace_open{workspace=\"work\"} 1\n") || !counted.MatchString(body) {
		t.Errorf("metrics: %d %s", code, body)
	}
	bearer := strings.TrimSpace(d.output("token", "create", "--allow", "read", "scraper"))
	if code, body := s.ask("GET", "/metrics", "", "Authorization", "Bearer "+bearer); code != 200 || strings.Contains(body, "memoir_workspace_") {
		t.Errorf("who is not the owner is told of other workspaces: %d %s", code, body)
	}
	if got := find("/w/work", "ferry"); strings.Contains(got, "ferry") {
		t.Error("one workspace answers for another")
	}
	if code, body := s.ask("PUT", "/w/work/v1/notes/x%2Fy.md", `{"text":"# Y\n"}`, "If-None-Match", "*"); code != 200 {
		t.Errorf("%d %s", code, body)
	}
	if b, err := os.ReadFile(filepath.Join(d.dir, "work", "x", "y.md")); err != nil || string(b) != "# Y\n" {
		t.Errorf("%q, %v", b, err)
	}
	for _, path := range []string{"/w/secret/v1/notes/n.md", "/w/../secret/v1/notes/n.md", "/w/work/../secret/v1/notes/n.md", "/w/" + strings.ReplaceAll(filepath.Join(d.dir, "secret"), "/", "%2F") + "/v1/notes/n.md", "/w/work", "/w//v1/status"} {
		if code, body := s.ask("GET", path, ""); code < 300 || strings.Contains(body, "nobody named") {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	for _, method := range []string{"GET", "POST"} {
		var told wire.Failure
		code, body := s.ask(method, "/w/wrok/v1/search", `{"query":"ferry"}`)
		if err := json.Unmarshal([]byte(body), &told); err != nil || code != 404 || !strings.Contains(told.Error.Message, `no workspace "wrok"`) || told.Error.Action == "" {
			t.Errorf("a name that is not there: %d %s, %v", code, body, err)
		}
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.url + "/w/work/mcp", HTTPClient: s.client}, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory_remember", Arguments: map[string]any{"text": "The staging server is called heron", "type": "project"}})
	if err != nil || res.IsError {
		t.Errorf("%+v, %v", res, err)
	}
	client.Close()
	if audit, err := os.ReadFile(filepath.Join(d.dir, "state", "serve", "audit.jsonl")); err != nil || !strings.Contains(string(audit), `"route":"/mcp memory_remember","status":200`) || !strings.Contains(string(audit), `"workspace":"work"`) {
		t.Errorf("the audit has %s, %v", audit, err)
	}
	secret := d.output("token", "create", "--only", "work", "bot")
	for at, want := range map[string]int{"": 403, "/w/work": 200, "/w/tage": 403, "/w/wrok": 403} {
		// It has the permission to read; what it lacks is the workspace.
		if code, body := s.ask("GET", at+"/v1/status", "", "Authorization", "Bearer "+secret); code != want || want == 403 && (!strings.Contains(body, "other workspaces") || !strings.Contains(body, "/w/NAME/")) {
			t.Errorf("a token for work at %q: %d %s", at, code, body)
		}
	}
	if code, _ := s.ask("GET", "/w/tage/v1/status", "", "Authorization", "Bearer wrong"); code != 401 {
		t.Errorf("a wrong token: %d", code)
	}
	if code, _ := s.ask("GET", "/w/tage/v1/status", "", "Host", "evil.example", "Origin", "http://evil.example"); code != 403 {
		t.Errorf("another site: %d", code)
	}
	if out, err := d.command(nil, "serve", "--addr", "127.0.0.1:0", "--workspace", "work", "--workspace", "other/work").CombinedOutput(); err == nil || !strings.Contains(string(out), "two workspaces are called work") {
		t.Errorf("two of one name: %v %s", err, out)
	}
}

// TestOnDemand: so many workspaces are open at once and no more, each once; the one
// that was idle the longest makes room, and all that are idle are closed in time.
func TestOnDemand(t *testing.T) {
	o := cli.NewOnDemand()
	var work sync.WaitGroup
	for range 20 {
		work.Go(func() {
			leave, err := o.Enter("a")
			if err != nil {
				t.Error(err)
				return
			}
			leave()
		})
	}
	work.Wait()
	if o.Opened != 1 {
		t.Errorf("one workspace was opened %d times", o.Opened)
	}
	var leaves []func()
	for i := range 8 {
		leave, err := o.Enter(fmt.Sprint(i)) // the eighth takes the place of the first
		if err != nil {
			t.Fatal(err)
		}
		leaves = append(leaves, leave)
	}
	if o.Opened != 9 || o.Closed != 1 {
		t.Errorf("%d opened, %d closed", o.Opened, o.Closed)
	}
	if _, err := o.Enter("one more"); !errors.Is(err, memoir.ErrUnavailable) {
		t.Errorf("beyond the bound: %v", err)
	}
	for _, leave := range leaves[1:] {
		leave()
	}
	o.Now = o.Now.Add(9 * time.Minute)
	if o.Sweep(); o.Closed != 1 {
		t.Errorf("%d closed too early", o.Closed-1)
	}
	o.Now = o.Now.Add(time.Minute)
	if o.Sweep(); o.Closed != 8 {
		t.Errorf("%d closed, want all but the one in use", o.Closed)
	}
	if _, err := o.Enter("broken"); !errors.Is(err, memoir.ErrNotFound) {
		t.Errorf("what cannot be opened: %v", err)
	}
	leaves[0]()
	if err := o.Close(); err != nil || o.Closed != 9 {
		t.Errorf("%d closed in the end, %v", o.Closed, err)
	}
}
