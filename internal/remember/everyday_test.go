package remember_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/remember"
)

// TestEveryday tells facts in everyday short forms, and what is no fact: as a person and as
// an agent who ask for it, and as the archive of sessions, which goes over all that was said.
func TestEveryday(t *testing.T) {
	if testing.Short() {
		t.Skip("eighteen hundred texts are many")
	}
	for file, most := range map[string]map[string]int{ // how many are wrong at most
		"everyday": {
			"user keep refused": 0, "user keep log": 19, "agent keep refused": 0, "archive keep refused": 2,
			"user junk shelf": 13, "agent junk shelf": 2, "archive junk log": 46,
		},
		"everyday-unseen": {
			"user keep refused": 2, "user keep log": 77, "agent keep refused": 2, "archive keep refused": 19,
			"user junk shelf": 21, "agent junk shelf": 13, "archive junk log": 69,
		},
	} {
		atMost(t, file, everyday(t, file), most)
	}
}

// ways are how a text is told.
var ways = map[string]remember.Request{
	"user":    {},
	"agent":   {Origin: remember.Agent},
	"archive": {Origin: remember.Import, Type: layout.Journal, Aside: true},
}

// everyday returns what becomes of how many texts of a file, by the way in which they are told.
func everyday(t *testing.T, file string) map[string]int {
	t.Helper()
	var side judge.Side
	b := newBench(t, nil, func(o *remember.Options) {
		withModel(t)(o)
		read := o.Read
		o.Read = func(ctx context.Context, texts []string) ([]judge.Side, error) {
			if len(texts) == 1 && texts[0] == side.Text {
				return []judge.Side{side}, nil
			}
			sides, err := read(ctx, texts)
			if err == nil && len(texts) == 1 {
				side = sides[0]
			}
			return sides, err
		}
	})
	all, count, families := map[string]int{}, map[string]int{}, map[string]int{}
	for _, f := range fields(t, filepath.Join("testdata", file+".tsv"), 4) {
		all[f[0]]++
		for _, way := range slices.Sorted(maps.Keys(ways)) {
			req := ways[way]
			req.Text, req.DryRun = f[3], true
			out, err := b.keeper.Remember(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			what := "shelf"
			switch {
			case out.Outcome == remember.Refused:
				what = "refused"
			case out.Type == layout.Journal:
				what = "log"
			}
			count[way+" "+f[0]+" "+what]++
			if wrong := what == "refused"; wrong == (f[0] == "keep") || f[0] == "keep" && what == "log" && way == "user" {
				families[fmt.Sprintf("%s %s %s %s", way, f[0], f[1], what)]++
				families[fmt.Sprintf("%s %s %s %s", way, f[0], f[2], what)]++
				t.Logf("%s\t%s\t%s\t%s\t%s\t%s\t%s", way, f[0], f[1], f[2], what, out.Reason.Code, f[3])
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(families)) {
		t.Logf("%s: %s: %d", file, k, families[k])
	}
	t.Logf("%s: %v: %v", file, all, count)
	return count
}
