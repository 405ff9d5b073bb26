package remember_test

import (
	"os"
	"path/filepath"
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

// TestLostAndToldAgain: what was told again, or says the same elsewhere, is not lost, and
// not brought back beside itself. An event of another day is another one.
func TestLostAndToldAgain(t *testing.T) {
	b := newBench(t, nil, nil)
	const dora, rowed = "Dora is my niece.", "Rowed to Hven with Piet and Dora."
	b.tell(remember.Request{Text: "Anna is my sister.", Type: "contact"}, remember.Added, "new")
	file, err := os.ReadFile(filepath.Join(b.root, "memory", "contacts.md"))
	if err != nil {
		t.Fatal(err)
	}
	saved := string(file)
	b.tell(remember.Request{Text: dora, Type: "contact"}, remember.Added, "new")
	b.tell(remember.Request{Text: rowed, Type: "journal"}, remember.Added, "journal")
	b.put("memory/contacts.md", saved)
	b.put("memory/2026-03-02.md", "# 2026-03-02\n")
	b.day(3)
	b.tell(remember.Request{Text: "dora is my niece", Pin: true, Type: "contact"}, remember.Added, "new")
	b.tell(remember.Request{Text: rowed, Type: "journal"}, remember.Added, "journal")
	lost, err := b.keeper.Restore(t.Context(), nil)
	if err != nil || len(lost) != 1 || lost[0].Text != rowed || lost[0].Path != "memory/2026-03-02.md" {
		t.Fatalf("got %+v, %v", lost, err)
	}
	all := b.notes()
	if strings.Contains(all["memory/contacts.md"], "Dora") || strings.Count(all["memory/2026-03-02.md"], rowed) != 1 {
		t.Errorf("got %+v", all)
	}
	// What no longer holds stands for nothing. Of what was lost twice the later one counts.
	b.put("memory/contacts.md", saved)
	b.put("MEMORY.md", "- "+dora+" <!-- status: superseded -->\n")
	if lost, err = b.keeper.Lost(t.Context()); err != nil || len(lost) != 1 || lost[0].Path != "MEMORY.md" {
		t.Errorf("got %+v, %v", lost, err)
	}
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
