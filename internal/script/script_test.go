package script

import "testing"

// model reads scripts by their names.
type model []string

func (m model) Scripts() []string { return m }

func TestReads(t *testing.T) {
	tests := []struct {
		model  any
		text   string
		reads  bool
		unread string // named where it is not read
	}{
		{struct{}{}, "数据库", true, ""}, // it does not say what it reads
		{model{}, "数据库", true, ""},
		{model{"Latin"}, "which database?", true, ""},
		{model{"Latin"}, "数据库", false, "Han"},
		{model{"Latin"}, "SQLite 库", true, ""},
		{model{"Latin"}, "DB 数据库", false, "Han"},   // two bytes of letters it reads, nine it does not
		{model{"Latin"}, "2026-03-02 ✓", true, ""}, // no letters
		{model{"Latin"}, "", true, ""},
		{model{"Latin", "Cyrillic"}, "Почему SQLite?", true, ""},
		{model{"Latin"}, "ひらがな と 漢", false, "Hiragana"},
		{model{"no script"}, "which", false, "Latin"},
	}
	for _, tt := range tests {
		s := Of(tt.model)
		if got := s.Reads(tt.text); got != tt.reads {
			t.Errorf("%v.Reads(%q) = %v, want %v", tt.model, tt.text, got, tt.reads)
		}
		if got := s.Unread(tt.text); !tt.reads && got != tt.unread {
			t.Errorf("%v.Unread(%q) = %q, want %q", tt.model, tt.text, got, tt.unread)
		}
	}
	if got := Of(model{"Latin"}).Unread("which"); got != "its script" {
		t.Errorf("Unread of a text that can be read = %q", got)
	}
}
