package remember

import (
	"strings"
	"testing"
)

// TestInOnePlace: other words in two places tell of another thing. What is only added or left
// out does not count, nor does a character that the two have in common by chance.
func TestInOnePlace(t *testing.T) {
	for _, c := range []struct {
		older, newer string
		want         bool
	}{
		{"The standup is at 9:15", "The standup is at 9:30 now", true},
		{"My favourite goalkeeper is Buffon", "My current favourite goalkeeper is Neuer", true},
		{"We deploy on Fridays", "We no longer deploy on Fridays", true},
		{"周会在周三", "周会改到周四了", true},
		{"", "x", true},
		{"The team meets on Mondays at nine.", "The team no longer meets on Mondays, it's Thursdays at nine now.", true},
		{"I drink coffee", "I drink coffee no longer", true},
		{"I drink coffee", "I drink coffee no longer after noon", false},
		{"The insulin dose is 10 units", "The insulin correction dose is now 3 units", false},
		{"Rent for the flat is 9000", "Rent for the flat parking is now 900", false},
		{"Deadline for Falcon is 12 June", "Deadline for Falcon docs is now 2 July", false},
		{"Flat A costs 900 a month", "Flat B costs 950 a month now", false},
		{"prod-eu runs Go 1.25", "prod-us runs Go 1.26 now", false},
		{"A班七点半开始上课", "B班八点一刻开始考试", false},
		{"第3单元的钥匙在门卫处", "第4单元的钥匙在物业处", false},
		{strings.Repeat("a ", 300), strings.Repeat("a ", 300), false},
	} {
		if got := inOnePlace(c.older, c.newer); got != c.want {
			t.Errorf("%.30q, then %.30q: got %v", c.older, c.newer, got)
		}
	}
}
