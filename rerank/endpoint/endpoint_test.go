package endpoint_test

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
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/remote"
	"github.com/memoir-ai/memoir/rerank/endpoint"
)

const key = "sk-secret-1234"

var passages = []string{"It is a bear.", "熊猫 🐼", "Pandas eat\r\nbamboo."}

// serve is a server that answers every request so, and the bodies that it got.
func serve(t *testing.T, path string, answer http.HandlerFunc) (base string, bodies func() []string) {
	t.Helper()
	var mu sync.Mutex // each connection has its own goroutine
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.URL.Path != path || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("%s %s %v: %v", r.Method, r.URL, r.Header, err)
		}
		mu.Lock()
		got = append(got, string(body))
		mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(got)
	}
}

func open(t *testing.T, opts endpoint.Options) *endpoint.Reranker {
	t.Helper()
	opts.APIKey = key
	remote.SetDefault(&opts.RetryWait, 1)
	r, err := endpoint.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// Each server is asked in its form, and its recorded answer is understood.
func TestShapes(t *testing.T) {
	documents := `["It is a bear.","熊猫 🐼","Pandas eat\r\nbamboo."]`
	for _, tt := range []struct {
		provider, below, request string
		want                     []float64
	}{
		{"cohere", "/v2", `{"model":"m","query":"panda?","documents":` + documents + `}`, []float64{0.32713068, 0.999071, 0.7867867}},
		{"jina", "/v1", `{"model":"m","query":"panda?","documents":` + documents + `,"return_documents":false}`, []float64{0.7624675869941711, 0.8783142566680908, 0.0721312686800957}},
		{"voyage", "/v1", `{"model":"m","query":"panda?","documents":` + documents + `,"return_documents":false}`, []float64{0.421875, 0, 0.4375}},
		{"tei", "", `{"query":"panda?","texts":` + documents + `,"truncate":true}`, []float64{0.022949383, 0.000037, 0.9987814}},
		{"llamacpp", "/v1", `{"model":"m","query":"panda?","documents":` + documents + `}`, []float64{-9.58412456512451, -7.313895225524902, 8.684619903564453}},
	} {
		t.Run(tt.provider, func(t *testing.T) {
			answer, err := os.ReadFile("testdata/" + tt.provider + ".json")
			if err != nil {
				t.Fatal(err)
			}
			base, bodies := serve(t, tt.below+"/rerank", says(200, string(answer)))
			got, err := open(t, endpoint.Options{Provider: tt.provider, BaseURL: base + tt.below, Model: "m"}).Rerank(t.Context(), "panda?", passages)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			if diff := cmp.Diff([]string{tt.request}, bodies()); diff != "" {
				t.Errorf("request: want -, got +:\n%s", diff)
			}
		})
	}
}

// A server that takes few texts at a time gets several requests.
func TestManyPassages(t *testing.T) {
	var sizes []int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Texts []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		sizes = append(sizes, len(in.Texts))
		var out []string
		for i, text := range in.Texts {
			out = append(out, fmt.Sprintf(`{"index":%d,"score":%d}`, i, len(text)))
		}
		slices.Reverse(out)
		fmt.Fprintf(w, "[%s]", strings.Join(out, ","))
	}))
	defer server.Close()
	var texts []string
	var want []float64
	for i := range 70 {
		texts, want = append(texts, strings.Repeat("x", i+1)), append(want, float64(i+1))
	}
	got, err := open(t, endpoint.Options{Provider: "tei", BaseURL: server.URL}).Rerank(t.Context(), "q", texts)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v; want -, got +:\n%s", err, diff)
	}
	if diff := cmp.Diff([]int{32, 32, 6}, sizes); diff != "" {
		t.Errorf("requests: want -, got +:\n%s", diff)
	}
	if got, err := open(t, endpoint.Options{Provider: "tei", BaseURL: server.URL}).Rerank(t.Context(), "q", nil); err != nil || len(got) != 0 {
		t.Errorf("no passages: got %v, %v", got, err)
	}
}

// What cannot be used is an error in one line, whoever answers.
func TestHostileAnswers(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		answer     http.HandlerFunc
	}{
		{"too few", "2 scores for 3 passages", says(200, `{"results":[{"index":0,"relevance_score":1},{"index":1,"relevance_score":1}]}`)},
		{"too many", "4 scores for 3 passages", says(200, `{"results":[{},{},{},{}]}`)},
		{"none", "0 scores for 3 passages", says(200, `{"detail":"quota"}`)},
		{"empty", "not the expected JSON", says(200, "")},
		{"html", "not the expected JSON", says(200, "<html>\x1b[2J<body>log in</body>")},
		{"cut off", "not the expected JSON", says(200, `{"results":[{"index":0,"relev`)},
		{"another type", "not the expected JSON", says(200, `{"results":"many"}`)},
		{"number", "not the expected JSON", says(200, `7`)},
		{"null", "0 scores for 3 passages", says(200, `null`)},
		{"index above", "a result for passage 3 of 3", says(200, `[{"index":0,"score":1},{"index":3,"score":1},{"index":1,"score":1}]`)},
		{"index below", "a result for passage -1 of 3", says(200, `[{"index":0,"score":1},{"index":-1,"score":1},{"index":1,"score":1}]`)},
		{"index of the same", "two results for passage 1", says(200, `[{"index":0,"score":1},{"index":1,"score":1},{"index":1,"score":1}]`)},
		{"no index", "without index or score", says(200, `[{"score":1},{"index":1,"score":1},{"index":2,"score":1}]`)},
		{"no score", "without index or score", says(200, `[{"index":0},{"index":1,"score":1},{"index":2,"score":1}]`)},
		{"NaN", "not the expected JSON", says(200, `[{"index":0,"score":NaN},{"index":1,"score":1},{"index":2,"score":1}]`)},
		{"NaN as text", "not the expected JSON", says(200, `[{"index":0,"score":"NaN"},{"index":1,"score":1},{"index":2,"score":1}]`)},
		{"infinite", "not the expected JSON", says(200, `[{"index":0,"score":1e999},{"index":1,"score":1},{"index":2,"score":1}]`)},
		{"huge", "it has more than", says(200, `{"results":[`+strings.Repeat(" ", 2<<20)+`]}`)},
		{"key in the error", "403 Forbidden: go away, [key]", says(403, "go away, "+key)},
		{"no reranking", "Start it with `--reranking`", says(501, `{"error":{"code":501,"message":"This server does not support reranking. Start it with `+"`--reranking`"+`","type":"not_supported_error"}}`)},
		{"redirect", "307 Temporary Redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example/", http.StatusTemporaryRedirect)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base, bodies := serve(t, "/rerank", tt.answer)
			got, err := open(t, endpoint.Options{Provider: "jina", BaseURL: base}).Rerank(t.Context(), "panda?", passages)
			if got != nil || !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error(), tt.want) || len(bodies()) != 1 {
				t.Errorf("got %v, %v after %d requests, want …%s… after 1", got, err, len(bodies()), tt.want)
			}
			if err != nil && (strings.Contains(err.Error()+memoir.Hint(err), key) || len(err.Error()) > 500 || strings.ContainsAny(err.Error(), "\n\x1b")) {
				t.Errorf("got %q", err)
			}
		})
	}
}

// What passes is tried once more; who waits is not kept waiting.
func TestRetries(t *testing.T) {
	good := says(200, `[{"index":0,"score":1},{"index":1,"score":2},{"index":2,"score":3}]`)
	for _, tt := range []struct {
		name     string
		answers  []http.HandlerFunc
		requests int
		ok       bool
	}{
		{"limit", []http.HandlerFunc{says(429, ""), good}, 2, true},
		{"failure", []http.HandlerFunc{says(503, ""), good}, 2, true},
		{"failure for ever", []http.HandlerFunc{says(503, ""), says(503, ""), good}, 2, false},
		{"broken connection", []http.HandlerFunc{func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, good}, 2, true},
		{"wrong key", []http.HandlerFunc{says(401, ""), good}, 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var n atomic.Int32
			base, _ := serve(t, "/rerank", func(w http.ResponseWriter, r *http.Request) {
				tt.answers[n.Add(1)-1](w, r)
			})
			_, err := open(t, endpoint.Options{Provider: "tei", BaseURL: base}).Rerank(t.Context(), "q", passages)
			if (err == nil) != tt.ok || int(n.Load()) != tt.requests {
				t.Errorf("got %v after %d requests", err, n.Load())
			}
		})
	}
}

func TestSilence(t *testing.T) {
	base, _ := serve(t, "/rerank", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	r := open(t, endpoint.Options{Provider: "tei", BaseURL: base})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := r.Rerank(ctx, "q", passages); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, memoir.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}

func TestServerIsOff(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, err = open(t, endpoint.Options{Provider: "llamacpp", BaseURL: "http://" + l.Addr().String() + "/v1"}).Rerank(t.Context(), "q", passages)
	if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(memoir.Hint(err), "rerank.baseURL") {
		t.Errorf("got %v (%s)", err, memoir.Hint(err))
	}
}

func TestBadSettings(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts endpoint.Options
		is   error
		hint string
	}{
		{"provider", endpoint.Options{Provider: "acme"}, memoir.ErrInvalid, ""},
		{"no key", endpoint.Options{Provider: "cohere"}, memoir.ErrUnavailable, "COHERE_API_KEY, or rerank.apiKey"},
		{"address", endpoint.Options{Provider: "tei", BaseURL: "ftp://x"}, memoir.ErrInvalid, ""},
		{"key with a line", endpoint.Options{Provider: "jina", APIKey: "a\nb"}, memoir.ErrInvalid, "rerank.apiKey"},
		{"time", endpoint.Options{Provider: "tei", Options: remote.Options{Timeout: -1}}, memoir.ErrInvalid, ""},
	} {
		if _, err := endpoint.New(tt.opts); !errors.Is(err, tt.is) || !strings.Contains(memoir.Hint(err), tt.hint) {
			t.Errorf("%s: got %v (%s)", tt.name, err, memoir.Hint(err))
		}
	}
	if r, err := endpoint.New(endpoint.Options{Provider: "tei"}); err != nil || r.Model() != "" {
		t.Errorf("got %v, %v; a server on this machine needs neither key nor model", r, err)
	}
}
