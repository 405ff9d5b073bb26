package openai_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/openai"
	"github.com/memoir-ai/memoir/embed/remote"
	"github.com/memoir-ai/memoir/embed/remote/remotetest"
)

// request is what a server was sent.
type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions"`
}

func answer(vectors []json.RawMessage) any {
	var data []any
	for i, v := range vectors {
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": v})
	}
	return map[string]any{"object": "list", "data": data, "model": "test"}
}

func TestContract(t *testing.T) {
	remotetest.Run(t, remotetest.Provider{
		New: func(ctx context.Context, server string, opts remote.Options) (memoir.Embedder, error) {
			return openai.New(ctx, openai.Options{BaseURL: server + "/v1", APIKey: remotetest.Key, Model: "test", Dimensions: remotetest.Dimensions, Options: opts})
		},
		Path: "/v1/embeddings", Header: "Authorization", Value: "Bearer " + remotetest.Key,
		Read: func(body []byte) (remotetest.Sent, error) {
			var in request
			err := json.Unmarshal(body, &in)
			return remotetest.Sent{Texts: in.Input}, err
		},
		Answer: answer,
	})
}

// serve answers every request with vectors of so many dimensions, and remembers
// the requests.
func serve(t *testing.T, dimensions int) (base string, sent func() []request) {
	t.Helper()
	var (
		mu  sync.Mutex
		got []request
	)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in request
		body, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(body, &in) != nil {
			t.Errorf("got %q, %v", body, err)
		}
		if r.Header.Get("Authorization") != "" {
			t.Errorf("got the header %q, want none without a key", r.Header.Get("Authorization"))
		}
		mu.Lock()
		got = append(got, in)
		mu.Unlock()
		vector := json.RawMessage("[" + strings.TrimSuffix(strings.Repeat("0.5,", dimensions), ",") + "]")
		var vectors []json.RawMessage
		for range in.Input {
			vectors = append(vectors, vector)
		}
		if err := json.NewEncoder(w).Encode(answer(vectors)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", func() []request {
		mu.Lock()
		defer mu.Unlock()
		return got
	}
}

func open(t *testing.T, opts openai.Options) *openai.Embedder {
	t.Helper()
	e, err := openai.New(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestDimensionsAreAskedFor(t *testing.T) {
	for _, tt := range []struct {
		model             string
		dimensions, asked int
	}{
		{"text-embedding-3-small", 2, 2},
		{"openai/text-embedding-3-large", 2, 2},
		{"other", 2, 0},
	} {
		base, sent := serve(t, 2)
		e := open(t, openai.Options{BaseURL: base, Model: tt.model, Dimensions: tt.dimensions})
		if _, err := e.Embed(t.Context(), memoir.TaskQuery, []string{"q"}); err != nil || sent()[0].Dimensions != tt.asked {
			t.Errorf("%s: got %v, asked for %d dimensions, want %d", tt.model, err, sent()[0].Dimensions, tt.asked)
		}
	}
}

func TestPrefixes(t *testing.T) {
	base, sent := serve(t, 2)
	e := open(t, openai.Options{BaseURL: base, Model: "test", Dimensions: 2, QueryPrefix: "query: ", DocumentPrefix: "passage: "})
	for _, task := range []memoir.Task{memoir.TaskDocument, memoir.TaskQuery} {
		if _, err := e.Embed(t.Context(), task, []string{"日记"}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]request{{"test", []string{"passage: 日记"}, 0}, {"test", []string{"query: 日记"}, 0}}, sent()); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

func TestLongTextsAreCut(t *testing.T) {
	base, sent := serve(t, 2)
	e := open(t, openai.Options{BaseURL: base, Model: "test", Dimensions: 2, MaxTokens: 4})
	texts := []string{strings.Repeat("x", 13), strings.Repeat("日", 3), "xxxxxxx日", "xxxxxx日"}
	if _, err := e.Embed(t.Context(), memoir.TaskDocument, texts); err != nil {
		t.Fatal(err)
	}
	want := []string{strings.Repeat("x", 12), "日日", "xxxxxxx", "xxxxxx日"}
	if diff := cmp.Diff(want, sent()[0].Input); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

func TestRequestsHaveLimits(t *testing.T) {
	for _, tt := range []struct {
		name  string
		texts int
		chars int
		opts  openai.Options
		want  int // requests
	}{
		{"tokens", 30, 100_000, openai.Options{}, 3}, // each text cut to 8,000, 12 of them fill 100,000
		{"texts", 10, 10, openai.Options{MaxBatch: 4}, 3},
		{"a fair share", 128, 10, openai.Options{}, 4},
	} {
		base, sent := serve(t, 2)
		tt.opts.BaseURL, tt.opts.Model, tt.opts.Dimensions = base, "test", 2
		texts := make([]string, tt.texts)
		for i := range texts {
			texts[i] = strings.Repeat("x", tt.chars)
		}
		if _, err := open(t, tt.opts).Embed(t.Context(), memoir.TaskDocument, texts); err != nil {
			t.Fatal(err)
		}
		if n := len(sent()); n != tt.want {
			t.Errorf("%s: got %d requests, want %d", tt.name, n, tt.want)
		}
	}
}

// A model whose dimensions are not known is asked once.
func TestDimensionsAreLearnt(t *testing.T) {
	base, sent := serve(t, 7)
	e := open(t, openai.Options{BaseURL: base, Model: "bge-m3"})
	want := memoir.Space{Provider: "openai", Model: "bge-m3", Dimensions: 7}
	if diff := cmp.Diff(want, e.Space()); diff != "" || len(sent()) != 1 {
		t.Errorf("%d requests; want -, got +:\n%s", len(sent()), diff)
	}
}
