package httpapi_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		"zh": "不是有效的 UTF-8", "zh-CN,zh;q=0.9,en;q=0.8": "不是有效的 UTF-8", "de, zh-Hans;q=0.5": "不是有效的 UTF-8",
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
	chinese("POST /v1/search", `{"query":"tea","mode":"magic"}`, &p)
	if says("a mode", p.Detail, `mode 是 "magic"`); strings.Contains(p.Detail, "参数") || strings.Contains(p.Detail, "invalid") {
		t.Errorf("a mode says its kind, too: %q", p.Detail)
	}
	chinese("POST /v1/search", `{"query":"tea","limit":0}`, &p)
	says("a number out of range", p.Detail, "limit 是 0，只能是 1 到 1000")
}
