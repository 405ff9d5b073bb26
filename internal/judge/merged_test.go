package judge_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/judge"
)

// surelySame is the bar from which on a text that is called the same is not written
// (docs/design/remember.md).
const surelySame = .75

// TestMerged: texts that only look alike are not taken for one, so that what is told is
// written, and what is another's is not taken for a change of one's own.
func TestMerged(t *testing.T) {
	j := judge.For(judge.Model)
	for _, file := range []struct {
		name                string
		lost, taken, missed int // at most: called same and is not; called a change and is none; the same and not called so
	}{{"testdata/merged.tsv", 0, 1, 4}, {"testdata/merged-unseen.tsv", 1, 1, 6}} {
		lost, taken, missed, found := 0, 0, 0, 0
		for _, fields := range cases(t, file.name, 4) {
			older, newer := fields[2], fields[3]
			sides := read(t, older, newer)
			odds := j.Pair(sides[0], sides[1])
			same := odds.Call == judge.Same && odds.Same >= surelySame
			switch what := fields[0]; {
			case what != "same" && same:
				lost++
				t.Logf("lost, %s (%.2f): %q, %q", fields[1], odds.Same, older, newer)
			case what == "apart" && fields[1] != "taste" && fields[1] != "denied" && odds.Call == judge.Changed:
				taken++
				t.Logf("taken for a change, %s (%.2f): %q, %q", fields[1], odds.Changed, older, newer)
			case what == "changed" && odds.Call == judge.Changed:
				found++
			case what == "changed":
				t.Logf("no change, %s (%+v): %q, %q", fields[1], odds, older, newer)
			case what == "same" && !same:
				missed++
				t.Logf("not the same, %s (%.2f %v): %q, %q", fields[1], odds.Same, odds.Call, older, newer)
			}
		}
		t.Logf("%s: %d lost, %d taken for a change, %d repetitions missed, %d changes found", file.name, lost, taken, missed, found)
		if lost > file.lost || taken > file.taken || missed > file.missed {
			t.Errorf("%s: too many are wrong", file.name)
		}
	}
}
