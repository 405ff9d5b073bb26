package script_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/script"
)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		text, share20, share50 string
	}{
		{"", "", ""},
		{"12:30 → 🙂", "", ""},
		{"The database listens on 5432.", "Latin", "Latin"},
		{"数据库在 5432 端口", "Han", "Han"},
		{"ポート番号", "Han", "Han"},
		{"会議は月曜", "Han", "Han"},
		{"数据库 Postgres 的端口", "Han Latin", "Han"},
		{"PgBouncer 端口", "Han Latin", "Latin"},
		{"포트는 5432", "Hangul", "Hangul"},
		{"Порт 5432", "Cyrillic", "Cyrillic"},
		{"ᚠᚢᚦ", "Runic", "Runic"},
		{"abc 数据 де", "Han Latin Cyrillic", ""},
		{"bad \xff utf-8", "Latin", "Latin"},
	} {
		for share, want := range map[float64]string{.2: c.share20, .5: c.share50} {
			names := strings.Fields(want)
			slices.Sort(names)
			if got := script.Names(c.text, share); !slices.Equal(got, names) && len(got)+len(names) > 0 {
				t.Errorf("%q at %v: %q, want %q", c.text, share, got, names)
			}
		}
	}
}

func TestOthers(t *testing.T) {
	for text, want := range map[string][]string{
		"":                            nil,
		"Ärger mit 5 µm, déjà vu 🙂":   nil,
		"Reviewed the changes of 吴磊.": {"Han"},
		"トーストを食べた":                    {"Han"},
		"Irina Павлова, 지훈, 木村 and θ":         {"Cyrillic", "Greek", "Han", "Hangul"},
		"a bad byte \xff and 数据库 on Postgres": {"Han"},
	} {
		if got := script.Others(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
