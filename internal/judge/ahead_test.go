package judge_test

import "testing"

// TestAhead: what will end later takes nothing back yet; what has ended does.
func TestAhead(t *testing.T) {
	for _, b := range []bounds{{"testdata/ahead.tsv", 0, 0, 18, 0}, {"testdata/ahead-unseen.tsv", 1, 0, 14, 0}} {
		b.hold(t)
	}
}

// TestChangedPart: a part that was changed takes nothing back of what is known of the thing;
// another thing in its place does, and so does what is told to be the correct value.
func TestChangedPart(t *testing.T) {
	for _, b := range []bounds{{"testdata/changed-part.tsv", 0, 0, 7, 0}, {"testdata/changed-part-unseen.tsv", 0, 0, 5, 0}} {
		b.hold(t)
	}
}

// TestCalledNow: who somebody is now takes back how he was called, and what else is told of him
// does not.
func TestCalledNow(t *testing.T) {
	for _, b := range []bounds{{"testdata/called.tsv", 0, 0, 9, 0}, {"testdata/called-unseen.tsv", 0, 0, 6, 0}} {
		b.hold(t)
	}
}
