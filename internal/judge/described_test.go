package judge_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/judge"
)

// TestDescribed: what is told of one person or occasion neither takes back nor is what is told of
// another, or of another matter of the same.
func TestDescribed(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	j := judge.For(judge.Model)
	rows := cases(t, "testdata/described.tsv", 6)
	sides := make([][]judge.Side, len(rows)) // fact and changed
	for i, x := range rows {
		sides[i] = read(t, x[4], x[5])
	}
	all, taken, lost, changes, found := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for i, x := range rows {
		which := x[0] + " " + x[1]
		if x[5] != "-" {
			changes[x[0]]++
			if odds := j.Pair(sides[i][0], sides[i][1]); odds.Call == judge.Changed {
				found[x[0]]++
			} else {
				t.Logf("not a change: %q, %q", x[4], x[5])
			}
		}
		for k, y := range rows {
			if i == k || x[0] != y[0] || x[1] != y[1] {
				continue
			}
			all[which]++
			switch odds := j.Pair(sides[i][0], sides[k][0]); {
			case odds.Call == judge.Changed:
				taken[which]++
				t.Logf("%s changed: %q, %q", which, x[4], y[4])
			case odds.Call == judge.Same:
				lost[which]++
				t.Logf("%s same: %q, %q", which, x[4], y[4])
			}
		}
	}
	for which, most := range map[string][2]int{"seen zh": {1, 0}, "seen en": {0, 0}, "seen ja": {4, 2}, "kept zh": {7, 7}, "kept en": {5, 2}, "kept ja": {8, 4}} {
		t.Logf("%s: of %d pairs %d are taken for a change, %d are lost", which, all[which], taken[which], lost[which])
		if taken[which] > most[0] || lost[which] > most[1] {
			t.Errorf("%s: at most %v", which, most)
		}
	}
	t.Logf("of the changes found: seen %d of %d, kept %d of %d", found["seen"], changes["seen"], found["kept"], changes["kept"])
	if found["seen"] < 12 || found["kept"] < 7 {
		t.Error("at least 12 and 7")
	}
}
