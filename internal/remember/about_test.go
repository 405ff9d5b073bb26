package remember_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/remember"
)

// TestAbout: a change says which entry it is about, as long as the history has it.
func TestAbout(t *testing.T) {
	b := newBench(t, nil, nil)
	about := func(want ...string) {
		t.Helper()
		all, err := b.keeper.History()
		if err != nil || len(all) != len(want) {
			t.Fatalf("%d changes, %v, want %d", len(all), err, len(want))
		}
		for i, c := range all {
			if got := remember.About(c); got != want[i] {
				t.Errorf("%s is about %q, want %q", c.Why, got, want[i])
			}
		}
	}
	bob := b.tell(remember.Request{Text: "Bob lives in Oslo.", Type: "contact"}, remember.Added, "new")
	b.tell(remember.Request{Text: "Ann lives in Bergen.", Type: "contact"}, remember.Added, "new")
	b.tell(remember.Request{Text: "Ann lives in Bergen.", Type: "contact"}, remember.Reinforced, "same")
	b.tell(remember.Request{Text: "Bob lives in Leeds.", Replaces: bob.ID}, remember.Superseded, "changed")
	if _, err := b.keeper.Undo(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	b.tell(remember.Request{Text: "Ann lives in Bergen.", Pin: true}, remember.Reinforced, "same")
	about("Bob lives in Oslo.", "Ann lives in Bergen.", "Ann lives in Bergen.", "Bob lives in Leeds.", "Bob lives in Leeds.", "Ann lives in Bergen.")
	b.forget(remember.Target{Ref: bob.ID}, 1)
	if b.holds("Oslo") {
		t.Error("it is still on disk")
	}
	all, err := b.keeper.History()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if got := remember.About(c); got == "Bob lives in Oslo." {
			t.Errorf("%+v is about what was forgotten", c)
		}
	}
}
