package remember_test

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/remember"
)

// TestAgentsDone tells as an agent what was done and what is so, without a cause or a lesson, and
// junk as agents say it. In the log of the day junk is no harm.
func TestAgentsDone(t *testing.T) {
	if testing.Short() {
		t.Skip("four hundred texts are many")
	}
	for file, most := range map[string]map[string]int{ // how many are wrong at most
		"agents-done":        {"refused": 0, "kept": 2, "order": 0},
		"agents-done-unseen": {"refused": 0, "kept": 9, "order": 0},
		"agents-done-later":  {"refused": 0, "kept": 9, "order": 0},
		"agents-history":     {"kept": 17},
	} {
		atMost(t, file, agentsDone(t, file), most)
	}
}

// agentsDone returns how many texts of a file are wrongly refused or kept, or taken for an order.
func agentsDone(t *testing.T, file string) map[string]int {
	t.Helper()
	b := newBench(t, nil, withModel(t))
	count := map[string]int{}
	for _, f := range fields(t, filepath.Join("testdata", file+".tsv"), 4) {
		out, err := b.keeper.Remember(t.Context(), remember.Request{Text: f[3], Origin: remember.Agent, DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		switch refused := out.Outcome == remember.Refused; {
		case refused && f[0] == "keep":
			count["refused"]++
			count["refused "+f[1]]++
		case !refused && f[0] == "refuse" && out.Type != layout.Journal:
			count["kept"]++
			count["kept "+f[1]]++
		case !refused && f[2] == "done" && out.Type == layout.Instruction:
			count["order"]++
		case !refused && out.Type == layout.Journal:
			count["log"]++
			continue
		default:
			continue
		}
		t.Logf("%s\t%s\t%s\t%s\t%s", f[0], f[1], f[2], out.Reason.Code, f[3])
	}
	for _, k := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%s: %s: %d", file, k, count[k])
	}
	return count
}
