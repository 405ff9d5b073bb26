package httpapi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/internal/wire"
)

// TestLanguage: sentences for people are in Chinese for who asks for it first, as on the
// command line; what programs go by is the same for all.
func TestLanguage(t *testing.T) {
	s := start(t, nil)
	if err := os.WriteFile(filepath.Join(s.dir, "memory", "gbk.md"), []byte("# \xb1\xca\xbc\xc7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const read = "GET /v1/notes/memory/gbk.md"
	for accept, want := range map[string]string{
		"": "not valid UTF-8", "en": "not valid UTF-8", "en-US,en;q=0.9,zh;q=0.8": "not valid UTF-8", "*": "not valid UTF-8", "zhu": "not valid UTF-8", "zh;q=0": "not valid UTF-8", ";;,\t,": "not valid UTF-8",
		"zh;q=0.3,en;q=0.9": "not valid UTF-8", "zh;q=0.8, *;q=0.9": "not valid UTF-8", "zh;q=high": "not valid UTF-8", "zh;q=7": "not valid UTF-8",
		"zh": "不是有效的 UTF-8", "en;q=0.3,zh;q=0.9": "不是有效的 UTF-8", "en;q=0.5, de, zh-TW;q=0.6": "不是有效的 UTF-8", "en;q=0, zh;q=0.1": "不是有效的 UTF-8", "*;q=0.1, zh;q=0.2": "不是有效的 UTF-8", "zh-CN,zh;q=0.9,en;q=0.8": "不是有效的 UTF-8", "de, zh-Hans;q=0.5": "不是有效的 UTF-8",
	} {
		got := s.ask("GET", "/v1/notes/memory/gbk.md", "", "Accept-Language", accept)
		var p httpapi.Problem
		got.into(t, &p)
		if p.Code != "unreadable" || p.Title != "Conflict" || !strings.Contains(p.Detail, want) || !strings.Contains(p.Error.Message, want) || !strings.Contains(got.header.Get("Vary"), "Accept-Language") {
			t.Errorf("%s for %q: %d %s", read, accept, got.status, got.body)
		}
	}
	chinese := func(asked, body string, into any) {
		t.Helper()
		method, path, _ := strings.Cut(asked, " ")
		s.ask(method, path, body, "Accept-Language", "zh-CN").into(t, into)
	}
	says := func(what, got, want string) {
		t.Helper()
		if !strings.Contains(got, want) {
			t.Errorf("%s says %q, not %q", what, got, want)
		}
	}
	var p httpapi.Problem
	chinese("GET /v1/notes/memory/gbk.md", "", &p)
	says("the next step", p.Error.Action, "存成 UTF-8 编码")
	var index wire.Index
	chinese("POST /v1/sync", "", &index)
	if len(index.Skipped) != 1 {
		t.Fatalf("%+v", index)
	}
	says("a file that is left out", index.Skipped[0].Reason, "不是有效的 UTF-8")
	var status wire.Status
	chinese("GET /v1/status", "", &status)
	if len(status.Files.Skipped) != 1 {
		t.Fatalf("%+v", status)
	}
	says("the same in the status", status.Files.Skipped[0].Reason, "不是有效的 UTF-8")
	var why wire.Why
	chinese("POST /v1/why", `{"query":"tea","path":"memory/2026-03-02.md"}`, &why)
	says("why", why.Reason, "词")
	var refused engine.Outcome
	chinese("POST /v1/remember", `{"text":"ok"}`, &refused)
	if refused.Outcome != "refused" {
		t.Fatalf("%+v", refused)
	}
	if strings.ContainsAny(refused.Reason.Text, "abcdefg") {
		t.Errorf("a refusal says %q", refused.Reason.Text)
	}
	says("the step after a refusal", refused.Reason.Action, "完整的一句话")
	if err := os.WriteFile(filepath.Join(s.dir, "memory", "key.md"), []byte("# Key\n\n- password: hunter2hunter2XQ9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var tidy engine.Tidying
	chinese("POST /v1/tidy", `{"kinds":["secret"]}`, &tidy)
	if len(tidy.Findings) != 1 {
		t.Fatalf("%+v", tidy)
	}
	says("a finding", tidy.Findings[0].Proposal, "遮住")
	if tidy.Findings[0].Kind != "secret" {
		t.Errorf("its kind is %q", tidy.Findings[0].Kind)
	}
	chinese("POST /v1/tidy", fmt.Sprintf(`{"apply":true,"ids":[%q]}`, tidy.Findings[0].ID), &tidy)
	if len(tidy.Skipped) != 1 {
		t.Fatalf("%+v", tidy)
	}
	says("why it is not masked", tidy.Skipped[0].Reason, "遮住")
	var saved httpapi.Saved
	s.ask("PUT", "/v1/notes/node_modules/a.md", "# A", "Accept-Language", "zh", "If-None-Match", "*", "Content-Type", "text/markdown").into(t, &saved)
	if saved.Skipped == nil {
		t.Fatalf("%+v", saved)
	}
	says("why it is not found", saved.Skipped.Reason, "按忽略规则没有收")
	chinese("POST /v1/search", `{"query":"tea","mode":"magic"}`, &p)
	if says("a mode", p.Detail, `mode 是 "magic"`); strings.Contains(p.Detail, "参数") || strings.Contains(p.Detail, "invalid") {
		t.Errorf("a mode says its kind, too: %q", p.Detail)
	}
	chinese("POST /v1/search", `{"query":"tea","limit":0}`, &p)
	says("a number out of range", p.Detail, "limit 是 0，只能是 1 到 1000")
}

// left are words of English that a sentence in Chinese has left. Names stand in quotes, and
// after the first word of a command alone come words.
var (
	left  = regexp.MustCompile(`\b[a-z]{2,} [a-z]{2,}\b`)
	named = regexp.MustCompile("\"[^\"]*\"|memoir( [A-Za-z,-]+)+|\\{.*\\}")
)

// TestProblemsInChinese: what is wrong with a request, and the next step, are said in Chinese
// as a whole.
func TestProblemsInChinese(t *testing.T) {
	s := start(t, func(o *httpapi.Options) {
		o.Guard = httpapi.Guard{Tickets: httpapi.NewTickets(), Find: func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
			return "reader", []httpapi.Permission{httpapi.MayRead}, d == httpapi.DigestOf("reader")
		}}
	})
	deep := strings.Repeat(`{"a":`, 40)
	for _, c := range []struct {
		asked, body string
		status      int
		headers     []string
	}{
		{"POST /v1/search", `{"query":"tea","lim":1}`, 400, nil},
		{"POST /v1/search", `{"query":"tea","query":"coffee"}`, 400, nil},
		{"POST /v1/search", `{"query":5}`, 400, nil},
		{"POST /v1/search", `{"query":"tea","limit":1.5}`, 400, nil},
		{"POST /v1/search", `{"query":"tea","limit":"3"}`, 400, nil},
		{"POST /v1/search", `{"query":"tea","minScore":true}`, 400, nil},
		{"POST /v1/search", `{"query":["a"]}`, 400, nil},
		{"POST /v1/search", `{"query":{}}`, 400, nil},
		{"POST /v1/search", `{"query":"tea","limit":9999}`, 400, nil},
		{"POST /v1/search", `{"query":"tea","minScore":7}`, 400, nil},
		{"POST /v1/search", `{"query":"tea","source":"moon"}`, 400, nil},
		{"POST /v1/search", `{"query":"tea","since":"someday"}`, 400, nil},
		{"POST /v1/search", `{"query":"tea","mode":"magic"}`, 400, nil},
		{"POST /v1/search", `{"query":"  "}`, 400, nil},
		{"POST /v1/search", `{"query":"tea","maxTokens":0}`, 400, nil},
		{"POST /v1/search", `{"query":`, 400, nil},
		{"POST /v1/search", `{"query":x}`, 400, nil},
		{"POST /v1/search", `["query"]`, 400, nil},
		{"POST /v1/search", `"query"`, 400, nil},
		{"POST /v1/search", `{} {}`, 400, nil},
		{"POST /v1/search", deep, 400, nil},
		{"POST /v1/search", "{\"query\":\"\xff\"}", 400, nil},
		{"POST /v1/search", `{"query":"` + strings.Repeat("x", 8<<20) + `"}`, 413, nil},
		{"POST /v1/search", `x`, 415, []string{"Content-Type", "text/html"}},
		{"POST /v1/why", `{"query":"tea","path":""}`, 400, nil},
		{"POST /v1/similar", `{"text":""}`, 400, nil},
		{"POST /v1/similar", `{"text":"tea","threshold":7}`, 400, nil},
		{"GET /v1/prime?maxTokens=0", "", 400, nil},
		{"GET /v1/prime?shared=perhaps", "", 400, nil},
		{"GET /v1/status?x=1", "", 400, nil},
		{"GET /v1/notes?x=1", "", 400, nil},
		{"GET /v1/notes?limit=1&limit=2", "", 400, nil},
		{"GET /v1/notes?limit=%zz", "", 400, nil},
		{"GET /v1/notes?limit=many", "", 400, nil},
		{"GET /v1/notes/memory/none.md", "", 404, nil},
		{"GET /v1/notes/%2e%2e/x.md", "", 400, nil},
		{"GET /v1/notes/memory/preferences.md?from=5&to=2", "", 400, nil},
		{"PUT /v1/notes/memory/new.md", `{"text":"x"}`, 428, nil},
		{"PUT /v1/notes/memory/preferences.md", `{"text":"x"}`, 412, []string{"If-Match", `"old"`}},
		{"PUT /v1/notes/memory/preferences.md", `{"text":"x"}`, 412, []string{"If-None-Match", "*"}},
		{"PUT /v1/notes/memory/new.md", `{"text":"\u0000"}`, 400, []string{"If-None-Match", "*"}},
		{"PUT /v1/notes/memory/new.md", `x`, 415, []string{"Content-Type", "text/plain", "If-None-Match", "*"}},
		{"PUT /v1/notes/MEMORY.md/x.md", `{"text":"x"}`, 400, []string{"If-None-Match", "*"}},
		{"DELETE /v1/notes/memory/none.md", "", 400, []string{"If-None-Match", "*"}},
		{"DELETE /v1/notes/memory/none.md", "", 404, []string{"If-Match", "*"}},
		{"POST /v1/remember", `{"text":"Ann likes cocoa","type":"moon"}`, 400, nil},
		{"POST /v1/remember", `{"text":"Ann likes cocoa","origin":"moon"}`, 400, nil},
		{"POST /v1/remember", `{"text":"Ann likes cocoa","importance":9}`, 400, nil},
		{"POST /v1/remember", `{"text":"Ann likes cocoa","at":"someday"}`, 400, nil},
		{"POST /v1/remember", `{"text":"Ann likes cocoa","replaces":"e-nothing"}`, 404, nil},
		{"POST /v1/forget", `{}`, 400, nil},
		{"POST /v1/forget", `{"ref":"a","session":"b"}`, 400, nil},
		{"POST /v1/forget", `{"ref":"a","all":true}`, 400, nil},
		{"POST /v1/forget", `{"ref":"e-nothing"}`, 404, nil},
		{"POST /v1/forget", `{"origin":"moon"}`, 404, nil},
		{"POST /v1/forget", `{"session":"none"}`, 404, nil},
		{"POST /v1/undo", `{"id":"none"}`, 404, nil},
		{"POST /v1/undo", `{}`, 404, nil},
		{"POST /v1/tidy", `{"kinds":["moon"]}`, 400, nil},
		{"POST /v1/tidy", `{"apply":true,"ids":["none"]}`, 404, nil},
		{"GET /v1/entries?type=moon", "", 400, nil},
		{"GET /v1/entries?status=moon", "", 400, nil},
		{"GET /v1/history?limit=0", "", 400, nil},
		{"GET /v1/days?from=x&to=y", "", 400, nil},
		{"GET /v1/days?from=2026-01-01&to=2026-12-31", "", 400, nil},
		{"GET /v1/sessions/none", "", 404, nil},
		{"GET /v1/events", "", 400, []string{"Last-Event-ID", "x"}},
		{"GET /v1/moon", "", 404, nil},
		{"POST /v1/status", "", 405, nil},
		{"DELETE /v1/notes", "", 405, nil},
		{"GET /v1/status", "", 401, []string{"Authorization", ""}},
		{"GET /v1/status", "", 401, []string{"Authorization", "Basic x"}},
		{"GET /v1/status", "", 401, []string{"Authorization", "Bearer wrong"}},
		{"GET /v1/history", "", 403, []string{"Authorization", "Bearer reader"}},
		{"POST /v1/remember", `{"text":"x"}`, 403, []string{"Authorization", "Bearer reader"}},
		{"GET /v1/admin/workspaces", "", 403, nil},
		{"GET /v1/status", "", 403, []string{"Host", "example.com"}},
		{"GET /v1/status", "", 403, []string{"Origin", "http://example.com"}},
	} {
		method, path, _ := strings.Cut(c.asked, " ")
		got := s.ask(method, path, c.body, append([]string{"Accept-Language", "zh-CN", "Authorization", "Bearer secret"}, c.headers...)...)
		var p httpapi.Problem
		got.into(t, &p)
		if got.status != c.status {
			t.Errorf("%s %.80s: %d %s", c.asked, c.body, got.status, got.body)
		}
		for _, text := range []string{p.Detail, p.Error.Message, p.Error.Action} {
			own := named.ReplaceAllString(text, "")
			if command := strings.HasPrefix(text, "memoir ") && strings.TrimSpace(own) == ""; !command && (left.MatchString(own) || !strings.ContainsFunc(own, func(r rune) bool { return unicode.Is(unicode.Han, r) })) {
				t.Errorf("%s %.80s: %q", c.asked, c.body, text)
			}
		}
	}
}
