// Package browsertest tests the page in a real browser. It starts memoir as a separate
// program to serve notes, and Chromium as a person would use it. It is a module of its
// own, so that the tests of memoir need no browser.
package browsertest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is shared by all tests. Each test opens its own tab.
var browser context.Context

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	chromium := os.Getenv("MEMOIR_TEST_CHROMIUM")
	if chromium == "" {
		chromium = "chromium"
	}
	path, err := exec.LookPath(chromium)
	if err != nil {
		fmt.Fprintln(os.Stderr, "there is no Chromium: apt-get install --no-install-recommends chromium fonts-liberation fonts-noto-cjk, or set MEMOIR_TEST_CHROMIUM")
		return 1
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("lang", "en"))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	defer stop()
	var cancel context.CancelFunc
	browser, cancel = chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(browser); err != nil {
		fmt.Fprintln(os.Stderr, "Chromium does not start:", err)
		return 1
	}
	return m.Run()
}

// program is memoir, built from this checkout.
var program = sync.OnceValues(func() (string, error) {
	if given := os.Getenv("MEMOIR_TEST_PROGRAM"); given != "" {
		return given, nil
	}
	dir, err := os.MkdirTemp("", "memoir-page")
	if err != nil {
		return "", err
	}
	_, here, _, _ := runtime.Caller(0)
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "memoir"), "./cmd/memoir")
	build.Dir, build.Stderr = filepath.Join(filepath.Dir(here), "..", "..", ".."), os.Stderr
	return filepath.Join(dir, "memoir"), build.Run()
})

// server is a running memoir that serves a workspace.
type server struct {
	url       string
	workspace string
	env       []string
	bin       string
	dir       string   // where the server was started
	of        []string // flags that name what it serves
	owner     string   // the cookie that opens the page, once there is one
	pid       int
}

// serve starts memoir with notes, given by path, and stops it when the test ends. prepare
// may be nil. It is called before memoir starts, and returns further arguments.
func serve(t *testing.T, notes map[string]string, prepare func(*server) []string) *server {
	t.Helper()
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := &server{workspace: filepath.Join(dir, "notes"), bin: bin, env: append(os.Environ(), "LC_ALL=C", "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_STATE_HOME="+dir, "MEMOIR_STATE_DIR="+filepath.Join(dir, "state"))}
	for path, text := range notes {
		s.write(t, path, text)
	}
	s.of = []string{"--workspace", s.workspace}
	args := append([]string{"serve", "--addr", "127.0.0.1:0"}, s.of...)
	if prepare != nil {
		args = append(args, prepare(s)...)
	}
	s.run(t, "index")
	s.start(t, args, dir)
	return s
}

// start starts the server in a folder.
func (s *server) start(t *testing.T, args []string, dir string) {
	t.Helper()
	cmd := exec.Command(s.bin, args...)
	s.dir = dir
	cmd.Env, cmd.Stderr, cmd.Dir = s.env, os.Stderr, dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.pid = cmd.Process.Pid
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal("memoir does not serve: ", err)
	}
	s.url = strings.TrimSpace(line)
}

func (s *server) run(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command(s.bin, append(args, "--workspace", s.workspace)...)
	cmd.Env = s.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("memoir %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func (s *server) write(t *testing.T, path, text string) {
	t.Helper()
	file := filepath.Join(s.workspace, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (s *server) read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.workspace, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tab is a page in the browser. A fault in the page fails the test that opened it.
type tab struct {
	*testing.T
	ctx     context.Context
	server  *server
	mu      sync.Mutex
	faults  []string
	allowed func(string) bool // whether a fault is expected; nil: none is
}

// watching collects what the page's content policy refused.
const watching = `window.refused = []; document.addEventListener("securitypolicyviolation", (e) => window.refused.push(e.violatedDirective + " " + e.blockedURI + " " + e.sample));`

// open opens an address of the page in a tab that is width pixels wide. While the tab is
// open, nothing may go wrong in it, and it may ask nobody but the server.
func (s *server) open(t *testing.T, width int64, at string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	ctx, done := context.WithTimeout(ctx, 4*time.Minute)
	p := &tab{T: t, ctx: ctx, server: s}
	err := chromedp.Listen(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *log.EventEntryAdded:
			if ev.Entry.Level == "error" || ev.Entry.Level == "warning" {
				p.fault("log: " + ev.Entry.Text + " " + ev.Entry.URL)
			}
		case *cdpruntime.EventExceptionThrown:
			text := ev.ExceptionDetails.Text
			if x := ev.ExceptionDetails.Exception; x != nil {
				text += " " + x.Description
			}
			p.fault("exception: " + text)
		case *cdpruntime.EventConsoleAPICalled:
			if ev.Type == "error" || ev.Type == "warning" {
				for _, arg := range ev.Args {
					p.fault(fmt.Sprintf("console: %s %s", arg.Value, arg.Description))
				}
			}
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(ev.Request.URL, s.url+"/") {
				p.fault("request: " + ev.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		refused, err := chromedp.Run(ctx, chromedp.Evaluate[[]string]("window.refused"))
		if err != nil {
			t.Errorf("the page is gone: %v", err)
		}
		for _, r := range refused {
			p.fault("policy: " + r)
		}
		done()
		cancel()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, fault := range p.faults {
			if p.allowed == nil || !p.allowed(fault) {
				t.Error(fault)
			}
		}
	})
	p.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watching})
		return err
	}), chromedp.EmulateViewport(width, 900), chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		name, value, _ := strings.Cut(s.cookie(t), "=")
		_, err := chromedp.Call(ctx, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: s.url + "/"})
		return err
	}))
	p.do(chromedp.Navigate(s.url + "/" + at))
	return p
}

// cookie returns the cookie that opens the page, the same one each time.
func (s *server) cookie(t *testing.T) string {
	t.Helper()
	if s.owner != "" {
		return s.owner
	}
	res, err := http.Get(s.link(t))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	s.owner, _, _ = strings.Cut(res.Header.Get("Set-Cookie"), ";")
	return s.owner
}

// link returns a link that lets a browser in, once, as memoir ui prints it.
func (s *server) link(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(s.bin, append([]string{"ui", "--print"}, s.of...)...)
	cmd.Env, cmd.Dir = s.env, s.dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("memoir ui: %v", err)
	}
	return strings.TrimSpace(string(out))
}

func (p *tab) fault(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, text)
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	for i, step := range steps {
		if err := chromedp.Do(p.ctx, step); err != nil {
			p.Fatalf("step %d: %v", i, err)
		}
	}
}

// until waits until an expression is true. It goes on waiting when another page is
// loaded.
func (p *tab) until(expression string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	poll := chromedp.Poll[bool]("!!("+expression+")", chromedp.WithPollingTimeout(time.Minute))
	_, err := chromedp.Run(ctx, poll)
	for err != nil && ctx.Err() == nil && left(err) {
		_, err = chromedp.Run(ctx, poll)
	}
	if err != nil {
		text, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string]("location.hash + '\\n' + document.body.innerText"))
		p.Fatalf("it never holds that %s: %v\n%s", expression, err, text)
	}
}

// left reports whether the browser could not evaluate an expression because another page
// was loaded before or meanwhile.
func left(err error) bool {
	return strings.Contains(err.Error(), "context with specified id") || strings.Contains(err.Error(), "target navigated")
}

// value returns the value of an expression.
func value[T any](p *tab, expression string) T {
	p.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return v
}

// keys presses keys one after another.
func (p *tab) keys(keys string, opts ...chromedp.KeyOption) {
	p.Helper()
	p.do(chromedp.KeyEvent(keys, opts...))
}

// press presses a key that has an effect. [tab.keys] also sends the key's character, even
// if the page handles the key, and the character would land in the field that has the
// focus by then.
func (p *tab) press(key string) {
	p.Helper()
	p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
			if _, err := chromedp.Call(ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: key}); err != nil {
				return err
			}
		}
		return nil
	}))
}

// theme makes the browser prefer a light or dark theme, and waits until the page has it.
func (p *tab) theme(scheme string) {
	p.Helper()
	p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		return err
	}))
	p.until("document.documentElement.dataset.theme === " + quoted(scheme))
}

func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // it is a string
	}
	return string(data)
}

func hash(path string) string {
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return "#/notes/" + strings.Join(parts, "/")
}
