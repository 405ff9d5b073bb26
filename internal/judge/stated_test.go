package judge_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/judge"
)

// TestStated: what a person tells of an occasion, a place, a thing or a project is kept.
func TestStated(t *testing.T) {
	j := judge.For(judge.Model)
	refused, all := map[string]int{}, map[string]int{}
	for _, x := range cases(t, "testdata/stated.tsv", 4) {
		which := x[0] + " " + x[1] + " " + x[2]
		all[which]++
		v := j.Gate(x[3], judge.User, read(t, x[3])[0].Vector)
		if v.Refuse {
			refused[which]++
		}
		if x[0] == "seen" && v.Refuse != (x[2] == "refuse") {
			t.Logf("%s: refused %v (%s %.2f): %s", which, v.Refuse, v.Code, v.P, x[3])
		}
	}
	for which, n := range all {
		t.Logf("%s: of %d %d are refused", which, n, refused[which])
	}
	for which, most := range map[string]int{"seen zh keep": 0, "seen ko keep": 0, "seen en keep": 1, "kept zh keep": 0, "kept ko keep": 0, "kept en keep": 0} {
		if refused[which] > most {
			t.Errorf("%s: at most %d are refused", which, most)
		}
	}
	for which, least := range map[string]int{"seen zh refuse": 7, "seen ko refuse": 5, "seen en refuse": 3, "kept zh refuse": 6, "kept ko refuse": 5, "kept en refuse": 3} {
		if refused[which] < least {
			t.Errorf("%s: at least %d are refused", which, least)
		}
	}
}
