package gemini_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/gemini"
	"github.com/memoir-ai/memoir/embed/remote"
	"github.com/memoir-ai/memoir/embed/remote/remotetest"
)

// sent is the body of batchEmbedContents.
type sent struct {
	Requests []struct {
		Model   string
		Content struct {
			Parts []struct{ Text string }
		}
		TaskType             string
		OutputDimensionality int
	}
}

func TestContract(t *testing.T) {
	remotetest.Run(t, remotetest.Provider{
		New: func(ctx context.Context, server string, opts remote.Options) (memoir.Embedder, error) {
			return gemini.New(ctx, gemini.Options{BaseURL: server + "/v1beta", APIKey: remotetest.Key, Model: "models/test", Dimensions: remotetest.Dimensions, Options: opts})
		},
		Path: "/v1beta/models/test:batchEmbedContents", Header: "X-Goog-Api-Key", Value: remotetest.Key,
		Read: func(body []byte) (s remotetest.Sent, err error) {
			var in sent
			if err := json.Unmarshal(body, &in); err != nil {
				return s, err
			}
			for _, r := range in.Requests {
				if r.Model != "models/test" || len(r.Content.Parts) != 1 || r.OutputDimensionality != remotetest.Dimensions ||
					r.TaskType != "RETRIEVAL_QUERY" && r.TaskType != "RETRIEVAL_DOCUMENT" {
					return s, fmt.Errorf("got %+v", r)
				}
				s.Texts = append(s.Texts, r.Content.Parts[0].Text)
				s.Query = r.TaskType == "RETRIEVAL_QUERY"
			}
			return s, nil
		},
		Answer: func(vectors []json.RawMessage) any {
			var list []any
			for _, v := range vectors {
				list = append(list, map[string]any{"values": v})
			}
			return map[string]any{"embeddings": list}
		},
	})
}

func TestSpace(t *testing.T) {
	for _, tt := range []struct {
		model      string
		dimensions int
		want       memoir.Space
		ok         bool
	}{
		{"", 0, memoir.Space{Provider: "gemini", Model: "gemini-embedding-001", Dimensions: 3072}, true},
		{"models/gemini-embedding-001", 768, memoir.Space{Provider: "gemini", Model: "gemini-embedding-001", Dimensions: 768}, true},
		{"gemini-embedding-2-preview", 0, memoir.Space{Provider: "gemini", Model: "gemini-embedding-2-preview", Version: "34669e56", Dimensions: 3072}, true},
		{"gemini-embedding-001", 64, memoir.Space{}, false},
		{"gemini-embedding-001", 4096, memoir.Space{}, false},
	} {
		e, err := gemini.New(t.Context(), gemini.Options{APIKey: "k", Model: tt.model, Dimensions: tt.dimensions})
		if (err == nil) != tt.ok || err == nil && e.Space() != tt.want || err != nil && !errors.Is(err, memoir.ErrInvalid) {
			t.Errorf("%s, %d: got %+v, %v", tt.model, tt.dimensions, e, err)
		}
	}
	if _, err := gemini.New(t.Context(), gemini.Options{APIKey: " "}); !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(memoir.Hint(err), "GEMINI_API_KEY") {
		t.Errorf("without a key: got %v (%s)", err, memoir.Hint(err))
	}
}

// Newer models are told the task in the text. A wrong key is not blamed on the
// text, although the status is the same.
func TestPromptsAndWrongKey(t *testing.T) {
	wrong, err := os.ReadFile("testdata/api_key_invalid.json")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in sent
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Requests[0].TaskType != "" {
			t.Errorf("got %+v, %v", in, err)
		}
		got = append(got, in.Requests[0].Content.Parts[0].Text)
		w.WriteHeader(http.StatusBadRequest)
		w.Write(wrong)
	}))
	defer s.Close()
	e, err := gemini.New(t.Context(), gemini.Options{BaseURL: s.URL, APIKey: "k", Model: "gemini-embedding-2"})
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range []memoir.Task{memoir.TaskDocument, memoir.TaskQuery} {
		if _, err := e.Embed(t.Context(), task, []string{"日记"}); err == nil || memoir.Hint(err) != "check gemini.apiKey" {
			t.Errorf("got %v (%s)", err, memoir.Hint(err))
		}
	}
	if diff := cmp.Diff([]string{"title: none | text: 日记", "task: search result | query: 日记"}, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}
