package analyze_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"github.com/memoir-ai/memoir/internal/analyze"
)

func TestDocument(t *testing.T) {
	tests := []struct {
		name, text string
		want       string // joined by blanks
	}{
		{"empty", "", ""},
		{"only separators", " \t\r\n\x00 — … ()[] ** __ -- # . /", ""},
		{"invalid UTF-8 separates", "ab\xffcd\xc3", "ab cd"},
		{"stems beside words", "Running quickly, she tests", "running run quickly quick she tests test"},
		{"contractions and genitives", "don’t Caroline's we'll l'homme O'Brien", "dont caroline carolin we l homme homm o brien"},
		{"plural of an acronym", "URLs and IDs", "urls url and ids id"},
		{"accents", "Café naïve e\u0301cole", "cafe naive naiv ecole ecol"},
		{"letters without an accent to strip", "Straße Łódź Ærø Đặng İstanbul", "strasse strass lodz aero dang istanbul"},
		{"Greek and Cyrillic", "Ναί ΟΔΟΣ Ёлка мой їжак", "ναι οδοσ елка мой їжак"},
		{"Hebrew and Arabic points", "שָׁלוֹם السَّلَامُ كتـــاب", "שלום السلام سلام كتاب"},
		{"beginnings of words", "Договоры аренды, дом; πρόγραμμα", "договоры догов аренды аренд дом προγραμμα προγρ"},
		{"beginnings of Arabic words", "والغسالات للبيت إلى الله", "والغسالات غسالا للبيت بيت إلى الله"},
		{"beginnings of Hindi words", "टमाटरों", "टमाटरों टमाटर"},
		{"Indic vowel signs stay", "हिन्दी தமிழ்", "हिन्दी हिन्द தமிழ்"},
		{"bidi marks vanish", "\u200fשלום\u200e a\u200db", "שלום ab"},
		{"width and ligatures", "ＤＢ＿ＨＯＳＴ ﬁle Ⅻ", "db_host db host file xii"},
		{"Chinese", "数据库，猫", "数据 据库 猫 数 据 库"},
		{"a character is given alone once", "人人人", "人人 人人 人"},
		{"Japanese", "東京のホテルー", "东京 京の のホ ホテ テル ルー 东 京"},
		{"traditional Chinese", "數據庫，後來", "数据 据库 后来 数 据 库 后 来"},
		{"half-width kana with voicing marks", "ｶﾞﾝﾀﾞﾑ か\u3099", "ガン ンダ ダム が"},
		{"Korean", "한국어를", "한국 국어 어를 한 국 어 를"},
		{"Hangul letters compose", norm.NFD.String("한국"), "한국 한 국"},
		{"Thai keeps its marks", "สวัสดี", "สวั วัส สดี"},
		{"counted", "2026年3月2日", "2026 2026年 3 3月 2 2日 年 月 日"},
		{"emoji", "🎉 ok ├──", "🎉 ok"},
		{"identifier between Chinese", "请DB_PASSWORD在", "请 db_password db password 在"},
		{"environment variable", "DB_PASSWORD=x", "db_password db password x"},
		{"escaped by Markdown", `DB\_HOST \#12`, "db_host db host #12 12"},
		{"emphasis", "_soft_ **hard** __init__", "soft hard init"},
		{"camel case and dots", "memorySearch.query", "memorysearch.query memorysearch memory memori search query queri"},
		{"acronym in camel case", "parseHTTPRequest", "parsehttprequest parse pars http request"},
		{"path", "src/a/server_test.go.", "src/a/server_test.go src a server_test.go server_test server test go"},
		{"camel case in a path", "lib/runCases.ts", "lib/runcases.ts lib runcases.ts runcases run cases case ts"},
		{"Windows path", `C:\Notes\a1.md`, "c:/notes/a1.md c notes note a1.md a1 md"},
		{"dot files", ".env ./x/.env ...and", ".env env x/.env x .env env and"},
		{"URL", "https://go.dev:80/x?q=1&r=%20#l2", "https://go.dev:80/x?q=1&r=%20#l2 https go.dev go dev x q r l2"},
		{"e-mail", "<ann.lee@x.org>", "ann.lee@x.org ann.lee ann lee x.org x org"},
		{"issue", "#123, repo#45 #tag", "#123 123 repo#45 repo #45 45 tag"},
		{"flag", "--no-plan --force -n", "--no-plan no-plan no plan --force force forc n"},
		{"version", "v1.2.3-rc1 2.0 v0.11.0.md", "v1.2.3-rc1 1.2.3-rc1 1.2.3 2.0 v0.11.0.md v0.11.0 0.11.0 md"},
		{"hash", "a828e60 d846eb93d94d 20260302", "a828e60 d846eb93d94d d846eb9 20260302"},
		{"hyphens", "state-of-the-art gpt-4", "state-of-the-art state of the art gpt-4 gpt"},
		{"languages", "C++, C# and F#.", "c++ c c# c and f# f"},
		{"date and time", "2026-03-02 10:30", "2026-03-02 2026 10:30"},
		{"long", strings.Repeat("é", 100), strings.Repeat("e", 64)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(analyze.Document(nil, tt.text), " ")
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("Document(%q): got, want:\n%s", tt.text, diff)
			}
		})
	}
}

// TestPhrase: the terms of a phrase stand together in a text that holds the phrase.
func TestPhrase(t *testing.T) {
	tests := []struct {
		phrase, text string
		want         bool
	}{
		{"blue button", "The Blue, **button**.", true},
		{"blue button", "the blue\r\nbutton", true},
		{"blue button", "the button is blue", false},
		{"blue buttons", "the blue button", false},
		{"to be or not", "To be, or not to be", true},
		{"数据库", "用数据库，存数据库", true},
		{"据库", "用数据库", true},
		{"数据 库", "数据库", false},
		{"猫", "黑猫", true},
		{"3月2日", "2026年3月2日の会議", true},
		{"メモリー検索", "新しいﾒﾓﾘｰ検索です", true},
		{"DB_PASSWORD is", "the DB_PASSWORD is set", true},
		{"src/a/b.go", "see src/a/b.go:", true},
		{"memorySearch.query", "set memorySearch.query", true},
		{"…", "anything", true},
	}
	for _, tt := range tests {
		if got := together(analyze.Document(nil, tt.text), analyze.Phrase(tt.phrase)); got != tt.want {
			t.Errorf("%q in %q is %v, want %v", tt.phrase, tt.text, got, tt.want)
		}
	}
}

// TestQuestionWords: question words are left out in every language, unless nothing else
// is there.
func TestQuestionWords(t *testing.T) {
	for text, want := range map[string]string{
		"где лежит ключ?":       "лежит ключ",
		"что это":               "что это",
		"चाबी कहाँ है":          "चाबी",
		"أين المفتاح":           "المفتاح مفتاح",
		"من يسقي الزهور":        "يسقي الزهور زهور",
		"what is the пароль of": "пароль парол",
	} {
		var got []string
		for _, term := range analyze.Query(text) {
			got = append(got, term.Text)
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestAnyForm: the terms of a word stand together in a text that holds another form of
// it.
func TestAnyForm(t *testing.T) {
	tests := []struct {
		word, text string
		want       bool
	}{
		{"databases", "a database", true},
		{"database", "databases", true},
		{"running", "to run", true},
		{"base", "database", false},
		{"follow-up", "the follow-ups", false},
		{"C++", "written in C++", true},
		{"C++", "written in C", false},
		{"DB_PASSWORD", "export DB_PASSWORD=x", true},
		{"数据库", "数据和仓库", false},
		{"数据库", "向量数据库", true},
		{"Café", "cafe", true},
		{"программа", "новая программа", true},
		{"программа", "прогресс", false},
		{"!!", "anything", true},
	}
	for _, tt := range tests {
		if got := together(analyze.Document(nil, tt.text), analyze.AnyForm(tt.word)); got != tt.want {
			t.Errorf("%q in %q is %v, want %v", tt.word, tt.text, got, tt.want)
		}
	}
}

// together reports whether the terms stand one after another in the document's.
func together(document, terms []string) bool {
	for i := range len(document) - len(terms) + 1 {
		if slices.Equal(document[i:i+len(terms)], terms) {
			return true
		}
	}
	return false
}

func TestDocumentAppends(t *testing.T) {
	got := analyze.Document([]string{"x"}, "y")
	if diff := cmp.Diff(got, []string{"x", "y"}); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
}

// TestVariantsMeet: a query finds a document that writes the same thing in another way.
func TestVariantsMeet(t *testing.T) {
	tests := []struct{ document, query string }{
		{"set DB_PASSWORD first", "db_password"},
		{"commit d846eb93d94d0a1b2c3d", "d846eb9"},
		{"commit d846eb9", "d846eb93d94d0a1b"},
		{"internal/mcp/server_test.go", "server_test.go"},
		{"use `--budget-usd`", "budget-usd"},
		{"fixes #1396", "1396"},
		{"since v0.27.1", "0.27.1"},
		{"memorySearch.query", "search"},
		{"C:\\Users\\ann", "C:/Users/ann"},
		{"Ünïcode Café", "unicode cafe"},
		{"ｻｰﾊﾞｰ", "サーバー"},
		{"我的猫很可爱", "猫"},
		{"새 집을 샀다", "집"},
		{"數據庫的備份", "数据库"},
		{"数据库的备份", "數據庫"},
		{"裏庭に猫がいる", "裏庭"},
		{"學校へ行く", "学校"},
		{"\uf907", "龟"}, // a compatibility form of 龜
		{"用の", "用"},
		{"they were running", "runs"},
		{norm.NFD.String("Ångström 東京ガイド"), norm.NFC.String("Ångström 東京ガイド")},
		{analyze.DateWords(time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)), "3月2日"},
	}
	for _, tt := range tests {
		terms := analyze.Document(nil, tt.document)
		for _, q := range analyze.Query(tt.query) {
			if slices.Contains(terms, q.Text) {
				terms = nil
				break
			}
		}
		if terms != nil {
			t.Errorf("query %q shares no term with %q: %q", tt.query, tt.document, terms)
		}
	}
}

func TestQuery(t *testing.T) {
	tests := []struct {
		name, text string
		want       []analyze.Term
	}{
		{"empty", " ", nil},
		{"question words go", "What did we decide about caching?", []analyze.Term{
			{Text: "decide", Weight: 0.3, Kind: analyze.Word}, {Text: "decid", Weight: 1, Kind: analyze.Stem},
			{Text: "caching", Weight: 0.3, Kind: analyze.Word}, {Text: "cach", Weight: 1, Kind: analyze.Stem},
		}},
		{"unless nothing remains", "what's the", []analyze.Term{
			{Text: "what", Weight: 1, Kind: analyze.Word}, {Text: "the", Weight: 1, Kind: analyze.Word},
		}},
		{"quotes and operators are no words", `"unbalanced NEAR( AND *`, []analyze.Term{
			{Text: "unbalanced", Weight: 0.3, Kind: analyze.Word}, {Text: "unbalanc", Weight: 1, Kind: analyze.Stem},
			{Text: "near", Weight: 1, Kind: analyze.Word},
		}},
		{"identifier in a Chinese question", "请问DB_PORT在哪里设置？", []analyze.Term{
			{Text: "db_port", Weight: 4, Kind: analyze.Identifier},
			{Text: "db", Weight: 0.5, Kind: analyze.Part}, {Text: "port", Weight: 0.5, Kind: analyze.Part},
			{Text: "在", Weight: 0.3, Kind: analyze.Bigram}, {Text: "设", Weight: 0.8, Kind: analyze.Character},
			{Text: "设置", Weight: 1, Kind: analyze.Bigram}, {Text: "置", Weight: 0.8, Kind: analyze.Character},
		}},
		{"no pair across what was left out", "数据库什么备份", []analyze.Term{
			{Text: "数", Weight: 0.8, Kind: analyze.Character}, {Text: "数据", Weight: 1, Kind: analyze.Bigram}, {Text: "据", Weight: 0.8, Kind: analyze.Character},
			{Text: "据库", Weight: 1, Kind: analyze.Bigram}, {Text: "库", Weight: 0.8, Kind: analyze.Character},
			{Text: "备", Weight: 0.8, Kind: analyze.Character}, {Text: "备份", Weight: 1, Kind: analyze.Bigram}, {Text: "份", Weight: 0.8, Kind: analyze.Character},
		}},
		{"particles weigh little", "猫的名字", []analyze.Term{
			{Text: "猫", Weight: 0.8, Kind: analyze.Character}, {Text: "猫的", Weight: 0.3, Kind: analyze.Bigram},
			{Text: "的名", Weight: 0.3, Kind: analyze.Bigram}, {Text: "名", Weight: 0.8, Kind: analyze.Character},
			{Text: "名字", Weight: 1, Kind: analyze.Bigram}, {Text: "字", Weight: 0.8, Kind: analyze.Character},
		}},
		{"unless they are all that stands there", "目的", []analyze.Term{
			{Text: "目", Weight: 0.8, Kind: analyze.Character}, {Text: "目的", Weight: 1, Kind: analyze.Bigram},
		}},
		{"Chinese of stop words only", "什么", []analyze.Term{{Text: "什么", Weight: 1, Kind: analyze.Bigram}}},
		{"question words of traditional Chinese", "請問這個數據庫爲什麼慢？", []analyze.Term{
			{Text: "这个", Weight: 0.3, Kind: analyze.Bigram}, {Text: "个", Weight: 0.8, Kind: analyze.Character},
			{Text: "个数", Weight: 1, Kind: analyze.Bigram}, {Text: "数", Weight: 0.8, Kind: analyze.Character},
			{Text: "数据", Weight: 1, Kind: analyze.Bigram}, {Text: "据", Weight: 0.8, Kind: analyze.Character},
			{Text: "据库", Weight: 1, Kind: analyze.Bigram}, {Text: "库", Weight: 0.8, Kind: analyze.Character},
			{Text: "慢", Weight: 0.3, Kind: analyze.Bigram},
		}},
		{"question words of Japanese", "誰ですか、首都は", []analyze.Term{
			{Text: "首", Weight: 0.8, Kind: analyze.Character}, {Text: "首都", Weight: 1, Kind: analyze.Bigram},
			{Text: "都", Weight: 0.8, Kind: analyze.Character}, {Text: "都は", Weight: 0.3, Kind: analyze.Bigram},
		}},
		{"Japanese", "首都は何ですか", []analyze.Term{
			{Text: "首", Weight: 0.8, Kind: analyze.Character}, {Text: "首都", Weight: 1, Kind: analyze.Bigram},
			{Text: "都", Weight: 0.8, Kind: analyze.Character}, {Text: "都は", Weight: 0.3, Kind: analyze.Bigram},
		}},
		{"date", "7 May 2023", []analyze.Term{
			{Text: "7", Weight: 1, Kind: analyze.Word}, {Text: "may", Weight: 1, Kind: analyze.Word},
			{Text: "2023", Weight: 1, Kind: analyze.Word},
		}},
		{"the heaviest appearance counts", "port DB_PORT", []analyze.Term{
			{Text: "port", Weight: 1, Kind: analyze.Word},
			{Text: "db_port", Weight: 4, Kind: analyze.Identifier}, {Text: "db", Weight: 0.5, Kind: analyze.Part},
		}},
		{"kana alone mean little", "データの々", []analyze.Term{
			{Text: "デー", Weight: 1, Kind: analyze.Bigram}, {Text: "ータ", Weight: 1, Kind: analyze.Bigram},
			{Text: "タの", Weight: 0.3, Kind: analyze.Bigram}, {Text: "の々", Weight: 0.3, Kind: analyze.Bigram},
		}},
		{"code span", "`no-plan`", []analyze.Term{
			{Text: "no-plan", Weight: 4, Kind: analyze.Identifier}, {Text: "plan", Weight: 0.5, Kind: analyze.Part},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := analyze.Query(tt.text)
			if len(got) == 0 {
				got = nil
			}
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("Query(%q): got, want:\n%s", tt.text, diff)
			}
		})
	}
}

// TestCompounds: ordinary language is no identifier, even with marks in it.
func TestCompounds(t *testing.T) {
	kind := func(text string) analyze.Kind {
		for _, term := range analyze.Query(text) {
			if term.Kind == analyze.Identifier || term.Kind == analyze.Compound {
				return term.Kind
			}
		}
		return analyze.Word
	}
	for want, texts := range map[analyze.Kind]string{
		analyze.Compound: "real-time year-old naïve-Bayes 18th 5k 500ms 2d python3 windows11 p53 k8s h1n1 s3fs covid-19 IL-6 GPT-4 2-dimensional " +
			"artists/bands U.S. e.g. 3.5 9:30 10:30 24/7 1:1 2023/5 GitHub OpenAI PostgreSQL JavaScript 360root ＧｉｔＨｕｂ",
		analyze.Identifier: "DB_PASSWORD v1.2.3 1.2.3 src/a/b.go a.go README.md --force .env #123 a828e60 3075ee94 a1b2c3 E501 x509 PROJ-123 " +
			"CVE-2024-1234 550e8400-e29b-41d4-a716-446655440000 2026-03-02 20260302 getUser iPhone ConfigFileLoader ann@x.org C:/x 12:30:45 " +
			"10.0.0.1 x86_64 `real-time` `GitHub` `3.5` a/b/c std::vector",
		analyze.Word: "word 2026 17 数据 don't naïve",
	} {
		for text := range strings.FieldsSeq(texts) {
			if got := kind(text); got != want {
				t.Errorf("%s is a %v, want a %v", text, got, want)
			}
		}
	}
}

func TestQueryIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		b.WriteString(string(rune(0x4e00+i%7919)) + string(rune(0x4e00+i%6007)))
	}
	b.WriteString(" DB_PASSWORD")
	got := analyze.Query(b.String())
	if len(got) != analyze.MaxQueryTerms {
		t.Errorf("%d terms, want %d", len(got), analyze.MaxQueryTerms)
	}
	if last := got[len(got)-1]; last.Text != "db_password" {
		t.Errorf("the last term is %v, want the heaviest one", last)
	}
}

func TestDateWords(t *testing.T) {
	tests := []struct {
		day  time.Time
		want string
	}{
		{time.Date(2026, 3, 2, 23, 0, 0, 0, time.FixedZone("", -9*3600)), "2026-03-02 2 March 2026 Mar 2nd Monday 2026年3月2日 星期一 周一 月曜日"},
		{time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), "2024-02-29 29 February 2024 Feb 29th Thursday 2024年2月29日 星期四 周四 木曜日"},
		{time.Date(2023, 12, 3, 0, 0, 0, 0, time.UTC), "2023-12-03 3 December 2023 Dec 3rd Sunday 2023年12月3日 星期日 周日 日曜日"},
		{time.Date(2023, 7, 11, 0, 0, 0, 0, time.UTC), "2023-07-11 11 July 2023 Jul 11th Tuesday 2023年7月11日 星期二 周二 火曜日"},
		{time.Date(2023, 7, 21, 0, 0, 0, 0, time.UTC), "2023-07-21 21 July 2023 Jul 21st Friday 2023年7月21日 星期五 周五 金曜日"},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(analyze.DateWords(tt.day), tt.want); diff != "" {
			t.Errorf("got, want:\n%s", diff)
		}
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, seed := range []string{
		"", "Running don't U.S. and/or", "DB_PASSWORD src/a/b.go --flag #123 v1.2.3-rc1", "请问DB_PASSWORD在哪里设置？",
		"3月2日 ｶﾞﾝﾀﾞﾑ か\u3099 한국 สวัสดี हिन्दी", "İ ß ﬁ Ⅻ ﷺ \u0301\u0301", "a\x00b\xff", "aBcDeF_gH.iJ/kL", `C:\a \_ \`,
		"https://x.y/?&=#%~+-.1", "_a_ __ a__", "x' 's 't", "..a .a --a #1a #a", "🎉\u200d👨 \ufeff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		terms := analyze.Document(nil, text)
		known := make(map[string]bool, len(terms))
		for _, term := range terms {
			checkTerm(t, text, term)
			known[term] = true
		}
		if utf8.ValidString(text) && !strings.ContainsRune(text, '\uff3c') { // a full-width backslash escapes nothing
			if diff := cmp.Diff(terms, analyze.Document(nil, norm.NFKC.String(text))); diff != "" {
				t.Errorf("terms of %q, of its NFKC form:\n%s", text, diff)
			}
		}
		query := analyze.Query(text)
		if len(query) == 0 && len(terms) > 0 || len(query) > analyze.MaxQueryTerms {
			t.Errorf("query %q has %d terms, document %d", text, len(query), len(terms))
		}
		seen := make(map[string]bool, len(query))
		for _, q := range query {
			checkTerm(t, text, q.Text)
			if q.Weight <= 0 || seen[q.Text] {
				t.Errorf("query %q: bad or repeated term %v", text, q)
			}
			seen[q.Text] = true
			alone := utf8.RuneCountInString(q.Text) == 1 || unicode.Is(unicode.M, []rune(q.Text)[1])
			if !known[q.Text] && !(q.Kind == analyze.Bigram && alone) {
				t.Errorf("query %q has term %q, the same document has not: %q", text, q.Text, terms)
			}
		}
	})
}

func checkTerm(t *testing.T, text, term string) {
	t.Helper()
	space := strings.ContainsFunc(term, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	if term == "" || space || !utf8.ValidString(term) || utf8.RuneCountInString(term) > analyze.MaxTermRunes {
		t.Errorf("%q has term %q", text, term)
	}
}

// TestHostile: hostile text takes time in proportion to its size.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	for _, unit := range []string{"a", "aB", "a.", "a_", "_", "a/", "a'", "'s", "#1", "--a", "://a", "\u0301", "一", "请问", "\u0e34", "1月", "0a", "\\", "😀"} {
		text := "x" + strings.Repeat(unit, 1<<20/len(unit))
		for _, term := range analyze.Document(nil, text) {
			if len(term) > 4*analyze.MaxTermRunes {
				t.Fatalf("%q repeated: a term of %d bytes", unit, len(term))
			}
		}
		if n := len(analyze.Query(text)); n > analyze.MaxQueryTerms {
			t.Errorf("%q repeated: %d query terms", unit, n)
		}
	}
}

const (
	english = "Today we decided to move the session store from Redis to SQLite, because operating two databases was " +
		"costing us more than it gave. Caroline will write the migration (see `internal/store/migrate.go` and #482); " +
		"the flag --dry-run prints what would change. Don't forget to rotate DB_PASSWORD afterwards.\n"
	chinese = "今天我们决定把会话存储从 Redis 迁移到 SQLite，因为同时维护两个数据库的成本太高。小林负责编写迁移脚本，" +
		"完成之后不要忘记更换 DB_PASSWORD。下周三之前需要在测试环境验证一遍，确认没有数据丢失。\n"
)

func BenchmarkDocument(b *testing.B) {
	for _, lang := range []struct{ name, text string }{{"english", english}, {"chinese", chinese}} {
		text := strings.Repeat(lang.text, 4)
		b.Run(lang.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var terms []string
			for b.Loop() {
				terms = analyze.Document(terms[:0], text)
			}
		})
	}
}

func BenchmarkQuery(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		analyze.Query("Where did we write down how DB_PASSWORD is rotated? 在哪里设置的")
	}
}

// TestInvisibleCharacters: a character that nobody sees hides no word, in documents and
// in queries.
func TestInvisibleCharacters(t *testing.T) {
	for name, text := range map[string][2]string{
		"zero-width space":             {"mem\u200boir", "memoir"},
		"word joiner":                  {"mem\u2060oir", "memoir"},
		"soft hyphen":                  {"mem\u00adoir", "memoir"},
		"byte order mark":              {"\ufeffmem\ufeffoir", "memoir"},
		"marks of direction":           {"\u202amem\u202eoi\u202cr\u202c \u2066x1\u2069\u200f", "memoir x1"},
		"zero-width space at a word":   {"a tea\u200b \u200b b", "a tea b"},
		"identifier":                   {"DB\u200b_PASS\u00adWORD src/\u200ba/\u200bb.go", "DB_PASSWORD src/a/b.go"},
		"camel case":                   {"memory\u200bSearch", "memorySearch"},
		"grapheme joiner":              {"שלו\u034fם", "שלום"},
		"Chinese":                      {"数\u200b据\u2060库", "数据库"},
		"ideographic variant":          {"葛\U000e0100城", "葛城"},
		"standard variant":             {"芦\ufe00屋", "芦屋"},
		"Thai":                         {"ภาษา\u200bไทย", "ภาษาไทย"},
		"Khmer":                        {"ភាសា\u200bខ្មែរ", "ភាសាខ្មែរ"},
		"Persian non-joiner":           {"نمی\u200cخواهم", "نمیخواهم"},
		"Hindi joiner and non-joiner":  {"क्\u200dष क्\u200cष", "क्ष क्ष"},
		"Hangul filler":                {"한\u3164국\uffa0어", "한국어"},
		"heart in colour":              {"❤\ufe0f", "❤"},
		"family":                       {"👨\u200d👩\u200d👧", "👨👩👧"},
		"flag of tags":                 {"🏴\U000e0067\U000e0062\U000e007f", "🏴"},
		"nothing but what nobody sees": {"\u200b\u2060\ufe0f", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(analyze.Document(nil, text[0]), analyze.Document(nil, text[1])); diff != "" {
				t.Errorf("as a document: got, want:\n%s", diff)
			}
			if diff := cmp.Diff(analyze.Query(text[0]), analyze.Query(text[1])); diff != "" {
				t.Errorf("as a query: got, want:\n%s", diff)
			}
			if got, want := analyze.Canonical(text[0]), analyze.Canonical(text[1]); got != want {
				t.Errorf("canonical: got %q, want %q", got, want)
			}
		})
	}
}
