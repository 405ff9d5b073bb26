//go:build otel

package otlp_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/otlp"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

// kept is an exporter that keeps spans in memory.
type kept []otlp.Span

func (k *kept) export(_ context.Context, spans []otlp.Span) error {
	*k = append(*k, spans...)
	return nil
}

func (k kept) named(name string) (found []otlp.Span) {
	for _, s := range k {
		if s.Name == name {
			found = append(found, s)
		}
	}
	return found
}

// A method that a client made up is not handed on.
func TestMethods(t *testing.T) {
	var spans kept
	r := otlp.New(spans.export, slog.New(slog.DiscardHandler))
	h := r.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for _, method := range []string{"GET", "PUT", strings.Repeat("HERON", 1000), "get"} {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), method, "/v1/status", http.NoBody))
	}
	r.Flush(t.Context())
	var names []string
	for _, s := range spans {
		names = append(names, s.Name)
	}
	if want := []string{"GET /v1/status", "PUT /v1/status", "_OTHER /v1/status", "_OTHER /v1/status"}; !slices.Equal(names, want) {
		t.Errorf("the spans are %.200q, want %q", names, want)
	}
}

// A request is a span below its client's, and its search, what that asks of the store and
// what it indexes are spans below it; a sync that nobody asked for has a trace of its own.
// None of them tells of what the notes or the question say.
func TestSpans(t *testing.T) {
	dir := t.TempDir()
	note := filepath.Join(dir, "heron.md")
	if err := os.WriteFile(note, []byte("# Staging\n\nThe staging server is called heron\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var spans kept
	r := otlp.New(spans.export, slog.New(slog.DiscardHandler))
	e, err := engine.New(engine.Config{Store: memstore.New(), Sources: []memoir.Source{source}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	r.Flush(t.Context())
	if write, sync := spans.named("write"), spans.named("sync"); len(write) != 1 || write[0].Count != 1 || len(sync) != 1 || sync[0].Count != 1 || sync[0].Parent != [8]byte{} {
		t.Errorf("a sync gives %+v", spans)
	}
	spans = nil
	server := httptest.NewServer(r.Handler(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if _, err := e.Search(req.Context(), memoir.Query{Text: "heron"}); err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusTeapot)
	})))
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/w/sales/v1/search", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	r.Flush(t.Context())
	request := spans.named("POST /v1/search")
	if len(request) != 1 || !request[0].Server || request[0].Status != http.StatusTeapot || hex.EncodeToString(request[0].Trace[:]) != "0af7651916cd43dd8448eb211c80319c" || hex.EncodeToString(request[0].Parent[:]) != "b7ad6b7169203331" {
		t.Fatalf("the request gives %+v", request)
	}
	words := spans.named("words")
	if len(words) == 0 || words[0].Count != 1 || words[0].Of != "passages" {
		t.Errorf("what was asked of the store gives %+v", words)
	}
	for _, s := range spans {
		if s.Name != request[0].Name && (s.Trace != request[0].Trace || s.Parent != request[0].ID || s.Start.Before(request[0].Start) || s.End.After(request[0].End) || s.End.Before(s.Start)) {
			t.Errorf("%+v is not within %+v", s, request[0])
		}
		if strings.Contains(s.Name+s.Of, "heron") {
			t.Errorf("%+v tells what it is about", s)
		}
	}
}

// A path tells a span no more than which part of the API was asked, and a traceparent that
// makes no sense is none.
func TestHostileRequests(t *testing.T) {
	var spans kept
	r := otlp.New(spans.export, slog.New(slog.DiscardHandler))
	h := r.Handler(http.NotFoundHandler())
	for path, want := range map[string]string{
		"/v1/notes/secret/plan.md": "/v1/notes", "/w/sales/v1/notes/secret.md": "/v1/notes", "/v1/secret": "/", "/secret": "/", "/w/secret": "/", "/w/secret/mcp": "/mcp", "/mcp": "/mcp",
		"/mcp/secret": "/", "/": "/", "/v1": "/", "/v1/search": "/v1/search", "//v1/secret": "/", "/assets/secret.js": "/",
	} {
		spans = nil
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
		r.Flush(t.Context())
		if len(spans) != 1 || spans[0].Name != "GET "+want {
			t.Errorf("%s gives %+v, want %s", path, spans, want)
		}
	}
	for _, header := range []string{"", "x", "00-0-0-01", "00-" + strings.Repeat("0", 32) + "-" + strings.Repeat("0", 16) + "-01", "00-" + strings.Repeat("z", 32) + "-" + strings.Repeat("1", 16) + "-01", strings.Repeat("-", 1<<16)} {
		spans = nil
		req := httptest.NewRequest("GET", "/", nil)
		req.Header.Set("Traceparent", header)
		h.ServeHTTP(httptest.NewRecorder(), req)
		r.Flush(t.Context())
		if len(spans) != 1 || spans[0].Trace == [16]byte{} {
			t.Errorf("%.60q gives %+v", header, spans)
		}
	}
	for range 5000 {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
	spans = nil
	if r.Flush(t.Context()); len(spans) != 4096 {
		t.Errorf("%d spans waited for a collector", len(spans))
	}
}

// What a collector is sent is OTLP in JSON, whole also at the end; a collector that
// refuses it keeps nobody.
func TestHTTP(t *testing.T) {
	var bodies []string
	code := http.StatusOK
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %v: %v", r.URL, r.Header, err)
		}
		bodies = append(bodies, string(body))
		w.WriteHeader(code)
	}))
	defer collector.Close()
	r := otlp.New(otlp.HTTP(collector.URL+"/v1/traces", "v9"), slog.New(slog.DiscardHandler))
	h := r.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/v1/status", nil))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.Run(ctx) // has ended already, and hands on what is left
	if len(bodies) != 1 {
		t.Fatalf("it was sent %q", bodies)
	}
	var sent struct {
		ResourceSpans []struct {
			Resource   struct{ Attributes []json.RawMessage }
			ScopeSpans []struct {
				Spans []struct {
					TraceID, SpanID, ParentSpanID, Name, StartTimeUnixNano, EndTimeUnixNano string
					Kind                                                                    int
					Status                                                                  struct{ Code int }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(bodies[0]), &sent); err != nil {
		t.Fatal(err)
	}
	s := sent.ResourceSpans[0].ScopeSpans[0].Spans[0]
	if s.Name != "GET /v1/status" || len(s.TraceID) != 32 || len(s.SpanID) != 16 || s.ParentSpanID != "" || s.Kind != 2 || s.Status.Code != 2 || len(s.StartTimeUnixNano) != 19 || s.EndTimeUnixNano < s.StartTimeUnixNano {
		t.Errorf("%+v", s)
	}
	if attributes := sent.ResourceSpans[0].Resource.Attributes; !slices.ContainsFunc(attributes, func(a json.RawMessage) bool { return strings.Contains(string(a), `"service.name"`) }) {
		t.Errorf("the resource is %s", attributes)
	}
	code = http.StatusServiceUnavailable
	if err := otlp.HTTP(collector.URL+"/v1/traces", "v9")(t.Context(), []otlp.Span{{}}); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("a collector that refuses: %v", err)
	}
}
