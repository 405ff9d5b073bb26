package judge_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/judge"
)

// TestReplaced: what takes the place of what one has one of, such as a home or a favourite
// colour, is a change, and what only looks so is none; what holds in an opposed case or for
// others is neither a change nor the same.
func TestReplaced(t *testing.T) {
	for _, b := range []bounds{{"testdata/replaced.tsv", 0, 0, 38, 6}, {"testdata/replaced-unseen.tsv", 1, 1, 78, 4}, {"testdata/owners-unseen.tsv", 0, 0, 9, 0}} {
		b.hold(t)
	}
}

// TestCorrects: a text corrects an older one when it repeats it with other words in one place and
// denies the old words. A denial of other words, or of a part of them, corrects nothing.
func TestCorrects(t *testing.T) {
	for _, x := range []struct {
		older, newer string
		changed      bool
	}{
		{"My mother's birthday is 12 June", "My mother's birthday is 13 June, not 12 June", true},
		{"The boiler code is 4411", "The boiler code is 4412, not 4411.", true},
		{"Bob is the CTO", "Carl is the CTO, not Bob", true},
		{"Bob is the CTO", "Carl is the CTO now, not Bob", true},
		{"The meeting is at 9", "The meeting is at 10, not at 9", true},
		{"Ida is allergic to hazelnuts", "Ida is allergic to almonds, not to hazelnuts", true},
		{"妈妈的生日是六月十二号", "妈妈的生日是六月十三号，不是六月十二号", true},
		{"王强是技术总监", "李明是技术总监，不是王强", true},
		{"Ida is allergic to hazelnuts and walnuts", "Ida is allergic to almonds, not to hazelnuts", false},
		{"Jonas is allergic to hazelnuts", "Ida is allergic to almonds, not to hazelnuts", false},
		{"Bob is the CTO", "Carl is the CTO, not Dana", false},
		{"妈妈的生日是六月十二号", "爸爸的生日是六月十三号，不是六月十二号", false},
	} {
		sides := read(t, x.older, x.newer)
		if odds := judge.For(judge.Model).Pair(sides[0], sides[1]); (odds.Call == judge.Changed) != x.changed {
			t.Errorf("%q, %q: %+v", x.older, x.newer, odds)
		}
	}
}
