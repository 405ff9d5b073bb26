package judge_test

import "testing"

// TestTalk: what people tell in several sentences is not taken for known because one of them
// is about what was told before, or because it begins as they talk; and what they told in
// several parts is not taken back because of one.
func TestTalk(t *testing.T) { bounds{"testdata/talk.tsv", 2, 0, 1, 4}.hold(t) }

// TestListed: what changes one of several things that were told in a list takes none of the
// others back.
func TestListed(t *testing.T) {
	bounds{"testdata/listed.tsv", 0, 1, 0, 0}.hold(t)
	bounds{"testdata/listed-unseen.tsv", 0, 0, 0, 0}.hold(t)
}
