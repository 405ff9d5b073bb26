package remember_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/remember"
	"github.com/memoir-ai/memoir/internal/vecmath"
)

// TestAgentsNotes tells notes as coding agents and assistants write them, and what they say
// besides, as an agent and as a person at the command line.
func TestAgentsNotes(t *testing.T) {
	if testing.Short() {
		t.Skip("four hundred texts are many")
	}
	for file, most := range map[string]map[string]int{ // how many are wrong at most
		"agents-notes": {
			"agent refused": 0, "agent log": 3, "agent type": 12, "agent kept": 0,
			"user refused": 0, "user log": 3, "user type": 12, "user kept": 4,
		},
		"agents-notes-unseen": {
			"agent refused": 0, "agent log": 11, "agent type": 14, "agent kept": 3,
			"user refused": 0, "user log": 11, "user type": 14, "user kept": 9,
		},
	} {
		atMost(t, file, agentsNotes(t, file), most)
	}
}

// atMost reports which counts of a file are more than they may be.
func atMost(t *testing.T, file string, count, most map[string]int) {
	t.Helper()
	for what, n := range most {
		if count[what] > n+slack(n) {
			t.Errorf("%s: %s: %d, more than %d", file, what, count[what], n)
		}
	}
}

// slack is by how much a count may be above its bound. The bounds were counted on processors
// that multiply numbers of 8 bits. Others compute the same vectors a little otherwise, and
// some of the texts near a border come to lie on its other side.
func slack(most int) int {
	const hidden = 384 // the size of the model inside
	if kernels, err := vecmath.Best(); err == nil && kernels.HasInt8(hidden) {
		return 0
	}
	return 2 + most/10
}

// agentsNotes returns what becomes of how many texts of a file, by the way in which they are told.
func agentsNotes(t *testing.T, file string) map[string]int {
	t.Helper()
	b := newBench(t, nil, withModel(t))
	count := map[string]int{}
	for _, way := range []string{remember.Agent, remember.User} {
		for _, f := range fields(t, filepath.Join("testdata", file+".tsv"), 5) {
			out, err := b.keeper.Remember(t.Context(), remember.Request{Text: f[4], Origin: way, DryRun: true})
			if err != nil {
				t.Fatal(err)
			}
			what := "right"
			switch refused := out.Outcome == remember.Refused; {
			case refused && f[0] == "keep":
				what = "refused"
			case refused:
			case f[0] == "refuse" && out.Type == layout.Journal: // no harm there
			case f[0] == "refuse":
				what = "kept"
			case out.Type == layout.Journal && !strings.Contains(f[3], layout.Journal):
				what = "log"
			case !slices.Contains(strings.Split(f[3], ","), out.Type):
				what = "type"
			}
			if what != "right" {
				count[way+" "+what]++
				t.Logf("%s\t%s\t%s\t%s\t%s\t%s\t%s", way, what, f[1], f[2], out.Reason.Code, out.Type, f[4])
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%s: %s: %d", file, k, count[k])
	}
	return count
}
