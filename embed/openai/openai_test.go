package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/openai"
)

const key = "sk-secret-1234"

// request is what a server was sent.
type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions"`
}

// server is an endpoint on loopback; its answers are given in turn, the last
// one for ever.
type server struct {
	*httptest.Server
	mu   sync.Mutex // a request that was given up may still be served
	got  []request
	auth []string
}

type answer func(http.ResponseWriter, request)

func serve(t *testing.T, answers ...answer) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in request
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/embeddings" {
			http.Error(w, "not an embedding request", http.StatusTeapot)
			return
		}
		s.mu.Lock()
		n := min(len(s.got), len(answers)-1)
		s.got = append(s.got, in)
		s.auth = append(s.auth, r.Header.Get("Authorization"))
		s.mu.Unlock()
		answers[n](w, in)
	}))
	t.Cleanup(s.Close)
	return s
}

// ok answers each text with the vector [its length, its place].
func ok(w http.ResponseWriter, in request) {
	var data []string
	for i, text := range in.Input {
		data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,%d]}`, i, len(text), i))
	}
	fmt.Fprintf(w, `{"object":"list","data":[%s],"usage":{"total_tokens":1}}`, strings.Join(data, ","))
}

func text(body string) answer {
	return func(w http.ResponseWriter, _ request) { io.WriteString(w, body) }
}

func status(code int, body string, header ...string) answer {
	return func(w http.ResponseWriter, _ request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

func embedder(t *testing.T, s *server, edit func(*openai.Options)) *openai.Embedder {
	t.Helper()
	opts := openai.Options{BaseURL: s.URL + "/v1", APIKey: key, Model: "test", Dimensions: 2, RetryWait: 1}
	if edit != nil {
		edit(&opts)
	}
	e, err := openai.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEmbed(t *testing.T) {
	s := serve(t, ok)
	e := embedder(t, s, func(o *openai.Options) {
		o.MaxBatch, o.QueryPrefix, o.DocumentPrefix = 2, "query: ", "passage: "
	})
	got, err := e.Embed(t.Context(), memoir.TaskDocument, []string{"a", " \n", "日记", "abc"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float32{{10, 0}, nil, {15, 1}, {12, 0}}, got); diff != "" {
		t.Errorf("documents: want -, got +:\n%s", diff)
	}
	got, err = e.Embed(t.Context(), memoir.TaskQuery, []string{"q"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float32{{8, 0}}, got); diff != "" {
		t.Errorf("query: want -, got +:\n%s", diff)
	}
	want := []request{{"test", []string{"passage: a", "passage: 日记"}, 0}, {"test", []string{"passage: abc"}, 0}, {"test", []string{"query: q"}, 0}}
	if diff := cmp.Diff(want, s.got); diff != "" {
		t.Errorf("requests: want -, got +:\n%s", diff)
	}
	if want := "Bearer " + key; s.auth[0] != want {
		t.Errorf("got the header %q, want %q", s.auth[0], want)
	}
	for _, texts := range [][]string{nil, {"", "  "}} {
		if got, err := e.Embed(t.Context(), memoir.TaskDocument, texts); err != nil || len(got) != len(texts) || len(s.got) != 3 {
			t.Errorf("%q: got %v, %v and %d requests", texts, got, err, len(s.got))
		}
	}
}

func TestNoKey(t *testing.T) {
	s := serve(t, ok)
	e := embedder(t, s, func(o *openai.Options) { o.APIKey = "" })
	if _, err := e.Embed(t.Context(), memoir.TaskQuery, []string{"q"}); err != nil || s.auth[0] != "" {
		t.Errorf("got %v and the header %q, want none", err, s.auth[0])
	}
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
		s := serve(t, ok)
		e := embedder(t, s, func(o *openai.Options) { o.Model, o.Dimensions = tt.model, tt.dimensions })
		if _, err := e.Embed(t.Context(), memoir.TaskQuery, []string{"q"}); err != nil || s.got[0].Dimensions != tt.asked {
			t.Errorf("%s: got %v, asked for %d dimensions, want %d", tt.model, err, s.got[0].Dimensions, tt.asked)
		}
	}
}

func TestLongTextsAreCut(t *testing.T) {
	s := serve(t, ok)
	e := embedder(t, s, func(o *openai.Options) { o.MaxTokens = 4 })
	texts := []string{strings.Repeat("x", 13), strings.Repeat("日", 3), "xxxxxxx日", "xxxxxx日"}
	if _, err := e.Embed(t.Context(), memoir.TaskDocument, texts); err != nil {
		t.Fatal(err)
	}
	want := []string{strings.Repeat("x", 12), "日日", "xxxxxxx", "xxxxxx日"}
	if diff := cmp.Diff(want, s.got[0].Input); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

func TestRequestsHaveALimitOfTokens(t *testing.T) {
	s := serve(t, ok)
	e := embedder(t, s, nil)
	texts := make([]string, 30)
	for i := range texts {
		texts[i] = strings.Repeat("x", 100_000) // cut to 8,000 tokens
	}
	if _, err := e.Embed(t.Context(), memoir.TaskDocument, texts); err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, r := range s.got {
		sizes = append(sizes, len(r.Input))
	}
	if diff := cmp.Diff([]int{12, 12, 6}, sizes); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name string
		body string
		want string // of the error; "" is none
	}{
		{"any order", `{"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}]}`, ""},
		{"no index", `{"data":[{"embedding":[1,2]},{"embedding":[3,4]}]}`, ""},
		{"empty", ``, "not the expected JSON: unexpected end of JSON input"},
		{"cut", `{"data":[{"index":0,"embedding":[1,`, "not the expected JSON"},
		{"a web page", `<html>`, "not the expected JSON: invalid character '<'"},
		{"too few", `{"data":[{"index":0,"embedding":[1,2]}]}`, "1 vectors for 2 texts"},
		{"too many", `{"data":[{"embedding":[1,2]},{"embedding":[1,2]},{"embedding":[1,2]}]}`, "3 vectors for 2 texts"},
		{"twice the same", `{"data":[{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]}`, "index 0 is out of range or there twice"},
		{"index out of range", `{"data":[{"index":0,"embedding":[1,2]},{"index":2,"embedding":[1,2]}]}`, "index 2 is out of range"},
		{"negative index", `{"data":[{"index":-1,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]}`, "index -1 is out of range"},
		{"other dimensions", `{"data":[{"embedding":[1,2,3]},{"embedding":[1,2]}]}`, "vector 0: 3 dimensions, not 2 as configured"},
		{"no dimensions", `{"data":[{"embedding":[]},{"embedding":[1,2]}]}`, "vector 0: 0 dimensions"},
		{"null for a value", `{"data":[{"embedding":[1,null]},{"embedding":[1,2]}]}`, "vector 0: it has null"},
		{"null for a vector", `{"data":[{"embedding":[1,2]},{"embedding":null}]}`, "vector 1: it has null"},
		{"no vector", `{"data":[{"embedding":[1,2]},{}]}`, "vector 1: unexpected end"},
		{"NaN", `{"data":[{"embedding":[1,NaN]},{"embedding":[1,2]}]}`, "invalid character 'N'"},
		{"beyond float32", `{"data":[{"embedding":[1,1e39]},{"embedding":[1,2]}]}`, "vector 0: json: cannot unmarshal number 1e39"},
		{"a string", `{"data":[{"embedding":"AAAA"},{"embedding":[1,2]}]}`, "vector 0: json: cannot unmarshal string"},
		{"an error with status 200", `{"error":{"message":"no such model","code":404}}`, "no such model"},
		{"without end", `{"data":[` + strings.Repeat(" ", 2<<20), "answer of more than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, text(tt.body))
			got, err := embedder(t, s, nil).Embed(t.Context(), memoir.TaskDocument, []string{"a", "b"})
			if len(s.got) != 1 {
				t.Errorf("got %d requests, want 1: what is wrong once stays wrong", len(s.got))
			}
			if tt.want == "" {
				if diff := cmp.Diff([][]float32{{1, 2}, {3, 4}}, got); diff != "" || err != nil {
					t.Errorf("%v, want -, got +:\n%s", err, diff)
				}
				return
			}
			if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want …%s…", err, tt.want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	limit := `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`
	for _, tt := range []struct {
		name     string
		answers  []answer
		requests int
		want     string // of the error; "" is none
		hint     string
	}{
		{name: "limit, then fine", answers: []answer{status(429, limit), status(429, limit, "Retry-After", "0"), ok}, requests: 3},
		{name: "failures, then fine", answers: []answer{status(500, ""), status(503, "busy"), status(408, ""), ok}, requests: 4},
		{name: "limit for ever", answers: []answer{status(429, limit)}, requests: 5, want: "answered 429 Too Many Requests: slow down"},
		{name: "failure for ever", answers: []answer{status(502, "<h1>\x1b[31mbad\n gateway</h1>")}, requests: 5, want: "answered 502 Bad Gateway: <h1> [31mbad gateway</h1>"},
		{name: "a wait that is too long", answers: []answer{status(429, limit, "Retry-After", "3600")}, requests: 1, want: "slow down; it asks to wait 1h0m0s", hint: "quota"},
		{name: "no money", answers: []answer{status(429, `{"error":{"message":"pay","code":"insufficient_quota"}}`)}, requests: 1, want: "429 Too Many Requests: pay", hint: "quota"},
		{name: "wrong key", answers: []answer{status(401, `{"error":{"message":"Incorrect API key `+key+`."}}`)}, requests: 1, want: "401 Unauthorized: Incorrect API key [key].", hint: "openai.apiKey"},
		{name: "wrong address", answers: []answer{status(404, `404 page not found`)}, requests: 1, want: "404 Not Found: 404 page not found", hint: "openai.baseURL"},
		{name: "error as a string", answers: []answer{status(403, `{"error":"go away"}`)}, requests: 1, want: "403 Forbidden: go away"},
		{name: "message without error", answers: []answer{status(403, `{"message":"go away"}`)}, requests: 1, want: "403 Forbidden: go away"},
		{name: "long error", answers: []answer{status(404, strings.Repeat("x", 10<<20))}, requests: 1, want: strings.Repeat("x", 300) + "…"},
		{name: "redirect", answers: []answer{status(307, "", "Location", "https://user:"+key+"@elsewhere.example/v1?k="+key)}, requests: 1, want: "307 Temporary Redirect", hint: `if "https://elsewhere.example" is to be trusted`},
		{name: "redirect to nowhere", answers: []answer{status(301, "", "Location", "%"+key)}, requests: 5, want: "failed to parse Location header"},
		{name: "redirect to a path", answers: []answer{status(301, "", "Location", "/v2")}, requests: 1, want: "301 Moved Permanently", hint: "openai.baseURL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.answers...)
			_, err := embedder(t, s, nil).Embed(t.Context(), memoir.TaskDocument, []string{"a"})
			if len(s.got) != tt.requests {
				t.Errorf("got %d requests, want %d", len(s.got), tt.requests)
			}
			if tt.want == "" {
				if err != nil {
					t.Errorf("got %v", err)
				}
				return
			}
			if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 500 {
				t.Errorf("got %v, want …%s…", err, tt.want)
			}
			if !strings.Contains(memoir.Hint(err), tt.hint) || strings.Contains(err.Error()+memoir.Hint(err), key) {
				t.Errorf("%v: got the hint %q, want …%s…", err, memoir.Hint(err), tt.hint)
			}
		})
	}
}

// A query does not wait long: words answer meanwhile.
func TestQueriesAreTriedTwice(t *testing.T) {
	s := serve(t, status(503, ""))
	if _, err := embedder(t, s, nil).Embed(t.Context(), memoir.TaskQuery, []string{"a"}); err == nil || len(s.got) != 2 {
		t.Errorf("got %v after %d requests, want an error after 2", err, len(s.got))
	}
}

func TestBadTextsStandAlone(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, in request) {
		for _, text := range in.Input {
			if strings.HasPrefix(text, "bad") {
				status(400, `{"error":{"message":"cannot take it"}}`)(w, in)
				return
			}
		}
		ok(w, in)
	})
	e := embedder(t, s, nil)
	texts := []string{"bad 1", "bad 2", "c", "d", "e", "f", "g", "bad 3"}
	got, err := e.Embed(t.Context(), memoir.TaskDocument, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if bad := strings.HasPrefix(text, "bad"); bad != (got[i] == nil) {
			t.Errorf("%q: got %v", text, got[i])
		}
	}
	if got, err := e.Embed(t.Context(), memoir.TaskDocument, []string{"bad"}); err != nil || got[0] != nil {
		t.Errorf("a bad document alone: got %v, %v, want no vector and no error", got, err)
	}
	if _, err := e.Embed(t.Context(), memoir.TaskQuery, []string{"bad"}); err == nil || !strings.Contains(err.Error(), "400 Bad Request: cannot take it") {
		t.Errorf("a bad query: got %v", err)
	}
}

func TestBadSettingIsNotBlamedOnTexts(t *testing.T) {
	s := serve(t, status(400, `{"error":{"message":"no such model"}}`))
	_, err := embedder(t, s, nil).Embed(t.Context(), memoir.TaskDocument, []string{"a", "b", "c", "d"})
	if err == nil || !strings.Contains(err.Error(), "no such model") || len(s.got) != 2 {
		t.Errorf("got %v after %d requests, want an error after 2", err, len(s.got))
	}
}

func TestBrokenConnections(t *testing.T) {
	drop := func(w http.ResponseWriter, _ request) { panic(http.ErrAbortHandler) }
	half := func(w http.ResponseWriter, in request) {
		w.Header().Set("Content-Length", "1000")
		ok(w, in)
	}
	s := serve(t, drop, half, ok)
	if _, err := embedder(t, s, nil).Embed(t.Context(), memoir.TaskDocument, []string{"a"}); err != nil || len(s.got) != 3 {
		t.Errorf("got %v after %d requests, want 3", err, len(s.got))
	}
}

func TestServerThatIsOff(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	e, err := openai.New(openai.Options{BaseURL: "http://" + l.Addr().String() + "/v1?key=" + key, Model: "test", Dimensions: 2, RetryWait: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Embed(t.Context(), memoir.TaskDocument, []string{"a"})
	if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(memoir.Hint(err), "start the server") || strings.Contains(err.Error(), key) {
		t.Errorf("got %v, hint %q", err, memoir.Hint(err))
	}
}

func TestTimeout(t *testing.T) {
	release := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, in request) { <-release })
	t.Cleanup(func() { close(release) }) // before the server closes
	e := embedder(t, s, func(o *openai.Options) { o.Timeout = time.Millisecond })
	_, err := e.Embed(t.Context(), memoir.TaskQuery, []string{"a"})
	if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error(), "no answer within 1ms") {
		t.Errorf("got %v", err)
	}
}

func TestCancelEndsAWait(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	s := serve(t, func(w http.ResponseWriter, in request) {
		status(503, "")(w, in)
		cancel(enough)
	})
	e := embedder(t, s, func(o *openai.Options) { o.RetryWait = time.Hour })
	if _, err := e.Embed(ctx, memoir.TaskDocument, []string{"a"}); !errors.Is(err, enough) || len(s.got) != 1 {
		t.Errorf("got %v after %d requests", err, len(s.got))
	}
	if _, err := e.Embed(ctx, memoir.TaskDocument, []string{"a"}); !errors.Is(err, enough) || len(s.got) != 1 {
		t.Errorf("already done: got %v after %d requests", err, len(s.got))
	}
}

// A wait that the deadline would cut short is not begun: the error of the
// server says more than the deadline's.
func TestDeadlineBeforeTheNextAttempt(t *testing.T) {
	s := serve(t, status(503, "busy"))
	e := embedder(t, s, func(o *openai.Options) { o.RetryWait = time.Hour })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := e.Embed(ctx, memoir.TaskQuery, []string{"a"}); err == nil || !strings.Contains(err.Error(), "503 Service Unavailable: busy") || len(s.got) != 1 {
		t.Errorf("got %v after %d requests", err, len(s.got))
	}
}
