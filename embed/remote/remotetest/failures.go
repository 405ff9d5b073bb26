package remotetest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/remote"
)

// testRetries is about failures that pass.
func (p Provider) testRetries(t *testing.T) {
	busy := recorded(t, fileBusy)
	past := "Mon, 02 Mar 2020 12:00:30 GMT"
	for _, tt := range []struct {
		name     string
		answers  []answer
		requests int
		want     string // of the error; "" is none
	}{
		{"limit without a wait", []answer{status(429, ""), p.ok}, 2, ""},
		{"limit with seconds", []answer{status(429, "", "Retry-After", "0"), p.ok}, 2, ""},
		{"limit with milliseconds", []answer{status(429, "", "Retry-After-Ms", "1.5"), p.ok}, 2, ""},
		{"limit with a date", []answer{status(429, "", "Retry-After", past), p.ok}, 2, ""},
		{"limit with a reset", []answer{status(429, "", "X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "1ms"), p.ok}, 2, ""},
		{"limit for ever", []answer{status(429, "")}, 5, "answered 429 Too Many Requests"},
		{"limit with a wait that is too long", []answer{status(429, busy, "Retry-After", "3600")}, 1, "it asks to wait 1h0m0s"},
		{"failures", []answer{status(500, ""), status(503, "busy"), status(408, ""), p.ok}, 4, ""},
		{"failure for ever", []answer{status(502, "<h1>\x1b[31mbad\n gateway</h1>")}, 5, "answered 502 Bad Gateway: <h1> [31mbad gateway</h1>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := p.serve(t, tt.answers...)
			_, err := p.open(t, s, remote.Options{}).Embed(t.Context(), memoir.TaskDocument, []string{"a"})
			if n := len(s.requests()); n != tt.requests {
				t.Errorf("got %d requests, want %d", n, tt.requests)
			}
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			quiet(t, err)
		})
	}
	t.Run("a query is tried twice", func(t *testing.T) {
		s := p.serve(t, status(503, ""))
		if _, err := p.open(t, s, remote.Options{}).Embed(t.Context(), memoir.TaskQuery, []string{"a"}); err == nil || len(s.requests()) != 2 {
			t.Errorf("got %v after %d requests, want an error after 2", err, len(s.requests()))
		}
	})
	// A wait that the deadline would cut short is not begun. The server's error
	// says more than that of the deadline.
	t.Run("no time for another attempt", func(t *testing.T) {
		s := p.serve(t, status(503, "out of breath"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := p.open(t, s, remote.Options{RetryWait: time.Hour}).Embed(ctx, memoir.TaskQuery, []string{"a"})
		if err == nil || !strings.Contains(err.Error(), "503 Service Unavailable: out of breath") || len(s.requests()) != 1 {
			t.Errorf("got %v after %d requests", err, len(s.requests()))
		}
	})
}

// testErrors is about failures that stay.
func (p Provider) testErrors(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer answer
		want   string
		hint   string
	}{
		{"wrong key", status(401, recorded(t, fileKey)), "401 Unauthorized: ", ".apiKey"},
		{"key in the error", status(403, "go away, "+Key), "403 Forbidden: go away, [key]", ".apiKey"},
		{"no money", status(402, ""), "402 Payment Required", "quota"},
		{"wrong address", status(404, "404 page not found"), "404 Not Found: 404 page not found", ".baseURL"},
		{"error as a string", status(404, `{"error":"go away"}`), "404 Not Found: go away", ""},
		{"flat error", status(404, `{"object":"error","message":"go away"}`), "404 Not Found: go away", ""},
		{"detail", status(404, `{"detail":"go away"}`), "404 Not Found: go away", ""},
		{"huge", status(404, strings.Repeat("x", 10<<20)), strings.Repeat("x", 300) + "…", ""},
		{"redirect", status(307, "", "Location", "https://user:"+Key+"@elsewhere.example/v1?k="+Key), "307 Temporary Redirect", `if "https://elsewhere.example" is to be trusted`},
		{"redirect to a path", status(301, "", "Location", "/v2"), "301 Moved Permanently", ".baseURL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := p.serve(t, tt.answer)
			_, err := p.open(t, s, remote.Options{}).Embed(t.Context(), memoir.TaskDocument, []string{"a"})
			if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(memoir.Hint(err), tt.hint) {
				t.Errorf("got %v (%s), want …%s… (%s)", err, memoir.Hint(err), tt.want, tt.hint)
			}
			if n := len(s.requests()); n != 1 {
				t.Errorf("got %d requests, want 1", n)
			}
			quiet(t, err)
		})
	}
}

// Vectors that were computed before an error come with it, because they may
// have cost money.
func (p Provider) testPartOfACall(t *testing.T) {
	s := p.serve(t, p.ok, status(401, ""))
	got, err := p.open(t, s, remote.Options{Concurrency: 1}).Embed(t.Context(), memoir.TaskDocument, slices.Repeat([]string{"text"}, 1100))
	n := 0
	for _, v := range got {
		if v != nil {
			n++
		}
	}
	if !errors.Is(err, memoir.ErrUnavailable) || len(got) != 1100 || n != len(s.requests()[0].Texts) {
		t.Errorf("got %d vectors in %d places, %v; want those of the first request", n, len(got), err)
	}
}

// hang never answers; the test ends when the client gives up.
func hang(_ http.ResponseWriter, r *http.Request, _ Sent) { <-r.Context().Done() }

func (p Provider) testSilence(t *testing.T) {
	for _, task := range []memoir.Task{memoir.TaskDocument, memoir.TaskQuery} {
		s := p.serve(t, hang)
		_, err := p.open(t, s, remote.Options{Timeout: 5 * time.Millisecond}).Embed(t.Context(), task, []string{"a", "b"})
		if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error(), "no answer") {
			t.Errorf("task %d: got %v", task, err)
		}
		quiet(t, err)
	}
}

// A server that never stops sending is treated like one that sends nothing.
func (p Provider) testSlowDrip(t *testing.T) {
	s := p.serve(t, func(w http.ResponseWriter, r *http.Request, _ Sent) {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for r.Context().Err() == nil {
			io.WriteString(w, " ")
			w.(http.Flusher).Flush()
			select {
			case <-tick.C:
			case <-r.Context().Done():
			}
		}
	})
	_, err := p.open(t, s, remote.Options{Timeout: 10 * time.Millisecond}).Embed(t.Context(), memoir.TaskQuery, []string{"a"})
	if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("got %v", err)
	}
}

func (p Provider) testBrokenConnections(t *testing.T) {
	drop := func(http.ResponseWriter, *http.Request, Sent) { panic(http.ErrAbortHandler) }
	half := func(w http.ResponseWriter, r *http.Request, s Sent) {
		w.Header().Set("Content-Length", "1000")
		p.ok(w, r, s)
	}
	s := p.serve(t, drop, half, p.ok)
	if _, err := p.open(t, s, remote.Options{}).Embed(t.Context(), memoir.TaskDocument, []string{"a"}); err != nil || len(s.requests()) != 3 {
		t.Errorf("got %v after %d requests, want 3", err, len(s.requests()))
	}
}

func (p Provider) testServerIsOff(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	e := p.open(t, &server{Server: &httptest.Server{URL: "http://" + l.Addr().String()}}, remote.Options{RetryWait: time.Hour})
	_, err = e.Embed(t.Context(), memoir.TaskDocument, []string{"a"})
	if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(memoir.Hint(err), "start the server") {
		t.Errorf("got %v (%s)", err, memoir.Hint(err))
	}
	quiet(t, err)
}

func (p Provider) testCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	s := p.serve(t, func(w http.ResponseWriter, r *http.Request, sent Sent) {
		status(503, "")(w, r, sent)
		cancel(enough)
	})
	e := p.open(t, s, remote.Options{RetryWait: time.Minute})
	for _, what := range []string{"during a wait", "before"} {
		if _, err := e.Embed(ctx, memoir.TaskDocument, []string{"a"}); !errors.Is(err, enough) || len(s.requests()) != 1 {
			t.Errorf("%s: got %v after %d requests", what, err, len(s.requests()))
		}
	}
}
