package analyze

import (
	"slices"
	"strings"
	"testing"
)

// TestIrregularForms: a question in one form of a word finds the others, and forms that are
// oftener another word are left alone.
func TestIrregularForms(t *testing.T) {
	found := func(question, text string) bool {
		terms := Document(nil, text)
		return slices.ContainsFunc(Query(question), func(q Term) bool { return q.Weight >= weightStem && slices.Contains(terms, q.Text) })
	}
	for _, c := range [][2]string{
		{"buy", "bought"}, {"bought", "buying"}, {"went", "goes"}, {"children", "child"}, {"child", "children's"}, {"wrote", "Written"},
		{"give", "gave"}, {"chose", "choosing"}, {"wives", "wife"}, {"spoken", "speaks"}, {"flew", "flying"},
	} {
		if !found(c[0], c[1]) {
			t.Errorf("%q does not find %q", c[0], c[1])
		}
	}
	for _, c := range [][2]string{{"left", "leave"}, {"bite", "a bit"}, {"lead", "led"}, {"see", "a saw"}, {"wentworth", "go"}} {
		if found(c[0], c[1]) {
			t.Errorf("%q finds %q", c[0], c[1])
		}
	}
	if got := slices.Sorted(slices.Values(formsOf()["go"])); !slices.Equal(got, []string{"goes", "gone", "went"}) {
		t.Errorf("go has the forms %q", got)
	}
	for word, want := range map[string]string{"left": "leave", "go": "go", "men": "man", "boat": ""} {
		if got := Plain(word); got != want {
			t.Errorf("Plain(%q) = %q, want %q", word, got, want)
		}
	}
}

// TestIrregularList: each form stands for one word, in small ASCII letters.
func TestIrregularList(t *testing.T) {
	of := map[string]string{}
	for line := range strings.Lines(list("irregular.en")) {
		words := strings.Fields(line)
		if len(words) == 1 {
			t.Errorf("%q has no other form", words[0])
		}
		for i, w := range words {
			w = strings.TrimPrefix(w, "?")
			if !letters(w) || of[w] != "" || i == 0 && words[0] != w {
				t.Errorf("%q of %q stands also for %q, or is no word", w, words[0], of[w])
			}
			of[w] = words[0]
		}
	}
	if len(of) < 200 {
		t.Errorf("%d forms", len(of))
	}
}
