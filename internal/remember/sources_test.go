package remember_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/remember"
)

// TestConfirmed: of those who said the same, the one who is trusted most counts, and no
// session that others have confirmed is its only source.
func TestConfirmed(t *testing.T) {
	const text = "Acme pays its invoices within 60 days since the merger"
	for _, c := range []struct{ first, second, want string }{
		{remember.Web, remember.User, remember.User},
		{remember.Tool, remember.Agent, remember.Agent},
		{remember.Web, remember.Import, remember.Import},
		{remember.Agent, remember.User, remember.User},
		{remember.Import, remember.Agent, remember.Agent},
		{remember.User, remember.Web, remember.User},
		{remember.Agent, remember.Import, remember.Agent},
		{remember.Tool, remember.Web, remember.Tool},
	} {
		for _, typ := range []string{"contact", "journal"} {
			for _, pin := range []bool{false, typ == "contact"} {
				b := newBench(t, nil, nil)
				b.tell(remember.Request{Text: text, Type: typ, Origin: c.first, Session: "s1"}, remember.Added, map[string]string{"contact": "new", "journal": "journal"}[typ])
				b.tell(remember.Request{Text: text, Type: typ, Origin: c.second, Pin: pin}, remember.Reinforced, "same")
				listed, err := b.keeper.Entries(t.Context(), remember.Filter{})
				if err != nil || len(listed) != 1 || listed[0].Origin != c.want || listed[0].Session != "" {
					t.Errorf("%s, %s and %s: got %+v, %v, want %s and no session", typ, c.first, c.second, listed, err, c.want)
				}
				if note := b.notes()[listed[0].Path]; strings.Contains(note, "session") {
					t.Errorf("got\n%s", note)
				}
				if _, err := b.keeper.Forget(t.Context(), remember.Target{Session: "s1"}, true); !errors.Is(err, memoir.ErrNotFound) {
					t.Errorf("the session means it: %v", err)
				}
			}
		}
	}
	b := newBench(t, nil, nil)
	for _, session := range []string{"s1#L4", "s1#L90", "s1"} {
		b.tell(remember.Request{Text: text, Type: "contact", Session: session}, map[bool]string{true: remember.Added, false: remember.Reinforced}[session == "s1#L4"], map[bool]string{true: "new", false: "same"}[session == "s1#L4"])
	}
	if listed, err := b.keeper.Entries(t.Context(), remember.Filter{}); err != nil || len(listed) != 1 || listed[0].Session != "s1#L4" {
		t.Errorf("told again in the same session: got %+v, %v", listed, err)
	}
}

// TestMergedSources: the same holds where tidy makes one entry of several.
func TestMergedSources(t *testing.T) {
	for name, c := range map[string]struct{ first, second, want string }{
		"more trusted":      {"origin: web | session: s1", "origin: agent | session: s1", "origin: agent | session: s1"},
		"as trusted":        {"origin: tool | session: s1", "origin: web | session: s2", "origin: tool"},
		"less trusted":      {"origin: user", "origin: import", "origin: user"},
		"a person's own":    {"origin: web | session: s1", "last: 2026-02-02", ""},
		"another's session": {"origin: user | session: s1#L3", "origin: user | session: s1#L9", "origin: user | session: s1#L3"},
	} {
		b := newBench(t, map[string]string{"memory/contacts.md": "- Ann lives in Oslo <!-- id: aaaaaaaa | observed: 2026-01-05 | " + c.first + " -->\n- Ann lives in Oslo <!-- id: bbbbbbbb | observed: 2026-02-01 | " + c.second + " -->\n"}, nil)
		b.tidy(remember.TidyOptions{Apply: true})
		want := "- Ann lives in Oslo <!-- id: X | observed: 2026-01-05"
		if c.want != "" {
			want += " | " + c.want
		}
		if got := b.notes()["memory/contacts.md"]; !strings.HasPrefix(got, want+" | count: 1") || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: got\n%swant\n%s …", name, got, want)
		}
	}
}
