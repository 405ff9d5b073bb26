package app_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/models"
)

// patient are settings for a machine under load, which takes longer than a
// person would wait.
const patient = "query.syncBudget = \"1m\"\nrerank.timeout = \"1m\"\n"

// rerankServer prefers the last passage that it is asked about.
func rerankServer(t *testing.T) (base string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/rerank" {
			t.Errorf("%s: %v", r.URL, err)
		}
		n := strings.Count(string(body), `","`) // between texts
		var out []string
		for i := range n {
			out = append(out, fmt.Sprintf(`{"index":%d,"score":%d}`, i, i))
		}
		if n == 0 { // one text
			out = []string{`{"index":0,"score":0.5}`}
		}
		io.WriteString(w, "["+strings.Join(out, ",")+"]")
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

// A reranker is asked when it is set, by every search, and for nothing when
// only a note is read.
func TestRerankers(t *testing.T) {
	base, requests := rerankServer(t)
	settings := loadAs(t, patient+"provider = \"none\"\nrerank.provider = \"tei\"\nrerank.baseURL = \""+base+"\"", "", nil)
	for name, text := range map[string]string{"b.md": "sqlite sqlite\n", "c.md": "What is this? sqlite\n"} {
		if err := os.WriteFile(filepath.Join(settings.Workspace, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	search := func(need app.Need) (order []string, degraded []memoir.Degradation) {
		t.Helper()
		a := open(t, settings, app.Options{Need: need})
		res, err := a.Engine.Search(t.Context(), memoir.Query{Text: "sqlite"})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range res.Hits {
			order = append(order, string(h.Doc))
		}
		return order, res.Degraded
	}
	search(app.NeedNotes)
	if requests.Load() != 0 {
		t.Errorf("%d requests of who reads notes", requests.Load())
	}
	settings.Rerank.Provider = "none"
	before, _ := search(app.NeedWords)
	if len(before) != 3 || requests.Load() != 0 {
		t.Errorf("switched off: got %v after %d requests", before, requests.Load())
	}
	settings.Rerank.Provider = "tei"
	got, degraded := search(app.NeedAll)
	if diff := cmp.Diff([]string{before[2], before[1], before[0]}, got); diff != "" || len(degraded) != 0 {
		t.Errorf("degraded %v; want -, got +:\n%s", degraded, diff)
	}
	settings.Rerank.Provider = "cohere" // its form is not this server's, and there is no key
	settings.Rerank.BaseURL = "https://api.cohere.com/v2"
	got, degraded = search(app.NeedAll)
	if diff := cmp.Diff(before, got); diff != "" || len(degraded) != 1 || degraded[0].Part != "rerank" || !strings.Contains(degraded[0].Action, "COHERE_API_KEY") {
		t.Errorf("degraded %v; want -, got +:\n%s", degraded, diff)
	}
}

// Status says that the reranker cannot be used, and asks nobody.
func TestRerankStatus(t *testing.T) {
	base, requests := rerankServer(t)
	for _, tt := range []struct {
		name, user, workspace string
		degraded              bool
	}{
		{"nobody", "", "", false},
		{"answers", "rerank.provider = \"tei\"\nrerank.baseURL = \"" + base + "\"", "", false},
		{"is off", "rerank.provider = \"tei\"\nrerank.baseURL = \"http://127.0.0.1:1\"", "", false},
		{"no key", "rerank.provider = \"voyage\"", "", true},
		{"sent away by a workspace", "", "rerank.provider = \"jina\"", true},
	} {
		vars := map[string]string{"JINA_API_KEY": "k", "MEMOIR_PROVIDER": "none"}
		settings := loadAs(t, tt.user, tt.workspace, vars)
		was := requests.Load()
		st, err := open(t, settings, app.Options{Need: app.NeedStatus}).Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		degraded := false
		for _, d := range st.Degraded {
			degraded = degraded || d.Part == "rerank" && d.Action != ""
		}
		if degraded != tt.degraded || requests.Load() != was {
			t.Errorf("%s: got %v after %d requests", tt.name, st.Degraded, requests.Load()-was)
		}
	}
}

// published writes a published model into a folder.
func published(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A cross-encoder is installed like any model, put to use beside the one that
// gives vectors, and taken for nothing else.
func TestLocalReranker(t *testing.T) {
	settings := loadAs(t, patient+"provider = \"none\"", "", map[string]string{"MEMOIR_MODELS_DIR": t.TempDir()})
	for _, form := range []struct {
		name  string
		files map[string][]byte
	}{{"tiny", embedtest.PublishedCrossEncoder(1)}, {"tiny-roberta", embedtest.PublishedRobertaCrossEncoder(1)}} {
		pulled, err := models.Pull(t.Context(), settings, published(t, form.files), models.PullOptions{Name: form.name})
		if err != nil {
			t.Fatal(err)
		}
		if !pulled.Model.Info.Reranks || pulled.Test.Plain < 0.97 || pulled.Model.InUse {
			t.Errorf("%s: got %+v", form.name, pulled)
		}
	}
	file := filepath.Join(t.TempDir(), "config.toml")
	if m, err := models.Use(settings, file, config.LayerUser, "tiny"); err != nil || !m.Info.Reranks {
		t.Fatalf("got %+v, %v", m, err)
	}
	text, err := os.ReadFile(file)
	if want := "rerank.model = \"tiny\"\nrerank.provider = \"local\"\n"; err != nil || string(text) != want {
		t.Errorf("got the settings %q, %v; want %q", text, err, want)
	}
	settings.Rerank.Provider, settings.Rerank.Model = "local", "tiny"
	for name, text := range map[string]string{"b.md": "sqlite sqlite\n", "c.md": "What is this? sqlite\n"} {
		if err := os.WriteFile(filepath.Join(settings.Workspace, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	res, err := open(t, settings, app.Options{}).Engine.Search(t.Context(), memoir.Query{Text: "sqlite", Explain: true})
	if err != nil || len(res.Hits) != 3 || len(res.Degraded) != 0 {
		t.Fatalf("got %+v, %v", res, err)
	}
	for i, h := range res.Hits {
		if r := h.Explain.Rerank; r.Rank == 0 || i > 0 && r.Raw > res.Hits[i-1].Explain.Rerank.Raw {
			t.Errorf("hit %d: got %+v", i, r)
		}
	}
	installed, err := models.List(settings)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range installed {
		if m.InUse != (m.Name == "tiny") {
			t.Errorf("%s is in use: %v", m.Name, m.InUse)
		}
	}
	if err := models.Remove(settings, "tiny", false); err == nil {
		t.Error("a model in use is removed")
	}
	if _, found, err := models.Verify(t.Context(), settings, "tiny"); err != nil || found.Plain < 0.97 {
		t.Errorf("verify: got %+v, %v", found, err)
	}
}

// A model is not installed over what is not memoir's, by force or not.
func TestPullLeavesWhatIsThere(t *testing.T) {
	folder := t.TempDir()
	settings := loadAs(t, "", "", map[string]string{"MEMOIR_MODELS_DIR": folder})
	diary := filepath.Join(folder, "diary.memoir")
	if err := os.WriteFile(diary, []byte("Dear diary."), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, force := range []bool{false, true} {
		_, err := models.Pull(t.Context(), settings, published(t, embedtest.Published(1)), models.PullOptions{Name: "diary", Force: force})
		if !errors.Is(err, modelfile.ErrForeign) || !strings.HasPrefix(memoir.Hint(err), "move "+diary+" away") {
			t.Errorf("force %v: got %v (%s)", force, err, memoir.Hint(err))
		}
		if text, err := os.ReadFile(diary); err != nil || string(text) != "Dear diary." {
			t.Errorf("force %v: the file is %q now, %v", force, text, err)
		}
	}
}

// What cannot rerank, or is asked for vectors and has none, says so.
func TestLocalRerankerMistakes(t *testing.T) {
	settings := loadAs(t, "", "", map[string]string{"MEMOIR_MODELS_DIR": t.TempDir()})
	for name, files := range map[string]map[string][]byte{"ranks": embedtest.PublishedCrossEncoder(1), "embeds": embedtest.Published(1)} {
		if _, err := models.Pull(t.Context(), settings, published(t, files), models.PullOptions{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	settings.Rerank.Provider = "local"
	for model, want := range map[string]string{"": "rerank.model names none", "embeds": "does not rerank", "gone": "is not installed", "../x": "name"} {
		settings.Rerank.Model = model
		a := open(t, settings, app.Options{Need: app.NeedWords})
		if a.RerankerErr == nil || !strings.Contains(a.RerankerErr.Error(), want) || memoir.Hint(a.RerankerErr) == "" {
			t.Errorf("%q: got %v (%s)", model, a.RerankerErr, memoir.Hint(a.RerankerErr))
		}
	}
	settings.Provider, settings.Model = "local", "ranks"
	if _, err := app.OpenEmbedder(t.Context(), settings, app.Options{}); err == nil || !strings.Contains(err.Error(), "gives no vectors") || memoir.Hint(err) == "" {
		t.Errorf("a reranker as embedder: got %v", err)
	}
}
