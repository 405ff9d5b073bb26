package judge_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/judge"
)

// TestOpposite: what denies an older text, or puts something else in its place, is not
// taken for the same, so that it is written; and only what denies all of it changes it.
// Each pair is judged in both orders.
func TestOpposite(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	j := judge.For(judge.Model)
	for _, file := range []struct {
		name        string
		same, wrong int // pairs called same, and pairs called a change that are none, at most
	}{{"testdata/opposite.tsv", 0, 0}, {"testdata/opposite-unseen.tsv", 2, 0}} {
		same, wrong, count := 0, 0, map[string]int{}
		for _, fields := range cases(t, file.name, 4) {
			for _, pair := range [][2]string{{fields[2], fields[3]}, {fields[3], fields[2]}} {
				sides := read(t, pair[0], pair[1])
				odds := j.Pair(sides[0], sides[1])
				count[fields[0]+" "+string(odds.Call)]++
				switch {
				case odds.Call == judge.Same:
					same++
					t.Logf("%s, the same (%.2f): %q, %q", fields[0], odds.Same, pair[0], pair[1])
				case odds.Call == judge.Changed && fields[0] == "apart":
					wrong++
					t.Logf("%s, a change (%.2f): %q, %q", fields[0], odds.Changed, pair[0], pair[1])
				}
			}
		}
		t.Logf("%s: %v", file.name, count)
		if same > file.same || wrong > file.wrong {
			t.Errorf("%s: too many are wrong", file.name)
		}
	}
}

// TestByNow: what says that something is so by now takes the place of what denied it.
func TestByNow(t *testing.T) {
	bounds{"testdata/bynow.tsv", 0, 0, 19, 0}.hold(t)
	bounds{"testdata/bynow-unseen.tsv", 0, 0, 19, 0}.hold(t)
}

// TestInverted: who does something to whom is not known already from the other way round.
func TestInverted(t *testing.T) {
	bounds{"testdata/inverted.tsv", 0, 0, 0, 2}.hold(t)
	bounds{"testdata/inverted-unseen.tsv", 0, 0, 0, 2}.hold(t)
}

// TestWho: what somebody does takes nothing back of who he is.
func TestWho(t *testing.T) {
	bounds{"testdata/who.tsv", 0, 0, 8, 0}.hold(t)
	bounds{"testdata/who-unseen.tsv", 0, 0, 6, 0}.hold(t)
}
