package httpapi_test

import (
	"encoding/json"
	"testing"

	"github.com/memoir-ai/memoir/internal/httpapi"
)

// TestSavedSecrets: an agent's token brings no secret into a note, and takes none out that the
// person keeps there. What the person saves is saved as it is.
func TestSavedSecrets(t *testing.T) {
	s := start(t, func(o *httpapi.Options) {
		o.Guard.Find = func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
			return "claude", []httpapi.Permission{httpapi.MayRead, httpapi.MayWrite}, d == httpapi.DigestOf("agent")
		}
	})
	const path, own = "memory/keys.md", "# Keys\n\n- the alarm password is Hx7-quokka-Z92!\n"
	save := func(text string, header ...string) (x httpapi.Saved) {
		t.Helper()
		body, err := json.Marshal(httpapi.NoteText{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		s.ask("PUT", "/v1/notes/"+path, string(body), header...).into(t, &x)
		return x
	}
	person := save(own, "If-None-Match", "*")
	if s.read(path) != own || person.Redacted {
		t.Errorf("the person's note is %q, %+v", s.read(path), person)
	}
	agent := save(own+"- the wifi password is Zx9-heron-Q71!\n", "If-Match", person.ETag, "Authorization", "Bearer agent")
	if want := own + "- the wifi password is [secret: password]\n"; s.read(path) != want || !agent.Redacted {
		t.Errorf("after the agent the note is %q, want %q; %+v", s.read(path), want, agent)
	}
	// The ETag is that of what was saved.
	if again := save(own+"- no more\n", "If-Match", agent.ETag, "Authorization", "Bearer agent"); again.Redacted || s.read(path) != own+"- no more\n" {
		t.Errorf("%+v, %q", again, s.read(path))
	}
}
