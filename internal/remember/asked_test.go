package remember_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/remember"
)

func textsOf(entries []remember.Entry) []string {
	texts := []string{}
	for _, e := range entries {
		texts = append(texts, e.Text)
	}
	slices.Sort(texts)
	return texts
}

// TestForgetAsked: a question also means superseded entries. It names those that replaced them,
// and others with its words, in any note.
func TestForgetAsked(t *testing.T) {
	const contacts = `# Contacts

- Marta Lindqvist's phone number is 070-555 12 34. <!-- id: aaaaaa | status: superseded | by: bbbbbb | until: 2026-02-01 -->
- Marta Lindqvist can be reached at 073-901 44 02. <!-- id: bbbbbb | replaces: aaaaaa -->
- Jonas Berg has a phone with two cards.
- 王芳的电话是 138-0013-8000。
`
	files := map[string]string{
		"memory/contacts.md":   contacts,
		"memory/2026-01-20.md": "- Lunch with Marta at the harbour.\n- The number of visitors was 12.\n- 王芳来过。\n",
		"garden.md":            "- Lindqvist sold us the roses; call 070-555 12 34.\n- The marten in the attic is back.\n",
	}
	for _, c := range []struct {
		question     string
		likely, also []string // nil likely: in either list
	}{
		{
			"Marta Lindqvist's phone number",
			[]string{"Marta Lindqvist's phone number is 070-555 12 34."},
			[]string{"Marta Lindqvist can be reached at 073-901 44 02.", "Lindqvist sold us the roses; call 070-555 12 34.", "Lunch with Marta at the harbour."},
		},
		{
			"070-555 12 34", nil,
			[]string{"Lindqvist sold us the roses; call 070-555 12 34.", "Marta Lindqvist's phone number is 070-555 12 34."},
		},
		{"王芳", nil, []string{"王芳来过。", "王芳的电话是 138-0013-8000。"}},
		{
			"lunch with marta at the harbour", // the words of an entry mean that one
			[]string{"Lunch with Marta at the harbour."},
			[]string{"Marta Lindqvist can be reached at 073-901 44 02.", "Marta Lindqvist's phone number is 070-555 12 34."},
		},
	} {
		b := newBench(t, files, withModel(t))
		got, err := b.keeper.Forget(t.Context(), remember.Target{Query: c.question}, true)
		if err != nil {
			t.Fatal(err)
		}
		listed := slices.Concat(textsOf(got.Entries), textsOf(got.Also), textsOf(got.Some), textsOf(got.Near))
		for _, want := range slices.Concat(c.likely, c.also) {
			if !slices.Contains(listed, want) {
				t.Errorf("%q does not name %q: %q", c.question, want, listed)
			}
		}
		if c.likely != nil && !slices.Equal(textsOf(got.Entries), c.likely) {
			t.Errorf("%q: likely are %q, want %q", c.question, textsOf(got.Entries), c.likely)
		}
		if b.notes()["memory/contacts.md"] != contacts {
			t.Fatal("listing changed a note")
		}
	}
}

// TestForgetAskedAll: when all that was named is to go, no file holds a word of it. What
// was only named stays otherwise.
func TestForgetAskedAll(t *testing.T) {
	files := map[string]string{
		"memory/contacts.md":   "- Bob's phone number is 555-0100. <!-- id: aaaaaa | status: superseded | by: bbbbbb -->\n- Bob's phone number is 555-0199. <!-- id: bbbbbb | replaces: aaaaaa -->\n- Ann is my sister.\n",
		"memory/2026-01-20.md": "- Dinner with Bob.\n",
	}
	b := newBench(t, files, withModel(t))
	done, err := b.keeper.Forget(t.Context(), remember.Target{Query: "Bob's phone number"}, false)
	if err != nil || len(done.Entries)+len(done.Written) != 0 || len(done.Also) != 2 || !slices.Equal(textsOf(done.Some), []string{"Dinner with Bob."}) {
		t.Fatalf("%+v, %v", done, err)
	}
	if done, err = b.keeper.Forget(t.Context(), remember.Target{Query: "Bob's phone number", All: true}, false); err != nil || len(done.Entries) != 2 || len(done.Also) != 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	if b.holds("555-0") || !b.holds("Dinner with Bob") || !b.holds("Ann is my sister") {
		t.Error("not what has the words is gone")
	}
	if done, err = b.keeper.Forget(t.Context(), remember.Target{Query: "Bob's phone number", All: true}, false); err != nil || len(done.Entries)+len(done.Written) != 0 {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err = b.keeper.Forget(t.Context(), remember.Target{Query: " …"}, true); err == nil {
		t.Error("a question without a word is none")
	}
}

// TestForgetAskedStrictly: All removes every entry with all of the words and no other, whatever
// names they share, in any language. Without All, none goes when several have the words.
func TestForgetAskedStrictly(t *testing.T) {
	for question, c := range map[string]struct{ having, lacking []string }{
		"Ida allergic to hazelnuts": {
			[]string{"Ida is allergic to hazelnuts.", "Ida is not allergic to hazelnuts, but to almonds."},
			[]string{"Ida's son Jonas is allergic to penicillin.", "Ida is allergic to pollen."},
		},
		"Geburtstag von Marek am 4. Mai": {
			[]string{"Der Geburtstag von Marek ist am 4. Mai.", "Am 4. Mai wird der Geburtstag von Marek gefeiert."},
			[]string{"Am 4. Mai ist der Termin von Marek."},
		},
		"王芳 电话":      {[]string{"王芳的电话是13800138000。", "王芳换了电话，是13900139000。"}, []string{"王芳住在上海。", "电话卡是移动的。"}},
		"アンナ 誕生日":    {[]string{"アンナの誕生日は5月3日です。", "アンナの誕生日は6月3日です。"}, []string{"アンナは京都に住んでいます。"}},
		"Bob desk 7": {[]string{"Bob sits at desk 7.", "The lamp on desk 7 is Bob's."}, []string{"Bob has 7 cats.", "The desk of Bob is new."}},
	} {
		for name, change := range map[string]func(*remember.Options){"by words": nil, "with the model": withModel(t)} {
			note := "# Contacts\n\n- " + strings.Join(slices.Concat(c.having, c.lacking), "\n- ") + "\n"
			b := newBench(t, map[string]string{"memory/contacts.md": note}, change)
			got, err := b.keeper.Forget(t.Context(), remember.Target{Query: question}, false)
			slices.Sort(c.having)
			if err != nil || len(got.Entries)+len(got.Written) != 0 || !slices.Equal(textsOf(got.Also), c.having) {
				t.Errorf("%s, %s: got %+v, %v", name, question, got, err)
			}
			got, err = b.keeper.Forget(t.Context(), remember.Target{Query: question, All: true}, false)
			if err != nil || !slices.Equal(textsOf(got.Entries), c.having) {
				t.Errorf("%s, %s, all: got %q, %v, want %q", name, question, textsOf(got.Entries), err, c.having)
			}
			for _, text := range c.lacking {
				if !strings.Contains(b.notes()["memory/contacts.md"], text) {
					t.Errorf("%s, %s: %q is gone", name, question, text)
				}
			}
		}
	}
}

// TestForgetAskedChains: entries that replaced another, or were replaced by it, are named and
// stay, even where notes say that they replaced each other.
func TestForgetAskedChains(t *testing.T) {
	for _, notes := range []string{
		"- The harbour office opens at nine. <!-- id: aaaaaa | status: superseded | by: cccccc -->\n- Quiet mornings for boats. <!-- id: bbbbbb | status: superseded | by: cccccc -->\n- Bob's phone number is 555-0199. <!-- id: cccccc -->\n",
		"- The harbour office opens at nine. <!-- id: aaaaaa | status: superseded | by: cccccc -->\n- Quiet mornings for boats. <!-- id: bbbbbb | status: superseded | by: aaaaaa -->\n- Bob's phone number is 555-0199. <!-- id: cccccc | by: bbbbbb -->\n",
	} {
		b := newBench(t, map[string]string{"memory/contacts.md": notes + "- Ann is my sister.\n"}, withModel(t))
		got, err := b.keeper.Forget(t.Context(), remember.Target{Query: "Bob's phone number", All: true}, false)
		want := []string{"Quiet mornings for boats.", "The harbour office opens at nine."}
		if err != nil || !slices.Equal(textsOf(got.Entries), []string{"Bob's phone number is 555-0199."}) || !slices.Equal(textsOf(got.Near), want) {
			t.Errorf("got %+v, %v of\n%s", got, err, notes)
		}
	}
}

// TestForgetOneOfTwo: a question whose words an entry holds does not mean another person's.
func TestForgetOneOfTwo(t *testing.T) {
	for question, c := range map[string]struct{ mine, other string }{
		"my mother's phone number": {"My mother's phone number is 0117 555 0132.", "My brother's phone number is 0117 555 0199."},
		"Tom's allergy to nuts":    {"Tom has an allergy to nuts.", "Emma has an allergy to eggs."},
		"妈妈的电话":                    {"妈妈的电话是13800138000。", "弟弟的电话是13900139000。"},
		"母の電話番号":                   {"母の電話番号は090-1234-5678です。", "弟の電話番号は090-8765-4321です。"},
	} {
		b := newBench(t, map[string]string{"memory/contacts.md": "# Contacts\n\n- " + c.mine + "\n- " + c.other + "\n"}, withModel(t))
		got, err := b.keeper.Forget(t.Context(), remember.Target{Query: question}, true)
		if err != nil || !slices.Equal(textsOf(got.Entries), []string{c.mine}) || !slices.Contains(textsOf(got.Near), c.other) {
			t.Errorf("%s: got %+v, %v", question, got, err)
		}
	}
}

// TestForgetAskedApart: what stays is told apart by how much of the question it has.
func TestForgetAskedApart(t *testing.T) {
	const likely, also = "Bob plays chess with Anna.", "In the harbour of Whitby a boat of thirty feet was bought last summer by Bob and Anna."
	b := newBench(t, map[string]string{"people.md": "- Bob lives in Leeds.\n- " + likely + "\n- " + also + "\n- The boiler code is 4411.\n- Anna has a boat.\n"}, nil)
	for _, all := range []bool{false, true} {
		got, err := b.keeper.Forget(t.Context(), remember.Target{Query: "Bob Anna", All: all}, true)
		want, stays := []string{}, []string{likely, also}
		if all {
			want, stays = stays, want
		}
		if err != nil || !slices.Equal(textsOf(got.Entries), want) || !slices.Equal(textsOf(got.Also), stays) ||
			!slices.Equal(textsOf(got.Some), []string{"Anna has a boat.", "Bob lives in Leeds."}) || len(got.Near) != 0 {
			t.Errorf("all %t: got %+v, %v", all, got, err)
		}
	}
	// Near is what is alike in meaning alone.
	const espresso = "I have an espresso at breakfast."
	b = newBench(t, map[string]string{"memory/learnings.md": "- Coffee is what I drink in the morning.\n- " + espresso + "\n"}, withModel(t))
	if err := b.keeper.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := b.keeper.Forget(t.Context(), remember.Target{Query: "coffee", All: true}, true)
	if err != nil || len(got.Entries) != 1 || len(got.Also)+len(got.Some) != 0 || !slices.Equal(textsOf(got.Near), []string{espresso}) {
		t.Errorf("got %+v, %v", got, err)
	}
}
