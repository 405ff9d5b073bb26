package judge_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/judge"
)

// TestSubjects: a change in one matter of a thing, an organisation, an event or an animal takes
// nothing back of another, and within a matter it does.
func TestSubjects(t *testing.T) {
	type figures struct{ pairs, taken, changes, found int }
	most := map[string]figures{"kept": {taken: 105, found: 210}, "unseen": {taken: 120, found: 106}}
	j := judge.For(judge.Model)
	rows := cases(t, "testdata/subjects.tsv", 5)
	sides := make([][]judge.Side, len(rows)) // known and changed
	for i, x := range rows {
		sides[i] = read(t, x[3], x[4])
	}
	got := map[string]*figures{}
	for i, x := range rows {
		which, _, _ := strings.Cut(x[0], " ")
		if got[which] == nil {
			got[which] = &figures{}
		}
		f := got[which]
		for k, y := range rows {
			if x[0] != y[0] || x[1] != y[1] {
				continue
			}
			odds := j.Pair(sides[i][0], sides[k][1])
			switch {
			case i == k:
				if f.changes++; odds.Call == judge.Changed {
					f.found++
				}
			default:
				if f.pairs++; odds.Call != judge.New {
					f.taken++
					t.Logf("%s: %q, %q", odds.Call, x[3], y[4])
				}
			}
		}
	}
	for which, most := range most {
		f := got[which]
		t.Logf("%s: %d of %d are taken for a change, %d of %d changes found", which, f.taken, f.pairs, f.found, f.changes)
		if f.taken > most.taken || f.found < most.found {
			t.Errorf("%s: at most %d, and at least %d", which, most.taken, most.found)
		}
	}
	bounds{"testdata/subjects-within.tsv", 1, 0, 29, 0}.hold(t)
}

// TestPersons: two persons whose names are alike are two, and one person is one.
func TestPersons(t *testing.T) {
	for which, most := range map[string]int{"seen": 1, "kept": 1} {
		lost, all := 0, 0
		for _, x := range persons(t) {
			if x[0] != which {
				continue
			}
			all++
			sides := read(t, x[1], x[2])
			if odds := judge.For(judge.Model).Pair(sides[0], sides[1]); odds.Call != judge.New {
				lost++
				t.Logf("%s: %q, %q", odds.Call, x[1], x[2])
			}
		}
		t.Logf("%s: %d are taken for one", which, lost)
		if lost > most+slack(all) {
			t.Errorf("%s: at most %d", which, most)
		}
	}
	bounds{"testdata/persons.tsv", 0, 0, 18, 5}.hold(t)
}

// TestMoved: who moved to a place by its name has the job that he had.
func TestMoved(t *testing.T) {
	bounds{"testdata/moved.tsv", 0, 0, 6, 0}.hold(t)
}

// persons returns pairs of texts that say the same of two persons.
func persons(t *testing.T) (all [][3]string) {
	for _, x := range cases(t, "testdata/persons-alike.tsv", 4) {
		for _, fact := range cases(t, "testdata/persons-alike.tsv", 3) {
			if fact[0] == x[0] && fact[1] == x[1] {
				all = append(all, [3]string{x[0], strings.ReplaceAll(fact[2], "{}", x[2]), strings.ReplaceAll(fact[2], "{}", x[3])})
			}
		}
	}
	return all
}
