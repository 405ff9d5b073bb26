package querylang_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir/internal/querylang"
)

// today is a Friday.
var today = time.Date(2026, 3, 20, 23, 30, 0, 0, time.FixedZone("", 8*3600))

type (
	query  = querylang.Query
	filter = querylang.Filter
	words  = querylang.Words
)

func days(from, to string) querylang.Range {
	day := func(s string) time.Time {
		t, err := time.Parse(time.DateOnly, s)
		if err != nil && s != "" {
			panic(err)
		}
		return t
	}
	return querylang.Range{From: day(from), To: day(to)}
}

func TestParse(t *testing.T) {
	tests := []struct {
		text string
		want query
	}{
		{"why SQLite", query{Text: "why SQLite"}},
		{"状态:全部 电话", query{Text: "电话", Filters: []filter{{Key: querylang.Status, Value: "all", Text: "状态:全部"}}}},
		{"状态：已取代", query{Filters: []filter{{Key: querylang.Status, Value: "superseded", Text: "状态：已取代"}}}},
		{"状态:不错", query{Text: "状态:不错"}},
		{"  why \t SQLite\r\n", query{Text: "why \t SQLite"}},
		{"", query{}},

		{`say "blue button" now`, query{Text: `say "blue button" now`, Phrases: []string{"blue button"}}},
		{`“blue button” 「青いボタン」『x』 «le bouton» „der Knopf“ ＂全角＂ 《三体》`, query{
			Text:    `“blue button” 「青いボタン」『x』 «le bouton» „der Knopf“ ＂全角＂ 《三体》`,
			Phrases: []string{"blue button", "青いボタン", "x", "le bouton", "der Knopf", "全角", "三体"}}},
		{`什么是“先到先得”，以及"后到"`, query{Text: `什么是“先到先得”，以及"后到"`, Phrases: []string{"先到先得", "后到"}}},
		{`« mot »`, query{Text: `« mot »`, Phrases: []string{"mot"}}},

		{`+sqlite -postgres why`, query{Text: "sqlite why", Must: []words{{Text: "sqlite"}}, Minus: []words{{Text: "postgres"}}}},
		{`＋数据库 －缓存 为什么`, query{Text: "数据库 为什么", Must: []words{{Text: "数据库"}}, Minus: []words{{Text: "缓存"}}}},
		{`+"exact words" -'x -"not these" rest`, query{Text: `"exact words" -'x rest`, Must: []words{{"exact words", true}}, Minus: []words{{"not these", true}}}},
		{`a -postgres`, query{Text: "a", Minus: []words{{Text: "postgres"}}}},

		{`path:people tag:Work #deadline type:notes heading:"Open questions" session:abc agent:mia who`, query{
			Text: "#deadline who", Hashtags: []string{"deadline"},
			Filters: []filter{
				{Key: querylang.Path, Value: "people", Text: "path:people"}, {Key: querylang.Tag, Value: "Work", Text: "tag:Work"},
				{Key: querylang.Type, Value: "note", Text: "type:notes"}, {Key: querylang.Heading, Value: "Open questions", Text: `heading:"Open questions"`},
				{Key: querylang.Session, Value: "abc", Text: "session:abc"}, {Key: querylang.Agent, Value: "mia", Text: "agent:mia"},
			}}},
		{`标签：工作, Source:sessions -path:.\archive\ x`, query{Text: "x", Filters: []filter{
			{Key: querylang.Tag, Value: "工作", Text: "标签：工作"}, {Key: querylang.Type, Value: "session", Text: "Source:sessions"},
			{Key: querylang.Path, Value: "archive/", Not: true, Text: `-path:.\archive\`},
		}}},
		{`type:decision -类型：Vorliebe type:"day log" TYPE:memory`, query{Filters: []filter{
			{Key: querylang.Type, Value: "decision", Text: "type:decision"}, {Key: querylang.Type, Value: "Vorliebe", Not: true, Text: "-类型：Vorliebe"},
			{Key: querylang.Type, Value: "day log", Text: `type:"day log"`}, {Key: querylang.Type, Value: "note", Text: "TYPE:memory"},
		}}},
		{`-#draft +#work x`, query{Text: "x", Filters: []filter{
			{Key: querylang.Tag, Value: "draft", Not: true, Text: "-#draft"}, {Key: querylang.Tag, Value: "work", Text: "+#work"},
		}}},
		{`tag:work`, query{Filters: []filter{{Key: querylang.Tag, Value: "work", Text: "tag:work"}}}},
		{`tag:work -draft`, query{Filters: []filter{{Key: querylang.Tag, Value: "work", Text: "tag:work"}}, Minus: []words{{Text: "draft"}}}},

		{`since:2026-01 deploy`, query{Text: "deploy", Filters: []filter{{Key: querylang.Date, Value: "2026-01", Days: days("2026-01-01", ""), Text: "since:2026-01"}}}},
		{`until:2026-01 before:2026-01 after:2026-01 on:上周`, query{Filters: []filter{
			{Key: querylang.Date, Value: "2026-01", Days: days("", "2026-01-31"), Text: "until:2026-01"},
			{Key: querylang.Date, Value: "2026-01", Days: days("", "2025-12-31"), Text: "before:2026-01"},
			{Key: querylang.Date, Value: "2026-01", Days: days("2026-02-01", ""), Text: "after:2026-01"},
			{Key: querylang.Date, Value: "上周", Days: days("2026-03-09", "2026-03-15"), Text: "on:上周"},
		}}},
		{`since:2026-01-05T12:00:00Z x`, query{Text: "x", Filters: []filter{{Key: querylang.Date, Value: "2026-01-05T12:00:00Z", Days: days("2026-01-05", ""), Text: "since:2026-01-05T12:00:00Z"}}}},
		{`since:"last week" x`, query{Text: "x", Filters: []filter{{Key: querylang.Date, Value: "last week", Days: days("2026-03-09", ""), Text: `since:"last week"`}}}},
		{`what happened last week`, query{Text: "what happened last week", When: []querylang.Range{days("2026-03-09", "2026-03-15")}, Undated: "what happened", All: true}},
		{`Who called on 3 March? -Anna`, query{Text: "Who called on 3 March?", When: []querylang.Range{days("2026-03-03", "2026-03-03")}, Undated: "who called on ?", Minus: []querylang.Words{{Text: "Anna"}}}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(querylang.Parse(tt.text, today), tt.want, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("Parse(%q) (-got +want):\n%s", tt.text, diff)
		}
	}
}

// TestText: what is not a part of the language stays as it was typed.
func TestText(t *testing.T) {
	for _, text := range []string{
		"http://localhost:8080/x?y=1", "foo:bar", "foo:\"bar baz\"", "a - b", "a + b", "C++ and C#", "x = -1", "+49 170 123", "git push --force -f", "rm -rf /", "docker run -it x",
		`"`, `""`, `say "hello`, `5" and 6" disks`, `key:"v`, `tag:`, `tag: work`, `path://x`, `tag:"a`, `type:`, `source:string`, `since:dawn`, `before:all`, `on:call`, `since:2026-13`,
		"#123", "# Heading", "#", "#fff(x)", "##x", "-", "+", "--", "- item", "-x", "-postgres", "-postgres -mysql", `-"a b"`, "don't 'quote' me", "it's 'x", "12:30", "a:b:c", "::",
		"+x", "-é", "fix\n-removed line\n+added line", "“", "”", "「", "\U0001F600", "tag:,", "since:,",
	} {
		if diff := cmp.Diff(querylang.Parse(text, today), query{Text: text}, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("Parse(%q) (-got +want):\n%s", text, diff)
		}
	}
}

func TestDates(t *testing.T) {
	tests := []struct{ text, from, to string }{
		{"on 2026-03-02", "2026-03-02", "2026-03-02"},
		{"2026/3/2", "2026-03-02", "2026-03-02"},
		{"7 May 2023", "2023-05-07", "2023-05-07"},
		{"the 7th of May, 2023?", "2023-05-07", "2023-05-07"},
		{"May 7, 2023", "2023-05-07", "2023-05-07"},
		{"Sept. 3rd 2024", "2024-09-03", "2024-09-03"},
		{"7 May", "2025-05-07", "2025-05-07"},
		{"Feb 29", "", ""},
		{"29 February 2024", "2024-02-29", "2024-02-29"},
		{"in March 2026", "2026-03-01", "2026-03-31"},
		{"in March", "2026-03-01", "2026-03-31"},
		{"in may", "2025-05-01", "2025-05-31"},
		{"you may march", "", ""},
		{"2026-01", "2026-01-01", "2026-01-31"},
		{"in 2023", "2023-01-01", "2023-12-31"},
		{"2023 things", "", ""},
		{"today", "2026-03-20", "2026-03-20"},
		{"Yesterday", "2026-03-19", "2026-03-19"},
		{"the day before yesterday", "2026-03-18", "2026-03-18"},
		{"last week", "2026-03-09", "2026-03-15"},
		{"this  week", "2026-03-16", "2026-03-22"},
		{"last month", "2026-02-01", "2026-02-28"},
		{"last year", "2025-01-01", "2025-12-31"},
		{"last Friday", "2026-03-13", "2026-03-13"},
		{"on Monday", "2026-03-16", "2026-03-16"},
		{"the past three days", "2026-03-17", "2026-03-20"},
		{"last 2 weeks", "2026-03-06", "2026-03-20"},
		{"three days ago", "2026-03-17", "2026-03-17"},
		{"a month ago", "2026-02-01", "2026-02-28"},
		{"from 3 March 2025 to 5 March 2025", "2025-03-03", "2025-03-05"},
		{"between March 2025 and May 2025", "2025-03-01", "2025-05-31"},
		{"October last year", "2025-10-01", "2025-10-31"},
		{"what did we plan in October of last year", "2025-10-01", "2025-10-31"},
		{"7 May last year", "2025-05-07", "2025-05-07"},
		{"May 7, this year", "2026-05-07", "2026-05-07"},
		{"last October", "2025-10-01", "2025-10-31"},
		{"last March", "2025-03-01", "2025-03-31"},
		{"the end of last year", "2025-11-01", "2025-12-31"},
		{"at the beginning of 2024", "2024-01-01", "2024-02-29"},
		{"what did I do in April", "2025-04-01", "2025-04-30"},
		{"the week before last", "2026-03-02", "2026-03-08"},
		{"the month before last, in Rome", "2026-01-01", "2026-01-31"},
		{"two Fridays ago", "2026-03-06", "2026-03-06"},
		{"a Tuesday ago", "2026-03-17", "2026-03-17"},
		{"last weekend", "2026-03-14", "2026-03-15"},
		{"this weekend", "2026-03-21", "2026-03-22"},
		{"half a year ago", "2025-09-01", "2025-09-30"},
		{"the last half a year", "2025-09-20", "2026-03-20"},
		{"from 1 March 2024 to 31 May", "2024-03-01", "2024-05-31"},
		{"notes/2026-03-02.md", "", ""},
		{"2026-03-02.md", "", ""},
		{"v2023-05", "", ""},
		{"2023-05-07-slug", "", ""},
		{"1.2.3", "", ""},
		{"2026-02-30", "", ""},

		{"2026年3月", "2026-03-01", "2026-03-31"},
		{"2026年3月2日的会议", "2026-03-02", "2026-03-02"},
		{"２０２６年３月２日", "2026-03-02", "2026-03-02"},
		{"二〇二五年十二月三十一日", "2025-12-31", "2025-12-31"},
		{"5月7日", "2025-05-07", "2025-05-07"},
		{"3月2号说了什么", "2026-03-02", "2026-03-02"},
		{"2025年", "2025-01-01", "2025-12-31"},
		{"我们几月开会", "", ""},
		{"昨天", "2026-03-19", "2026-03-19"},
		{"前天吃了什么", "2026-03-18", "2026-03-18"},
		{"大前天", "2026-03-17", "2026-03-17"},
		{"上周", "2026-03-09", "2026-03-15"},
		{"上个星期", "2026-03-09", "2026-03-15"},
		{"上週", "2026-03-09", "2026-03-15"},
		{"上周三决定了什么", "2026-03-11", "2026-03-11"},
		{"这周", "2026-03-16", "2026-03-22"},
		{"上个月", "2026-02-01", "2026-02-28"},
		{"去年", "2025-01-01", "2025-12-31"},
		{"三天前", "2026-03-17", "2026-03-17"},
		{"2周之前", "2026-03-02", "2026-03-08"},
		{"最近三天", "2026-03-17", "2026-03-20"},
		{"过去两个月", "2026-01-20", "2026-03-20"},
		{"2025年3月到5月7日", "2025-03-01", "2025-05-07"},
		{"去年十月做了什么", "2025-10-01", "2025-10-31"},
		{"去年10月份的会议", "2025-10-01", "2025-10-31"},
		{"今年四月", "2026-04-01", "2026-04-30"},
		{"今年 4月", "2026-04-01", "2026-04-30"},
		{"前年的十月", "2024-10-01", "2024-10-31"},
		{"大前年十月", "2023-10-01", "2023-10-31"},
		{"去年十月三日", "2025-10-03", "2025-10-03"},
		{"去年三月到五月做了什么", "2025-03-01", "2025-05-31"},
		{"2024年3月到五月", "2024-03-01", "2024-05-31"},
		{"去年年底", "2025-11-01", "2025-12-31"},
		{"前年底定的", "2024-11-01", "2024-12-31"},
		{"2024年年初", "2024-01-01", "2024-02-29"},
		{"今年初", "2026-01-01", "2026-02-28"},
		{"上上周", "2026-03-02", "2026-03-08"},
		{"上上周三", "2026-03-04", "2026-03-04"},
		{"上上个星期三", "2026-03-04", "2026-03-04"},
		{"下下周一", "2026-03-30", "2026-03-30"},
		{"上周末去了哪里", "2026-03-14", "2026-03-15"},
		{"上个週末", "2026-03-14", "2026-03-15"},
		{"上上周末", "2026-03-07", "2026-03-08"},
		{"上个月5号", "2026-02-05", "2026-02-05"},
		{"四月做了什么", "2025-04-01", "2025-04-30"},
		{"我们3月份做了什么", "2026-03-01", "2026-03-31"},
		{"公司十月份发布了什么", "2025-10-01", "2025-10-31"},
		{"从十月到十二月", "2025-10-01", "2025-12-31"},
		{"住在四月，", "2025-04-01", "2025-04-30"},
		{"公司4月买了什么", "2025-04-01", "2025-04-30"},
		{"四月的会议", "2025-04-01", "2025-04-30"},
		{"半年前", "2025-09-01", "2025-09-30"},
		{"半个月前说的", "2026-03-02", "2026-03-08"},
		{"最近半年", "2025-09-20", "2026-03-20"},
		{"晚上月亮很好", "", ""},
		{"本周期的指标", "", ""},

		{"先週の会議", "2026-03-09", "2026-03-15"},
		{"先週の金曜日", "2026-03-13", "2026-03-13"},
		{"昨日", "2026-03-19", "2026-03-19"},
		{"一昨日", "2026-03-18", "2026-03-18"},
		{"先月", "2026-02-01", "2026-02-28"},
		{"昨年", "2025-01-01", "2025-12-31"},
		{"去年の十月", "2025-10-01", "2025-10-31"},
		{"去年10月", "2025-10-01", "2025-10-31"},
		{"昨年の10月3日", "2025-10-03", "2025-10-03"},
		{"一昨年の年末", "2024-11-01", "2024-12-31"},
		{"去年の初め", "2025-01-01", "2025-02-28"},
		{"先々週の水曜日", "2026-03-04", "2026-03-04"},
		{"再来週", "2026-03-30", "2026-04-05"},
		{"先週末どこに行った", "2026-03-14", "2026-03-15"},
		{"先週の週末", "2026-03-14", "2026-03-15"},
		{"先月5日", "2026-02-05", "2026-02-05"},
		{"4月に何をした", "2025-04-01", "2025-04-30"},
		{"私は四月に何をした", "2025-04-01", "2025-04-30"},
		{"4月から6月まで", "2025-04-01", "2025-06-30"},
		{"半年前", "2025-09-01", "2025-09-30"},
		{"3日前", "2026-03-17", "2026-03-17"},
		{"2か月前", "2026-01-01", "2026-01-31"},
		{"2026年3月2日", "2026-03-02", "2026-03-02"},
	}
	for _, tt := range tests {
		var want []querylang.Range
		if tt.from != "" {
			want = append(want, days(tt.from, tt.to))
		}
		if diff := cmp.Diff(querylang.Parse(tt.text, today).When, want, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("dates of %q (-got +want):\n%s", tt.text, diff)
		}
	}
	two := querylang.Parse("on 9 May 2025 or on 7 May 2025", today).When
	if diff := cmp.Diff(two, []querylang.Range{days("2025-05-09", "2025-05-09"), days("2025-05-07", "2025-05-07")}); diff != "" {
		t.Errorf("two dates (-got +want):\n%s", diff)
	}
}

// TestDateValues: a filter takes shorter forms than a sentence.
func TestDateValues(t *testing.T) {
	for value, want := range map[string]querylang.Range{
		"2026": days("2026-01-01", "2026-12-31"), "2026-1": days("2026-01-01", "2026-01-31"), "20260302": days("2026-03-02", "2026-03-02"),
		"march": days("2026-03-01", "2026-03-31"), "monday": days("2026-03-16", "2026-03-16"), "7d": days("2026-03-13", "2026-03-13"),
		"3月": days("2026-03-01", "2026-03-31"), "四月": days("2025-04-01", "2025-04-30"), "去年十月": days("2025-10-01", "2025-10-31"), "今年四月": days("2026-04-01", "2026-04-30"),
		"去年年底": days("2025-11-01", "2025-12-31"), "今年初": days("2026-01-01", "2026-02-28"), "上上周三": days("2026-03-04", "2026-03-04"), "上周末": days("2026-03-14", "2026-03-15"),
		"半年前": days("2025-09-01", "2025-09-30"), "周三": days("2026-03-18", "2026-03-18"), "水曜日": days("2026-03-18", "2026-03-18"), "先々週": days("2026-03-02", "2026-03-08"),
		`"october last year"`: days("2025-10-01", "2025-10-31"), `"the week before last"`: days("2026-03-02", "2026-03-08"), "yesterday": days("2026-03-19", "2026-03-19"), `"7 May 2023"`: days("2023-05-07", "2023-05-07"),
	} {
		got := querylang.Parse("on:"+value, today)
		if len(got.Filters) != 1 || got.Filters[0].Days != want {
			t.Errorf("on:%s is %+v, want %v", value, got, want)
		}
	}
}

// TestDateBounds: the words that name a month of a year bound a time as others do.
func TestDateBounds(t *testing.T) {
	for text, want := range map[string]querylang.Range{
		"since:去年十月": days("2025-10-01", ""), "until:去年十月": days("", "2025-10-31"), "before:去年十月": days("", "2025-09-30"), "after:去年年底": days("2026-01-01", ""), "-on:今年四月": days("2026-04-01", "2026-04-30"),
	} {
		got := querylang.Parse(text+" x", today)
		if len(got.Filters) != 1 || got.Filters[0].Days != want {
			t.Errorf("%s is %+v, want %v", text, got, want)
		}
	}
}

// TestDays: what is asked for as a date is one as a whole, or none.
func TestDays(t *testing.T) {
	for text, want := range map[string]querylang.Range{
		"昨天": days("2026-03-19", "2026-03-19"), "Yesterday": days("2026-03-19", "2026-03-19"), "昨日": days("2026-03-19", "2026-03-19"), "上周": days("2026-03-09", "2026-03-15"),
	} {
		if got, ok := querylang.Days(text, today); !ok || got != want {
			t.Errorf("%q is %v, %v, want %v", text, got, ok, want)
		}
	}
	east := today.In(time.FixedZone("", 8*3600))
	for text, want := range map[string]string{ // a time is of the day that it is where the user is
		"2026-03-01T20:00:00Z": "2026-03-02", "2026-03-01T23:30:00+08:00": "2026-03-01", "2026-03-01T12:00:00.5-07:00": "2026-03-02",
	} {
		if got, ok := querylang.Days(text, east); !ok || got != days(want, want) {
			t.Errorf("%q is %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "soon", "2026-03-01T25:00:00Z", "昨天吃饭", "since yesterday", "2026-02-30", strings.Repeat("x", 2000)} {
		if got, ok := querylang.Days(text, today); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// TestMonthsEnd: there is no 31st of February to go back to.
func TestMonthsEnd(t *testing.T) {
	got := querylang.Parse("a month ago", time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC)).When
	if diff := cmp.Diff(got, []querylang.Range{days("2026-02-01", "2026-02-28")}); diff != "" {
		t.Errorf("a month before 31 March (-got +want):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`+a -b "c d" tag:e #f since:2026-01 path:"g h" -type:note`, "“a” 「b」 «c» „d“", "last week 上周 先週 5月7日 2026年3月2日", `key:"v`, "-x", "a\n-b\n+c",
		"＋数据库 －缓存 标签：工作", "晚上月亮 十十月十十日 99999999999年", "on:0000-00-00 before:9999-12-31 9999年前", "\xff\"\xfe", strings.Repeat("-a ", 100), strings.Repeat("「", 200),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		q := querylang.Parse(text, today)
		if !utf8.ValidString(q.Text) {
			t.Errorf("Parse(%q): the text %q is not valid", text, q.Text)
		}
		if strings.TrimSpace(text) != "" && q.Text == "" && len(q.Filters) == 0 {
			t.Errorf("Parse(%q): nothing is left", text)
		}
		for _, r := range q.When {
			if r.From.IsZero() || r.To.Before(r.From) {
				t.Errorf("Parse(%q): a range from %v to %v", text, r.From, r.To)
			}
		}
		for _, w := range append(q.Must, q.Minus...) {
			if w.Text == "" {
				t.Errorf("Parse(%q): an operator before nothing", text)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		querylang.Parse(`why did we choose "SQLite" last week tag:work since:2026-01 -postgres`, today)
	}
}
