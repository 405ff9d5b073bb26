package analyze_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir/internal/analyze"
)

func TestHolds(t *testing.T) {
	for _, tt := range []struct {
		text, phrase string
		want         bool
	}{
		{"ウルリヒ・ヴィルヒャー", "リヒ・ヴ", true},
		{"ウルリヒ･ヴィルヒャー", "リヒ ヴ", true},
		{"ウルリヒヴィルヒャー", "リヒ・ヴ", false},
		{"2016年になる", "6年にな", true},
		{"数據庫のV2を使う", "库のv2", true},
		{"第12章", "第1 2章", false},
		{"**数据**，库", "数据 库", true},
		{"this 数据", "is 数据", false},
		{"this is 数据", "is 数据", true},
		{"数据 art", "数据 ar", false},
		{"数据 2026", "数据 20", true},
		{"CAFÉの席", "café の席", false},
		{"CAFÉの席", "caféの", true},
		{"𠮷野家で", "𠮷野家で", true},
		{"数据", "", true},
		{"", "数据", false},
	} {
		if got := analyze.Holds(analyze.Wording(tt.text), analyze.Wording(tt.phrase)); got != tt.want {
			t.Errorf("%q in %q: got %v, want %v", tt.phrase, tt.text, got, tt.want)
		}
	}
}

func TestInside(t *testing.T) {
	for phrase, want := range map[string][]string{
		"blue button": nil, "数据": nil, "「数据库」": nil, "": nil, "数": nil, "ヴ": nil, "🎉": nil,
		"リヒ・ヴ": {"リヒ"}, "6年にな": {"年に", "にな"}, "GitHubで使うPostgres": {"で使", "使う"}, "ヴ・ル": nil, "第6": {"第"}, "ヴ第ー6": {"ヴ第", "第ー"},
		"使 Postgres 数据库": {"数据", "据库"}, "ヴ 数": {"数"},
	} {
		if diff := cmp.Diff(analyze.Inside(phrase), want, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("Inside(%q) (-got +want):\n%s", phrase, diff)
		}
	}
}

// TestInsideOfCuts: however a phrase is cut out of a text, the text holds the phrase, and
// the terms inside it stand one after another among those of the text.
func TestInsideOfCuts(t *testing.T) {
	texts := []string{
		"2016年になると、ウルリヒ・ヴィルヒャーは GitHub で src/a.go を書いた。第12章、3月末まで。", "我们用Postgres数据库，端口5432；缓存是Redis v7.2。數據庫在雲端𠮷野家。",
		"東京都で☕と🎉、か゛と㐂びと𪚥字。iPhone15を買う。", "서울에서 AI로 3일, 데이터베이스와 DB_PASSWORD=x 사용", "สวัสดี123 ครับ (GitHub) ขอบคุณ",
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		text := texts[r.IntN(len(texts))]
		runes := []rune(text)
		a := r.IntN(len(runes))
		phrase := string(runes[a:min(len(runes), a+1+r.IntN(12))])
		inside := analyze.Inside(phrase)
		terms := analyze.Document(nil, text)
		at := slices.IndexFunc(terms, func(string) bool { return true })
		for ; at+len(inside) <= len(terms) && !slices.Equal(terms[at:at+len(inside)], inside); at++ {
		}
		if at+len(inside) > len(terms) {
			t.Fatalf("%q of %q: %q are not in %q", phrase, text, inside, terms)
		}
		if len(inside) > 0 && !strings.Contains(analyze.Wording(text), analyze.Wording(phrase)) {
			t.Fatalf("%q is not in %q", analyze.Wording(phrase), analyze.Wording(text))
		}
	}
}

// TestRareCharacters: a character that documents give as a term is found wherever it
// stands, even outside the basic plane.
func TestRareCharacters(t *testing.T) {
	for _, tt := range []struct{ text, query string }{
		{"We went to 𠮷野家", "𠮷"}, {"今日は𩸽定食", "𩸽"}, {"字𪚥字", "𪚥"}, {"名は㐂び", "㐂"}, {"吃𰻞𰻞面", "𰻞"}, {"𮫫子", "𮫫"}, {"字\U00031350字", "\U00031350"},
		{"rated ⭐⭐⭐", "⭐"}, {"⏰ 7:00", "⏰"}, {"⌛️ wait", "⌛"}, {"with ❤️ from", "❤"}, {"a❤b", "❤️"}, {"coffee☕time", "☕"}, {"🎉", "🎉"}, {"👍🏽", "👍"}, {"👨‍👩‍👧", "👩"}, {"🇩🇪", "🇩🇪"},
	} {
		terms := analyze.Document(nil, tt.text)
		for _, q := range analyze.Query(tt.query) {
			if !slices.Contains(terms, q.Text) {
				t.Errorf("%q asks for %q, and %q has %q", tt.query, q.Text, tt.text, terms)
			}
		}
		if len(analyze.Query(tt.query)) == 0 {
			t.Errorf("%q asks for nothing", tt.query)
		}
	}
	if diff := cmp.Diff(analyze.Document(nil, "𠮷野家の𠮷 ❤️"), []string{"𠮷野", "野家", "家の", "の𠮷", "❤", "𠮷", "野", "家"}); diff != "" {
		t.Errorf("each once, after all others (-got +want):\n%s", diff)
	}
	if diff := cmp.Diff(analyze.Document(nil, "葛\U000e0100城"), analyze.Document(nil, "葛城")); diff != "" {
		t.Errorf("with and without the choice of a glyph (-got +want):\n%s", diff)
	}
	many := strings.Builder{}
	for i := range 600 {
		many.WriteRune(rune(0x20000 + i))
	}
	if n := len(analyze.Document(nil, many.String()+many.String())); n != 1199+utf8.RuneCountInString(many.String()) {
		t.Errorf("%d terms of 1200 rare characters, each twice", n)
	}
}
