package httpapi_test

import (
	"bufio"
	"encoding/json"
	"net/http"
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
