package judge_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/judge"
)

// TestOutside: orders that a tool or the web brings in other languages than those of the
// models are told from notes with the same verbs.
func TestOutside(t *testing.T) {
	j := judge.For(judge.Model)
	for _, file := range []struct {
		name          string
		missed, wrong int // orders that are kept, notes that are taken for orders, at most
	}{{"testdata/outside.tsv", 0, 0}, {"testdata/outside-unseen.tsv", 10, 0}} {
		missed, wrong, orders, notes, refused := 0, 0, 0, 0, map[string]int{}
		for _, fields := range cases(t, file.name, 3) {
			vector := read(t, fields[2])[0].Vector
			verdict := j.Gate(fields[2], judge.Web, vector)
			called := verdict.Code == judge.Injection
			if verdict.Refuse {
				refused[fields[1]]++
			}
			switch {
			case fields[1] == "order":
				if orders++; !called {
					missed++
					t.Logf("%s, kept (%s, %.2f): %s", fields[0], verdict.Code, verdict.P, fields[2])
				}
			default:
				if notes++; called {
					wrong++
					t.Logf("%s, refused: %s", fields[0], fields[2])
				}
			}
		}
		t.Logf("%s: %d of %d orders are kept, %d of %d notes refused as orders; refused at all %v", file.name, missed, orders, wrong, notes, refused)
		if missed > file.missed || wrong > file.wrong {
			t.Errorf("%s: too many are wrong", file.name)
		}
	}
}
