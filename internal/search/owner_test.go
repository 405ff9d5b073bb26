package search

import "testing"

// TestAsksOf: what a query asks for, and of whom, in each language that has a grammar or an
// expression.
func TestAsksOf(t *testing.T) {
	tests := []struct{ query, owner, thing string }{
		{"when is Karen's birthday?", "Karen", " birthday"},
		{"the phone number of the landlord", "landlord", "the phone number"},
		{"my shoe size", oneself, " shoe size"},
		{"is Ben allergic?", "Ben", "allergic"},
		{"老周的电话", "老周", "电话"},
		{"岳母生日", "岳母", "生日"},
		{"さくらの誕生日", "さくら", "誕生日"},
		{"지훈 생일", "지훈", "생일"},
		{"el cumpleaños de Lucía", "Lucía", "cumpleaños"},
		{"wann ist Lenas Geburtstag?", "Lena", "Geburtstag"},
	}
	for _, tt := range tests {
		p, ok := asksOf(tt.query)
		if !ok || p.owner != tt.owner || p.thing != tt.thing {
			t.Errorf("asksOf(%q) = %q of %q, %v; want %q of %q", tt.query, p.thing, p.owner, ok, tt.thing, tt.owner)
		}
	}
	for _, query := range []string{"", "what is the plan?", "Karen's birthday, Ben's birthday", "出生日期"} {
		if p, ok := asksOf(query); ok || p == nil {
			t.Errorf("asksOf(%q) = %+v, %v; want nobody", query, p, ok)
		}
	}
}

func TestSubject(t *testing.T) {
	tests := []struct{ thing, entry, want string }{
		{"生日", "老婆生日是十月十八", "老婆"},
		{"车牌号", "家里，老婆的车牌是沪A12345", "老婆"},
		{"生日", "生日是十月十八", ""},
		{"birthday", "Karen's birthday is in May", ""},
		{"电话", "没有说", ""},
	}
	for _, tt := range tests {
		if got := subject(tt.thing, tt.entry); got != tt.want {
			t.Errorf("subject(%q, %q) = %q, want %q", tt.thing, tt.entry, got, tt.want)
		}
	}
}

func TestAboutKin(t *testing.T) {
	mum := map[string]bool{"mother": true}
	tests := map[string]int{
		"Mum's birthday is in May": 1,
		"dad likes tea":            -1,
		"dad and mum were here":    1,
		"our parents live in Ulm":  1, // one of them may be meant
		"the rent is due":          0,
	}
	for text, want := range tests {
		if got := aboutKin(text, mum); got != want {
			t.Errorf("aboutKin(%q) = %d, want %d", text, got, want)
		}
	}
}
