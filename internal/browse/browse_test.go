package browse_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"github.com/memoir-ai/memoir/internal/browse"
	"github.com/memoir-ai/memoir/internal/wording"
)

// printable stands for what the commands do with texts of notes.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069') {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		sent string
		want []string
		rest string
	}{
		{"ab", []string{"a", "b"}, ""},
		{"数据\r", []string{"数", "据", "enter"}, ""},
		{"\x1b", []string{"escape"}, ""},
		{"\x1b[A\x1bOB\x1b[5~\x1b[6~", []string{"up", "down", "page up", "page down"}, ""},
		{"\x1b[1;5C\x1b[99~x", []string{"x"}, ""},
		{"\x1b[", nil, "\x1b["},
		{"\xe6\x95", nil, "\xe6\x95"},
		{"\xff\xfea", []string{"a"}, ""},
		{"\x1b[200~q\n\x1b[201~", []string{"paste", "q", "enter", "pasted"}, ""},
		{"\x03\x15\x17\x7f", []string{"leave", "clear", "word", "backspace"}, ""},
		{"\x00\x01\x1a\u009b\u202e", nil, ""},
		{"\x1bx\x1b\x1b[A", []string{"escape", "up"}, ""},
	} {
		got, rest := browse.Keys([]byte(c.sent))
		if diff := cmp.Diff(got, c.want); diff != "" || string(rest) != c.rest {
			t.Errorf("%q (-got +want), left %q:\n%s", c.sent, rest, diff)
		}
	}
}

func FuzzKeys(f *testing.F) {
	for _, s := range []string{"abc", "\x1b[A", "\x1b[200~x\x1b[201~", "\xe6\x95\xb0", "\x1b[1;2;3;4;5", "\x1bO", "\x1b\x1b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		names, rest := browse.Keys(sent)
		if len(names) > len(sent) || len(rest) > 64 {
			t.Errorf("%q: %d keys, %d bytes left", sent, len(names), len(rest))
		}
		for _, name := range names {
			if strings.ContainsFunc(name, unicode.IsControl) {
				t.Errorf("%q: the key %q", sent, name)
			}
		}
	})
}

// TestFit: texts are as wide as they are asked to be, whatever they are written in.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"abc", 5, "abc  "},
		{"abcdef", 5, "abcd…"},
		{"数据库", 6, "数据库"},
		{"数据库", 5, "数据…"},
		{"数据库", 4, "数… "},
		{"数", 1, "…"},
		{"e\u0301e\u0301", 2, "e\u0301e\u0301"},
		{"👩‍💻👩‍💻", 3, "👩‍💻…"},
		{"abc", 0, ""},
		{"", 2, "  "},
	} {
		got := browse.Fit(c.text, c.columns)
		if got != c.want || uniseg.StringWidth(got) != c.columns {
			t.Errorf("%q in %d columns is %q", c.text, c.columns, got)
		}
	}
	if diff := cmp.Diff(browse.Wrap("the ferry leaves at nine", 10, 9), []string{"the ferry", "leaves at", "nine"}); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(browse.Wrap("数据库用一个文件", 7, 2), []string{"数据库", "用一个"}); diff != "" {
		t.Error(diff)
	}
}

// TestDraw: whatever a note holds and however small the window is, what is drawn stays
// inside of it and steers nothing.
func TestDraw(t *testing.T) {
	hostile := "\x1b[2J\x1b]0;owned\a\u009b5n\x07\u202eabc\x7f\t数据库\u2028" + strings.Repeat("x", 5000) + strings.Repeat("e\u0301\u200d", 500)
	for _, width := range []int{0, 1, 2, 3, 7, 40, 200} {
		for _, height := range []int{0, 1, 2, 3, 4, 5, 24} {
			drawn := browse.Draw(width, height, strings.Repeat("数 ", 300), hostile, hostile, printable)
			for _, bad := range []string{"\x1b]", "\a", "\u009b", "\u202e", "\x7f", "\n", "\r", "\t", "\u2028", "\x1b[2J"} {
				if strings.Contains(drawn, bad) {
					t.Errorf("%d×%d: %q is drawn", width, height, bad)
				}
			}
			lines := 0
			for part := range strings.SplitSeq(drawn, "\x1b[K") {
				_, text, ok := strings.Cut(part, "H")
				if !ok {
					continue
				}
				for _, style := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[7m", "\x1b[?25h"} {
					text = strings.ReplaceAll(text, style, "")
				}
				if lines++; uniseg.StringWidth(text) > width {
					t.Errorf("%d×%d: a line is %d wide", width, height, uniseg.StringWidth(text))
				}
			}
			if lines > height+1 { // the cursor is placed, too
				t.Errorf("%d×%d: %d lines", width, height, lines)
			}
		}
	}
}

// TestWithout: exactly the lines go that were shown, with their line ends.
func TestWithout(t *testing.T) {
	shown := []string{"# Log", "", "- one", "- two"}
	for _, c := range []struct {
		text     string
		from, to int
		want     string
		ok       bool
	}{
		{"# Log\n\n- one\n- two\n", 3, 3, "# Log\n\n- two\n", true},
		{"# Log\r\n\r\n- one\r\n- two", 4, 4, "# Log\r\n\r\n- one\r\n", true},
		{"# Log\n\n- one\n- two\n", 1, 4, "", true},
		{"# Log\n\n- other\n- two\n", 3, 3, "", false},
		{"# Log\n", 3, 3, "", false},
		{"", 3, 3, "", false},
	} {
		if got, ok := browse.Without(c.text, shown, c.from, c.to); got != c.want || ok != c.ok {
			t.Errorf("%q without %d to %d is %q, %v", c.text, c.from, c.to, got, ok)
		}
	}
}

// Each line that the view says itself is in the language of the person, and is not cut.
func TestChinese(t *testing.T) {
	for _, help := range []bool{false, true} {
		drawn := browse.DrawHelp(wording.Of("zh_CN.UTF-8"), help, printable)
		lines := 0
		for _, line := range strings.Split(drawn, "\x1b[K") {
			_, text, _ := strings.Cut(line, "H")
			if !strings.ContainsFunc(text, func(r rune) bool { return r >= 'a' && r <= 'z' && !strings.ContainsRune("mhl", r) }) {
				continue // blank
			}
			lines++
			if !strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) || strings.Contains(text, "…") {
				t.Errorf("a line is %q", text)
			}
		}
		if least := map[bool]int{false: 1, true: 10}[help]; lines < least {
			t.Errorf("help %t: %d lines, want %d or more:\n%q", help, lines, least, drawn)
		}
	}
}
