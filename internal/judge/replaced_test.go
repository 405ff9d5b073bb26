package judge_test

import "testing"

// TestReplaced: what takes the place of what one has one of, such as a home or a favourite
// colour, is a change, and what only looks so is none; what holds in an opposed case or for
// others is neither a change nor the same.
func TestReplaced(t *testing.T) {
	for _, b := range []bounds{{"testdata/replaced.tsv", 0, 0, 38, 6}, {"testdata/replaced-unseen.tsv", 1, 1, 78, 4}, {"testdata/owners-unseen.tsv", 0, 0, 9, 0}} {
		b.hold(t)
	}
}
