package cli_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir/internal/bridge"
	"github.com/memoir-ai/memoir/internal/wire"
)

// administered starts a server whose workspaces are those of the settings, with a folder
// for new ones, and returns it with the token of an administrator.
func administered(t *testing.T) (s *httpServer, folder string, as func(token, method, path, body string) (int, string), admin string) {
	t.Helper()
	d := newDesk(t, map[string]string{"a.md": "Tea is green.\n"})
	t.Setenv("MEMOIR_PROVIDER", "none")
	folder = filepath.Join(d.dir, "tenants")
	t.Setenv("MEMOIR_SERVE_FOLDER", folder)
	admin = d.output("token", "create", "--allow", "admin", "boss")
	cmd := d.command([]string{"MEMOIR_WORKSPACE=" + filepath.Join(d.dir, "notes")}, "serve", "--addr", "127.0.0.1:0")
	cmd.Args = slices.Delete(cmd.Args, 1, 3) // --workspace: the workspaces are those of the settings
	s = d.serving(cmd)
	return s, folder, func(token, method, path, body string) (int, string) {
		t.Helper()
		return s.ask(method, path, body, "Authorization", "Bearer "+token)
	}, admin
}

// find returns the files below a folder in which a word stands.
func find(t *testing.T, dir, word string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path != dir {
			return nil // SQLite's journals come and go
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if strings.Contains(strings.ToLower(string(data)), word) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The life of a workspace over HTTP: made, used by its token alone, exported, deleted with
// every copy while the server runs, and made again empty.
func TestAdminLife(t *testing.T) {
	s, folder, as, admin := administered(t)
	var made wire.AdminCreated
	code, body := as(admin, "POST", "/v1/admin/workspaces", `{"name":"sales"}`)
	if err := json.Unmarshal([]byte(body), &made); code != 200 || err != nil || made.Workspace != filepath.Join(folder, "sales") {
		t.Fatalf("%d %s", code, body)
	}
	if code, body := as(admin, "POST", "/v1/admin/workspaces", `{"name":"legal"}`); code != 200 {
		t.Fatalf("%d %s", code, body)
	}
	if code, body := as(made.Token, "POST", "/w/sales/v1/remember", `{"text":"The staging server is called heron","type":"project"}`); code != 200 {
		t.Fatalf("%d %s", code, body)
	}
	for path, want := range map[string]int{"/w/sales/v1/status": 200, "/w/legal/v1/status": 403, "/v1/status": 403, "/v1/admin/workspaces": 403, "/w/sales/v1/admin/workspaces": 403} {
		if code, body := as(made.Token, "GET", path, ""); code != want {
			t.Errorf("%s answers %d to the token of sales, want %d: %s", path, code, want, body)
		}
	}
	if code, body := as(admin, "GET", "/w/sales/v1/notes", ""); code != 403 {
		t.Errorf("an administrator reads notes: %d %s", code, body)
	}
	for _, path := range find(t, filepath.Join(s.dir, "state"), made.Token) {
		t.Errorf("the token itself is in %s", path)
	}

	// A second token, which lets in until it is revoked, and no longer.
	var bot wire.TokenAnswer
	code, body = as(admin, "POST", "/v1/admin/workspaces/sales/tokens", `{"name":"bot","allow":["read"]}`)
	if err := json.Unmarshal([]byte(body), &bot); code != 200 || err != nil {
		t.Fatalf("%d %s", code, body)
	}
	if code, _ := as(bot.Token, "GET", "/w/sales/v1/status", ""); code != 200 {
		t.Errorf("a new token is not let in: %d", code)
	}
	for _, path := range []string{"/v1/admin/workspaces/legal/tokens/bot", "/v1/admin/workspaces/sales/tokens/boss", "/v1/admin/workspaces/sales/tokens/none"} {
		if code, body := as(admin, "DELETE", path, ""); code != 404 {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	if code, body := as(admin, "DELETE", "/v1/admin/workspaces/sales/tokens/bot", ""); code != 200 {
		t.Errorf("%d %s", code, body)
	}
	if code, _ := as(bot.Token, "GET", "/w/sales/v1/status", ""); code != 401 {
		t.Errorf("a revoked token is let in: %d", code)
	}

	// What is told of it, and its notes in one archive.
	var list []wire.AdminEntry
	code, body = as(admin, "GET", "/v1/admin/workspaces", "")
	if err := json.Unmarshal([]byte(body), &list); code != 200 || err != nil || len(list) != 2 || list[0].Name != "sales" || !slices.Equal(list[0].Tokens, []string{"sales"}) || len(list[0].Kept) != 3 {
		t.Errorf("%d %s", code, body)
	}
	_, packed := as(admin, "GET", "/v1/admin/workspaces/sales/export", "")
	unzipped, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		t.Fatalf("%v: %q", err, packed)
	}
	archive := tar.NewReader(unzipped)
	head, err := archive.Next()
	if err != nil || head.Name != "memory/projects.md" {
		t.Fatalf("%+v, %v", head, err)
	}
	if text, err := io.ReadAll(archive); err != nil || !strings.Contains(string(text), "heron") {
		t.Errorf("%q, %v", text, err)
	}

	// Deleted while somebody listens and the server has it open.
	if code, body := as(admin, "DELETE", "/v1/admin/workspaces/sales", ""); code != 200 || !strings.Contains(body, `"dryRun":true`) {
		t.Errorf("%d %s", code, body)
	}
	if found := find(t, s.dir, "heron"); len(found) < 3 { // note, index, history
		t.Fatalf("before it is deleted the word is in %q", found)
	}
	listening, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/w/sales/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	listening.Header.Set("Authorization", "Bearer "+made.Token)
	stream, err := http.DefaultClient.Do(listening)
	if err != nil || stream.StatusCode != 200 {
		t.Fatalf("%v, %v", stream, err)
	}
	defer stream.Body.Close()
	if out, err := s.command(nil, "admin", "delete", "--yes", "sales").CombinedOutput(); err == nil || !strings.Contains(string(out), "stop it") {
		t.Errorf("deleted from outside under a server: %v\n%s", err, out)
	}
	if code, body := as(admin, "DELETE", "/v1/admin/workspaces/sales?yes=true", ""); code != 200 || !strings.Contains(body, `"revoked":["sales"]`) {
		t.Fatalf("%d %s", code, body)
	}
	if _, err := io.ReadAll(stream.Body); err != nil {
		t.Logf("who listened was cut off: %v", err)
	}
	if found := find(t, s.dir, "heron"); len(found) > 0 {
		t.Errorf("after it was deleted the word is in %q", found)
	}
	if _, err := os.Stat(made.Workspace); err == nil {
		t.Error("its folder is there")
	}
	if code, _ := as(made.Token, "GET", "/w/sales/v1/status", ""); code != 401 {
		t.Errorf("its token is let in: %d", code)
	}
	for _, path := range []string{"/v1/admin/workspaces/sales?yes=true", "/v1/admin/workspaces/sales"} {
		if code, body := as(admin, "DELETE", path, ""); code != 404 || !strings.Contains(body, "memoir admin list") {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	if code, body := as(admin, "GET", "/v1/admin/metrics", ""); code != 200 || strings.Contains(body, "sales") || !strings.Contains(body, `memoir_workspace_requests_total{workspace="legal"} 0`) {
		t.Errorf("%d %s", code, body)
	}
	code, body = as(admin, "POST", "/v1/admin/workspaces", `{"name":"sales"}`)
	if err := json.Unmarshal([]byte(body), &made); code != 200 || err != nil {
		t.Fatalf("made again: %d %s", code, body)
	}
	if code, body := as(made.Token, "GET", "/w/sales/v1/notes", ""); code != 200 || !strings.Contains(body, `"notes":[]`) {
		t.Errorf("one that was made again has what the one before had: %d %s", code, body)
	}
	audit, err := os.ReadFile(filepath.Join(s.dir, "state", "serve", "audit.jsonl"))
	if err != nil || !strings.Contains(string(audit), `"who":"token boss","route":"DELETE /v1/admin/workspaces/{name}","status":200,"workspace":"sales"`) || !strings.Contains(string(audit), fmt.Sprintf(`"route":"GET /v1/admin/workspaces/{name}/export","status":200,"workspace":"sales","bytes":%d}`, len(packed))) || strings.Contains(string(audit), made.Token) {
		t.Errorf("the audit has %s, %v", audit, err)
	}
}

// What a workspace may have holds for every way in by the server, from the moment that it
// is set, and keeps nobody from reading and removing.
func TestAdminQuota(t *testing.T) {
	s, folder, as, admin := administered(t)
	var made wire.AdminCreated
	code, body := as(admin, "POST", "/v1/admin/workspaces", `{"name":"sales","quota":{"notes":1}}`)
	if err := json.Unmarshal([]byte(body), &made); code != 200 || err != nil {
		t.Fatalf("%d %s", code, body)
	}
	put := func(note, text string) (int, string) {
		t.Helper()
		return s.ask("PUT", "/w/sales/v1/notes/"+note, text, "Authorization", "Bearer "+made.Token, "If-None-Match", "*", "Content-Type", "text/markdown")
	}
	full := func(what string, code int, body string) {
		t.Helper()
		if code != 403 || !strings.Contains(body, `"code":"quota"`) || !strings.Contains(body, "memoir admin quota sales") {
			t.Errorf("%s: %d %s", what, code, body)
		}
	}
	if code, body := put("node_modules/a.md", "# A\n"); code != 200 { // it counts, although it is not indexed
		t.Fatalf("%d %s", code, body)
	}
	code, body = put("b.md", "# B\n")
	full("a second note", code, body)
	code, body = as(made.Token, "POST", "/w/sales/v1/remember", `{"text":"The staging server is called heron","type":"project"}`)
	full("a second note by what is told", code, body)
	if !strings.Contains(body, "not kept: ") || !strings.Contains(body, "heron") {
		t.Errorf("the words are lost: %s", body)
	}
	code, body = as(made.Token, "POST", "/w/sales/v1/anthropic/memory", `{"command":"create","path":"/memories/plan.md","file_text":"x"}`)
	if !strings.Contains(body, "quota") {
		t.Errorf("by the memory tool: %d %s", code, body)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.url + "/w/sales/mcp", HTTPClient: bearing(made.Token)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory_remember", Arguments: map[string]any{"text": "The staging server is called heron", "type": "project"}})
	if err != nil || !res.IsError || len(res.Content) != 1 || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, "memoir admin quota sales") {
		t.Errorf("by MCP: %+v, %v", res, err)
	}
	client.Close()
	if files := find(t, filepath.Join(folder, "sales"), ""); len(files) != 1 {
		t.Errorf("there is %q", files)
	}
	if out := s.output("admin", "quota", "--notes", "0", "--bytes", "10", "sales"); out != "sales may have 10 bytes of notes" {
		t.Errorf("%q", out)
	}
	if code, body := put("b.md", "12345\n"); code != 200 {
		t.Errorf("up to the quota: %d %s", code, body)
	}
	code, body = put("c.md", "1")
	full("a byte more", code, body)
	if code, body := put("c.md", ""); code != 200 {
		t.Errorf("a note without bytes: %d %s", code, body)
	}
	if code, body := s.ask("DELETE", "/w/sales/v1/notes/b.md", "", "Authorization", "Bearer "+made.Token, "If-Match", "*"); code != 200 {
		t.Errorf("to remove one: %d %s", code, body)
	}

	// Requests: so many, and then no more until Retry-After is over.
	if code, body := as(admin, "PUT", "/v1/admin/workspaces/sales/quota", `{"requests":2}`); code != 200 || !strings.Contains(body, `"requests":2`) {
		t.Errorf("%d %s", code, body)
	}
	for i, want := range []int{200, 200, 429, 429} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/w/sales/v1/status", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+made.Token)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("request %d: %d %s", i, res.StatusCode, body)
		}
		if after := res.Header.Get("Retry-After"); want == 429 && (after == "" || after == "0" || len(after) > 2 || !strings.Contains(string(body), "2 times a minute")) {
			t.Errorf("request %d: Retry-After is %q: %s", i, after, body)
		}
	}
	if code, _ := as("wrong", "GET", "/w/sales/v1/status", ""); code != 401 {
		t.Errorf("a stranger is told of the quota: %d", code)
	}
	if code, body := as(admin, "GET", "/v1/admin/metrics", ""); code != 200 || !strings.Contains(body, `memoir_workspace_limited_total{workspace="sales"} 2`+"\n") || !strings.Contains(body, `memoir_workspace_full_total{workspace="sales"} 5`+"\n") {
		t.Errorf("%d %s", code, body)
	}
	if code, body := as(admin, "PUT", "/v1/admin/workspaces/sales/quota", `{"requests":-1}`); code != 400 {
		t.Errorf("%d %s", code, body)
	}
	if out := s.output("admin", "list"); !strings.Contains(out, "may have: 2 requests a minute") {
		t.Error(out)
	}
	if code, body := as(admin, "PUT", "/v1/admin/workspaces/sales/quota", `{}`); code != 200 {
		t.Errorf("%d %s", code, body)
	}
	if code, body := as(made.Token, "GET", "/w/sales/v1/status", ""); code != 200 {
		t.Errorf("without a limit: %d %s", code, body)
	}
}

// bearing is a client that sends a token.
func bearing(token string) *http.Client {
	return &http.Client{Transport: bearer(token)}
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// A workspace is made as a whole or not at all, and has nothing that somebody else has left
// under its name.
func TestAdminCreateWhole(t *testing.T) {
	s, folder, as, admin := administered(t)
	create := func(body string, want int, says string) (made wire.AdminCreated) {
		t.Helper()
		code, answer := as(admin, "POST", "/v1/admin/workspaces", body)
		if code != want || !strings.Contains(answer, says) {
			t.Errorf("%s: %d, want %d with %q: %s", body, code, want, says, answer)
		}
		_ = json.Unmarshal([]byte(answer), &made)
		return made
	}
	create(`{"name":"sales","quota":{"notes":-1}}`, 400, "below 0")
	if _, err := os.Stat(filepath.Join(folder, "sales")); err == nil {
		t.Error("what was refused has a folder")
	}
	made := create(`{"name":"sales"}`, 200, "memoir_")
	if code, body := as(made.Token, "POST", "/w/sales/v1/remember", `{"text":"The staging server is called heron","type":"project"}`); code != 200 {
		t.Fatalf("%d %s", code, body)
	}

	// Somebody takes it away by hand, and leaves a token, and then what was known of it.
	s.output("config", "set", "serve.workspaces", "legal="+filepath.Join(s.dir, "legal"))
	if err := os.RemoveAll(made.Workspace); err != nil {
		t.Fatal(err)
	}
	s.output("token", "create", "--only", "sales", "bot")
	s.output("token", "revoke", "sales")
	create(`{"name":"sales"}`, 409, "memoir token revoke bot")
	s.output("token", "revoke", "bot")
	create(`{"name":"sales"}`, 409, filepath.Join(s.dir, "state"))
	if _, err := os.Stat(made.Workspace); err == nil {
		t.Error("what was refused has a folder")
	}

	// Without a place for its token it is not made, and what other programs are told
	// is not what counts.
	tokens := filepath.Join(s.dir, "state", "serve", "tokens.json")
	text, err := os.ReadFile(tokens)
	var all []map[string]any
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	many := slices.Clone(all)
	for len(many) < 1000 {
		many = append(many, map[string]any{"name": strings.Repeat("x", len(many)%50+1), "permissions": []string{"read"}, "digest": "none"})
	}
	for _, list := range [][]map[string]any{many, all} {
		data, err := json.Marshal(list)
		if err == nil {
			err = os.WriteFile(tokens, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 1000 {
			create(`{"name":"east"}`, 400, "1000 tokens")
			if code, body := as(admin, "GET", "/v1/admin/workspaces", ""); code != 200 || strings.Contains(body, "east") {
				t.Errorf("%d %s", code, body)
			}
		}
	}
	door := bridge.Socket(filepath.Join(s.dir, "state", "serve"), filepath.Join(s.dir, "tenants", "east"))
	if err := os.MkdirAll(filepath.Join(door, "taken"), 0o700); err != nil {
		t.Fatal(err)
	}
	made = create(`{"name":"east"}`, 200, "memoir_")
	if code, body := as(made.Token, "GET", "/w/east/v1/status", ""); code != 200 {
		t.Errorf("%d %s", code, body)
	}
}

// Who may not ask a workspace does not learn whether it is there.
func TestAdminNamesTold(t *testing.T) {
	_, _, as, admin := administered(t)
	var made wire.AdminCreated
	code, body := as(admin, "POST", "/v1/admin/workspaces", `{"name":"sales"}`)
	if err := json.Unmarshal([]byte(body), &made); code != 200 || err != nil {
		t.Fatalf("%d %s", code, body)
	}
	if code, body := as(admin, "POST", "/v1/admin/workspaces", `{"name":"legal"}`); code != 200 {
		t.Fatalf("%d %s", code, body)
	}
	for _, token := range []string{made.Token, admin} {
		for _, path := range []string{"/", "/v1/status", "/v1/nothing", "/mcp", "/healthz", "/metrics"} {
			var told [2]wire.Failure
			var codes [2]int
			for i, name := range []string{"legal", "nobody"} {
				var body string
				codes[i], body = as(token, "GET", "/w/"+name+path, "")
				if err := json.Unmarshal([]byte(body), &told[i]); err != nil {
					t.Errorf("%s of %s: %v: %s", path, name, err, body)
				}
			}
			if codes != [2]int{403, 403} || told[0] != told[1] {
				t.Errorf("%s of one that is there and one that is not: %d, %+v", path, codes, told)
			}
		}
	}
}

// The workspaces of an environment are not changed, and a folder that is reached by two
// paths is one folder.
func TestAdminOfOthers(t *testing.T) {
	d := newDesk(t, map[string]string{"a.md": "Tea is green.\n"})
	t.Setenv("MEMOIR_PROVIDER", "none")
	one := filepath.Join(d.dir, "one")
	if err := os.MkdirAll(one, 0o700); err != nil {
		t.Fatal(err)
	}
	env := []string{"MEMOIR_SERVE_WORKSPACES=one=" + one}
	for _, args := range [][]string{{"create", "two", filepath.Join(d.dir, "two")}, {"delete", "--yes", "one"}} {
		if out, err := d.command(env, append([]string{"admin"}, args...)...).CombinedOutput(); err == nil || !strings.Contains(string(out), "MEMOIR_SERVE_WORKSPACES") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	if _, err := os.Stat(one); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(d.dir, "two")); err == nil {
		t.Error("what was refused has a folder")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(d.dir, link); err != nil {
		t.Skip("no links here:", err)
	}
	for _, folder := range []string{"notes", "notes/inner", "state/inner", ""} {
		if out, err := d.command(nil, "admin", "create", "twice", filepath.Join(link, folder)).CombinedOutput(); err == nil {
			t.Errorf("%q is served twice: %s", folder, out)
		}
	}
	d.output("config", "set", "serve.workspaces", "alias="+filepath.Join(link, "notes"))
	if out, err := d.command(nil, "admin", "delete", "--yes", "alias").CombinedOutput(); err == nil || !strings.Contains(string(out), "is inside the other") {
		t.Errorf("%v\n%s", err, out)
	}
	if text, err := os.ReadFile(filepath.Join(d.dir, "notes", "a.md")); err != nil || string(text) != "Tea is green.\n" {
		t.Errorf("the first workspace: %q, %v", text, err)
	}
}

// No name leads anywhere but to a folder of its own below serve.folder.
func TestAdminNames(t *testing.T) {
	s, folder, as, admin := administered(t)
	if err := os.MkdirAll(filepath.Join(folder, "taken"), 0o700); err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(folder, "linked")); err != nil {
		t.Skip("no links here:", err)
	}
	for name, want := range map[string]int{
		"": 400, ".": 400, "..": 400, "../up": 400, "a/b": 400, `a\b`: 400, "/etc": 400, "a.b": 400, ".hidden": 400, "-x": 400, "a b": 400, "a=b": 400, "a,b": 400,
		"Sales": 400, "sаles": 400 /* Cyrillic */, "sales\u200b": 400, "ｓales": 400, "sales\n": 400, "a\x00b": 400, "a%2fb": 400, "con": 400, "lpt1": 400, "a?b": 400, "日记": 400,
		strings.Repeat("a", 64): 400, strings.Repeat("a", 1<<20): 400, "taken": 409, "linked": 409, strings.Repeat("a", 63): 200, "boss": 409, "notes": 409,
	} {
		body, err := json.Marshal(map[string]string{"name": name})
		if err != nil {
			t.Fatal(err)
		}
		code, answer := as(admin, "POST", "/v1/admin/workspaces", string(body))
		if code != want || len(answer) > 2000 || code != 200 && !strings.Contains(answer, `"action":"`) {
			t.Errorf("%.70q: %d, want %d: %.2000s", name, code, want, answer)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 3 { // taken, linked and the longest name
		t.Errorf("below the folder is %v, %v", entries, err)
	}
	if entries, err := os.ReadDir(elsewhere); err != nil || len(entries) != 0 {
		t.Errorf("behind the link is %v, %v", entries, err)
	}
	for _, name := range []string{"..", "%2e%2e", "..%2f..%2fnotes", "linked", "taken", "notes", "s%C3%A4les", "a%00b", strings.Repeat("a", 20000)} {
		for _, request := range []string{"DELETE /v1/admin/workspaces/NAME?yes=true", "GET /v1/admin/workspaces/NAME/export", "PUT /v1/admin/workspaces/NAME/quota", "POST /v1/admin/workspaces/NAME/tokens"} {
			method, path, _ := strings.Cut(strings.Replace(request, "NAME", name, 1), " ")
			body := ""
			switch method {
			case "PUT":
				body = `{"notes":1}`
			case "POST":
				body = `{"name":"bot"}`
			}
			if code, answer := as(admin, method, path, body); code < 400 || code >= 500 || len(answer) > 2000 {
				t.Errorf("%s %.80s: %d %.2000s", method, path, code, answer)
			}
		}
	}
	for _, name := range []string{"", "../x", "Bot", "bоt", "a b", strings.Repeat("a", 1<<20)} {
		body, _ := json.Marshal(map[string]string{"name": name})
		if code, answer := as(admin, "POST", "/v1/admin/workspaces/"+strings.Repeat("a", 63)+"/tokens", string(body)); code != 400 || len(answer) > 2000 {
			t.Errorf("a token %.70q: %d %.2000s", name, code, answer)
		}
	}
	if data, err := os.ReadFile(filepath.Join(s.dir, "notes", "a.md")); err != nil || string(data) != "Tea is green.\n" {
		t.Errorf("the first workspace: %q, %v", data, err)
	}
	if info, err := os.Stat(filepath.Join(s.dir, "state", "serve", "audit.jsonl")); err != nil || info.Size() > 1<<16 {
		t.Errorf("the names fill the audit: %v, %v", info, err)
	}
}

// A workspace in whose place somebody put a link is not deleted, and the link is named.
func TestAdminLinked(t *testing.T) {
	s, folder, as, admin := administered(t)
	if code, body := as(admin, "POST", "/v1/admin/workspaces", `{"name":"sales"}`); code != 200 {
		t.Fatalf("%d %s", code, body)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(filepath.Join(folder, "sales"), elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(elsewhere, "a.md"), []byte("Tea is green.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(folder, "sales")); err != nil {
		t.Skip("no links here:", err)
	}
	for _, path := range []string{"/v1/admin/workspaces/sales", "/v1/admin/workspaces/sales?yes=true"} {
		if code, body := as(admin, "DELETE", path, ""); code != 409 || !strings.Contains(body, "link") || !strings.Contains(body, `"action":"put the folder itself there`) {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	if out, err := s.command(nil, "admin", "delete", "sales").CombinedOutput(); err == nil || !strings.Contains(string(out), "put the folder itself there") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(elsewhere, "a.md")); err != nil {
		t.Error(err)
	}
}

// A workspace is not deleted while an archive of it is made, which would look whole without
// half of its notes.
func TestAdminArchiveHolds(t *testing.T) {
	s, folder, as, admin := administered(t)
	if code, body := as(admin, "POST", "/v1/admin/workspaces", `{"name":"sales"}`); code != 200 {
		t.Fatalf("%d %s", code, body)
	}
	noise := make([]byte, 200<<10)
	for i := range 40 { // more than the server's socket holds, and a small one of the client's
		rand.Read(noise)
		if err := os.WriteFile(filepath.Join(folder, "sales", fmt.Sprintf("%d.md", i)), []byte(hex.EncodeToString(noise)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/v1/admin/workspaces/sales/export", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+admin)
	slow := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if tcp, ok := conn.(*net.TCPConn); ok {
			err = tcp.SetReadBuffer(64 << 10)
		}
		return conn, err
	}}
	defer slow.CloseIdleConnections()
	res, err := (&http.Client{Transport: slow}).Do(req)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("%v, %v", res, err)
	}
	if code, body := as(admin, "DELETE", "/v1/admin/workspaces/sales?yes=true", ""); code != 409 || !strings.Contains(body, "an archive of sales is being made") {
		t.Errorf("%d %s", code, body)
	}
	unzipped, err := gzip.NewReader(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	notes := 0
	for archive := tar.NewReader(unzipped); ; notes++ {
		if _, err := archive.Next(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil || notes != 40 {
		t.Errorf("the archive has %d notes, %v", notes, err)
	}
	res.Body.Close()
	code, body := 409, ""
	for code == 409 { // until the server knows that all of it came
		code, body = as(admin, "DELETE", "/v1/admin/workspaces/sales?yes=true", "")
	}
	if code != 200 {
		t.Errorf("%d %s", code, body)
	}
}

// An administrator's token stands alone, and is made on the machine only.
func TestAdminTokenAlone(t *testing.T) {
	d := newDesk(t, map[string]string{"a.md": "Tea is green.\n"})
	for _, args := range [][]string{{"--allow", "admin,read"}, {"--allow", "admin", "--only", "sales"}, {"--allow", "root"}} {
		cmd := d.command(nil, append([]string{"token", "create", "x"}, args...)...)
		if out, err := cmd.CombinedOutput(); err == nil || cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "try: ") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	// The folders of a command line are not the settings', and nobody changes them.
	admin := d.output("token", "create", "--allow", "admin", "boss")
	s := d.serveHTTP()
	if code, body := s.ask("GET", "/v1/admin/workspaces", "", "Authorization", "Bearer "+admin); code != 404 || !strings.Contains(body, "serve.workspaces") {
		t.Errorf("%d %s", code, body)
	}
	if code, _ := s.ask("GET", "/v1/status", "", "Authorization", "Bearer "+admin); code != 403 {
		t.Errorf("it opens notes: %d", code)
	}
}
