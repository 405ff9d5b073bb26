package search

import "testing"

func TestWordAt(t *testing.T) {
	tests := []struct {
		text, word string
		want       int
	}{
		{"which phone does Sarah use?", "Sarah", 17},
		{"sarah's phone", "Sarah", 0},
		{"Ann, Annabel and Ann", "Annabel", 5},
		{"Annabel and Ann", "Ann", 12},
		{"Annabel", "Ann", -1},
		{"Joanna", "Anna", -1},
		{"2Ann3", "Ann", 1}, // digits are no letters
		{"", "Ann", -1},
		{"İstanbul and Ann", "Ann", -1}, // small letters of another length
	}
	for _, tt := range tests {
		if got := wordAt(tt.text, tt.word); got != tt.want {
			t.Errorf("wordAt(%q, %q) = %d, want %d", tt.text, tt.word, got, tt.want)
		}
	}
}

func TestInFirstPerson(t *testing.T) {
	tests := []struct{ query, name, want string }{
		{"which phone does Sarah use?", "Sarah", "which phone does I use?"},
		{"Sarah's phone", "Sarah", "my phone"},
		{"sarah’s phone and Sarah’s car", "Sarah", "my phone and my car"},
		{"Sarahs Telefon", "Sarah", "Sarahs Telefon"},
		{"小林用什么手机", "小林", "我用什么手机"},
		{"小林さんの電話は？", "小林", "私の電話は？"},
		{"지훈 씨 생일", "지훈", " 생일"},
	}
	for _, tt := range tests {
		if got := inFirstPerson(tt.query, tt.name); got != tt.want {
			t.Errorf("inFirstPerson(%q, %q) = %q, want %q", tt.query, tt.name, got, tt.want)
		}
	}
}
