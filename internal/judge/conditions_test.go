package judge_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/judge"
)

// TestConditions: what holds at some times, in some places or for somebody only takes back
// nothing that holds otherwise, and is no repetition of it; what was said under a condition
// changes under the same one.
func TestConditions(t *testing.T) {
	j := judge.For(judge.Model)
	for _, file := range []struct {
		name string
		// At most: called same and is not; called a change and is none.
		lost, taken int
		// At least: changes and repetitions called so.
		changed, same int
	}{{"testdata/conditions.tsv", 3, 0, 17, 7}, {"testdata/conditions-unseen.tsv", 1, 5, 35, 17}, {"testdata/narrower.tsv", 0, 1, 13, 0}} {
		lost, taken, changed, same := 0, 0, 0, 0
		for _, fields := range cases(t, file.name, 4) {
			older, newer := fields[2], fields[3]
			sides := read(t, older, newer)
			odds := j.Pair(sides[0], sides[1])
			switch what := fields[0]; {
			case what == string(odds.Call):
				if odds.Call == judge.Changed {
					changed++
				} else {
					same++
				}
				continue
			case what == "apart" && odds.Call == judge.New:
				continue
			case odds.Call == judge.Same:
				lost++
			case what == "apart":
				taken++
			}
			t.Logf("%s, %s: %s (same %.2f, changed %.2f): %q, %q", fields[0], fields[1], odds.Call, odds.Same, odds.Changed, older, newer)
		}
		t.Logf("%s: %d lost, %d taken for a change, %d changes and %d repetitions found", file.name, lost, taken, changed, same)
		if lost > file.lost || taken > file.taken || changed < file.changed || same < file.same {
			t.Errorf("%s: too many are wrong", file.name)
		}
	}
}
