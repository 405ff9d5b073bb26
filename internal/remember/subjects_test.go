package remember_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOwnSubjects asks about what the notes know, but do not tell, and counts how often
// the first hit is taken for an answer, beside questions that the notes answer.
func TestOwnSubjects(t *testing.T) {
	if testing.Short() {
		t.Skip("eight hundred facts are many")
	}
	type counts struct{ untold, untoldConfident, right, rightConfident int }
	samples, all := map[string]*counts{}, counts{}
	memories := map[string]*memory{"examples": newMemory(t, true), "facts": newMemory(t, true)}
	if err := os.CopyFS(memories["examples"].root, os.DirFS(filepath.Join("..", "..", "examples", "notes"))); err != nil {
		t.Fatal(err)
	}
	shelve(t, memories["facts"].root, statements(t), 0)
	for _, m := range memories {
		index(t, m.engine)
	}
	for _, f := range fields(t, filepath.Join("testdata", "subjects.tsv"), 5) {
		if samples[f[0]] == nil {
			samples[f[0]] = new(counts)
		}
		a := memories[f[2]].look(f[4])
		for _, c := range []*counts{samples[f[0]], &all} {
			switch {
			case f[3] == "-" && a.confident:
				c.untoldConfident++
				fallthrough
			case f[3] == "-":
				c.untold++
			case strings.Contains(a.first, f[3]) && a.confident:
				c.rightConfident++
				fallthrough
			case strings.Contains(a.first, f[3]):
				c.right++
			}
		}
	}
	for sample, c := range samples {
		t.Logf("sample %s: %+v", sample, *c)
	}
	if all.untoldConfident*100 > all.untold*49 || all.rightConfident*100 < all.right*90 || all.right < 80 {
		t.Errorf("%+v", all)
	}
}

// TestFamily asks what is known of one of a family, and what is known of another one alone:
// that is no answer.
func TestFamily(t *testing.T) {
	askedOf(t, "family", 25, 90)
}

// TestOwners asks what is known of somebody's or something's, and what is known of that of
// another alone.
func TestOwners(t *testing.T) {
	askedOf(t, "owners", 55, 90)
}

// TestAcquaintances asks about people whom the notes name, and what the notes tell of others
// or of the one who tells alone.
func TestAcquaintances(t *testing.T) {
	askedOf(t, "acquaintances", 30, 90)
}

// TestWhose asks what is known of somebody's or something's in further languages, and what
// the notes tell of another, or of that one only something else.
func TestWhose(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	samples, all := map[string]*askedCounts{}, askedCounts{}
	for _, language := range []string{"es", "fr", "pt", "it", "de", "ko"} {
		lines := fields(t, filepath.Join("testdata", "whose", language+".tsv"), 3)
		notes := map[string]string{}
		for _, f := range lines {
			if f[1] == "note" {
				notes[f[0]] += "- " + f[2] + "\n"
			}
		}
		for sample, text := range notes {
			m := newMemory(t, true)
			if err := os.WriteFile(filepath.Join(m.root, "notes.md"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			index(t, m.engine)
			ofLanguage := askedCounts{}
			if samples[sample] == nil {
				samples[sample] = new(askedCounts)
			}
			for _, f := range lines {
				if f[0] == sample && f[1] != "note" {
					m.count(sample+" "+language, f[1], f[2], samples[sample], &ofLanguage, &all)
				}
			}
			t.Logf("sample %s, %s: %+v", sample, language, ofLanguage)
		}
	}
	for sample, c := range samples {
		t.Logf("sample %s: %+v", sample, *c)
	}
	if all.untoldConfident*100 > all.untold*47 || all.rightConfident*100 < all.told*97 {
		t.Errorf("%+v", all)
	}
}

// askedCounts counts questions without an answer and those with one.
type askedCounts struct{ untold, untoldConfident, told, right, rightConfident int }

// count asks a question, to which the answer is "-" where no note tells it, and counts what
// comes of it.
func (m *memory) count(about, answer, question string, counts ...*askedCounts) {
	m.t.Helper()
	a := m.look(question)
	right := strings.Contains(a.first, answer)
	for _, c := range counts {
		switch {
		case answer == "-":
			c.untold++
			if a.confident {
				c.untoldConfident++
			}
		default:
			c.told++
			if right {
				c.right++
			}
			if right && a.confident {
				c.rightConfident++
			}
		}
	}
	if answer == "-" && a.confident || answer != "-" && !(right && a.confident) {
		m.t.Logf("%s %s %q: confident %t, %.90q", about, answer, question, a.confident, a.first)
	}
}

// askedOf asks the questions of a file about the note of that name. At most untold percent
// of those that it does not answer may have a confident answer, and right percent of the
// others at least must.
func askedOf(t *testing.T, name string, untold, right int) {
	t.Helper()
	m := newMemory(t, true)
	notes, err := os.ReadFile(filepath.Join("testdata", name+".md"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(m.root, "people.md"), notes, 0o600); err != nil {
		t.Fatal(err)
	}
	index(t, m.engine)
	samples, all := map[string]*askedCounts{}, askedCounts{}
	for _, f := range fields(t, filepath.Join("testdata", name+".tsv"), 4) {
		if samples[f[0]] == nil {
			samples[f[0]] = new(askedCounts)
		}
		m.count(f[0], f[2], f[3], samples[f[0]], &all)
	}
	for sample, c := range samples {
		t.Logf("sample %s: %+v", sample, *c)
	}
	if all.untoldConfident*100 > all.untold*untold || all.rightConfident*100 < all.told*right {
		t.Errorf("%+v", all)
	}
}
