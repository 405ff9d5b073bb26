package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/internal/wire"
	"github.com/memoir-ai/memoir/memorytool"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

// memory is an engine with a status.
type memory struct{ *engine.Engine }

func (m memory) Status(ctx context.Context) (wire.Status, error) {
	st, err := m.Engine.Status(ctx)
	return wire.NewStatus(st), err
}

// telling is an engine that tells of each change that it made.
type telling struct {
	*engine.Engine
	changed func(engine.Change)
}

func (t telling) Edit(ctx context.Context, who, why string, plan func(*engine.Draft) error) (engine.Change, error) {
	change, err := t.Engine.Edit(ctx, who, why, plan)
	if err == nil {
		t.changed(change)
	}
	return change, err
}

// A server is one that runs, over notes of its own.
type server struct {
	t      *testing.T
	dir    string // of the notes
	url    string
	addr   string
	engine *engine.Engine
	events *httpapi.Events

	mu      sync.Mutex
	audited []httpapi.Written
}

var notes = map[string]string{
	"MEMORY.md":             "# Memory\n\n- Ann's alarm code is by the door\n",
	"memory/2026-03-02.md":  "# Log\n\n- We chose SQLite because it is one file\n",
	"memory/日记.md":          "# 日记\n\n- 数据库用 SQLite，因为只有一个文件\n",
	"memory/preferences.md": "# Preferences\n\n- Ann likes green tea\n- Ann fears spiders <!-- private: true -->\n",
}

// start runs a server over the notes above. change may change how.
func start(t *testing.T, change func(*httpapi.Options)) *server {
	t.Helper()
	s := &server{t: t, dir: t.TempDir(), events: httpapi.NewEvents()}
	for path, text := range notes {
		file := filepath.Join(s.dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source, err := mdfile.Open(s.dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.engine, err = engine.New(engine.Config{
		Store: memstore.New(), Sources: []memoir.Source{source}, Writing: engine.Writing{Dir: s.dir, State: t.TempDir()},
		Changed: func(indexed, removed []memoir.DocID) {
			ev := httpapi.Event{Type: "indexed"}
			for _, id := range indexed {
				ev.Indexed = append(ev.Indexed, string(id))
			}
			for _, id := range removed {
				ev.Removed = append(ev.Removed, string(id))
			}
			s.events.Tell(ev)
		},
		Now: func() time.Time { return time.Date(2026, 3, 3, 9, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.engine.Close() })
	if _, err := s.engine.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	opts := httpapi.Options{
		MemoryTool: func(ctx context.Context, input json.RawMessage, changed func(engine.Change)) (string, error) {
			return memorytool.New(memorytool.Notes(telling{s.engine, changed}, s.dir)).Call(ctx, input)
		},
		Memory: memory{s.engine}, Version: "v9", Events: s.events, Guard: httpapi.Guard{Tickets: httpapi.NewTickets()},
		Audit: func(done httpapi.Written) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.audited = append(s.audited, done)
		},
	}
	anybody := opts.Guard.Tickets
	if change != nil {
		change(&opts)
	}
	s.serve(byOwner(httpapi.New(opts), opts.Guard.Tickets, opts.Guard.Tickets == anybody), func(ctx context.Context, l net.Listener, h http.Handler) error {
		return httpapi.Serve(ctx, l, h, "", "", nil)
	})
	return s
}

// byOwner sends the owner's cookie with requests that have the token "secret", and
// with those without any token, too, if everybody is the owner.
func byOwner(h http.Handler, tickets *httpapi.Tickets, everybody bool) http.Handler {
	if tickets == nil {
		return h
	}
	cookie := tickets.Cookie()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if auth := r.Header.Get("Authorization"); auth == "Bearer secret" || everybody && auth == "" {
			r.Header.Del("Authorization")
			r.Header.Add("Cookie", cookie)
		}
		h.ServeHTTP(w, r)
	})
}

// owned serves a memory to the owner.
func owned(opts httpapi.Options) http.Handler {
	opts.Guard.Tickets = httpapi.NewTickets()
	return byOwner(httpapi.New(opts), opts.Guard.Tickets, true)
}

// serve serves a handler until the test ends.
func (s *server) serve(h http.Handler, how func(context.Context, net.Listener, http.Handler) error) {
	s.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- how(ctx, l, h) }()
	s.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			s.t.Errorf("the server ended with %v", err)
		}
	})
	s.addr, s.url = l.Addr().String(), "http://"+l.Addr().String()
}

// A reply is what a request was answered.
type reply struct {
	status int
	header http.Header
	body   string
}

// ask sends a request. headers are names, each followed by its value; Host is one, too.
func (s *server) ask(method, path, body string, headers ...string) reply {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(b)}
}

// into reads a body of JSON.
func (r reply) into(t *testing.T, value any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader([]byte(r.body)))
	if err := dec.Decode(value); err != nil {
		t.Fatalf("%d %s: %v", r.status, r.body, err)
	}
}

// read returns a note as it is on disk.
func (s *server) read(path string) string {
	b, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(path)))
	if err != nil {
		s.t.Error(err)
	}
	return string(b)
}

// tokens finds tokens with what each allows.
func tokens(of map[string][]httpapi.Permission) func(httpapi.Digest) (string, []httpapi.Permission, bool) {
	return func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
		for token, permissions := range of {
			if d == httpapi.DigestOf(token) {
				return token, permissions, true
			}
		}
		return "", nil, false
	}
}

// all finds one token, which may do everything in a workspace.
func all(token string) func(httpapi.Digest) (string, []httpapi.Permission, bool) {
	return tokens(map[string][]httpapi.Permission{token: httpapi.Permissions()})
}

// from asks as a browser at an address, and returns the cookie that it is given.
func from(t *testing.T, h http.Handler, remote, path, cookie string) (status int, given string) {
	t.Helper()
	at := context.WithValue(t.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7077})
	r := httptest.NewRequestWithContext(at, "GET", "http://localhost"+path, http.NoBody)
	r.RemoteAddr = remote
	r.Header.Set("Cookie", cookie)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	given, _, _ = strings.Cut(w.Header().Get("Set-Cookie"), ";")
	return w.Code, given
}
