package judge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/judge"
)

// TestMatters: a change in one matter of somebody's life, or of a program, takes nothing back of
// another, and within a matter it does.
func TestMatters(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	touching := map[string]string{
		"work": "commute school", "commute": "work car home", "car": "commute", "home": "commute love school", "love": "home kid", "kid": "love school",
		"school": "work language kid home commute", "language": "work school", "health": "diet sport looks", "diet": "health", "sport": "health", "looks": "health",
		"deploy": "branch host ci version", "branch": "deploy track version", "host": "deploy version", "ci": "deploy version", "track": "docs branch", "docs": "track",
		"version": "codelang branch deploy db host ci test queue cache auth log", "codelang": "version", "db": "version", "test": "version", "queue": "version", "cache": "version",
		"auth": "version", "log": "version",
	}
	most := map[string]int{"seen russian": 0, "kept russian": 0, "seen program other": 0, "kept program other": 8, "seen": 4, "kept": 0, "seen program": 11, "kept program": 5, "seen other": 11, "kept other": 0}
	j := judge.For(judge.Model)
	all, taken := map[string]int{}, map[string]int{}
	rows := cases(t, "testdata/matters.tsv", 5)
	sides := make([][]judge.Side, len(rows)) // known and changed
	for i, x := range rows {
		sides[i] = read(t, x[3], x[4])
	}
	for i, x := range rows {
		for k, y := range rows {
			if x[0] != y[0] || x[1] != y[1] || x[2] == y[2] || slices.Contains(strings.Fields(touching[x[2]]), y[2]) {
				continue
			}
			all[x[0]]++
			if odds := j.Pair(sides[i][0], sides[k][1]); odds.Call != judge.New {
				taken[x[0]]++
				t.Logf("%s: %q, %q", odds.Call, x[3], y[4])
			}
		}
	}
	for which, most := range most {
		t.Logf("%s: %d of %d are taken for a change", which, taken[which], all[which])
		if taken[which] > most+slack(all[which]/10) {
			t.Errorf("%s: at most %d", which, most)
		}
	}
	found := map[string]int{}
	for i, x := range rows {
		if strings.Contains(x[0], "program") && j.Pair(sides[i][0], sides[i][1]).Call == judge.Changed {
			found[x[0]]++
		}
	}
	for which, least := range map[string]int{"seen program": 49, "kept program": 38, "seen program other": 67, "kept program other": 91} {
		if found[which] < least-slack(least) {
			t.Errorf("%s: %d of the changes are found, at least %d", which, found[which], least)
		}
	}
	bounds{"testdata/within.tsv", 0, 0, 36, 0}.hold(t)
	bounds{"testdata/within-other.tsv", 0, 0, 14, 0}.hold(t)
}

// TestSeveral: a change of one of two facts that stand in one text takes the other not back.
func TestSeveral(t *testing.T) {
	bounds{"testdata/several.tsv", 0, 0, 4, 0}.hold(t)
}
