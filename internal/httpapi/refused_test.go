package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/httpapi"
)

// TestUnreadable: a note that is no text in UTF-8 is given in no form, as every other way
// of reading refuses it, with its reason and the next step. It is no fault of the server.
func TestUnreadable(t *testing.T) {
	var mu sync.Mutex
	var log bytes.Buffer
	s := start(t, func(o *httpapi.Options) { o.Logger = slog.New(slog.NewTextHandler(&locked{&mu, &log}, nil)) })
	for name, c := range map[string]struct{ text, says, next string }{
		"gbk.md":    {"# \xb1\xca\xbc\xc7\n", "not valid UTF-8 at line 1", "UTF-8"},
		"utf16.md":  {"\xff\xfe#\x00 \x00A\x00", "UTF-16", "UTF-8"},
		"binary.md": {"# A\x00B\n", "binary file with a zero byte", "exclude"},
	} {
		if err := os.WriteFile(filepath.Join(s.dir, "memory", name), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		path := "memory/" + name
		for _, asked := range []string{"GET /v1/notes/" + path, "GET /v1/notes/" + path + "?from=1&to=2", "GET /v1/pages/" + path} {
			method, at, _ := strings.Cut(asked, " ")
			got := s.ask(method, at, "")
			var p httpapi.Problem
			got.into(t, &p)
			if got.status != http.StatusConflict || p.Code != "unreadable" || !strings.Contains(p.Detail, path) || !strings.Contains(p.Detail, c.says) || !strings.Contains(p.Error.Action, c.next) || got.header.Get("ETag") != "" {
				t.Errorf("%s: %d %v %s", asked, got.status, got.header, got.body)
			}
		}
		if name == "binary.md" {
			continue // it can be replaced, and its bytes are kept in the history
		}
		for _, asked := range []string{"PUT", "DELETE"} {
			got := s.ask(asked, "/v1/notes/"+path, `{"text":"new\n"}`, "If-Match", "*")
			if got.status != http.StatusConflict || !strings.Contains(got.body, "UTF-8") || strings.Contains(got.body, "memoir help") || s.read(path) != c.text {
				t.Errorf("%s %s: %d %s", asked, path, got.status, got.body)
			}
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if strings.Contains(log.String(), "ERROR") {
		t.Errorf("the log has %s", log.String())
	}
}

// TestUnreadableWritten: what would change a note that is no text in UTF-8 is refused as what
// would read it, with the next step, and the note stays. It is no fault of the server.
func TestUnreadableWritten(t *testing.T) {
	var mu sync.Mutex
	var log bytes.Buffer
	s := start(t, func(o *httpapi.Options) { o.Logger = slog.New(slog.NewTextHandler(&locked{&mu, &log}, nil)) })
	const gbk = "# \xb1\xca\xbc\xc7\n\n- \xd5\xc5\xce\xb0\xb5\xc4\xb5\xe7\xbb\xb0\n"
	for _, name := range []string{"preferences.md", "2026-03-03.md"} {
		if err := os.WriteFile(filepath.Join(s.dir, "memory", name), []byte(gbk), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ path, body, says, next string }{
		{"/v1/remember", `{"text":"Ann prefers oolong tea","type":"preference"}`, "oolong", "save memory/preferences.md as UTF-8 (iconv -f GBK"},
		{"/v1/remember", `{"text":"Ann prefers oolong tea","type":"preference","dryRun":true}`, "oolong", "tell it again"},
		{"/v1/remember", `{"text":"Ann went to Oslo by train","type":"journal"}`, "Oslo", "save memory/2026-03-03.md as UTF-8"},
		{"/v1/remember", `{"text":"Ann prefers oolong tea","replaces":"memory/preferences.md#L3"}`, "oolong", "save memory/preferences.md as UTF-8"},
		{"/v1/forget", `{"ref":"memory/preferences.md#L3"}`, "not in UTF-8", "as text in UTF-8"},
		{"/v1/forget", `{"ref":"memory/preferences.md"}`, "not in UTF-8", "as text in UTF-8"},
	} {
		got := s.ask("POST", c.path, c.body)
		var p httpapi.Problem
		got.into(t, &p)
		if got.status != http.StatusConflict || p.Code != "unreadable" || !strings.Contains(p.Detail, c.says) || !strings.Contains(p.Error.Action, c.next) {
			t.Errorf("%s %s: %d %s", c.path, c.body, got.status, got.body)
		}
	}
	for _, name := range []string{"memory/preferences.md", "memory/2026-03-03.md"} {
		if got := s.read(name); got != gbk {
			t.Errorf("%s is now %q", name, got)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if strings.Contains(log.String(), "ERROR") {
		t.Errorf("the log has %s", log.String())
	}
}

// TestScheme: the name of the scheme of a token has no case (RFC 9110, 11.1).
func TestScheme(t *testing.T) {
	s := start(t, func(o *httpapi.Options) { o.Guard = httpapi.Guard{Find: all("secret")} })
	for auth, want := range map[string]int{
		"Bearer secret": 200, "bearer secret": 200, "BEARER   secret": 200,
		"Bearer Secret": 401, "Bearer": 401, "Bearer ": 401, "Bearersecret": 401, "Basic secret": 401, "secret": 401, "Bearer secret x": 401,
	} {
		if got := s.ask("GET", "/v1/status", "", "Authorization", auth); got.status != want {
			t.Errorf("%q: %d %s", auth, got.status, got.body)
		}
	}
}

// TestRequired: what the description of the API calls required has to be there. A body
// without it once emptied a note, or was answered as if its text were "".
func TestRequired(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct{ asked, body, missing string }{
		{"POST /v1/remember", `{}`, "text"},
		{"POST /v1/remember", `{"text":null}`, "text"},
		{"POST /v1/remember", `{"type":"preference"}`, "text"},
		{"POST /v1/search", `{}`, "query"},
		{"POST /v1/search", `{"limit":3}`, "query"},
		{"POST /v1/similar", `{}`, "text"},
		{"POST /v1/why", `{"path":"MEMORY.md"}`, "query"},
		{"POST /v1/why", `{"query":"tea"}`, "path"},
		{"PUT /v1/notes/a.md", `{}`, "text"},
		{"PUT /v1/notes/a.md", `{"text":null}`, "text"},
	} {
		method, path, _ := strings.Cut(c.asked, " ")
		got := s.ask(method, path, c.body, "If-None-Match", "*")
		var p httpapi.Problem
		got.into(t, &p)
		if want := `the body: "` + c.missing + `" is missing`; got.status != http.StatusBadRequest || p.Detail != want || !strings.Contains(p.Error.Action, "openapi.json") {
			t.Errorf("%s %s: %d %s; want %s", c.asked, c.body, got.status, got.body, want)
		}
	}
	if got := s.ask("GET", "/v1/notes/a.md", ""); got.status != http.StatusNotFound {
		t.Errorf("a note was written: %d %s", got.status, got.body)
	}
	for _, body := range []string{`{"TEXT":"ok"}`, `{"text":""}`} { // names in any case; a text that is there is judged
		if got := s.ask("POST", "/v1/remember", body); got.status != 200 || !strings.Contains(got.body, "too-short") {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
}

// TestSaid: what is wrong with a request is said in words, with a next step that a client
// of the API can do.
func TestSaid(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct{ asked, body, detail, action string }{
		{"POST /v1/search", `{"query":"tea","limit":0}`, "limit is 0, and may be 1 to 1000", "a number from 1 to 1000"},
		{"POST /v1/search", `{"query":"tea","limit":-1}`, "limit is -1, and may be 1 to 1000", "a number from 1 to 1000"},
		{"POST /v1/search", `{"query":"tea","limit":9999}`, "limit is 9999, and may be 1 to 1000", "a number from 1 to 1000"},
		{"POST /v1/why", `{"query":"tea","path":"memory/2026-03-02.md","limit":0}`, "limit is 0, and may be 1 to 1000", ""},
		{"POST /v1/why", `{"query":"tea","path":"memory/2026-03-02.md","line":0}`, "line is 0", ""},
		{"POST /v1/search", `{"query":"tea","maxTokens":0}`, "maxTokens is 0", ""},
		{"POST /v1/search", `{"query":"tea","maxChars":-2}`, "maxChars is -2", ""},
		{"POST /v1/search", `{"query":5}`, `"query" is a number, and takes a text`, "openapi.json"},
		{"POST /v1/search", `{"query":"tea","limit":"3"}`, `"limit" is a text, and takes a whole number`, ""},
		{"POST /v1/search", `{"query":"tea","limit":1.5}`, `"limit" is the number 1.5, and takes a whole number`, ""},
		{"POST /v1/search", `{"query":"tea","limit":1e400}`, `"limit" is the number 1e400, and takes a whole number`, ""},
		{"POST /v1/search", `{"query":"tea","limit":12345678901234567890}`, `"limit" is the number 12345678901234567890, and takes a whole number`, ""},
		{"POST /v1/search", `{"query":"tea","minScore":true}`, `"minScore" is true or false, and takes a number`, ""},
		{"POST /v1/search", `{"query":["a"]}`, `"query" is a list, and takes a text`, ""},
		{"POST /v1/search", `{"query":{}}`, `"query" is an object, and takes a text`, ""},
		{"POST /v1/remember", `{"text":7}`, `"text" is a number, and takes a text`, ""},
		{"POST /v1/remember", `{"text":"I use tabs","dryRun":"yes"}`, `"dryRun" is a text, and takes true or false`, ""},
		{"POST /v1/remember", `{"text":"I use tabs","scope":"team"}`, `no memory "team"`, "user or project"},
		{"POST /v1/tidy", `{"ids":"x"}`, `"ids" is a text, and takes a list`, ""},
		{"POST /v1/tidy", `{"ids":[1]}`, `"ids" is a number, and takes a text`, ""},
		{"POST /v1/search", "{\"query\":\"\xff\"}", "not valid UTF-8", "UTF-8"},
		{"POST /v1/undo", `{"id":"none"}`, "there is no such change", "GET /v1/history"},
		{"POST /v1/undo", `{}`, "", "GET /v1/history"},
		{"PUT /v1/notes/a.md", `{"text":"\u0000"}`, "", "UTF-8"},
	} {
		method, path, _ := strings.Cut(c.asked, " ")
		got := s.ask(method, path, c.body, "If-None-Match", "*")
		var p httpapi.Problem
		got.into(t, &p)
		for _, text := range []string{p.Detail, p.Error.Message} {
			if got.status >= 500 || got.status < 400 || !strings.Contains(text, c.detail) || strings.Contains(text, "invalid argument") || strings.Contains(text, "Go ") || strings.Contains(text, "unmarshal") {
				t.Errorf("%s %s: %d %s", c.asked, c.body, got.status, got.body)
			}
		}
		if !strings.Contains(p.Error.Action, c.action) || p.Error.Action == "" || strings.HasPrefix(p.Error.Action, "memoir ") {
			t.Errorf("%s %s: the next step is %q", c.asked, c.body, p.Error.Action)
		}
	}
	for _, body := range []string{ // a number without a fraction is an integer of JSON Schema, however it is written
		`{"query":"tea","limit":null,"maxTokens":null}`, `{"query":"3.0","limit":3.0,"maxTokens":1e3}`, `{"limit": 20e-1 , "query":"\"limit\": 20e-1"}`,
	} {
		if got := s.ask("POST", "/v1/search", body); got.status != 200 {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
	for kind, says := range map[string]string{"text/plain": `text/plain`, "": "no Content-Type"} {
		got := s.ask("PUT", "/v1/notes/a.md", "x", "If-None-Match", "*", "Content-Type", kind)
		if got.status != 415 || !strings.Contains(got.body, says) || !strings.Contains(got.body, "text/markdown or application/json") {
			t.Errorf("%q: %d %s", kind, got.status, got.body)
		}
	}
}

// TestSlowBody: a body that does not come in time is told so, wherever it was for.
func TestSlowBody(t *testing.T) {
	s := start(t, nil)
	h := owned(httpapi.Options{
		Memory:   memory{s.engine},
		Handlers: map[string]http.Handler{"/mcp": http.NotFoundHandler()},
	})
	s.serve(h, func(ctx context.Context, l net.Listener, h http.Handler) error {
		return httpapi.ServeHasty(ctx, l, h, 50*time.Millisecond, 8)
	})
	for _, path := range []string{"/v1/search", "/mcp"} {
		c, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", path, s.addr)
		answer, _ := io.ReadAll(c) // the end of it is what counts, in whatever way it comes
		c.Close()
		if text := string(answer); !strings.HasPrefix(text, "HTTP/1.1 408 ") || !strings.Contains(text, `"code":"timeout"`) || !strings.Contains(text, "Connection: close") {
			t.Errorf("%s: %.400s", path, text)
		}
	}
}

// TestHidden: for a token without the permission private a note with a private entry is as
// one that is not there: in lists, as the end of a link, among entries, and for what is told.
func TestHidden(t *testing.T) {
	s := start(t, func(o *httpapi.Options) {
		o.Guard = httpapi.Guard{Tickets: httpapi.NewTickets(), Find: func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
			return "writer", []httpapi.Permission{httpapi.MayRead, httpapi.MayWrite}, d == httpapi.DigestOf("writer")
		}}
	})
	ask := func(token, method, path, body string) reply {
		return s.ask(method, path, body, "Authorization", "Bearer "+token, "If-None-Match", "*")
	}
	if got := ask("secret", "PUT", "/v1/notes/memory/links.md", `{"text":"# Links\n\n- [a](preferences.md) [b](2026-03-02.md)\n"}`); got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if got := ask("secret", "PUT", "/v1/notes/memory/projects.md", `{"text":"# Projects\n\n- The boat is blue\n"}`); got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "memory", "merger.md"), []byte("---\nprivate: true\n---\n\xff\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if mine, theirs := ask("secret", "GET", "/v1/status", ""), ask("writer", "GET", "/v1/status", ""); !strings.Contains(mine.body, "merger") || theirs.status != 200 || strings.Contains(theirs.body, "merger") {
		t.Errorf("a note that cannot be read: the owner gets %s\na writer %s", mine.body, theirs.body)
	}
	before := s.read("memory/preferences.md") + s.read("MEMORY.md")
	for _, path := range []string{"/v1/notes", "/v1/notes?prefix=memory/p", "/v1/pages/memory/links.md", "/v1/entries?status=all"} {
		mine, theirs := ask("secret", "GET", path, ""), ask("writer", "GET", path, "")
		if !strings.Contains(mine.body, "preferences.md") || theirs.status != 200 || strings.Contains(theirs.body, "preferences.md") || strings.Contains(theirs.body, "green tea") {
			t.Errorf("%s: the owner gets %s\na writer %d %s", path, mine.body, theirs.status, theirs.body)
		}
	}
	none := ask("writer", "POST", "/v1/remember", `{"text":"Ann fears nothing at all","replaces":"memory/preferences.md#L99"}`)
	for _, dry := range []string{`,"dryRun":true`, ""} {
		for _, ref := range []string{"memory/preferences.md#L4", "memory/preferences.md#L3", "MEMORY.md#L3"} {
			for _, text := range []string{"Ann fears nothing at all", "Ann fears spiders", "Ann likes green tea", "ok"} {
				got := ask("writer", "POST", "/v1/remember", `{"text":"`+text+`","replaces":"`+ref+`"`+dry+`}`)
				var p, other httpapi.Problem
				got.into(t, &p)
				none.into(t, &other)
				if got.status != http.StatusNotFound || strings.ReplaceAll(p.Detail, ref, "") != strings.ReplaceAll(other.Detail, "memory/preferences.md#L99", "") || p.Error.Action != other.Error.Action {
					t.Errorf("in the place of %s comes %q%s: %d %s", ref, text, dry, got.status, got.body)
				}
			}
		}
		if got := ask("writer", "POST", "/v1/remember", `{"text":"Ann likes green tea"`+dry+`}`); got.status != 200 || strings.Contains(got.body, "preferences.md") || !strings.Contains(got.body, `"added"`) {
			t.Errorf("told again%s: %d %s", dry, got.status, got.body)
		}
		for _, text := range []string{"The boat is blue", "The boat has two sails", "ok"} {
			if got := ask("writer", "POST", "/v1/remember", `{"text":"`+text+`","type":"project"`+dry+`}`); got.status != 200 || !strings.Contains(got.body, `"similar":[]`) {
				t.Errorf("%q%s: a list is never null: %d %s", text, dry, got.status, got.body)
			}
		}
		var answers []engine.Outcome
		for _, code := range []string{"by the door", "by the stove"} { // the first is in MEMORY.md
			var out engine.Outcome
			ask("writer", "POST", "/v1/remember", `{"text":"Ann's alarm code is `+code+`","type":"project"`+dry+`}`).into(t, &out)
			out.ID, out.StartLine, out.EndLine, out.Similar = "", 0, 0, nil
			answers = append(answers, out)
		}
		if diff := cmp.Diff(answers[0], answers[1]); dry != "" && diff != "" || answers[0].Path != "memory/projects.md" {
			t.Errorf("what is private is answered in another form%s (-private +not there):\n%s", dry, diff)
		}
		for _, text := range []string{"Ann likes black tea", "Ann likes green tea no longer", "Ann no longer likes green tea, she likes coffee now"} {
			got := ask("writer", "POST", "/v1/remember", `{"text":"`+text+`","type":"preference","replaces":"None"`+dry+`}`)
			if got.status != 200 || strings.Contains(got.body, "preferences.md") || !strings.Contains(got.body, `"added"`) {
				t.Errorf("%q%s: %d %s", text, dry, got.status, got.body)
			}
		}
	}
	after := s.read("memory/preferences.md") + s.read("MEMORY.md")
	for line := range strings.Lines(before) { // one was told again, and says so behind its text
		if !strings.Contains(after, strings.TrimSpace(line)) {
			t.Errorf("the notes have lost %q: %q", line, after)
		}
	}
	if got := ask("secret", "POST", "/v1/remember", `{"text":"Ann fears nothing at all","replaces":"memory/preferences.md#L4","dryRun":true}`); got.status != 200 {
		t.Errorf("the owner: %d %s", got.status, got.body)
	}
}

// counted is a memory that counts how often it was told something.
type counted struct {
	memory
	told *atomic.Int64
}

func (c counted) Remember(ctx context.Context, st engine.Statement) (engine.Outcome, error) {
	c.told.Add(1)
	return c.memory.Remember(ctx, st)
}

// TestReplacedOnce: what a token without the permission private tells in the place of an entry
// is read and judged once, and an entry that it may not see is as one that is not there, by its
// id and as the answer to a request of somebody else with the same key.
func TestReplacedOnce(t *testing.T) {
	var told atomic.Int64
	s := start(t, func(o *httpapi.Options) {
		o.Memory = counted{o.Memory.(memory), &told}
		o.Guard = httpapi.Guard{Tickets: httpapi.NewTickets(), Find: func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
			return "writer", []httpapi.Permission{httpapi.MayRead, httpapi.MayWrite}, d == httpapi.DigestOf("writer")
		}}
	})
	ask := func(token, text, more string) (reply, engine.Outcome) {
		t.Helper()
		told.Store(0)
		got := s.ask("POST", "/v1/remember", `{"text":"`+text+`"`+more+`}`, "Authorization", "Bearer "+token)
		if told.Load() > 1 {
			t.Errorf("%s %s runs %d times", text, more, told.Load())
		}
		var out engine.Outcome
		if got.status == 200 {
			got.into(t, &out)
		}
		return got, out
	}
	_, hidden := ask("secret", "Ann prefers oolong tea in the evening", `,"type":"preference"`)
	_, shown := ask("secret", "The release of heron is in May", `,"type":"project"`)
	_, _ = ask("secret", "Ann prefers white tea in the evening", `,"replaces":"`+hidden.ID+`","key":"k1"`)
	before := s.read("memory/preferences.md")
	for _, id := range []string{hidden.ID, "aaaaaaaa"} {
		for _, more := range []string{"", `,"dryRun":true`, `,"key":"k1"`, `,"key":"k2"`} {
			got, _ := ask("writer", "Ann prefers white tea in the evening", `,"replaces":"`+id+`"`+more)
			var p httpapi.Problem
			got.into(t, &p)
			if got.status != http.StatusNotFound || strings.ReplaceAll(p.Detail, id, "") != `there is no entry "": not found` {
				t.Errorf("%s%s: %d %s", id, more, got.status, got.body)
			}
		}
	}
	if got, out := ask("writer", "The release of heron is in June", `,"replaces":"`+shown.ID+`"`); out.Outcome != "superseded" || told.Load() != 1 {
		t.Errorf("an entry that it may see: %d %s, in %d runs", got.status, got.body, told.Load())
	}
	if after := s.read("memory/preferences.md"); after != before {
		t.Errorf("a private entry was changed: %q", after)
	}
}

// TestOnlyRead: what is only read says so for every other method, whether or not it is one
// of the table of routes.
func TestOnlyRead(t *testing.T) {
	s := start(t, func(o *httpapi.Options) {
		administered(o)
		o.Handlers = map[string]http.Handler{"/": http.NotFoundHandler()}
	})
	for _, path := range []string{"/v1/openapi.json", "/v1/events", "/metrics", "/healthz", "/readyz", "/v1/admin/metrics", "/v1/admin/workspaces/sales/export", "/v1/status"} {
		headers := []string{}
		if strings.HasPrefix(path, "/v1/admin") {
			headers = []string{"Authorization", "Bearer admin"}
		}
		for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
			if got := s.ask(method, path, "", headers...); got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != "GET" {
				t.Errorf("%s %s: %d %v", method, path, got.status, got.header)
			}
		}
	}
}

// TestHeadOfEvents: the head of the stream of events comes alone, and the connection goes on.
func TestHeadOfEvents(t *testing.T) {
	s := start(t, nil)
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "HEAD /v1/events HTTP/1.1\r\nHost: %[1]s\r\n\r\nGET /healthz HTTP/1.1\r\nHost: %[1]s\r\nConnection: close\r\n\r\n", s.addr)
	answer, err := io.ReadAll(c)
	if text := string(answer); err != nil || !strings.Contains(text, "text/event-stream") || !strings.HasSuffix(text, "\r\n\r\nok\n") {
		t.Errorf("%v: %q", err, text)
	}
}

// TestListsOfTags: a list of ETags may come in several lines.
func TestListsOfTags(t *testing.T) {
	s := start(t, nil)
	const path = "/v1/notes/memory/2026-03-02.md"
	tag := s.ask("GET", path, "").header.Get("ETag")
	for _, c := range []struct {
		method, header, body string
		want                 string
	}{{"GET", "If-None-Match", "", "304"}, {"PUT", "If-Match", `{"text":"# Log\n"}`, "200"}} {
		request := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\n%[4]s: \"x\"\r\n%[4]s: %s\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", c.method, path, s.addr, c.header, tag, len(c.body), c.body)
		if got := s.raw(request); got != c.want {
			t.Errorf("%s: %s", c.method, got)
		}
	}
}

// TestNowhere: an entry is not where no note can be, and that is no fault of the server.
func TestNowhere(t *testing.T) {
	s := start(t, nil)
	for _, ref := range []string{"memory/../MEMORY.md#L3", "./MEMORY.md#L3", "/etc/passwd#L1", "../x.md#L1", "#L1", "NUL.md#L1", "x\u0000.md#L1", "memory#L1", "C:/x.md#L1"} {
		body, err := json.Marshal(map[string]any{"text": "Ann likes cocoa with milk", "replaces": ref})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.ask("POST", "/v1/remember", string(body)); got.status != http.StatusNotFound || !strings.Contains(got.body, "GET /v1/entries") {
			t.Errorf("%q: %d %s", ref, got.status, got.body)
		}
	}
}

// TestUntoldInLog: a text that could not be kept is given back to who told it, and is not in
// the log.
func TestUntoldInLog(t *testing.T) {
	var mu sync.Mutex
	var log bytes.Buffer
	s := start(t, func(o *httpapi.Options) { o.Logger = slog.New(slog.NewTextHandler(&locked{&mu, &log}, nil)) })
	if err := os.Mkdir(filepath.Join(s.dir, "memory", "projects.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	got := s.ask("POST", "/v1/remember", `{"text":"The staging server is called heron","type":"project"}`)
	mu.Lock()
	defer mu.Unlock()
	if got.status < 500 || !strings.Contains(got.body, "heron") || !strings.Contains(log.String(), "level=ERROR") || strings.Contains(log.String(), "heron") {
		t.Errorf("%d %s, and the log has %s", got.status, got.body, log.String())
	}
}

// TestFolderGone: a folder of notes that is not there, such as a disk that is not mounted, is no
// fault of the server, and what was told is given back.
func TestFolderGone(t *testing.T) {
	s := start(t, nil)
	if err := os.Rename(s.dir, s.dir+"-away"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Rename(s.dir+"-away", s.dir) })
	for _, c := range []struct{ method, path, body, holds string }{
		{"GET", "/v1/prime", "", "open workspace"}, {"GET", "/v1/entries", "", "open workspace"},
		{"POST", "/v1/remember", `{"text":"Ann's sister is called Berta","type":"contact"}`, "not kept: Ann's sister is called Berta"},
	} {
		got := s.ask(c.method, c.path, c.body)
		var p httpapi.Problem
		got.into(t, &p)
		if got.status != http.StatusServiceUnavailable || p.Code != "unavailable" || !strings.Contains(p.Detail, c.holds) || !strings.HasPrefix(p.Error.Action, "bring the folder back") {
			t.Errorf("%s %s: %d %s", c.method, c.path, got.status, got.body)
		}
	}
}

// TestFolderIsGone: while the folder of the notes is not there, as a disk that is not
// mounted, no note is said to be gone, and none is made.
func TestFolderIsGone(t *testing.T) {
	s := start(t, nil)
	away := s.dir + ".away"
	if err := os.Rename(s.dir, away); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("the folder is in use: ", err)
		}
		t.Fatal(err)
	}
	ask := func() (all []int) {
		for _, c := range [][]string{
			{"GET", "/v1/notes/memory/2026-03-02.md", ""}, {"GET", "/v1/pages/memory/2026-03-02.md", ""},
			{"PUT", "/v1/notes/memory/2026-03-02.md", `{"text":"x\n"}`, "If-Match", "*"}, {"PUT", "/v1/notes/new.md", `{"text":"x\n"}`, "If-None-Match", "*"},
			{"DELETE", "/v1/notes/MEMORY.md", "", "If-Match", "*"},
		} {
			got := s.ask(c[0], c[1], c[2], c[3:]...)
			if all = append(all, got.status); got.status == 503 && !strings.Contains(got.body, `"action":"bring the folder back`) {
				t.Errorf("%v: %s", c, got.body)
			}
		}
		return all
	}
	if got, want := ask(), []int{503, 503, 503, 503, 503}; !slices.Equal(got, want) {
		t.Errorf("without the folder: %v, want %v", got, want)
	}
	if err := os.Rename(away, s.dir); err != nil {
		t.Fatal(err)
	}
	if got, want := ask(), []int{200, 200, 200, 200, 200}; !slices.Equal(got, want) {
		t.Errorf("once it is there again: %v, want %v", got, want)
	}
}

// TestMarkedJSON: JSON may begin with a byte order mark, as some programs of Windows send
// it. In a note that is sent as Markdown the mark is a part of the text.
func TestMarkedJSON(t *testing.T) {
	const mark = "\ufeff"
	s := start(t, func(o *httpapi.Options) {
		o.Handlers = map[string]http.Handler{"/mcp": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%q %d %v", body, r.ContentLength, err)
		})}
	})
	if got := s.ask("POST", "/v1/search", mark+`{"query":"tea"}`); got.status != http.StatusOK {
		t.Errorf("a search: %d %s", got.status, got.body)
	}
	if got := s.ask("PUT", "/v1/notes/memory/a.md", mark+`{"text":"alpha\n"}`, "If-None-Match", "*"); got.status != http.StatusOK || s.read("memory/a.md") != "alpha\n" {
		t.Errorf("a note in JSON: %d %s", got.status, got.body)
	}
	if got := s.ask("PUT", "/v1/notes/memory/b.md", mark+"beta\n", "If-None-Match", "*", "Content-Type", "text/markdown"); got.status != http.StatusOK || s.read("memory/b.md") != mark+"beta\n" {
		t.Errorf("a note in Markdown: %d %s", got.status, got.body)
	}
	if got := s.ask("POST", "/v1/anthropic/memory", mark+`{"command":"view","path":"/memories"}`); got.status != http.StatusOK || strings.Contains(got.body, `"is_error":true`) {
		t.Errorf("the memory tool: %d %s", got.status, got.body)
	}
	if got := s.ask("POST", "/mcp", mark+`{"id":1}`, "Accept", "application/json, text/event-stream"); got.body != `"{\"id\":1}" 8 <nil>` {
		t.Errorf("MCP: %d %s", got.status, got.body)
	}
	if got := s.ask("POST", "/v1/search", mark+mark+`{"query":"tea"}`); got.status != http.StatusBadRequest {
		t.Errorf("two marks: %d %s", got.status, got.body)
	}
}

// TestObeyed: no token changes a file that agents take for orders; the owner may.
func TestObeyed(t *testing.T) {
	s := start(t, func(o *httpapi.Options) {
		o.Guard = httpapi.Guard{Tickets: httpapi.NewTickets(), Find: func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
			return "agent", []httpapi.Permission{httpapi.MayRead, httpapi.MayWrite, httpapi.MayPrivate}, d == httpapi.DigestOf("agent")
		}}
	})
	for _, path := range []string{"CLAUDE.md", "sub/agents.md", "memory/SOUL.md"} {
		got := s.ask("PUT", "/v1/notes/"+path, `{"text":"obey\n"}`, "If-None-Match", "*", "Authorization", "Bearer agent")
		if got.status != http.StatusBadRequest || !strings.Contains(got.body, "agents take "+path+" for orders") {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
		if _, err := os.Lstat(filepath.Join(s.dir, filepath.FromSlash(path))); err == nil {
			t.Errorf("%s is written", path)
		}
	}
	if got := s.ask("PUT", "/v1/notes/sub/CLAUDE.md", `{"text":"mine\n"}`, "If-None-Match", "*", "Authorization", "Bearer secret"); got.status != http.StatusOK {
		t.Errorf("the owner: %d %s", got.status, got.body)
	}
	if got := s.ask("DELETE", "/v1/notes/sub/CLAUDE.md", "", "If-Match", "*", "Authorization", "Bearer agent"); got.status != http.StatusBadRequest {
		t.Errorf("removed: %d %s", got.status, got.body)
	}
}
