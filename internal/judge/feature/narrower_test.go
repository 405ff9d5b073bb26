package feature

import "testing"

// TestNarrower: signs in a text that stand for nothing are no numbers.
func TestNarrower(t *testing.T) {
	for _, test := range []struct {
		older, newer string
		want         bool
	}{
		{"we meet at 9", "we meet at 11 in the oslo office", true},
		{"we meet at 9", "in #general we meet at 11", true},
		{"we meet at 9", "# # # we meet at 11", false},
		{"we meet at 9", "oslo # # # we meet at 11", true},
		{"we meet in # room", "in oslo we meet in # room", false},
		{"we meet at 9", "\x00\x00 oslo we meet at 11", false},
		{"# 9 # 9 #", "oslo # 9 # 9 # 9 oslo", false},
		{"房间 9 开门", "七月 # 房间 10 开门", true},
	} {
		if got := narrower(Read(test.older), Read(test.newer)); got != test.want {
			t.Errorf("%q, %q: got %t", test.older, test.newer, got)
		}
	}
}
