package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/httpapi"
)

// TestSavedForgotten: an agent's token brings back nothing that was forgotten on purpose, by a
// note or by what it tells. The person may.
func TestSavedForgotten(t *testing.T) {
	s := start(t, func(o *httpapi.Options) {
		o.Guard.Find = func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
			return "claude", []httpapi.Permission{httpapi.MayRead, httpapi.MayWrite, httpapi.MayPrivate}, d == httpapi.DigestOf("agent")
		}
	})
	const path, own, otto = "memory/debts.md", "# Debts\n\n- Anna owes me a tent.\n", "- Otto owes me forty crowns.\n"
	save := func(text string, header ...string) reply {
		t.Helper()
		body, err := json.Marshal(httpapi.NoteText{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return s.ask("PUT", "/v1/notes/"+path, string(body), header...)
	}
	save(own+otto, "If-None-Match", "*")
	s.ask("POST", "/v1/forget", `{"ref":"`+path+`#L4"}`)
	tag := s.ask("GET", "/v1/notes/"+path, "").header.Get("ETag")
	refused := save(own+"- Otto owes me *forty* crowns\n", "If-Match", tag, "Authorization", "Bearer agent")
	if refused.status != http.StatusBadRequest || !strings.Contains(string(refused.body), "line 4 was forgotten on purpose") || s.read(path) != own {
		t.Errorf("%d %s, the note is %q", refused.status, refused.body, s.read(path))
	}
	tell := func(text string, header ...string) (out engine.Outcome) {
		t.Helper()
		s.ask("POST", "/v1/remember", `{"text":"`+text+`","type":"project","dryRun":true}`, header...).into(t, &out)
		return out
	}
	if got := tell("Otto owes me forty crowns", "Authorization", "Bearer agent"); got.Outcome != engine.Refused || got.Reason.Code != "forgotten" {
		t.Errorf("what a token tells: %+v", got)
	}
	if got := tell("Otto owes me forty crowns"); got.Outcome != engine.Added {
		t.Errorf("what the owner tells: %+v", got)
	}
	if got := save(own+otto, "If-Match", tag); got.status != http.StatusOK || s.read(path) != own+otto {
		t.Errorf("the owner: %d %s, the note is %q", got.status, got.body, s.read(path))
	}
}

// TestEventsOfRevokedToken: a token that is revoked hears no event any more.
func TestEventsOfRevokedToken(t *testing.T) {
	var revoked atomic.Bool
	s := start(t, func(o *httpapi.Options) {
		o.Guard.Find = func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
			return "claude", httpapi.Permissions(), d == httpapi.DigestOf("agent") && !revoked.Load()
		}
	})
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/v1/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer agent")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	until := func(begin string) bool {
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), begin) {
				return true
			}
		}
		return false
	}
	if !until("id: ") {
		t.Fatal(lines.Err())
	}
	s.events.Tell(httpapi.Event{Type: "written"})
	if !until("event: written") {
		t.Fatal(lines.Err())
	}
	revoked.Store(true)
	s.events.Tell(httpapi.Event{Type: "written"})
	if until("event: ") || lines.Err() != nil {
		t.Errorf("the stream goes on: %q, %v", lines.Text(), lines.Err())
	}
}

// TestNoTokenIsTheUser: a token never tells as the user, over the API and by the tools of MCP,
// whatever it claims, and brings back nothing that was forgotten.
func TestNoTokenIsTheUser(t *testing.T) {
	var tool func(context.Context, engine.Statement) (engine.Outcome, error)
	s := start(t, func(o *httpapi.Options) {
		o.Guard = httpapi.Guard{Tickets: httpapi.NewTickets(), Find: func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
			return "claude", httpapi.Permissions(), d == httpapi.DigestOf("agent")
		}}
		tool = httpapi.Recorder{Events: o.Events, Audit: o.Audit}.Writer(o.Memory.(memory)).Remember
		o.Handlers = map[string]http.Handler{"/mcp": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			out, err := tool(r.Context(), engine.Statement{Text: r.URL.Query().Get("text"), Origin: "user"})
			if err != nil {
				w.WriteHeader(http.StatusInternalServerError)
			}
			fmt.Fprint(w, out.Outcome)
		})}
	})
	ask := func(token, method, path, body string) reply {
		return s.ask(method, path, body, "Authorization", "Bearer "+token)
	}
	tell := func(token, text, origin string) engine.Outcome {
		var out engine.Outcome
		ask(token, "POST", "/v1/remember", `{"text":"`+text+`","type":"project","origin":"`+origin+`"}`).into(t, &out)
		return out
	}
	if out := tell("agent", "The staging server is called heron", "user"); !strings.Contains(s.read(out.Path), "origin: agent") || strings.Contains(s.read(out.Path), "origin: user") {
		t.Errorf("%+v: %s", out, s.read(out.Path))
	}
	if got := ask("agent", "GET", "/mcp?text=The+backup+server+is+called+stork,+in+Oslo", ""); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
	var all []engine.Entry
	ask("secret", "GET", "/v1/entries?status=all", "").into(t, &all)
	if i := slices.IndexFunc(all, func(e engine.Entry) bool { return strings.Contains(e.Text, "stork") }); i < 0 || all[i].Origin != "agent" {
		t.Errorf("by a tool: %+v", all)
	}
	if out := tell("agent", "The mail server is called crane", "web"); !strings.Contains(s.read(out.Path), "origin: web") {
		t.Errorf("an origin that is no more than an agent's: %+v: %s", out, s.read(out.Path))
	}
	ask("secret", "POST", "/v1/forget", `{"query":"staging server heron","yes":true}`)
	if out := tell("agent", "The staging server is called heron", "user"); out.Outcome != "refused" || out.Reason.Code != "forgotten" {
		t.Errorf("what was forgotten: %+v", out)
	}
	if out := tell("secret", "The staging server is called heron", "user"); out.Outcome != "added" || !strings.Contains(s.read(out.Path), "origin: user") {
		t.Errorf("the user: %+v", out)
	}
}
