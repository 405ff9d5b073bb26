package app_test

import (
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
	"github.com/memoir-ai/memoir/internal/app"
)

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
	settings := loadAs(t, "provider = \"none\"\nrerank.provider = \"tei\"\nrerank.baseURL = \""+base+"\"", "", nil)
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
	before, _ := search(app.NeedNotes)
	if requests.Load() != 0 {
		t.Errorf("%d requests of who reads notes", requests.Load())
	}
	settings.Rerank.Provider = "none"
	if before, _ = search(app.NeedWords); len(before) != 3 || requests.Load() != 0 {
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

// Status and doctor say who reranks and whether it answers.
func TestRerankHealth(t *testing.T) {
	base, requests := rerankServer(t)
	for _, tt := range []struct {
		name, user, workspace string
		health                app.Health // of the check; "" is none
		detail                string
		degraded              bool // by status
	}{
		{"nobody", "", "", "", "", false},
		{"answers", "rerank.provider = \"tei\"\nrerank.baseURL = \"" + base + "\"", "", app.Healthy, "tei orders the first 25 results anew", false},
		{"is off", "rerank.provider = \"tei\"\nrerank.baseURL = \"http://127.0.0.1:1\"", "", app.Broken, "tei", false},
		{"no key", "rerank.provider = \"voyage\"", "", app.Broken, "there is no key", true},
		{"sent away by a workspace", "", "rerank.provider = \"jina\"", app.Broken, "sends notes to another machine", true},
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
			t.Errorf("%s: status: got %v after %d requests", tt.name, st.Degraded, requests.Load()-was)
		}
		var found app.Check
		for _, c := range app.Doctor(t.Context(), settings, app.Options{}, "").Checks {
			if c.Name == "rerank" {
				found = c
			}
		}
		if found.Health != tt.health || !strings.Contains(found.Detail, tt.detail) || found.Health == app.Broken && found.Action == "" {
			t.Errorf("%s: doctor: got %+v", tt.name, found)
		}
	}
}
