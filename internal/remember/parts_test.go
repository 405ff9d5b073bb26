package remember_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/remember"
)

// TestLists: a list of statements becomes so many entries, each with the heading before it, and
// one change takes all of them back. Lists of things and of steps stay one entry.
func TestLists(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"## Wifi at the cabin\n\n- The router is behind the stove\n- The guest network is called Huette\n* It drops out when it snows", []string{
			"Wifi at the cabin: The router is behind the stove", "Wifi at the cabin: The guest network is called Huette", "Wifi at the cabin: It drops out when it snows"}},
		{"- Mia swims on Tuesdays\r\n- Jon plays the cello on Fridays", []string{"Mia swims on Tuesdays", "Jon plays the cello on Fridays"}},
		{"露营要点：\n- 炉子在后备箱左边\n- 帐篷的钉子少了两个", []string{"露营要点：炉子在后备箱左边", "露营要点：帐篷的钉子少了两个"}},
		{"请记住以下几点：\n- 我对花生过敏\n- 王芳住在上海浦东", []string{"我对花生过敏", "王芳住在上海浦东"}},
		{"Please remember the following:\n1. I do not eat pork\n2. My sister Ida lives in Kiel", []string{"I do not eat pork", "My sister Ida lives in Kiel"}},
		{"Please remember Anna's allergies:\n- hazelnuts and walnuts\n- penicillin since 2019", []string{"Anna's allergies: hazelnuts and walnuts", "Anna's allergies: penicillin since 2019"}},
		{"Groceries for Sunday:\n- milk\n- eggs", nil},
		{"To restart the ledger:\n1. Stop the writer on host four\n2. Run the migration by hand", nil},
		{"# Cabin\n- The key is with Mrs Ito\n# Boat\n- The boat lies at pier four", nil},
		{"The cabin is cold in May.\n- Bring two blankets each time\n- Bring the old kettle along", nil},
	} {
		b := newBench(t, nil, nil)
		out := b.tell(remember.Request{Text: c.text, Type: "project", Key: "k"}, remember.Added, "new")
		if len(out.More) != max(0, len(c.want)-1) {
			t.Errorf("%q: got %d more outcomes", c.text, len(out.More))
		}
		note, at := b.notes()["memory/projects.md"], 0
		for _, want := range c.want {
			i := strings.Index(note, "- "+want+" <!-- ")
			if i < at {
				t.Errorf("%q: %q is not where it should be in\n%s", c.text, want, note)
			}
			at = max(i, at)
		}
		if c.want == nil && strings.Count("\n"+note, "\n- ") != 1 {
			t.Errorf("%q: got\n%s", c.text, note)
		}
		if again := b.tell(remember.Request{Text: c.text, Type: "project", Key: "k"}, remember.Added, "new"); !again.Repeated || b.notes()["memory/projects.md"] != note {
			t.Errorf("%q told twice with a key: got %+v", c.text, again)
		}
		if _, err := b.keeper.Undo(t.Context(), out.Change); err != nil {
			t.Fatal(err)
		}
		if got := b.notes()["memory/projects.md"]; got != "" {
			t.Errorf("%q after an undo: got\n%s", c.text, got)
		}
	}
}

// TestListTypes: without a heading that says something, each statement of a list has its own type,
// and none is refused for saying little alone. Below a heading all have one type.
func TestListTypes(t *testing.T) {
	for text, want := range map[string]map[string]int{
		"Please remember the following:\n- I prefer tea without milk\n- My sister Ida lives in Bremen\n- We decided to use Postgres, because its backups can be tested": {
			"memory/preferences.md": 1, "memory/contacts.md": 1, "memory/decisions.md": 1},
		"请记住以下几点：\n- 我喜欢喝不加糖的茶\n- 王芳是我姐姐，住在上海浦东":                                                       {"memory/preferences.md": 1, "memory/contacts.md": 1},
		"Anna's likes:\n- I heard that she prefers tea without milk\n- her sister Ida lives in Bremen": nil,
	} {
		b := newBench(t, nil, withModel(t))
		if _, err := b.keeper.Remember(t.Context(), remember.Request{Text: text}); err != nil {
			t.Fatal(err)
		}
		notes := b.notes()
		for path, n := range want {
			if strings.Count(notes[path], "\n- ") != n {
				t.Errorf("%q: got %q", text, notes)
			}
		}
		if want == nil && len(notes) != 1 {
			t.Errorf("%q: got %q", text, notes)
		}
		for path, note := range notes {
			if strings.Contains(note, "following") || strings.Contains(note, "以下") {
				t.Errorf("%q: %s is %q", text, path, note)
			}
		}
	}
}

// FuzzLists: no text is lost or told twice when it is taken apart.
func FuzzLists(f *testing.F) {
	for _, seed := range []string{"- one two three\n- four five six", "# a\n\n- b c d\n  - e f g\n- h i j", "x:\n-\n- \n", "- \x00\n-\t\n", "\n\n- a\n\n- b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n := 0
		out, err := remember.Severally(remember.Request{Text: text}, func(one remember.Request) (remember.Outcome, error) {
			for word := range strings.FieldsSeq(one.Text) {
				if !strings.Contains(text, strings.TrimRight(word, ":：")) && one.Text != text && !strings.ContainsAny(text, "\\&*_`[") {
					t.Errorf("%q has %q, which %q has not", one.Text, word, text)
				}
			}
			n++
			return remember.Outcome{}, nil
		})
		if err != nil || len(out.More) != n-1 {
			t.Errorf("%q: %d told, %d more, %v", text, n, len(out.More), err)
		}
	})
}
