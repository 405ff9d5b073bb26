package weaviate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/weaviate"
	"github.com/memoir-ai/memoir/store/weaviate/weaviatetest"
)

// short is what Weaviate 1.39 says when a replica does not take a change.
const short = `cannot achieve consistency level \"ALL\": cannot reach enough replicas: required 3 replicas, got 2: connection refused`

// Only a change that replicas were missing for, or that was not answered in time, lets the
// next ones begin at most of the replicas. One that failed for another reason does not.
func TestLevels(t *testing.T) {
	for name, c := range map[string]struct {
		method string
		status int // 0: no answer in time; -1: the connection ends
		body   string
		want   string
	}{
		"a replica is missing":                      {http.MethodPost, 500, `{"error":[{"message":"` + short + `"}]}`, "QUORUM"},
		"a replica is missing for an object":        {http.MethodPost, 200, `{"result":{"errors":{"error":[{"message":"` + short + `"}]},"status":"FAILED"}}`, "QUORUM"},
		"a replica is missing for a deletion":       {http.MethodDelete, 200, `{"results":{"matches":1,"failed":1,"objects":[{"status":"FAILED","errors":{"error":[{"message":"` + short + `"}]}}]}}`, "QUORUM"},
		"no answer in time":                         {http.MethodPost, 0, "", "QUORUM"},
		"a property that is not there":              {http.MethodPost, 422, `{"error":[{"message":"no such prop with name 'x' found in class"}]}`, "ALL"},
		"too large":                                 {http.MethodPost, 413, `{"message":"request entity too large"}`, "ALL"},
		"too many requests":                         {http.MethodPost, 429, `{"message":"too many requests"}`, "ALL"},
		"an object that is refused":                 {http.MethodPost, 200, `{"result":{"errors":{"error":[{"message":"vector lengths don't match"}]},"status":"FAILED"}}`, "ALL"},
		"an object that could not be deleted":       {http.MethodDelete, 200, `{"results":{"matches":1,"failed":1,"objects":[{"status":"FAILED","errors":{"error":[{"message":"lock"}]}}]}}`, "ALL"},
		"an error of the server":                    {http.MethodPost, 500, `{"error":[{"message":"store is read-only"}]}`, "ALL"},
		"an answer that is none":                    {http.MethodPost, 200, `<html>`, "ALL"},
		"the connection ends before it is answered": {http.MethodPost, -1, "", "ALL"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &spoiler{server: weaviatetest.New(t), method: c.method, status: c.status, body: c.body}
			s := open(t, weaviate.Options{URL: p.start(t), Tenant: "one", Replicas: 3, Timeout: time.Second})
			write(t, s, noted("a.md", "heron"))
			p.arm()
			_ = s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{noted("b.md", "heron")}, Delete: []memoir.DocID{"a.md"}})
			if _, armed := p.since(); armed {
				t.Fatal("nothing was asked of all replicas")
			}
			write(t, s, noted("c.md", "heron"))
			if levels, _ := p.since(); len(levels) == 0 || levels[0] != c.want {
				t.Errorf("the next write asks for %v, want %s first", levels, c.want)
			}
		})
	}
}

// A write whose caller has gone says nothing of the replicas.
func TestLevelsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := &spoiler{server: weaviatetest.New(t), method: http.MethodPost, before: cancel}
	s := open(t, weaviate.Options{URL: p.start(t), Tenant: "one", Replicas: 3})
	p.arm()
	err := s.Write(ctx, memoir.Changes{Put: []memoir.IndexedDocument{noted("a.md", "heron")}})
	if _, armed := p.since(); err == nil || armed {
		t.Fatalf("got %v", err)
	}
	write(t, s, noted("a.md", "heron"))
	if levels, _ := p.since(); len(levels) == 0 || levels[0] != "ALL" {
		t.Errorf("the next write asks for %v, want ALL first", levels)
	}
}

// A spoiler stands before a server and answers the next change at level ALL itself. The
// writes of these tests send one request at a time, but the one before may not have ended
// when its caller has given up.
type spoiler struct {
	server *weaviatetest.Server
	method string
	status int
	body   string
	before func() // called before that answer; nil: nothing is

	mu     sync.Mutex // guards the fields below
	armed  bool
	levels []string // of the changes that were asked for
}

// arm lets the spoiler answer the next change.
func (p *spoiler) arm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = true
}

// since returns the levels of the changes since it was asked last, and whether the spoiler
// still waits for one.
func (p *spoiler) since() (levels []string, armed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	levels, p.levels = p.levels, nil
	return levels, p.armed
}

// takes notes a change, and reports whether the spoiler answers it.
func (p *spoiler) takes(r *http.Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	level := r.URL.Query().Get("consistency_level")
	if strings.HasPrefix(r.URL.Path, "/v1/batch") {
		p.levels = append(p.levels, level)
	}
	takes := p.armed && level == "ALL" && r.Method == p.method
	p.armed = p.armed && !takes
	return takes
}

func (p *spoiler) start(t *testing.T) (url string) {
	proxy := httptest.NewServer(p)
	t.Cleanup(proxy.Close)
	return proxy.URL
}

func (p *spoiler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.takes(r) {
		p.server.Config.Handler.ServeHTTP(w, r)
		return
	}
	if p.before != nil {
		p.before()
	}
	switch p.status {
	case 0:
		io.Copy(io.Discard, r.Body) // only then is it noticed that the client has gone
		<-r.Context().Done()
	case -1:
		panic(http.ErrAbortHandler)
	default:
		body := p.body
		if strings.HasPrefix(body, `{"result":`) { // the answer for each object
			var in struct{ Objects []any }
			json.NewDecoder(r.Body).Decode(&in)
			body = "[" + strings.Repeat(body+",", len(in.Objects)-1) + body + "]"
		}
		w.WriteHeader(p.status)
		io.WriteString(w, body)
	}
}

// What is wrong in itself is asked for once, and the server's reason is told. What may be
// taken a moment later, or of fewer replicas, is tried again at most of them.
func TestWrongOnce(t *testing.T) {
	for status, want := range map[int]string{400: "[ALL]", 401: "[ALL]", 413: "[ALL]", 422: "[ALL]", 408: "[ALL QUORUM]", 429: "[ALL QUORUM]", 500: "[ALL QUORUM]", 503: "[ALL QUORUM]"} {
		p := &spoiler{server: weaviatetest.New(t), method: http.MethodPost, status: status, body: `{"error":[{"message":"such is the reason"}]}`}
		s := open(t, weaviate.Options{URL: p.start(t), Tenant: "one", Replicas: 3})
		p.arm()
		err := s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{noted("a.md", "heron")}})
		if refused := want == "[ALL]"; refused != (err != nil) || refused && !strings.Contains(err.Error(), "such is the reason") {
			t.Errorf("status %d: %v", status, err)
		}
		levels, _ := p.since()
		if got := fmt.Sprint(levels[:min(len(levels), len(strings.Fields(want)))]); got != want || err != nil && len(levels) > 1 {
			t.Errorf("status %d: asked at %v, want %s first", status, levels, want)
		}
	}
}

// A tenant that is just being put to sleep is asked again: for what is in it, for an object
// and for a change.
func TestFallingAsleep(t *testing.T) {
	for path, answer := range map[string]string{
		"/v1/graphql":       `{"data":null,"errors":[{"message":"get/init local shard \"one\", no shutdown: shard shutdown in progress"}]}`,
		"/v1/objects/":      `{"error":[{"message":"cannot achieve consistency level \"QUORUM\": read error: shard \"one\" does not exist locally"}]}`,
		"/v1/batch/objects": `{"error":[{"message":"digest objects: shard \"one\" not found locally"}]}`,
	} {
		f := weaviatetest.New(t)
		refused := 0
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, path) && refused < 2 {
				refused++
				w.WriteHeader(map[bool]int{true: 200, false: 500}[path == "/v1/graphql"])
				io.WriteString(w, answer)
				return
			}
			f.Config.Handler.ServeHTTP(w, r)
		}))
		t.Cleanup(proxy.Close)
		s := open(t, weaviate.Options{URL: proxy.URL, Tenant: "one", Replicas: 3})
		write(t, s, noted("a.md", "heron"))
		if got, err := find(t, s, "heron"); err != nil || len(got) != 1 || refused != 2 {
			t.Errorf("%s: found are %v, %v; refused %d times", path, got, err, refused)
		}
		for _, asked := range f.Asked {
			if strings.Contains(asked, "/v1/batch/objects") && !strings.Contains(asked, "ALL") {
				t.Errorf("%s: %s, want all replicas", path, asked)
			}
		}
	}
}
