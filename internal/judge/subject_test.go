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
	most := map[string]figures{"kept": {taken: 85, found: 210}, "unseen": {taken: 160, found: 100}}
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
