package judge_test

import "testing"

// TestVerbs: what is told with a verb of change takes the place of what was, such as another
// employer of who joined one, and what only looks so does not.
func TestVerbs(t *testing.T) {
	bounds{"testdata/verbs.tsv", 0, 0, 0, 0}.hold(t)
	bounds{"testdata/verbs-unseen.tsv", 0, 0, 0, 0}.hold(t)
}
