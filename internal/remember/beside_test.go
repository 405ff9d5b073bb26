package remember_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/remember"
)

// TestBeside: what may be about the same as an entry stands right after it, with every
// other byte of the note as it was, unless the caller has named another type.
func TestBeside(t *testing.T) {
	const oven, hens = "- The oven is a second-hand Bongard with three decks.", "- Das Haus hat drei Hühner 🐔."
	for _, end := range []string{"\n", "\r\n"} {
		notes := "\ufeff# Projects" + end + end + oven + end + hens + end
		b := newBench(t, map[string]string{"memory/projects.md": notes}, withModel(t))
		if err := b.keeper.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		out := b.tell(remember.Request{Text: "The Bongard died. A new electric Miwe stands in its place."}, remember.Added, remember.New)
		got := b.notes()["memory/projects.md"]
		before, rest, _ := strings.Cut(got, oven+end+"- The Bongard died.")
		_, after, _ := strings.Cut(rest, end)
		if out.Type != "project" || out.StartLine != 4 || before != "\ufeff# Projects"+end+end || after != hens+end {
			t.Errorf("got %+v and\n%q", out, got)
		}
		if _, err := b.keeper.Undo(t.Context(), out.Change); err != nil {
			t.Fatal(err)
		}
		if got := b.notes()["memory/projects.md"]; got != notes {
			t.Errorf("undone, it is %q", got)
		}
		out = b.tell(remember.Request{Text: "The Bongard died. A new electric Miwe stands in its place.", Type: "contact"}, remember.Added, remember.New)
		if got := b.notes()["memory/projects.md"]; out.Path != "memory/contacts.md" || got != notes {
			t.Errorf("with another type: %+v and\n%q", out, got)
		}
	}
}
