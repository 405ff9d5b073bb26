package judge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/judge"
)

// TestMatters: a change in one matter of somebody's life takes nothing back of another, and
// within a matter it does.
func TestMatters(t *testing.T) {
	touching := map[string]string{
		"work": "commute school", "commute": "work car home", "car": "commute", "home": "commute love school", "love": "home kid", "kid": "love school",
		"school": "work language kid home commute", "language": "work school", "health": "diet sport looks", "diet": "health", "sport": "health", "looks": "health",
	}
	most := map[string]int{"seen": 4, "kept": 0}
	j := judge.For(judge.Model)
	all, taken := map[string]int{}, map[string]int{}
	rows := cases(t, "testdata/matters.tsv", 5)
	for _, x := range rows {
		for _, y := range rows {
			if x[0] != y[0] || x[1] != y[1] || x[2] == y[2] || slices.Contains(strings.Fields(touching[x[2]]), y[2]) {
				continue
			}
			sides := read(t, x[3], y[4])
			all[x[0]]++
			if odds := j.Pair(sides[0], sides[1]); odds.Call != judge.New {
				taken[x[0]]++
				t.Logf("%s: %q, %q", odds.Call, x[3], y[4])
			}
		}
	}
	for which, most := range most {
		t.Logf("%s: %d of %d are taken for a change", which, taken[which], all[which])
		if taken[which] > most {
			t.Errorf("%s: at most %d", which, most)
		}
	}
	bounds{"testdata/within.tsv", 0, 0, 36, 0}.hold(t)
}
