package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/internal/wire"
)

// TestLife: a note is found, read, saved, told of and taken back.
func TestLife(t *testing.T) {
	s := start(t, nil)
	var found wire.Answer
	s.ask("POST", "/v1/search", `{"query":"why SQLite"}`).into(t, &found)
	if len(found.Results) == 0 || found.Results[0].Path != "memory/2026-03-02.md" {
		t.Fatalf("%+v", found)
	}
	var note httpapi.Note
	got := s.ask("GET", "/v1/notes/memory/%E6%97%A5%E8%AE%B0.md", "")
	got.into(t, &note)
	if note.Text != notes["memory/日记.md"] || note.ETag != got.header.Get("ETag") {
		t.Fatalf("%+v, %v", note, got.header)
	}
	if again := s.ask("GET", "/v1/notes/memory/日记.md", "", "If-None-Match", note.ETag); again.status != http.StatusNotModified || again.body != "" {
		t.Errorf("unchanged: %d %q", again.status, again.body)
	}
	save := func(text, header, value string) reply {
		body, _ := json.Marshal(httpapi.NoteText{Text: text})
		return s.ask("PUT", "/v1/notes/memory/日记.md", string(body), header, value)
	}
	var saved httpapi.Saved
	save("# 日记\r\n\r\n- 换成了 Postgres\r\n", "If-Match", note.ETag).into(t, &saved)
	if saved.Change == nil || saved.Change.Paths[0] != "memory/日记.md" || s.read("memory/日记.md") != "# 日记\r\n\r\n- 换成了 Postgres\r\n" {
		t.Fatalf("%+v", saved)
	}
	if stale := save("lost?\n", "If-Match", note.ETag); stale.status != http.StatusPreconditionFailed || !strings.Contains(s.read("memory/日记.md"), "Postgres") {
		t.Errorf("a stale save: %d %s", stale.status, stale.body)
	}
	if stale := s.ask("DELETE", "/v1/notes/memory/日记.md", "", "If-Match", note.ETag); stale.status != http.StatusPreconditionFailed || !strings.Contains(s.read("memory/日记.md"), "Postgres") {
		t.Errorf("a stale removal: %d %s", stale.status, stale.body)
	}
	if blind := save("lost?\n", "X-Other", "1"); blind.status != http.StatusPreconditionRequired {
		t.Errorf("a blind save: %d %s", blind.status, blind.body)
	}
	if there := save("lost?\n", "If-None-Match", "*"); there.status != http.StatusPreconditionFailed {
		t.Errorf("made anew over what is there: %d %s", there.status, there.body)
	}
	s.ask("POST", "/v1/search", `{"query":"换成了","mode":"text"}`).into(t, &found)
	if len(found.Results) != 1 {
		t.Errorf("what was saved is not found: %+v", found)
	}
	var undone wire.Change
	s.ask("POST", "/v1/undo", `{"id":"`+saved.Change.ID+`"}`).into(t, &undone)
	if undone.Undoes != saved.Change.ID || s.read("memory/日记.md") != notes["memory/日记.md"] {
		t.Errorf("%+v", undone)
	}
	if gone := s.ask("DELETE", "/v1/notes/memory/日记.md", "", "If-Match", note.ETag); gone.status != http.StatusOK {
		t.Errorf("%d %s", gone.status, gone.body)
	}
	var history []wire.Change
	s.ask("GET", "/v1/history?limit=2", "").into(t, &history)
	if len(history) != 2 || history[0].Why != "removed memory/日记.md" {
		t.Errorf("%+v", history)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for _, a := range s.audited {
		lines = append(lines, fmt.Sprintf("%s %s %d %v", a.Who, a.Route, a.Status, len(a.Paths)))
	}
	want := []string{
		"owner PUT /v1/notes/{path...} 200 1", "owner PUT /v1/notes/{path...} 412 0", "owner DELETE /v1/notes/{path...} 412 0", "owner PUT /v1/notes/{path...} 428 0", "owner PUT /v1/notes/{path...} 412 0",
		"owner POST /v1/undo 200 1", "owner DELETE /v1/notes/{path...} 200 1",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("the audit has\n%s", strings.Join(lines, "\n"))
	}
}

// TestSearchSince: since is a day or a time, and means what since: in the query does: an
// entry counts by the day on which it was told.
func TestSearchSince(t *testing.T) {
	s := start(t, nil)
	s.ask("POST", "/v1/remember", `{"text":"The staging server is called heron","type":"project","at":"2026-03-01"}`)
	for since, found := range map[string]bool{
		"2026-03-01": true, "2026-03-01T10:00:00Z": true, "2026-03": true, "2026": true, "2026-03-02": false, "2026-03-03T12:00:00Z": false, "": true,
	} {
		var out wire.Answer
		s.ask("POST", "/v1/search", `{"query":"staging server heron","path":"memory/projects.md","since":"`+since+`"}`).into(t, &out)
		if got := len(out.Results) == 1; got != found || !found && !strings.Contains(out.Reason, "since:"+since) {
			t.Errorf("since %q: found %v, want %v; %s", since, got, found, out.Reason)
		}
	}
	if got := s.ask("POST", "/v1/search", `{"query":"heron","since":"2026-03-01T25:00:00Z"}`); got.status != 400 || !strings.Contains(got.body, "2026-03-02T10:32:00Z") {
		t.Errorf("no time: %d %s", got.status, got.body)
	}
}

// TestForgetAsked: a question only lists, until somebody who has seen the list agrees.
func TestForgetAsked(t *testing.T) {
	s := start(t, nil)
	var told engine.Outcome
	s.ask("POST", "/v1/remember", `{"text":"The staging server is called Heron","type":"project"}`).into(t, &told)
	for _, c := range []struct {
		query, more  string
		entries      int
		also, some   int
		stays        int
		removesTruly bool
	}{
		{"heron", "", 0, 1, 0, 1, false},
		{"heron", `,"all":true`, 1, 0, 0, 1, false},
		{"heron", `,"all":true,"yes":true,"dryRun":true`, 1, 0, 0, 1, false},
		{"heron", `,"yes":true`, 0, 1, 0, 1, true},
		{"heron 17", `,"yes":true,"all":true`, 0, 0, 1, 1, true}, // it has only one of them
		{"heron", `,"yes":true,"all":true`, 1, 0, 0, 0, true},
	} {
		var done engine.Forgetting
		s.ask("POST", "/v1/forget", `{"query":"`+c.query+`"`+c.more+`}`).into(t, &done)
		stays := strings.Count(s.read(told.Path), "Heron")
		if len(done.Entries) != c.entries || len(done.Also) != c.also || len(done.Some) != c.some || done.DryRun == c.removesTruly || stays != c.stays {
			t.Errorf("%s: %+v, and %d lines stay", c.more, done, stays)
		}
	}
}

// TestForgetGone: what stands in the history only is listed as that, and goes by a question
// and by its id.
func TestForgetGone(t *testing.T) {
	s := start(t, nil)
	for name, body := range map[string]func(engine.Outcome) string{
		"question": func(engine.Outcome) string { return `{"query":"forty crowns","yes":true` },
		"id":       func(told engine.Outcome) string { return `{"ref":"` + told.ID + `"` },
	} {
		var told engine.Outcome
		s.ask("POST", "/v1/remember", `{"text":"Otto owes me forty crowns for `+name+`","type":"contact"}`).into(t, &told)
		s.ask("POST", "/v1/undo", `{}`).into(t, &struct{}{})
		for _, more := range []string{`,"dryRun":true}`, `}`} {
			var done engine.Forgetting
			s.ask("POST", "/v1/forget", body(told)+more).into(t, &done)
			if len(done.Entries) != 0 || len(done.InHistory) != 1 || done.InHistory[0].ID != told.ID || done.InHistory[0].Path != told.Path {
				t.Errorf("by %s%s: %+v", name, more, done)
			}
		}
		var done engine.Forgetting
		if s.ask("POST", "/v1/forget", `{"query":"forty crowns"}`).into(t, &done); len(done.InHistory) != 0 {
			t.Errorf("by %s: it is there: %+v", name, done)
		}
	}
}

// TestUnknownField: a name that a body may not have is answered with those that it may.
func TestUnknownField(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct{ path, body, want string }{
		{"/v1/search", `{"query":"why","maxResults":1}`, `unknown field \"maxResults\"; there are: query, limit, mode, minScore, path, source, since, maxTokens, maxChars, explain`},
		{"/v1/search", `{"QUERY":"why","\u001b[31m":1}`, `unknown field \"\\x1b[31m\"; there are: query`},
		{"/v1/undo", `{"change":"x"}`, `unknown field \"change\"; there are: id`},
	} {
		if got := s.ask("POST", c.path, c.body); got.status != http.StatusBadRequest || !strings.Contains(got.body, c.want) {
			t.Errorf("%s: %d %s", c.body, got.status, got.body)
		}
	}
}

// TestList: pages of a list follow each other and hold everything once.
func TestList(t *testing.T) {
	s := start(t, nil)
	var paths []string
	for after := ""; ; {
		var page httpapi.List
		s.ask("GET", "/v1/notes?limit=1&after="+after, "").into(t, &page)
		for _, n := range page.Notes {
			paths = append(paths, n.Path)
		}
		if after = page.Next; after == "" {
			break
		}
	}
	if want := []string{"MEMORY.md", "memory/2026-03-02.md", "memory/preferences.md", "memory/日记.md"}; !slices.Equal(paths, want) {
		t.Errorf("%v", paths)
	}
}

// TestEvents: who listens is told what happens, and who was away is told what he
// missed, or that it was too much.
func TestEvents(t *testing.T) {
	s := start(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	listen := func(after string) *bufio.Scanner {
		req, err := http.NewRequestWithContext(ctx, "GET", s.url+"/v1/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		if after != "" {
			req.Header.Set("Last-Event-ID", after)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil || res.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
			t.Fatalf("%v, %v", res, err)
		}
		t.Cleanup(func() { res.Body.Close() })
		lines := bufio.NewScanner(res.Body)
		lines.Scan() // retry
		lines.Scan()
		return lines
	}
	next := func(lines *bufio.Scanner) (ev httpapi.Event) {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				if err := json.Unmarshal([]byte(data), &ev); err != nil {
					t.Fatal(err)
				}
				return ev
			}
		}
		t.Fatalf("no event: %v", lines.Err())
		return ev
	}
	live := listen("")
	s.ask("POST", "/v1/remember", `{"text":"The staging server is called heron","type":"project"}`)
	ev := next(live)
	if ev.Type != "written" || ev.Who != "remember" || !slices.Equal(ev.Paths, []string{"memory/projects.md"}) {
		t.Errorf("%+v", ev)
	}
	s.ask("POST", "/v1/search", `{"query":"heron","mode":"text"}`)
	if indexed := next(live); indexed.Type != "indexed" || !slices.Equal(indexed.Indexed, []string{"memory/projects.md"}) || indexed.ID != ev.ID+1 {
		t.Errorf("%+v", indexed)
	}
	if again := next(listen(fmt.Sprint(ev.ID))); again.ID != ev.ID+1 {
		t.Errorf("who missed one gets %+v", again)
	}
	if other := next(listen("999999")); other.Type != "reset" {
		t.Errorf("who comes from another run gets %+v", other)
	}
	for range 600 {
		s.events.Tell(httpapi.Event{Type: "written"})
	}
	if late := next(listen(fmt.Sprint(ev.ID))); late.Type != "reset" {
		t.Errorf("who missed too much gets %+v", late)
	}
	if wrong := s.ask("GET", "/v1/events", "", "Last-Event-ID", "x"); wrong.status != http.StatusBadRequest {
		t.Errorf("%d %s", wrong.status, wrong.body)
	}
}

// TestSavedUnfound: who saves a note that no search will find is told so, and why.
func TestSavedUnfound(t *testing.T) {
	s := start(t, nil)
	if err := os.WriteFile(filepath.Join(s.dir, ".gitignore"), []byte("drafts/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, tt := range map[string]struct{ text, want string }{
		"drafts/plan.md":       {"# Plan", "left out by an ignore rule"},
		"node_modules/it.md":   {"# It", "left out by an ignore rule"},
		"large.md":             {strings.Repeat("word ", 1<<20), "too large: 5.0 MiB, the limit is 4.0 MiB"},
		"empty.md":             {"", ""},
		"memory/2026-03-09.md": {"# A day", ""},
	} {
		var got httpapi.Saved
		s.ask("PUT", "/v1/notes/"+path, tt.text, "If-None-Match", "*", "Content-Type", "text/markdown").into(t, &got)
		var reason string
		if got.Skipped != nil {
			reason = got.Skipped.Reason
		}
		if got.Path != path || got.Change == nil || reason != tt.want || got.Skipped != nil && got.Skipped.Path != path {
			t.Errorf("%s: %+v, skipped %+v", path, got, got.Skipped)
		}
	}
}

// TestEventsOfAnotherRun: the ids of two runs of a server are different ones. So who was
// away while the server was started anew is told that he missed something, however much
// has happened since. Who has seen no event yet knows where he is, too.
func TestEventsOfAnotherRun(t *testing.T) {
	stream := func(s *server, after string) *bufio.Scanner {
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/v1/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		if after != "" {
			req.Header.Set("Last-Event-ID", after)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return bufio.NewScanner(res.Body)
	}
	// value returns what the next line of a field says.
	value := func(lines *bufio.Scanner, field string) string {
		t.Helper()
		for lines.Scan() && !strings.HasPrefix(lines.Text(), ":") { // a heartbeat: nothing comes
			if v, ok := strings.CutPrefix(lines.Text(), field+": "); ok {
				return v
			}
		}
		t.Fatalf("no %s: %v", field, lines.Err())
		return ""
	}
	first, second := start(t, nil), start(t, nil)
	begun := stream(first, "")
	before := value(begun, "id")
	first.events.Tell(httpapi.Event{Type: "written"})
	seen := value(begun, "id")
	if again := stream(first, before); value(again, "id") != before || value(again, "id") != seen {
		t.Error("who had seen nothing yet, and was away, does not get what he missed")
	}
	for range 9 {
		second.events.Tell(httpapi.Event{Type: "written"})
	}
	for _, id := range []string{before, seen} {
		if got := value(stream(second, id), "event"); got != "reset" {
			t.Errorf("who saw event %s of another run gets %s", id, got)
		}
	}
}

// TestOpenAPI: every answer is what the description says, and the reference shows all
// routes.
func TestOpenAPI(t *testing.T) {
	s := start(t, administered)
	var doc struct {
		OpenAPI    string `json:"openapi"`
		Components struct {
			Schemas map[string]json.RawMessage `json:"schemas"`
		} `json:"components"`
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct {
					Schema json.RawMessage `json:"schema"`
				} `json:"content"`
			} `json:"responses"`
		} `json:"paths"`
	}
	s.ask("GET", "/v1/openapi.json", "").into(t, &doc)
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("version %q", doc.OpenAPI)
	}
	check := func(path, method string, got reply) {
		t.Helper()
		code := "200"
		media := "application/json"
		if got.status >= 400 {
			code, media = "default", "application/problem+json"
		}
		raw := doc.Paths[path][method].Responses[code].Content[media].Schema
		if raw == nil || got.header.Get("Content-Type") != media {
			t.Errorf("%s %s: %d of type %q is not described", method, path, got.status, got.header.Get("Content-Type"))
			return
		}
		// The parts that are named stand below $defs for the validator.
		defs, _ := json.Marshal(doc.Components.Schemas)
		whole := strings.ReplaceAll(`{"$defs":`+string(defs)+`,"allOf":[`+string(raw)+`]}`, "#/components/schemas/", "#/$defs/")
		var schema jsonschema.Schema
		if err := json.Unmarshal([]byte(whole), &schema); err != nil {
			t.Fatal(err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
		var value any
		got.into(t, &value)
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%s %s: %v\n%s", method, path, err, got.body)
		}
	}
	tag := s.ask("GET", "/v1/notes/memory/2026-03-02.md", "").header.Get("ETag")
	asked := map[string]bool{}
	for _, c := range []struct{ method, path, of, body, header, value string }{
		{"POST", "/v1/search", "", `{"query":"why SQLite","explain":true}`, "", ""},
		{"POST", "/v1/search", "", `{}`, "", ""},
		{"POST", "/v1/why", "", `{"query":"why SQLite","path":"memory/2026-03-02.md"}`, "", ""},
		{"POST", "/v1/similar", "", `{"text":"Ann likes black tea"}`, "", ""},
		{"GET", "/v1/prime?message=tea", "/v1/prime", "", "", ""},
		{"GET", "/v1/status", "", "", "", ""},
		{"GET", "/v1/notes", "", "", "", ""},
		{"GET", "/v1/notes/MEMORY.md", "/v1/notes/{path}", "", "", ""},
		{"GET", "/v1/notes/MEMORY.md?from=1&to=2", "/v1/notes/{path}", "", "", ""},
		{"GET", "/v1/notes/none.md", "/v1/notes/{path}", "", "", ""},
		{"PUT", "/v1/notes/memory/2026-03-02.md", "/v1/notes/{path}", `{"text":"# Log\n"}`, "If-Match", tag},
		{"DELETE", "/v1/notes/memory/2026-03-02.md", "/v1/notes/{path}", "", "If-Match", "*"},
		{"POST", "/v1/remember", "", `{"text":"The staging server is called heron","type":"project"}`, "", ""},
		{"POST", "/v1/remember", "", `{"text":"The staging server is called osprey","type":"project","dryRun":true}`, "", ""},
		{"POST", "/v1/forget", "", `{"ref":"memory/projects.md#L3","dryRun":true}`, "", ""},
		{"POST", "/v1/forget", "", `{"query":"heron","all":true}`, "", ""},
		{"POST", "/v1/undo", "", `{}`, "", ""},
		{"POST", "/v1/tidy", "", `{}`, "", ""},
		{"GET", "/v1/entries?status=all", "/v1/entries", "", "", ""},
		{"GET", "/v1/history", "", "", "", ""},
		{"GET", "/v1/pages/memory/preferences.md", "/v1/pages/{path}", "", "", ""},
		{"GET", "/v1/days?from=2026-03-01&to=2026-03-31", "/v1/days", "", "", ""},
		{"GET", "/v1/picture", "", "", "", ""},
		{"POST", "/v1/sync", "", "", "", ""},
		{"GET", "/v1/secrets", "", "", "", ""},
		{"GET", "/v1/given", "", "", "", ""},
		{"GET", "/v1/sessions", "", "", "", ""},
		{"GET", "/v1/sessions/none", "/v1/sessions/{path}", "", "", ""},
		{"POST", "/v1/anthropic/memory", "", `{"command":"view","path":"/memories"}`, "", ""},
		{"POST", "/v1/anthropic/memory", "", `{"command":"view","path":"/memories/none.md"}`, "", ""},
		{"GET", "/v1/admin/workspaces", "", "", "Authorization", "Bearer admin"},
		{"GET", "/v1/admin/workspaces", "", "", "", ""},
		{"POST", "/v1/admin/workspaces", "", `{"name":"sales","quota":{"notes":1,"bytes":2,"requests":3}}`, "Authorization", "Bearer admin"},
		{"DELETE", "/v1/admin/workspaces/sales?yes=true", "/v1/admin/workspaces/{name}", "", "Authorization", "Bearer admin"},
		{"PUT", "/v1/admin/workspaces/sales/quota", "/v1/admin/workspaces/{name}/quota", `{"notes":1}`, "Authorization", "Bearer admin"},
		{"POST", "/v1/admin/workspaces/sales/tokens", "/v1/admin/workspaces/{name}/tokens", `{"name":"bot"}`, "Authorization", "Bearer admin"},
		{"DELETE", "/v1/admin/workspaces/sales/tokens/bot", "/v1/admin/workspaces/{name}/tokens/{token}", "", "Authorization", "Bearer admin"},
	} {
		path, _, _ := strings.Cut(c.path, "?")
		if c.of != "" {
			path = c.of
		}
		headers := []string{}
		if c.header != "" {
			headers = append(headers, c.header, c.value)
		}
		check(path, strings.ToLower(c.method), s.ask(c.method, c.path, c.body, headers...))
		asked[c.method+" "+strings.ReplaceAll(path, "{path}", "{path...}")] = true
	}
	for _, rt := range httpapi.Routes() {
		if !asked[rt.Method+" "+rt.Pattern] {
			t.Errorf("no answer of %s %s was looked at", rt.Method, rt.Pattern)
		}
	}
}

// TestOpenAPIOfNotes: a program that is made from the description can send Markdown, and
// knows of ETags, of days that may not be left out, and of who may listen.
func TestOpenAPIOfNotes(t *testing.T) {
	var doc struct {
		Paths map[string]map[string]struct {
			Permissions []string `json:"x-permissions"`
			Parameters  []struct {
				Name     string
				Required bool
			}
			RequestBody struct{ Content map[string]json.RawMessage }
			Responses   map[string]struct{ Headers map[string]json.RawMessage }
		}
	}
	if err := json.Unmarshal(httpapi.OpenAPI("v9"), &doc); err != nil {
		t.Fatal(err)
	}
	note := doc.Paths["/v1/notes/{path}"]
	if _, ok := note["put"].RequestBody.Content["text/markdown"]; !ok {
		t.Error("a note cannot be saved as Markdown")
	}
	if _, ok := note["get"].Responses["304"]; !ok {
		t.Error("nothing is said of a note that is the same")
	}
	for _, method := range []string{"get", "put"} {
		if _, ok := note[method].Responses["200"].Headers["ETag"]; !ok {
			t.Errorf("%s: nothing is said of the ETag", method)
		}
	}
	for _, p := range doc.Paths["/v1/days"]["get"].Parameters {
		if !p.Required {
			t.Errorf("%s may be left out", p.Name)
		}
	}
	for _, p := range doc.Paths["/v1/notes"]["get"].Parameters {
		if p.Required {
			t.Errorf("%s may not be left out", p.Name)
		}
	}
	if got := doc.Paths["/v1/events"]["get"].Permissions; !slices.Equal(got, []string{"private"}) {
		t.Errorf("who has %v may listen", got)
	}
}
