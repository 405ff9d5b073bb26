package cli_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/cli"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

// hub serves one tiny model as the hub does: acme/tiny.
type hub struct {
	*httptest.Server
	files map[string][]byte
	asked atomic.Int64
	// before is called before an answer; true means that it has answered.
	before func(w http.ResponseWriter, r *http.Request, file string) bool
}

func newHub(t *testing.T) *hub {
	t.Helper()
	h := &hub{files: embedtest.Published(1)}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	t.Setenv("MEMOIR_HUB_BASE_URL", h.URL)
	return h
}

func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.asked.Add(1)
	rest, ok := strings.CutPrefix(r.URL.Path, "/acme/tiny/resolve/")
	revision, file, _ := strings.Cut(rest, "/")
	data, found := h.files[file]
	if !ok || revision != "main" && revision != commit || !found {
		http.NotFound(w, r)
		return
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	w.Header().Set("X-Repo-Commit", commit)
	w.Header().Set("X-Linked-ETag", `"`+sum+`"`)
	w.Header().Set("ETag", `"`+sum+`"`)
	if h.before != nil && h.before(w, r, file) {
		return
	}
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(data)))
}

// models points memoir at empty folders and returns that of models.
func models(t *testing.T) string {
	t.Helper()
	notes(t)
	dir := t.TempDir()
	t.Setenv("MEMOIR_CONFIG", "")
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	t.Setenv("AppData", filepath.Join(dir, "config"))
	path := filepath.Join(dir, "模型")
	t.Setenv("MEMOIR_MODELS_DIR", path)
	return path
}

// good runs memoir, which has to succeed, and returns what it says.
func good(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := run(t.Context(), nil, nil, args...)
	if code != 0 {
		t.Fatalf("memoir %s: code %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// A model goes from the hub into a search, and away again.
func TestPulledModel(t *testing.T) {
	dir := models(t)
	h := newHub(t)
	var pulled struct {
		Name, Path, Origin string
		Dimensions         int
		Already            bool
		SelfTest           struct{ Plain float64 }
	}
	if err := json.Unmarshal([]byte(good(t, "model", "pull", "--json", "acme/tiny")), &pulled); err != nil {
		t.Fatal(err)
	}
	if pulled.Name != "tiny" || pulled.Path != filepath.Join(dir, "tiny.memoir") || pulled.Dimensions != 128 ||
		pulled.Origin != h.URL+"/acme/tiny/tree/"+commit || pulled.SelfTest.Plain < .97 {
		t.Errorf("got %+v", pulled)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".downloads", "*", "*")); err != nil || len(left) > 0 {
		t.Errorf("left of the downloads: %q, error %v", left, err)
	}

	asked := h.asked.Load()
	if out := good(t, "model", "pull", "acme/tiny"); !strings.Contains(out, "installed already") || h.asked.Load() != asked {
		t.Errorf("again: got %q and %d requests", out, h.asked.Load()-asked)
	}
	good(t, "model", "use", "tiny")
	if out := good(t, "model", "list"); !strings.Contains(out, "* tiny") {
		t.Errorf("got %q, want tiny in use", out)
	}
	for model, used := range map[string]bool{"tiny": true, "inside": false} {
		if out := good(t, "model", "verify", "--json", model); !strings.Contains(out, fmt.Sprintf(`"inUse":%v`, used)) {
			t.Errorf("%s: got %q, want in use %v", model, out, used)
		}
	}
	if out := good(t, "model", "verify", "--json"); !strings.Contains(out, `"name":"tiny"`) || !strings.Contains(out, `"inUse":true`) {
		t.Errorf("got %q, want tiny in use", out)
	}
	good(t, "index")
	if out := good(t, "search", "--json", "sqlite"); !strings.Contains(out, `"mode":"hybrid","provider":"local","model":"tiny"`) {
		t.Errorf("got %q, want vectors of tiny", out)
	}
	if h.asked.Load() != asked {
		t.Errorf("%d requests after the model was installed", h.asked.Load()-asked)
	}
	if out := good(t, "model", "pull", "--json", "--name", "小", "acme/tiny"); !strings.Contains(out, `"name":"小","model":"tiny"`) {
		t.Errorf("under another name: got %q", out)
	}
	if code, _, errs := run(t.Context(), nil, nil, "model", "remove", "tiny"); code != 1 || !strings.Contains(errs, "in use") {
		t.Errorf("removing what is in use: code %d, %q", code, errs)
	}
	good(t, "model", "use", "inside")
	good(t, "model", "remove", "tiny")
	good(t, "model", "remove", "小")
	if out := good(t, "model", "list"); strings.Contains(out, "tiny") || !strings.Contains(out, "* inside") {
		t.Errorf("got %q, want inside in use and no tiny", out)
	}
}

// On a terminal a bar shows what arrives, and nothing elsewhere.
func TestPullProgress(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		models(t)
		newHub(t)
		var out, errs bytes.Buffer
		code := cli.Run(t.Context(), []string{"model", "pull", "acme/tiny"}, cli.Options{
			Stdout: &out, Stderr: &errs, IsTerminal: func(any) bool { return terminal },
		})
		shown := strings.Contains(errs.String(), "model.safetensors") && strings.Contains(errs.String(), "kB") && strings.Contains(errs.String(), "converting")
		if code != 0 || shown != terminal || !terminal && errs.Len() > 0 {
			t.Errorf("terminal %v: code %d, errors %q", terminal, code, errs.String())
		}
	}
}

// A stopped pull leaves what arrived; the next one asks for the rest.
func TestStoppedPull(t *testing.T) {
	dir := models(t)
	h := newHub(t)
	const some = 50_000
	ctx, stop := context.WithCancel(t.Context())
	h.before = func(w http.ResponseWriter, r *http.Request, file string) bool {
		if file != "model.safetensors" {
			return false
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(h.files[file])))
		_, _ = w.Write(h.files[file][:some])
		w.(http.Flusher).Flush()
		waitFor(r.Context(), filepath.Join(dir, ".downloads", "acme@tiny@"+commit, file+".part"), some)
		stop()
		<-r.Context().Done()
		return true
	}
	code, out, errs := run(ctx, nil, nil, "model", "pull", "acme/tiny")
	if code != 1 || out != "" || !strings.Contains(errs, "memoir model pull acme/tiny goes on where it stopped") {
		t.Fatalf("got code %d, output %q, errors %q", code, out, errs)
	}
	var rest string
	h.before = func(_ http.ResponseWriter, r *http.Request, file string) bool {
		rest += r.Header.Get("Range")
		return false
	}
	good(t, "model", "pull", "acme/tiny")
	if want := fmt.Sprintf("bytes=%d-", some); rest != want {
		t.Errorf("got the ranges %q, want %q alone", rest, want)
	}
}

// waitFor returns when a file has a length, or nobody wants the answer.
func waitFor(ctx context.Context, path string, size int64) {
	for ctx.Err() == nil {
		if info, err := os.Stat(path); err == nil && info.Size() >= size {
			return
		}
		runtime.Gosched()
	}
}

// What goes wrong is said with the next command, and without the token.
func TestFailedPull(t *testing.T) {
	models(t)
	h := newHub(t)
	t.Setenv("MEMOIR_HUB_TOKEN", "hf_secret")
	t.Setenv("HF_ENDPOINT", "http://127.0.0.1:1")
	status := func(code int) func(http.ResponseWriter, *http.Request, string) bool {
		return func(w http.ResponseWriter, r *http.Request, _ string) bool {
			if r.Header.Get("Authorization") != "Bearer hf_secret" {
				t.Errorf("got the token %q", r.Header.Get("Authorization"))
			}
			w.WriteHeader(code)
			return true
		}
	}
	tests := []struct {
		name, what string
		before     func(http.ResponseWriter, *http.Request, string) bool
		code       int
		message    string
		hint       string
	}{
		{"no such model", "acme/other", nil, 1, "does not have it", "memoir model list"},
		{"gated", "acme/tiny", status(401), 1, "needs a token", "hub.token"},
		{"web page", "acme/tiny", func(w http.ResponseWriter, _ *http.Request, _ string) bool {
			w.Header().Set("Content-Type", "text/html")
			return false
		}, 1, "web page", "hub.baseURL"},
		{"wrong hash", "acme/tiny", func(w http.ResponseWriter, _ *http.Request, _ string) bool {
			w.Header().Set("X-Linked-ETag", strings.Repeat("0", 64))
			return false
		}, 1, "SHA-256", "begins anew"},
		{"a name that is a device", "acme/tiny --name con", nil, 1, "not a name", "--name NAME"},
		{"no name", "../x", nil, 1, "no such file", "memoir help model pull"},
		{"no catalogue", "all-MiniLM", nil, 1, "not OWNER/NAME", "memoir model list"},
		{"elsewhere", "https://example.com/a/b", nil, 1, "not below", "memoir model list"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h.before = tt.before
			code, out, errs := run(t.Context(), nil, nil, append([]string{"model", "pull"}, strings.Fields(tt.what)...)...)
			if code != tt.code || out != "" || !strings.Contains(errs, tt.message) || !strings.Contains(errs, tt.hint) || strings.Contains(errs, "hf_secret") {
				t.Errorf("got code %d, output %q, errors %q; want %q and %q", code, out, errs, tt.message, tt.hint)
			}
		})
	}
}

// A model that was changed on disk since it was tested elsewhere is refused
// before its first use, and words answer.
func TestRefusedModel(t *testing.T) {
	dir := models(t)
	newHub(t)
	good(t, "model", "pull", "acme/tiny")
	good(t, "model", "use", "tiny")
	good(t, "index")
	path := filepath.Join(dir, "tiny.memoir")
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file[len(file)-1000] ^= 1
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, ".tested")); err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Mode     string
		Results  []json.RawMessage
		Degraded []struct{ Part, Reason, Action string }
	}
	if err := json.Unmarshal([]byte(good(t, "search", "--json", "sqlite")), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Mode != "text" || len(answer.Results) != 1 || len(answer.Degraded) != 1 ||
		!strings.Contains(answer.Degraded[0].Reason, "fails its self-test") || !strings.Contains(answer.Degraded[0].Action, "memoir model use inside") {
		t.Errorf("got %+v", answer)
	}
	if code, _, errs := run(t.Context(), nil, nil, "model", "verify"); code != 1 || !strings.Contains(errs, "SHA-256") {
		t.Errorf("got code %d, errors %q", code, errs)
	}
}

// A folder and a model file are installed without a network.
func TestLocalModel(t *testing.T) {
	models(t)
	h := newHub(t)
	folder := filepath.Join(t.TempDir(), "小模型")
	for name, data := range embedtest.Published(2) {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	good(t, "model", "pull", folder)
	file := filepath.Join(t.TempDir(), "copy.memoir")
	good(t, "model", "convert", folder, file)
	good(t, "model", "pull", file)
	var list struct{ Models []struct{ Name string } }
	if err := json.Unmarshal([]byte(good(t, "model", "list", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range list.Models {
		names = append(names, m.Name)
	}
	if diff := cmp.Diff(names, []string{"inside", "copy", "小模型"}); diff != "" {
		t.Errorf("got - want +:\n%s", diff)
	}
	if n := h.asked.Load(); n != 0 {
		t.Errorf("%d requests", n)
	}
	// A file need not be installed to be used.
	good(t, "model", "use", file)
	good(t, "index")
	if out := good(t, "search", "--json", "sqlite"); !strings.Contains(out, `"mode":"hybrid"`) {
		t.Errorf("got %q, want vectors", out)
	}
}
