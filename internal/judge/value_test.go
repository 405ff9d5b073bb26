package judge_test

import "testing"

// TestOneValue: who tells the same but for the number that is said of something takes the
// older number back. A number that names something, or of what happened once, does not.
func TestOneValue(t *testing.T) {
	for _, b := range []bounds{{"testdata/value.tsv", 0, 1, 50, 0}, {"testdata/value-unseen.tsv", 0, 0, 20, 0}} {
		b.hold(t)
	}
}
