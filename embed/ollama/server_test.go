package ollama_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/ollama"
)

// The server tells the length of a model's vectors. The model's prompts are
// known; settings replace them.
func TestOpening(t *testing.T) {
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		got = append(got, in.Input...)
		io.WriteString(w, `{"embeddings":[[3,4]]}`)
	}))
	defer s.Close()
	none := ""
	for _, tt := range []struct {
		opts ollama.Options
		want memoir.Space
		sent []string // after the question for the length
	}{
		{ollama.Options{Model: "nomic-embed-text:latest"}, memoir.Space{Provider: "ollama", Model: "nomic-embed-text", Version: "22a337d2", Dimensions: 2},
			[]string{"search_document: d", "search_query: q"}},
		{ollama.Options{Model: "nomic-embed-text", DocumentPrefix: &none}, memoir.Space{Provider: "ollama", Model: "nomic-embed-text", Dimensions: 2},
			[]string{"d", "search_query: q"}},
	} {
		got = nil
		tt.opts.BaseURL = s.URL
		e, err := ollama.New(t.Context(), tt.opts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, e.Space()); diff != "" {
			t.Errorf("want -, got +:\n%s", diff)
		}
		if v, err := e.Embed(t.Context(), memoir.TaskDocument, []string{"d"}); err != nil || v[0][0] != 0.6 {
			t.Errorf("got %v, %v, want a vector of length 1", v, err)
		}
		if _, err := e.Embed(t.Context(), memoir.TaskQuery, []string{"q"}); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(tt.sent, got[1:]); diff != "" {
			t.Errorf("want -, got +:\n%s", diff)
		}
	}
}

func TestServerIsOffAtOpening(t *testing.T) {
	_, err := ollama.New(t.Context(), ollama.Options{BaseURL: "http://127.0.0.1:1"})
	if !errors.Is(err, memoir.ErrUnavailable) || memoir.Hint(err) == "" {
		t.Errorf("got %v (%s)", err, memoir.Hint(err))
	}
}

// Servers from before April 2025 do not say what a model can do.
func TestModelsOfOldServers(t *testing.T) {
	tags, err := os.ReadFile("testdata/tags.json")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/tags" {
			w.Write(tags)
			return
		}
		io.WriteString(w, `{"model_info":{"general.architecture":"nomic-bert","nomic-bert.embedding_length":768}}`)
	}))
	defer s.Close()
	got, err := ollama.Models(t.Context(), ollama.Options{BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]ollama.Model{{Name: "nomic-embed-text", Dimensions: 768}}, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}
