package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/memoir-ai/memoir/internal/httpapi"
)

// TestSavedOrigins: what an agent's token saves is at most the agent's, and takes nothing from
// the origin that an entry has. What it leaves alone, and what has no comment, stays as it is.
func TestSavedOrigins(t *testing.T) {
	s := start(t, func(o *httpapi.Options) {
		o.Guard.Find = func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
			return "claude", []httpapi.Permission{httpapi.MayRead, httpapi.MayWrite}, d == httpapi.DigestOf("agent")
		}
	})
	const mine, web = "- Mine. <!-- id: aa | origin: user -->\n", "- 网页。 <!-- id: bb | origin: web -->\n"
	head := "# Sources\r\n\r\n" + mine
	n, path := 0, ""
	save := func(text string, header ...string) (x httpapi.Saved) {
		t.Helper()
		body, err := json.Marshal(httpapi.NoteText{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		s.ask("PUT", "/v1/notes/"+path, string(body), header...).into(t, &x)
		return x
	}
	for name, x := range map[string]struct{ old, sent, want string }{
		"raised":                 {web, "- 网页。 <!-- id: bb | origin: user -->\n", web},
		"raised to the agent":    {web, "- 网页。 <!-- id: bb | origin: agent -->\n", web},
		"another as little":      {web, "- 网页。 <!-- id: bb | origin: tool -->\n", web},
		"raised without id":      {web, "- 网页。 <!-- origin: User -->\n", "- 网页。 <!-- origin: web -->\n"},
		"raised with new words":  {web, "- Other. <!-- id: bb | origin: user -->\n", "- Other. <!-- id: bb | origin: web -->\n"},
		"under a user's id":      {web, "- 网页。 <!-- id: aa | origin: user -->\n", "- 网页。 <!-- id: aa | origin: web -->\n"},
		"copied as the user's":   {web, web + "- 网页。 <!-- origin: user -->\n", web + "- 网页。 <!-- origin: web -->\n"},
		"dropped":                {web, "- 网页。\n", "- 网页。 <!-- origin: web -->\n"},
		"dropped with new words": {web, "- Other. <!-- id: bb -->\n", "- Other. <!-- id: bb | origin: web -->\n"},
		"invented":               {"", "- New. <!-- origin: user -->\n", "- New. <!-- origin: agent -->\n"},
		"invented elsewhere":     {"", "> New. <!-- type: fact | origin: boss -->\n", "> New. <!-- type: fact | origin: agent -->\n"},
		"no origin in a comment": {"", "- New. <!-- id: cc -->\n", "- New. <!-- id: cc | origin: agent -->\n"},
		"lowered":                {"", "- New. <!-- origin: web -->\n", "- New. <!-- origin: web -->\n"},
		"two of the same words":  {"- Mine. <!-- origin: web -->\n", "- Mine. <!-- origin: web -->\n- more\n", "- Mine. <!-- origin: web -->\n- more\n"},
		"no comments":            {"- one\r\n", "- one, more\r\n\r\n two  \r\n```\n<!-- origin: user -->\n```\n", "- one, more\r\n\r\n two  \r\n```\n<!-- origin: user -->\n```\n"},
	} {
		n++
		path = fmt.Sprintf("memory/sources-%d.md", n)
		was := save(head+x.old, "If-None-Match", "*")
		save(head+x.sent, "If-Match", was.ETag, "Authorization", "Bearer agent")
		if got := s.read(path); got != head+x.want {
			t.Errorf("%s:\n%q, want\n%q", name, got, head+x.want)
		}
	}
	// A comment that stands apart from its entry is not rewritten: nothing is saved.
	path = "memory/apart.md"
	was := save(head, "If-None-Match", "*")
	body, err := json.Marshal(httpapi.NoteText{Text: head + "\n<!-- observed: 2026-03-02 | origin: user -->\n- New.\n"})
	if err != nil {
		t.Fatal(err)
	}
	if r := s.ask("PUT", "/v1/notes/"+path, string(body), "If-Match", was.ETag, "Authorization", "Bearer agent"); r.status != http.StatusBadRequest {
		t.Errorf("%d %s", r.status, r.body)
	}
	if got := s.read(path); got != head {
		t.Errorf("the note is %q", got)
	}
}
