package analyze_test

import (
	"testing"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/analyze"
)

func TestCanonical(t *testing.T) {
	for _, same := range [][]string{
		{"- The database is **Postgres**.", "The database is Postgres", "* the database  is `Postgres`!", "> The database\r\n> is “Postgres”.\r\n", "## The database is Postgres"},
		{"用 Redis 存会话。", "用Redis存会话", "- 用 Ｒｅｄｉｓ 存會話"},
		{"Café «Luna», at 9", "cafe\u0301 Luna at 9"},
		{"- [ ] call Ann", "* [ ] Call Ann."},
	} {
		for _, text := range same[1:] {
			if got, want := analyze.Canonical(text), analyze.Canonical(same[0]); got != want || got == "" {
				t.Errorf("%q and %q are %q and %q, want the same", same[0], text, want, got)
			}
		}
	}
	for _, other := range [][2]string{
		{"port 5432", "port 5433"}, {"at -5 degrees", "at 5 degrees"}, {"- [ ] call Ann", "- [x] call Ann"}, {"We ship on Friday?", "We ship on Friday."},
		{"rooms 1 23", "rooms 12 3"}, {"v1.2", "v12"}, {"2026-03-02 standup", "2026-03-03 standup"}, {"src/a.go", "src/b.go"}, {"a + b", "a - b"}, {"C++", "C"}, {"more\n>5 errors", "more\n5 errors"},
		{"不用 Redis", "用 Redis"}, {"5%", "5"}, {"1. start", "2. start"},
	} {
		if got := analyze.Canonical(other[0]); got == analyze.Canonical(other[1]) {
			t.Errorf("%q and %q are both %q", other[0], other[1], got)
		}
	}
	for _, text := range []string{"", "***", "- \n>\n", "**!**", "\xff"} {
		if got := analyze.Canonical(text); got != "" {
			t.Errorf("%q without words is %q", text, got)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{"- **a** b.", "> # 用 Redis\r\n", "e\u0301 \xff", "- - -", "“”"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := analyze.Canonical(text)
		if quoted := analyze.Canonical("> - " + text + "\r\n"); quoted != got {
			t.Errorf("%q is %q, and %q as an entry in a quotation", text, got, quoted)
		}
		if !utf8.ValidString(got) {
			t.Errorf("%q gives %q, which is not UTF-8", text, got)
		}
	})
}
