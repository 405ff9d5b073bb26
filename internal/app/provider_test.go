package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
)

// loadAs returns the settings of a workspace with one note, of a person's own
// file and of variables.
func loadAs(t *testing.T, user, workspace string, vars map[string]string) *config.Loaded {
	t.Helper()
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes")
	if err := os.Mkdir(notes, 0o777); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{filepath.Join(notes, "MEMORY.md"): "- We use SQLite.\n", filepath.Join(notes, ".memoir.toml"): workspace, filepath.Join(dir, "own.toml"): user}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	env := config.Environment{Dir: dir, OS: "linux", Lookup: func(name string) (string, bool) {
		if name == "MEMOIR_CONFIG" {
			return filepath.Join(dir, "own.toml"), true
		}
		v, ok := vars[name]
		return v, ok
	}}
	settings, err := config.Load(env, config.Flags{"workspace": notes, "stateDir": filepath.Join(dir, "state")})
	if err != nil {
		t.Fatal(err)
	}
	return settings
}

func TestChoose(t *testing.T) {
	everyKey := map[string]string{"OPENAI_API_KEY": "a", "GEMINI_API_KEY": "b", "VOYAGE_API_KEY": "c", "MISTRAL_API_KEY": "d"}
	for _, tt := range []struct {
		name, user, want, reason string
		vars                     map[string]string
	}{
		{"nothing is set", "", "local", "allowRemote is false", nil},
		{"keys alone are no permission", "", "local", "allowRemote is false", everyKey},
		{"permission without a key", "allowRemote = true", "local", "no key", nil},
		{"permission and keys", "allowRemote = true", "openai", "OPENAI_API_KEY", everyKey},
		{"permission and one key", "allowRemote = true", "voyage", "VOYAGE_API_KEY", map[string]string{"VOYAGE_API_KEY": "c"}},
		{"a model wins", "allowRemote = true\nmodel = \"m.memoir\"", "local", "setting model", everyKey},
		{"a name is permission", `provider = "gemini"`, "gemini", "own.toml:1", everyKey},
		{"none", `provider = "none"`, "none", "own.toml:1", everyKey},
	} {
		got := config.Choose(loadAs(t, tt.user, "", tt.vars))
		if got.Provider != tt.want || !strings.Contains(got.Reason, tt.reason) {
			t.Errorf("%s: got %+v, want %s because …%s…", tt.name, got, tt.want, tt.reason)
		}
	}
}

// server is an endpoint in OpenAI's form, and a count of its requests.
func server(t *testing.T) (base string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	s := httptest.NewServer(answering(t, requests))
	t.Cleanup(s.Close)
	return s.URL + "/v1", requests
}

func answering(t *testing.T, requests *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		var in struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		var data []string
		for range in.Input {
			data = append(data, `{"embedding":[0.6,0.8]}`)
		}
		io.WriteString(w, `{"data":[`+strings.Join(data, ",")+`]}`)
	})
}

// A workspace, which may come from anywhere, sends notes to another machine
// only with permission; to this machine it may.
func TestWorkspaceNeedsPermission(t *testing.T) {
	base, _ := server(t)
	for _, tt := range []struct {
		name, user, workspace string
		vars                  map[string]string
		refused               bool
	}{
		{"another machine", "", "provider = \"openai\"", map[string]string{"OPENAI_API_KEY": "k"}, true},
		{"another machine, allowed", "allowRemote = true", "provider = \"openai\"", map[string]string{"OPENAI_API_KEY": "k"}, false},
		{"chosen in one's own file", "provider = \"openai\"", "", map[string]string{"OPENAI_API_KEY": "k"}, false},
		{"chosen in a variable", "", "provider = \"local\"", map[string]string{"OPENAI_API_KEY": "k", "MEMOIR_PROVIDER": "openai"}, false},
		{"this machine", "openai.baseURL = \"" + base + "\"", "provider = \"openai\"\nopenai.model = \"x\"", nil, false},
	} {
		_, err := app.OpenEmbedder(t.Context(), loadAs(t, tt.user, tt.workspace, tt.vars), app.Options{})
		if refused := err != nil && strings.Contains(err.Error(), "another machine") && strings.Contains(memoir.Hint(err), "allowRemote"); refused != tt.refused || !tt.refused && err != nil {
			t.Errorf("%s: got %v (%s)", tt.name, err, memoir.Hint(err))
		}
	}
}

func TestEveryProviderOpens(t *testing.T) {
	base, _ := server(t)
	for _, name := range []string{"openai", "gemini", "voyage", "mistral", "ollama", "llamacpp"} {
		user := "provider = \"" + name + "\"\n" + name + ".apiKey = \"k\"\n" + name + ".dimensions = 256\n" + name + ".model = \"some-model\"\n" + name + ".baseURL = \"" + base + "\"\n"
		e, err := app.OpenEmbedder(t.Context(), loadAs(t, user, "", nil), app.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := memoir.Space{Provider: name, Model: "some-model", Dimensions: 256}
		if diff := cmp.Diff(want, e.Space()); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", name, diff)
		}
	}
}

// A server that is off costs a search its vectors and nothing else; when it
// comes back, the same process uses it.
func TestServerComesBack(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	a := open(t, loadAs(t, "provider = \"openai\"\nopenai.model = \"x\"\nopenai.baseURL = \"http://"+address+"/v1\"\nquery.embedTimeout = \"30s\"", "", nil), app.Options{})
	if err := a.EmbedderErr(); !errors.Is(err, memoir.ErrUnavailable) {
		t.Errorf("got %v, want %v", err, memoir.ErrUnavailable)
	}
	search := func() memoir.Results {
		t.Helper()
		res, err := a.Engine.Search(t.Context(), memoir.Query{Text: "sqlite"})
		if err != nil || len(res.Hits) != 1 {
			t.Fatalf("got %d hits, %v", len(res.Hits), err)
		}
		return res
	}
	if res := search(); res.Mode != memoir.ModeText || len(res.Degraded) == 0 || res.Degraded[0].Action == "" {
		t.Errorf("off: got mode %s, degraded %+v", res.Mode, res.Degraded)
	}
	if l, err = net.Listen("tcp", address); err != nil {
		t.Skipf("the port was taken meanwhile: %v", err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: answering(t, new(atomic.Int64))}}
	s.Start()
	t.Cleanup(s.Close)
	if res := search(); res.Mode != memoir.ModeHybrid {
		t.Errorf("back: got mode %s, degraded %+v", res.Mode, res.Degraded)
	}
	if err := a.EmbedderErr(); err != nil {
		t.Errorf("back: still says %v", err)
	}
	if _, err := a.Engine.EmbedPending(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if st, err := a.Status(t.Context()); err != nil || len(st.Degraded) != 0 {
		t.Errorf("back: status says %+v, %v", st.Degraded, err)
	}
}

// A provider that was opened late has its space for all who ask at once.
func TestSpaceOfLateProvider(t *testing.T) {
	late := &attentive{Embedder: &embedtest.Embedder{}, asked: make(chan struct{}), answer: make(chan struct{})}
	a := open(t, load(t, ""), app.Options{Embedder: tardy(late)})
	if err := a.EmbedderErr(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
	if got := a.Engine.Space(); got != (memoir.Space{}) {
		t.Errorf("before it is open the space is %v", got)
	}
	if res, err := a.Engine.Search(t.Context(), memoir.Query{Text: "sqlite"}); err != nil || len(res.Hits) != 1 {
		t.Fatalf("got %d hits, %v", len(res.Hits), err)
	}
	if err := a.EmbedderErr(); err != nil {
		t.Errorf("open, and it says %v", err)
	}
	late.watched.Store(true)
	spaces := make(chan memoir.Space, 2)
	for range 2 {
		go func() { spaces <- a.Engine.Space() }()
		select {
		case <-late.asked: // it is in the provider, which has not answered yet
		case got := <-spaces:
			t.Errorf("beside another caller the space is %v", got)
			spaces <- late.Embedder.Space()
		}
	}
	late.watched.Store(false)
	close(late.answer)
	for range 2 {
		if got, want := <-spaces, late.Embedder.Space(); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// attentive is an embedder that tells, once it is watched, that it is asked for its
// space, and answers when it is let.
type attentive struct {
	*embedtest.Embedder
	watched       atomic.Bool
	asked, answer chan struct{}
}

func (e *attentive) Space() memoir.Space {
	if e.watched.Load() {
		e.asked <- struct{}{}
		<-e.answer
	}
	return e.Embedder.Space()
}

// tardy opens an embedder that has too little time at first.
func tardy(late memoir.Embedder) func(context.Context) (memoir.Embedder, error) {
	first := true
	return func(context.Context) (memoir.Embedder, error) {
		if first {
			first = false
			return nil, fmt.Errorf("open the model: %w", context.DeadlineExceeded)
		}
		return late, nil
	}
}

// The default install opens no connection, whatever keys lie about: every
// provider's address, and the proxy of all others, is a trap here.
func TestNothingLeavesTheMachine(t *testing.T) {
	base, requests := server(t)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, base)
	}
	vars := map[string]string{"OPENAI_API_KEY": "a", "GEMINI_API_KEY": "b", "GOOGLE_API_KEY": "b", "VOYAGE_API_KEY": "c", "MISTRAL_API_KEY": "d", "COHERE_API_KEY": "e", "JINA_API_KEY": "f"}
	for _, name := range []string{"OPENAI", "GEMINI", "VOYAGE", "MISTRAL", "OLLAMA", "LLAMACPP", "RERANK"} {
		vars["MEMOIR_"+name+"_BASE_URL"] = base
	}
	a := open(t, loadAs(t, "", "", vars), app.Options{})
	if _, err := a.Engine.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Engine.EmbedPending(t.Context(), nil); err != nil && a.EmbedderErr() == nil {
		t.Fatal(err)
	}
	if _, err := a.Engine.Search(t.Context(), memoir.Query{Text: "which database?"}); err != nil {
		t.Fatal(err)
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests went out", n)
	}
}

// Only who has the index for itself begins jobs; everybody leaves alone what
// is under way.
func TestBatchJobs(t *testing.T) {
	hash := memoir.HashText("a text under way")
	for _, tt := range []struct {
		name, user string
		opts       app.Options
		jobs       bool
	}{
		{"index", "provider = \"openai\"\nopenai.apiKey = \"k\"\nopenai.batch = true", app.Options{Exclusive: true}, true},
		{"search", "provider = \"voyage\"\nvoyage.apiKey = \"k\"\nvoyage.batch = true", app.Options{}, true},
		{"not asked for", "provider = \"gemini\"\ngemini.apiKey = \"k\"", app.Options{Exclusive: true}, false},
	} {
		settings := loadAs(t, tt.user, "", nil)
		e, err := app.OpenEmbedder(t.Context(), settings, tt.opts)
		if err != nil {
			t.Fatal(err)
		}
		b, ok := memoir.As[ability.BatchEmbedder](e)
		if ok != tt.jobs {
			t.Errorf("%s: jobs: got %v, want %v", tt.name, ok, tt.jobs)
		}
		if !ok {
			continue
		}
		jobs := `{"version":1,"jobs":[{"id":"j","space":"` + e.Space().Key() + `","texts":["` + string(hash) + `"]}]}`
		if err := os.MkdirAll(filepath.Dir(settings.IndexPath()), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(settings.IndexPath()+".jobs", []byte(jobs), 0o666); err != nil {
			t.Fatal(err)
		}
		if underway, err := b.Submit(t.Context(), nil); err != nil || !underway[hash] {
			t.Errorf("%s: got %v, %v", tt.name, underway, err)
		}
	}
}
