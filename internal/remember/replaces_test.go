package remember_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/remember"
)

// TestReplacesInList: an item of any list that is named is marked, and what replaces it
// stands after it in the same list.
func TestReplacesInList(t *testing.T) {
	for name, c := range map[string]struct{ list, line string }{
		"indented":         {"   - Ann likes tea\n   - Bob likes rum\n   - Cid likes gin\n", "   - Bob likes"},
		"a little":         {" * Ann likes tea\n * Bob likes rum\n * Cid likes gin\n", " - Bob likes"},
		"numbered":         {"  1. Ann likes tea\n  2. Bob likes rum\n  3. Cid likes gin\n", "  - Bob likes"},
		"with more lines":  {"  - Ann likes tea\n    and cake\n  - Bob likes rum\n    and ice\n  - Cid likes gin\n", "  - Bob likes"},
		"with lists below": {"  - Ann likes tea\n    - green\n  - Bob likes rum\n    - dark\n  - Cid likes gin\n", "  - Bob likes"},
		"with tabs":        {"-\tAnn likes tea\n-\tBob likes rum\n-\tCid likes gin\n", "- Bob likes"},
		"with line ends":   {"  - Ann likes tea\r\n  - Bob likes rum\r\n  - Cid likes gin\r\n", "  - Bob likes"},
	} {
		b := newBench(t, map[string]string{"memory/preferences.md": "# Preferences\n\n" + c.list}, nil)
		ref := ""
		listed, err := b.keeper.Entries(t.Context(), remember.Filter{})
		if err != nil || len(listed) != 3 {
			t.Fatalf("%s: got %+v, %v", name, listed, err)
		}
		ref = "memory/preferences.md#L" + string(rune('0'+listed[1].StartLine))
		out := b.tell(remember.Request{Text: "Bob likes whisky now,\nand nothing else.", Replaces: ref}, remember.Superseded, "changed")
		if out.Path != "memory/preferences.md" || out.Replaces == nil || out.Replaces.ID == "" || out.StartLine != out.Replaces.EndLine+1 {
			t.Errorf("%s: got %+v", name, out)
		}
		if text := b.notes()[out.Path]; !strings.Contains(text, c.line+" whisky now,") {
			t.Errorf("%s: got\n%s", name, text)
		}
		// Lines that move change nothing of that.
		b.forget(remember.Target{Ref: listed[0].Path + "#L" + string(rune('0'+listed[0].StartLine))}, 1)
		active, err := b.keeper.Entries(t.Context(), remember.Filter{})
		if err != nil || len(active) != 2 || active[0].Text != "Bob likes whisky now,\nand nothing else." || active[1].Text != "Cid likes gin" {
			t.Errorf("%s: active are %+v, %v", name, active, err)
		}
	}
}

// TestOutsideReplacesNothing: what a person, an agent or another memory said stays, also when
// the web or a tool names it. What these say instead is quoted, and the answer says so.
func TestOutsideReplacesNothing(t *testing.T) {
	const old, newer = "The IBAN of Acme for invoices ends in 4471", "The IBAN of Acme for invoices ends in 9920 since Monday"
	for _, model := range []func(*remember.Options){nil, withModel(t)} {
		for _, origin := range []string{remember.User, remember.Agent, remember.Import} {
			b := newBench(t, nil, model)
			kept := b.tell(remember.Request{Text: old, Type: "contact", Origin: origin}, remember.Added, "new")
			before := b.notes()
			for _, pin := range []bool{false, true} {
				out := b.tell(remember.Request{Text: newer, Type: "contact", Origin: remember.Web, Replaces: kept.ID, Pin: pin, DryRun: true}, remember.Added, "journal")
				if out.Path != "memory/2026-03-02.md" || out.Replaces != nil || len(out.Similar) == 0 || out.Similar[0].ID != kept.ID || !strings.Contains(out.Reason.Text, "outside") {
					t.Errorf("got %+v", out)
				}
				b.check(before)
			}
			b.tell(remember.Request{Text: newer, Origin: remember.Tool, Replaces: kept.ID}, remember.Added, "journal")
			before["memory/2026-03-02.md"] = "# 2026-03-02\n\n- > " + newer + " <!-- id: X | origin: tool -->\n"
			b.check(before)
			b.tell(remember.Request{Text: old, Origin: remember.Web, Replaces: kept.ID}, remember.Reinforced, "same")
			// The gate knows no mercy, because the text gets no sense from what it names.
			b.tell(remember.Request{Text: "9920", Origin: remember.Web, Replaces: kept.ID}, remember.Refused, "too-short")
		}
		b := newBench(t, map[string]string{"memory/contacts.md": "- By hand, " + old + "\n"}, model)
		b.tell(remember.Request{Text: newer, Origin: remember.Web, Replaces: "memory/contacts.md#L1"}, remember.Added, "journal")
	}
	b := newBench(t, nil, nil)
	web := b.tell(remember.Request{Text: old, Type: "contact", Origin: remember.Web}, remember.Added, "new")
	b.tell(remember.Request{Text: newer, Origin: remember.Tool, Replaces: web.ID}, remember.Superseded, "changed")
}

// TestReplacedAbove: the answer names the line at which the text stands in the end, also when
// the mark of what it replaces takes a line above it.
func TestReplacedAbove(t *testing.T) {
	b := newBench(t, map[string]string{"memory/instructions.md": "# Instructions\n\n- Deploy with:\n  ```\n  make deploy\n  ```\n- Ask Kim before a release\n- Deploy with make ship\n"}, nil)
	out := b.tell(remember.Request{Text: "Deploy with make ship", Type: "instruction", Replaces: "memory/instructions.md#L3"}, remember.Superseded, "changed")
	lines := strings.Split(b.notes()["memory/instructions.md"], "\n")
	if got := lines[out.StartLine-1]; !strings.HasPrefix(got, "- Deploy with make ship") || out.EndLine != out.StartLine {
		t.Errorf("line %d is %q of\n%s", out.StartLine, got, strings.Join(lines, "\n"))
	}
}

// TestReplacesNowhere: a citation of a place where no note can be names no entry, and says
// what lists them.
func TestReplacesNowhere(t *testing.T) {
	b := newBench(t, nil, nil)
	for _, ref := range []string{"#L3", "../notes.md#L1", "/etc/hosts#L1", ".hidden.md#L1", "memory/gone.md#L1", "memory#L1"} {
		_, err := b.keeper.Remember(t.Context(), remember.Request{Text: "The standup is at 9:30", Type: "project", Replaces: ref})
		if !errors.Is(err, memoir.ErrNotFound) || memoir.Hint(err) == "" {
			t.Errorf("%s: %v [%s]", ref, err, memoir.Hint(err))
		}
	}
}
