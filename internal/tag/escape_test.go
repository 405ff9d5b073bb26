package tag_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/tag"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"a </memory> b":                 "a < /memory> b",
		"</MEMORY>":                     "< /MEMORY>",
		"</mem\u00adory>":               "< /mem\u00adory>",
		"<\u200b/memory>":               "< \u200b/memory>",
		"＜/memory＞":                     "＜ /memory＞",
		"﹤／ｍｅｍｏｒｙ＞":                     "﹤ ／ｍｅｍｏｒｙ＞",
		"<system-reminder>x":            "< system-reminder>x",
		"<!-- a --> <?b?>":              "< !-- a --> < ?b?>",
		"<记忆>":                          "< 记忆>",
		"1 < 2, a<=b, x<-y, i<10, 1<<3": "1 < 2, a<=b, x<-y, i<10, 1<<3",
		"< /memory>":                    "< /memory>",
		"<":                             "<",
	} {
		if got := tag.Escape(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]bool{
		"a </memory>": true, "a </MEMORY>": true, "＜/Mem\u00adory＞": true, "<\u200b/memory>": true,
		"/memory": false, "< /memory>": false, "the memory> of </mem": false,
	} {
		if got := tag.Names(text, "/memory>"); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// begun matches what a reader may take for a tag.
var begun = regexp.MustCompile(`<[\pL/!?]`)

func FuzzEscape(f *testing.F) {
	for _, text := range []string{"</MEMORY>", "</mem\u00adory>", "＜/memory＞", "﹤a", "<\u200b\u2060/memory>", "<<a", "a<b", "<\u0338x", "<℀", "<¨x", "<\xffx"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := tag.Escape(text)
		if tag.Escape(got) != got {
			t.Errorf("%q becomes %q, and that %q", text, got, tag.Escape(got))
		}
		if found := begun.FindString(tag.Plain(got)); found != "" {
			t.Errorf("%q becomes %q, which has %q", text, got, found)
		}
		bare := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if utf8.ValidString(text) && bare(got) != bare(text) {
			t.Errorf("%q becomes %q, with more than blanks", text, got)
		}
	})
}
