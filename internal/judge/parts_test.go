package judge_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/judge"
)

// TestParts: what says by which name, id or version a part of a project is known is kept, and
// what everybody knows of such parts is refused as before. TestScripts does so for facts in
// scripts of which the models know nothing.
func TestParts(t *testing.T) {
	gateBounds{"testdata/parts.tsv", 0, 4}.hold(t)
	gateBounds{"testdata/parts-unseen.tsv", 0, 0}.hold(t)
}

func TestScripts(t *testing.T) { gateBounds{"testdata/scripts.tsv", 3, 5}.hold(t) }

// gateBounds are how many texts of a file that are worth keeping are at most refused or put
// in the day log, and how many others are kept.
type gateBounds struct {
	file         string
	missed, kept int
}

func (b gateBounds) hold(t *testing.T) {
	t.Helper()
	j := judge.For(judge.Model)
	missed, kept := 0, 0
	for _, fields := range cases(t, b.file, 3) {
		vector := read(t, fields[2])[0].Vector
		verdict := j.Gate(fields[2], judge.User, vector)
		switch on := verdict.Code == judge.New; {
		case fields[0] == "keep" && !on:
			missed++
			t.Logf("%s, missed (%s, %.2f): %s", fields[1], verdict.Code, verdict.P, fields[2])
		case fields[0] == "junk" && on:
			kept++
			t.Logf("%s, kept (%.2f): %s", fields[1], verdict.P, fields[2])
		}
	}
	t.Logf("%s: %d missed, %d kept", b.file, missed, kept)
	if missed > b.missed || kept > b.kept {
		t.Errorf("%s: too many are wrong", b.file)
	}
}
