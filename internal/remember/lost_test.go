package remember_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/remember"
)

func TestLost(t *testing.T) {
	b := newBench(t, nil, nil)
	expect := func(when string, want ...string) {
		t.Helper()
		lost, err := b.keeper.Lost(t.Context())
		if err != nil || len(lost) != len(want) {
			t.Fatalf("%s: got %+v, %v, want %q", when, lost, err, want)
		}
		for i, text := range want {
			if lost[i].Text != text || lost[i].ID == "" || lost[i].Change == "" || lost[i].Path == "" {
				t.Errorf("%s: got %+v, want %q", when, lost[i], text)
			}
		}
	}
	expect("before all")
	anna := b.tell(remember.Request{Text: "Anna is my sister\nand lives in Ghent.", Type: "contact"}, remember.Added, "new")
	b.tell(remember.Request{Text: "Bob is my brother.", Type: "contact"}, remember.Added, "new")
	b.tell(remember.Request{Text: "We took the green tiles.", Type: "decision"}, remember.Added, "new")
	b.tell(remember.Request{Text: "Anna is my sister\nand lives in Ghent."}, remember.Reinforced, "same")
	b.tell(remember.Request{Text: "Anna lives in Bruges.", Replaces: anna.ID}, remember.Superseded, "changed")
	b.tell(remember.Request{Text: "We took the green tiles.", Pin: true}, remember.Reinforced, "same")
	expect("nothing is")

	undone := b.tell(remember.Request{Text: "Cleo is my aunt.", Type: "contact"}, remember.Added, "new")
	if _, err := b.keeper.Undo(t.Context(), undone.Change); err != nil {
		t.Fatal(err)
	}
	forgotten := b.tell(remember.Request{Text: "Dora is my niece.", Type: "contact"}, remember.Added, "new")
	b.forget(remember.Target{Ref: forgotten.ID}, 1)
	expect("taken back and forgotten")

	// An editor saves what it has had open.
	b.put("memory/contacts.md", "# Contacts\n\n- Edited by hand.\n")
	expect("an editor saved", "Anna is my sister\nand lives in Ghent.", "Bob is my brother.", "Anna lives in Bruges.")
	b.put("notes/found.md", "- Bob is my brother. <!-- id: "+lostID(t, b, "Bob")+" -->\n")
	expect("one is elsewhere", "Anna is my sister\nand lives in Ghent.", "Anna lives in Bruges.")
}

func lostID(t *testing.T, b *bench, word string) string {
	t.Helper()
	lost, err := b.keeper.Lost(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lost {
		if strings.Contains(l.Text, word) {
			return l.ID
		}
	}
	t.Fatalf("%s is not lost", word)
	return ""
}
