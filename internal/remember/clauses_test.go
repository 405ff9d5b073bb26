package remember

import (
	"slices"
	"strings"
	"testing"
)

// TestClauses: a text is cut at its stops, and nowhere else.
func TestClauses(t *testing.T) {
	for _, test := range []struct {
		text  string
		whole bool
		want  []string
	}{
		{"no sugar; allergic to mango", true, []string{"no sugar", "allergic to mango"}},
		{"不喝牛奶，对鸡蛋过敏。", false, []string{"不喝牛奶", "对鸡蛋过敏"}},
		{"不喝牛奶，对鸡蛋过敏。", true, nil},
		{"It costs 6,900.50 at v1.2", false, nil},
		{"One. Two, three.", true, []string{"One", "Two, three"}},
		{"", false, nil}, {"。。。", true, nil}, {strings.Repeat("a. ", 100), true, nil},
		{"cut \xff", true, nil}, {"a; b \xe6\xb1", true, []string{"a", "b \xe6\xb1"}}, {"\xff", false, nil},
	} {
		if got := clauses(test.text, test.whole); !slices.Equal(got, test.want) {
			t.Errorf("%q, %v: got %q, want %q", test.text, test.whole, got, test.want)
		}
	}
}
