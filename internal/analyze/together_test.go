package analyze_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/analyze"
)

// TestWrittenTogether: neighbouring words make one in whatever form they stand. Words
// that say nothing make none.
func TestWrittenTogether(t *testing.T) {
	for query, want := range map[string]string{
		"site map for google":            "sitemap",
		"two Site\n Maps":                "twosit twosite sitemap sitemaps",
		"how do I set up the e-mail":     "setup email",
		"where do I log in":              "login",
		"a page in two parts":            "pagein twopart twoparts",
		"site, map":                      "",
		"the map of the site":            "",
		"ﬁre wall, Ｆｉｒｅ wall":            "firewal firewall",
		"naïve bayes":                    "naivebay naivebayes",
		"输入 法":                           "入法",
		"輸入　法的 设置":                       "入法",
		"输入，法":                           "",
		"我 的":                            "",
		"データ ベース":                        "",
		"":                               "",
		"-":                              "",
		"x y":                            "",
		strings.Repeat("long", 9) + " a": "",
		"\xff\xfe site\x00map \xffsite":  "mapsit mapsite",
	} {
		var got []string
		for _, term := range analyze.WrittenTogether(query) {
			if got = append(got, term.Text); term.Kind != analyze.Together || term.Weight != 1 && term.Weight != .3 {
				t.Errorf("%q: %q is a %v of weight %v", query, term.Text, term.Kind, term.Weight)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
	many := analyze.WrittenTogether(strings.Repeat("ab cd ef gh ij kl mn op qr st uv wx ", 999))
	if len(many) < 12 || len(many) > 24 {
		t.Errorf("%d words of words that come again and again, want 12 to 24", len(many))
	}
}

// TestTogetherMeetsTheIndex: what a pair becomes is a term of a text that has the word.
func TestTogetherMeetsTheIndex(t *testing.T) {
	for query, text := range map[string]string{
		"site maps": "Every sitemap, and sitemaps.", "time lines": "a timeline", "publish date": "Set publishDate there.", "e-mails": "Write an email.", "set up": "the setup", "输入 法": "换输入法",
	} {
		terms := analyze.Document(nil, text)
		if !slices.ContainsFunc(analyze.WrittenTogether(query), func(w analyze.Term) bool { return slices.Contains(terms, w.Text) }) {
			t.Errorf("%q: none of %v is in %q", query, analyze.WrittenTogether(query), terms)
		}
	}
}

func FuzzWrittenTogether(f *testing.F) {
	for _, s := range []string{"site map", "e-mail", "输入 法", "a -b", "\xff x", "é è"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, query string) {
		for _, w := range analyze.WrittenTogether(query) {
			if w.Text == "" || strings.ContainsAny(w.Text, " \n\x00-") {
				t.Errorf("%q gives %q", query, w.Text)
			}
		}
	})
}
