package judge_test

import "testing"

// TestAhead: what will end later takes nothing back yet; what has ended does.
func TestAhead(t *testing.T) {
	for _, b := range []bounds{{"testdata/ahead.tsv", 0, 0, 14, 0}, {"testdata/ahead-unseen.tsv", 1, 0, 14, 0}} {
		b.hold(t)
	}
}
