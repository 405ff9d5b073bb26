package doctor_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/doctor"
)

func embedder(context.Context) (memoir.Embedder, error) { return &embedtest.Embedder{}, nil }

// settingsOf returns the settings of a workspace with one note. They come from the user's
// file, the workspace's file and the environment.
func settingsOf(t *testing.T, user, workspace string, vars map[string]string) *config.Loaded {
	t.Helper()
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes")
	if err := os.Mkdir(notes, 0o777); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "own.toml")
	for name, text := range map[string]string{filepath.Join(notes, "MEMORY.md"): "- We use SQLite.\n", filepath.Join(notes, ".memoir.toml"): workspace, own: user} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	env := config.Environment{Dir: dir, OS: "linux", Lookup: func(name string) (string, bool) {
		if name == "MEMOIR_CONFIG" {
			return own, true
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

// noServers keeps a test from finding servers that run on this machine.
const noServers = "\nollama.baseURL = \"http://127.0.0.1:1\"\nllamacpp.baseURL = \"http://127.0.0.1:1/v1\"\n"

// health returns the worst check that a diagnosis has of a part.
func health(d *doctor.Diagnosis, name string) (got doctor.Check) {
	rank := []doctor.Health{"", doctor.Healthy, doctor.Warning, doctor.Broken}
	for _, c := range d.Checks {
		if c.Name == name && slices.Index(rank, c.Health) > slices.Index(rank, got.Health) {
			got = c
		}
	}
	return got
}

func TestDoctor(t *testing.T) {
	base := modelServer(t) + "/v1"
	garbage := func(t *testing.T, path string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 100)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, user, workspace string
		broken                string // the content of an index file that is not an index
		part                  string
		want                  doctor.Health
		detail, action        string
	}{
		{"no index yet", "", "", "", "index", doctor.Warning, "there is none yet", "memoir index"},
		{"damaged index", "", "", "index", "index", doctor.Broken, "", ""},
		{"state folder", "", "", "", "state", doctor.Healthy, "can be written", ""},
		{"workspace", "", "", "", "workspace", doctor.Healthy, "1 note", ""},
		{"words only", `provider = "none"`, "", "", "provider", doctor.Healthy, "words only", ""},
		{"a server", "provider = \"openai\"\nopenai.model = \"x\"\nopenai.baseURL = \"" + base + "\"", "", "", "provider", doctor.Healthy, "openai, because the setting provider says so", ""},
		{"a server that is off", "provider = \"openai\"\nopenai.model = \"x\"\nopenai.baseURL = \"http://127.0.0.1:1/v1\"", "", "", "provider", doctor.Broken, "ask 127.0.0.1:1", "start the server"},
		{"no key", "provider = \"mistral\"", "", "", "provider", doctor.Broken, "there is no key", "MISTRAL_API_KEY"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			settings := settingsOf(t, tt.user+noServers, tt.workspace, nil)
			if tt.broken != "" {
				garbage(t, settings.IndexPath())
			}
			opts := app.Options{}
			if tt.user == "" {
				opts.Embedder = embedder
			}
			d := doctor.Diagnose(t.Context(), settings, opts, "")
			got := health(d, tt.part)
			if got.Health != tt.want || !strings.Contains(got.Detail, tt.detail) || !strings.Contains(got.Action, tt.action) {
				t.Errorf("got %+v, want %s …%s… (…%s…)", got, tt.want, tt.detail, tt.action)
			}
			if d.Broken() != (tt.want == doctor.Broken) {
				t.Errorf("broken: got %v in %+v", d.Broken(), d.Checks)
			}
			if got.Health != doctor.Healthy && got.Action == "" {
				t.Errorf("%+v does not say what to do", got)
			}
		})
	}
}

// TestDoctorSkipped: files that are no notes are counted by the reason, not by the size of each.
func TestDoctorSkipped(t *testing.T) {
	settings := settingsOf(t, "maxFileBytes = 1024\n"+noServers, "", nil)
	for i := range 7 {
		if err := os.WriteFile(filepath.Join(settings.Workspace, string(rune('a'+i))+".md"), make([]byte, 2048+1024*i), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("MEMORY.md", filepath.Join(settings.Workspace, "link.md")); err != nil {
		t.Skip(err)
	}
	got := health(doctor.Diagnose(t.Context(), settings, app.Options{Embedder: embedder}, ""), "workspace")
	if want := ": 1 note, 8 files skipped: 7 × too large, 1 × symbolic link; links are not followed"; !strings.HasSuffix(got.Detail, want) {
		t.Errorf("got %q, want …%s", got.Detail, want)
	}
}

// TestDoctorUnread: notes that cannot be read are named, with the reason.
func TestDoctorUnread(t *testing.T) {
	settings := settingsOf(t, noServers, "", nil)
	for name, text := range map[string]string{"bin.md": "a\x00b", "gbk.md": "\xd5\xc5\xce\xb0\xb5\xc4\xb5\xe7\xbb\xb0\n", "x.md": "\xff\xfea\x00", "y.md": "\xff\xfea\x00"} {
		if err := os.WriteFile(filepath.Join(settings.Workspace, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	a, err := app.Open(t.Context(), settings, app.Options{Embedder: embedder, Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Engine.Sync(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	var got []string
	for _, c := range doctor.Diagnose(t.Context(), settings, app.Options{Embedder: embedder}, "").Checks {
		if c.Name == "notes" && c.Health == doctor.Warning && c.Action != "" {
			got = append(got, c.Detail)
		}
	}
	want := []string{"bin.md is not indexed: binary file with a zero byte at line 1 (byte 1)", "gbk.md is not indexed: not valid UTF-8 at line 1 (byte 0), perhaps GBK; save it as UTF-8 (iconv -f GBK -t UTF-8)",
		"x.md is not indexed: UTF-16 text; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)", "1 more file cannot be read"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDoctorAsksTheReranker: the reranker that is set has to answer.
func TestDoctorAsksTheReranker(t *testing.T) {
	base := modelServer(t)
	for _, tt := range []struct {
		name, user, workspace string
		want                  doctor.Health // "" is no check
		detail                string
	}{
		{"nobody", "", "", "", ""},
		{"answers", "rerank.provider = \"tei\"\nrerank.baseURL = \"" + base + "\"", "", doctor.Healthy, "tei orders the first 25 results anew"},
		{"is off", "rerank.provider = \"tei\"\nrerank.baseURL = \"http://127.0.0.1:1\"", "", doctor.Broken, "tei"},
		{"no key", "rerank.provider = \"voyage\"", "", doctor.Broken, "there is no key"},
		{"sent away by a workspace", "", "rerank.provider = \"jina\"", doctor.Broken, "sends notes to another machine"},
	} {
		vars := map[string]string{"JINA_API_KEY": "k", "MEMOIR_PROVIDER": "none"}
		got := health(doctor.Diagnose(t.Context(), settingsOf(t, tt.user, tt.workspace, vars), app.Options{}, ""), "rerank")
		if got.Health != tt.want || !strings.Contains(got.Detail, tt.detail) || got.Health == doctor.Broken && got.Action == "" {
			t.Errorf("%s: got %+v, want %s …%s…", tt.name, got, tt.want, tt.detail)
		}
	}
}

// modelServer answers like Ollama, llama.cpp's server and a reranker.
func modelServer(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	file := func(name string) http.HandlerFunc {
		data, err := os.ReadFile(filepath.Join("..", "..", "embed", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return func(w http.ResponseWriter, r *http.Request) { w.Write(data) }
	}
	mux.HandleFunc("GET /api/tags", file("ollama/testdata/tags.json"))
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "nomic") {
			file("ollama/testdata/show.json")(w, r)
			return
		}
		io.WriteString(w, `{"capabilities":["completion","vision"]}`)
	})
	mux.HandleFunc("POST /rerank", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `[{"index":0,"score":0.5}]`) })
	mux.HandleFunc("GET /v1/health", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"status":"ok"}`) })
	mux.HandleFunc("GET /v1/models", file("llamacpp/testdata/models.json"))
	mux.HandleFunc("POST /v1/embeddings", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"data":[{"embedding":[0.6,0.8]}]}`)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func TestDoctorFindsServers(t *testing.T) {
	base := modelServer(t)
	settings := settingsOf(t, "llamacpp.baseURL = \""+base+"/v1\"", "", nil)
	d := doctor.Diagnose(t.Context(), settings, app.Options{Embedder: embedder}, strings.TrimPrefix(base, "http://"))
	want := []doctor.Server{
		{Provider: "ollama", Address: base, Models: []doctor.ServerModel{
			{Name: "nomic-embed-text", Dimensions: 768, Settings: []string{`provider = "ollama"`, `ollama.model = "nomic-embed-text"`, `ollama.baseURL = "` + base + `"`}}}},
		{Provider: "llamacpp", Address: base + "/v1", Models: []doctor.ServerModel{
			{Name: "embeddinggemma-300M-Q8_0.gguf", Dimensions: 2, Settings: []string{`provider = "llamacpp"`, `llamacpp.model = "embeddinggemma-300M-Q8_0.gguf"`}}}},
	}
	if diff := cmp.Diff(want, d.Servers); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// TestDoctorStaysHere: doctor asks no other machine, unless the provider is there.
func TestDoctorStaysHere(t *testing.T) {
	settings := settingsOf(t, "llamacpp.baseURL = \"http://llama.invalid/v1\"\nollama.baseURL = \"http://127.0.0.1:1\"", "", nil)
	if d := doctor.Diagnose(t.Context(), settings, app.Options{Embedder: embedder}, "ollama.invalid"); len(d.Servers) != 0 {
		t.Errorf("got %+v", d.Servers)
	}
}
