package judge_test

import "testing"

// TestVerbs: what is told with a verb of change takes the place of what was, such as another
// employer of who joined one, and what only looks so does not.
func TestVerbs(t *testing.T) {
	bounds{"testdata/verbs.tsv", 0, 0, 85, 0}.hold(t)
	bounds{"testdata/verbs-unseen.tsv", 1, 8, 75, 0}.hold(t)
	bounds{"testdata/verbs-later.tsv", 0, 0, 21, 0}.hold(t)
}

// TestJoined: who joined a person, for lunch perhaps, works where he did.
func TestJoined(t *testing.T) {
	bounds{"testdata/joined.tsv", 0, 0, 12, 0}.hold(t)
	bounds{"testdata/joined-unseen.tsv", 0, 0, 12, 0}.hold(t)
}
