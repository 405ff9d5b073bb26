package llamacpp_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/llamacpp"
)

// serve starts a server with one model. embeddings answers its requests for
// vectors.
func serve(t *testing.T, embeddings http.HandlerFunc) string {
	t.Helper()
	models, err := os.ReadFile("testdata/models.json")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/health", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"status":"ok"}`) })
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) { w.Write(models) })
	mux.HandleFunc("POST /v1/embeddings", embeddings)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

func gives(w http.ResponseWriter, _ *http.Request) {
	io.WriteString(w, `{"data":[{"embedding":[3,4]}]}`)
}

// refuses is what a server without --embeddings answers.
func refuses(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusNotImplemented)
	io.WriteString(w, `{"error":{"code":501,"message":"This server does not support embeddings. Start it with `+"`--embeddings`"+`","type":"not_supported_error"}}`)
}

// The server is asked for what the options do not say.
func TestOpening(t *testing.T) {
	e, err := llamacpp.New(t.Context(), llamacpp.Options{BaseURL: serve(t, gives)})
	if err != nil {
		t.Fatal(err)
	}
	got := e.Space()
	if got.Version == "" { // the document's prompt of the model is part of it
		t.Errorf("got %+v, want a version", got)
	}
	got.Version = ""
	if diff := cmp.Diff(memoir.Space{Provider: "llamacpp", Model: "embeddinggemma-300M-Q8_0.gguf", Dimensions: 2}, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	_, err = llamacpp.New(t.Context(), llamacpp.Options{BaseURL: serve(t, refuses)})
	if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error(), "--embeddings") {
		t.Errorf("without --embeddings: got %v", err)
	}
}

func TestProbe(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		embeds bool
	}{{"vectors", gives, true}, {"none", refuses, false}} {
		models, embeds, err := llamacpp.Probe(t.Context(), llamacpp.Options{BaseURL: serve(t, tt.answer)})
		if err != nil || embeds != tt.embeds || len(models) != 1 {
			t.Errorf("%s: got %+v, %v, %v", tt.name, models, embeds, err)
		}
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") }))
	defer other.Close()
	if _, _, err := llamacpp.Probe(t.Context(), llamacpp.Options{BaseURL: other.URL + "/v1"}); err == nil {
		t.Error("a server of something else passes for llama.cpp's")
	}
}
