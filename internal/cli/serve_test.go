package cli_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"encoding/xml"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir/internal/cli"
	"github.com/memoir-ai/memoir/internal/token"
	"github.com/memoir-ai/memoir/internal/wire"
)

// httpServer is a memoir serve.
type httpServer struct {
	*desk
	cmd    *exec.Cmd
	url    string
	client *http.Client // has a token for everything
}

// serveHTTP starts memoir serve on a port that is free; it ends with the test.
func (d *desk) serveHTTP(args ...string) *httpServer {
	d.Helper()
	return d.serving(d.command(nil, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...))
}

// serving starts a server, which ends with the test.
func (d *desk) serving(cmd *exec.Cmd) *httpServer {
	d.Helper()
	s := &httpServer{desk: d, cmd: cmd, client: &http.Client{Transport: asking{d}}}
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		d.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		d.Fatal(err)
	}
	d.Cleanup(s.stop)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		d.Fatalf("memoir serve says %q: %v", line, err)
	}
	s.url = strings.TrimSpace(line)
	return s
}

// token returns a token for everything, the same one each time.
func (d *desk) token() string {
	d.Helper()
	if d.secret == "" {
		d.secret = newToken(d.T, filepath.Join(d.dir, "state"))
	}
	return d.secret
}

// asking sends the token of a desk with requests that have none.
type asking struct{ *desk }

func (d asking) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" {
		return http.DefaultTransport.RoundTrip(r)
	}
	return bearer(d.token()).RoundTrip(r)
}

// newToken makes a token called test, for everything, in a state folder.
func newToken(t *testing.T, state string) string {
	t.Helper()
	secret, err := token.Open(filepath.Join(state, "serve")).Create(t.Context(), "test", []string{"read", "write", "private"}, nil, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// stop asks the server to end and waits for it.
func (s *httpServer) stop() {
	if s.cmd.ProcessState != nil {
		return
	}
	if runtime.GOOS == "windows" {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait() // ended by the signal
}

// ask sends a request, with a token for everything unless the headers have another one.
func (s *httpServer) ask(method, path, body string, headers ...string) (int, string) {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if req.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	res, err := s.client.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func (d *desk) output(args ...string) string {
	d.Helper()
	out, err := d.command(nil, args...).Output()
	if err != nil {
		d.Fatalf("memoir %v: %v %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestServe: a program, an agent and a browser reach the same memory over HTTP, and
// the server leaves nothing behind.
func TestServe(t *testing.T) {
	d := newDesk(t, map[string]string{"memory/2026-03-02.md": "# Log\n\n- We chose SQLite because it is one file\n", "日记.md": "# 日记\n\n- 数据库用 Postgres\n"})
	s := d.serveHTTP()
	var found wire.Answer
	if code, body := s.ask("POST", "/v1/search", `{"query":"为什么 Postgres"}`); code != 200 || json.Unmarshal([]byte(body), &found) != nil || len(found.Results) == 0 || found.Results[0].Path != "日记.md" {
		t.Errorf("%d %s", code, body)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: s.client}, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory_remember", Arguments: map[string]any{"text": "The staging server is called heron", "type": "project"}})
	if err != nil || res.IsError {
		t.Fatalf("%+v, %v", res, err)
	}
	if res, err = client.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory_search", Arguments: map[string]any{"query": "staging server"}}); err != nil || !strings.Contains(contentOf(t, res), "heron") {
		t.Errorf("%+v, %v", res, err)
	}
	client.Close()
	audit, err := os.ReadFile(filepath.Join(d.dir, "state", "serve", "audit.jsonl"))
	if err != nil || !strings.Contains(string(audit), `"who":"token test","route":"/mcp memory_remember","status":200`) || !strings.Contains(string(audit), `"paths":["memory/projects.md"]`) || strings.Contains(string(audit), "heron") {
		t.Errorf("the audit has %s, %v", audit, err)
	}
	if code, body := s.ask("POST", "/v1/anthropic/memory", `{"command":"create","path":"/memories/plan.md","file_text":"The ferry leaves at nine"}`); code != 200 || !strings.Contains(body, `"is_error":false`) {
		t.Errorf("%d %s", code, body)
	}

	// A token of an agent, over the same server.
	secret := d.output("token", "create", "--allow", "read", "bot")
	if code, body := s.ask("GET", "/v1/history", "", "Authorization", "Bearer "+secret); code != 403 {
		t.Errorf("%d %s", code, body)
	}
	if code, _ := s.ask("GET", "/v1/status", "", "Authorization", "Bearer "+secret); code != 200 {
		t.Errorf("a token is not let in: %d", code)
	}
	d.output("token", "revoke", "bot")
	if code, _ := s.ask("GET", "/v1/status", "", "Authorization", "Bearer "+secret); code != 401 {
		t.Errorf("a revoked token is let in: %d", code)
	}
	if link := d.output("ui", "--print"); !strings.HasPrefix(link, s.url+"/?ticket=") {
		t.Errorf("the link is %s", link)
	}
	s.stop()
	if left, err := filepath.Glob(filepath.Join(d.dir, "state", "serve", "*.sock")); err != nil || len(left) > 0 {
		t.Errorf("the server ended, and left %v, %v", left, err)
	}
}

// TestServeRefuses: notes do not go over the network in plain text, and a port that is
// taken is named.
func TestServeRefuses(t *testing.T) {
	d := newDesk(t, map[string]string{"a.md": "# A\n"})
	for _, args := range [][]string{{"--addr", "0.0.0.0:0"}, {"--addr", "192.0.2.1:1"}, {"--addr", "notes.example.com:80"}, {"--addr", "nothing"}, {"--tls-cert", "x.pem"}} {
		cmd := d.command(nil, append([]string{"serve"}, args...)...)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "try: ") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	s := d.serveHTTP()
	out, err := d.command(nil, "serve", "--addr", strings.TrimPrefix(s.url, "http://")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "another program listens there already") {
		t.Errorf("%v\n%s", err, out)
	}
	only := d.serveHTTP("--read-only")
	if code, body := only.ask("POST", "/v1/remember", `{"text":"I use tabs"}`); code != 403 {
		t.Errorf("%d %s", code, body)
	}
	if code, body := only.ask("GET", "/v1/prime", ""); code != 200 {
		t.Errorf("%d %s", code, body)
	}
}

// TestServeTLS: with a certificate the server speaks TLS alone, and one that cannot be read
// is named before anything is served.
func TestServeTLS(t *testing.T) {
	d := newDesk(t, map[string]string{"a.md": "# Tea\n\nGreen tea at four.\n"})
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile := filepath.Join(d.dir, "cert.pem"), filepath.Join(d.dir, "key.pem")
	writeFile(t, certFile, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})))
	writeFile(t, keyFile, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
	s := d.serveHTTP("--tls-cert", certFile, "--tls-key", keyFile)
	plain, ok := strings.CutPrefix(s.url, "https://")
	if !ok {
		t.Fatalf("it serves %s", s.url)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}))
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/v1/search", strings.NewReader(`{"query":"tea"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+d.token())
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil || res.StatusCode != 200 || !strings.Contains(string(body), "a.md") || res.TLS == nil {
		t.Errorf("%d %s, %v", res.StatusCode, body, err)
	}
	if res, err := http.Get("http://" + plain + "/v1/status"); err == nil {
		res.Body.Close()
		if res.StatusCode != 400 {
			t.Errorf("in plain text: %d", res.StatusCode)
		}
	}
	if runtime.GOOS != "windows" {
		install := d.command(nil, "serve", "--install", "--tls-cert", "cert.pem", "--tls-key", "key.pem")
		install.Dir = d.dir
		if out, err := install.Output(); err != nil || !strings.Contains(string(out), string(filepath.Separator)+"cert.pem") {
			t.Errorf("a service, which starts in another folder: %v\n%s", err, out)
		}
	}
	out, err := d.command(nil, "serve", "--addr", "127.0.0.1:0", "--tls-cert", filepath.Join(d.dir, "none.pem"), "--tls-key", keyFile).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "none.pem") || !strings.Contains(string(out), "try: ") || strings.Contains(string(out), "https://") {
		t.Errorf("without a certificate: %v\n%s", err, out)
	}
}

// TestServeInstall: what starts the server with a session starts it with the words that it
// was asked with, whatever is in them.
func TestServeInstall(t *testing.T) {
	words := []string{"/opt/a b/memoir", "serve", "--workspace", `/home/ann/100 % "notes" $HOME \x`, "--host", "<b>&amp;'"}
	unit := cli.SystemdUnit(words)
	_, line, _ := strings.Cut(unit, "\nExecStart=")
	line, _, _ = strings.Cut(line, "\n")
	var back []string
	for _, word := range strings.Split(strings.Trim(line, `"`), `" "`) {
		back = append(back, strings.NewReplacer(`\\`, `\`, `\"`, `"`, "%%", "%", "$$", "$").Replace(word))
	}
	if diff := cmp.Diff(words, back); diff != "" || !strings.Contains(unit, "WantedBy=default.target") {
		t.Errorf("the unit (-want +got):\n%s\n%s", diff, unit)
	}
	var agent struct {
		Words []string `xml:"dict>array>string"`
	}
	if err := xml.Unmarshal([]byte(cli.LaunchAgent(words)), &agent); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(words, agent.Words); diff != "" {
		t.Errorf("the agent (-want +got):\n%s", diff)
	}
	if runtime.GOOS == "windows" {
		return
	}
	d := newDesk(t, map[string]string{"a.md": "# A\n"})
	if out := d.output("serve", "--install", "--read-only"); !strings.Contains(out, "--read-only") || !strings.Contains(out, filepath.Base(d.dir)) {
		t.Errorf("it prints %s", out)
	}
	home := t.TempDir()
	install := func() (string, error) {
		cmd := d.command(nil, "serve", "--install", "--yes")
		cmd.Env = append(cmd.Env, "HOME="+home)
		out, err := cmd.Output()
		return string(out), err
	}
	printed, err := install()
	path := filepath.Join(home, ".config", "systemd", "user", "memoir.service")
	if runtime.GOOS == "darwin" {
		path = filepath.Join(home, "Library", "LaunchAgents", "ai.memoir.serve.plist")
	}
	written, _ := os.ReadFile(path)
	if err != nil || printed == "" || string(written) != printed {
		t.Errorf("%v; it printed %s, and wrote %s", err, printed, written)
	}
	if _, err := install(); err != nil {
		t.Errorf("once more: %v", err)
	}
	if err := os.WriteFile(path, []byte("somebody's own"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := install(); err == nil {
		t.Error("somebody's own file is no mistake")
	}
	if own, err := os.ReadFile(path); err != nil || string(own) != "somebody's own" {
		t.Errorf("somebody's own file is %q, %v", own, err)
	}
	if err := d.command(nil, "serve", "--yes", "--addr", "127.0.0.1:0").Run(); err == nil {
		t.Error("--yes alone is no mistake")
	}
	if err := d.command(nil, "serve", "--install", "--addr", "0.0.0.0:7077").Run(); err == nil {
		t.Error("a server that would not start is to be installed")
	}
}

// TestServeWithoutState: a server whose state folder is removed notes again who writes.
func TestServeWithoutState(t *testing.T) {
	d := newDesk(t, map[string]string{"a.md": "# A\n"})
	s := d.serveHTTP()
	if code, body := s.ask("GET", "/v1/status", ""); code != 200 {
		t.Fatalf("%d %s", code, body)
	}
	if err := removed(filepath.Join(d.dir, "state")); err != nil {
		t.Fatal(err)
	}
	if code, body := s.ask("GET", "/v1/status", ""); code != 401 {
		t.Fatalf("the tokens are gone, and one is let in: %d %s", code, body)
	}
	d.secret = ""
	if code, body := s.ask("POST", "/v1/remember", `{"text":"The staging server is called heron.","type":"project"}`); code != 200 {
		t.Fatalf("%d %s", code, body)
	}
	if audit, err := os.ReadFile(filepath.Join(d.dir, "state", "serve", "audit.jsonl")); err != nil || !strings.Contains(string(audit), `"route":"POST /v1/remember"`) {
		t.Errorf("the audit has %s, %v", audit, err)
	}
}

// cookieOf opens a link as a browser does, and returns the cookie that it gives.
func cookieOf(t *testing.T, link string) string {
	t.Helper()
	res, err := http.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	cookie, _, _ := strings.Cut(res.Header.Get("Set-Cookie"), ";")
	return cookie
}

func pageWith(t *testing.T, at, cookie string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Cookie", cookie)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}
