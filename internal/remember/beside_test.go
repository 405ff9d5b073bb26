package remember_test

import (
	"cmp"
	"slices"
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
		out := b.tell(remember.Request{Text: "The oven has four decks.", Type: "project"}, remember.Added, remember.New)
		got := b.notes()["memory/projects.md"]
		before, rest, _ := strings.Cut(got, oven+end+"- The oven has four decks.")
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
		out = b.tell(remember.Request{Text: "The oven has four decks.", Type: "contact"}, remember.Added, remember.New)
		if got := b.notes()["memory/projects.md"]; out.Path != "memory/contacts.md" || got != notes {
			t.Errorf("with another type: %+v and\n%q", out, got)
		}
	}
}

// TestStarts: a standing order and a taste stand on the shelf of their type, where a session
// that starts is given them, also when they are like an entry of another one.
func TestStarts(t *testing.T) {
	for _, test := range []struct{ file, there, told, typ string }{
		{"memory/contacts.md", "My native language is British English", "Always answer in British English", "instruction"},
		{"memory/contacts.md", "Ann reviews the pull requests", "Always ask Ann before merging pull requests", "instruction"},
		{"memory/projects.md", "The project harbour is written in Go", "I prefer table tests in the project harbour", "instruction"},
		{"memory/contacts.md", "我的母语是中文", "我喜欢简短的回答", "instruction"},
	} {
		b := newBench(t, map[string]string{test.file: "# Notes\n\n- " + test.there + "\n"}, withModel(t))
		if err := b.keeper.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		if out := b.tell(remember.Request{Text: test.told}, remember.Added, remember.New); out.Type != test.typ || out.Path == test.file {
			t.Errorf("%s: got %+v", test.told, out)
		}
	}
}

// TestSimilarPlaces: what is named as similar is named where it stands with the new entry
// in its place, so that the next request may name it by its lines.
func TestSimilarPlaces(t *testing.T) {
	b := newBench(t, map[string]string{"memory/projects.md": "# Projects\n\n- The project Otter ships on 14 May.\n- We decided to use Postgres for Otter.\n"}, withModel(t))
	if err := b.keeper.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	out := b.tell(remember.Request{Text: "Otter now ships on 2 June or later."}, remember.Added, remember.New)
	lines := strings.Split(b.notes()["memory/projects.md"], "\n")
	for _, s := range append(out.Similar, remember.Similar{Ref: remember.Ref{Place: remember.Place{Path: out.Path, StartLine: out.StartLine}}, Text: "Otter now ships"}) {
		if got := lines[s.StartLine-1]; !strings.HasPrefix(got, "- "+s.Text) {
			t.Errorf("%q is named at line %d, which is %q", s.Text, s.StartLine, got)
		}
	}
	if len(out.Similar) == 0 || out.StartLine != 4 || strings.Contains(out.Reason.Text, "nothing like it") {
		t.Errorf("got %+v", out)
	}
}

// TestTranslation: what is told in another language and may be something else stands beside
// the entry, and that is named.
func TestTranslation(t *testing.T) {
	for _, test := range []struct{ old, told string }{
		{"I take my coffee black.", "我喝咖啡不加糖。"},
		{"I am allergic to shellfish.", "Ich bin allergisch gegen Fisch."},
		{"Ich trinke meinen Kaffee ohne Zucker.", "In meinen Kaffee kommt Zucker."},
	} {
		notes := "# Preferences\n\n- " + test.old + "\n- The lamp in the hall stays on.\n"
		b := newBench(t, map[string]string{"memory/preferences.md": notes}, withModel(t))
		if err := b.keeper.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		out := b.tell(remember.Request{Text: test.told, Key: "k"}, remember.Added, remember.New)
		lines := strings.Split(b.notes()["memory/preferences.md"], "\n")
		if len(lines) != 6 || lines[2] != "- "+test.old || !strings.HasPrefix(lines[3], "- "+test.told+" <!-- ") {
			t.Errorf("got %q", lines)
		}
		if len(out.Similar) == 0 || out.Similar[0].Text != test.old {
			t.Errorf("similar is %+v", out.Similar)
		}
		b.tell(remember.Request{Text: test.told}, remember.Reinforced, remember.Same) // these words are there now
		if got := b.notes()["memory/preferences.md"]; strings.Count(got, test.told) != 1 {
			t.Errorf("told twice:\n%s", got)
		}
		b.tell(remember.Request{Text: test.told, Aside: true}, remember.Refused, remember.Same)
		if _, err := b.keeper.Undo(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		if _, err := b.keeper.Undo(t.Context(), out.Change); err != nil {
			t.Fatal(err)
		}
		if got := b.notes()["memory/preferences.md"]; got != notes {
			t.Errorf("undone, it is %q", got)
		}
		// What is known in other words only is no reason to leave words out.
		b.tell(remember.Request{Text: test.told, Type: "preference", Aside: true}, remember.Added, remember.New)
		if got := b.notes()["memory/preferences.md"]; !strings.HasPrefix(got, strings.TrimSuffix(notes, "\n")) || !strings.Contains(got, test.told) {
			t.Errorf("aside, the note is %q", got)
		}
	}
}

// TestSimilarOrder: the likeliest of the similar entries is named first.
func TestSimilarOrder(t *testing.T) {
	b := newBench(t, map[string]string{"memory/projects.md": "# Projects\n\n- The oven is a second-hand Bongard with three decks.\n- The oven has three decks.\n- The ferry leaves at nine.\n"}, withModel(t))
	if err := b.keeper.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := b.keeper.Similar(t.Context(), "The oven has four decks.", 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []float64
	for _, s := range all {
		got = append(got, s.Score)
	}
	if len(got) == 0 || !slices.IsSortedFunc(got, func(a, b float64) int { return cmp.Compare(b, a) }) {
		t.Errorf("got %v, want the likeliest first", got)
	}
}
