package querylang_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir/internal/querylang"
)

// TestDatesInDoubt: words that are a date in one sentence and something else in the next.
func TestDatesInDoubt(t *testing.T) {
	var (
		none      = []querylang.Range(nil)
		one       = func(from, to string) []querylang.Range { return []querylang.Range{days(from, to)} }
		may       = one("2025-05-01", "2025-05-31")
		march     = one("2026-03-01", "2026-03-31")
		may7      = one("2025-05-07", "2025-05-07")
		lastWeek  = one("2026-03-09", "2026-03-15")
		lastMonth = one("2026-02-01", "2026-02-28")
	)
	for text, want := range map[string][]querylang.Range{
		"what happened this may": may, "what happened this May?": may, "what did we plan this May in Rome": may, "in may 2023": one("2023-05-01", "2023-05-31"),
		"in may we moved": may, "since may": may, "before march": march, "this march.": march, "last august": one("2025-08-01", "2025-08-31"), "this April we met": one("2025-04-01", "2025-04-30"),
		"may 7": may7, "the 7 May meeting": may7, "on 7 may we met": may7, "7th may we met": may7, "the 7th of may was fine": may7, "7 may, in the morning": may7, "7 may to 9 may": one("2025-05-07", "2025-05-09"),
		"7 may - 9 may": one("2025-05-07", "2025-05-09"), "march 5 was cold": one("2026-03-05", "2026-03-05"), "in 2023 we moved": one("2023-01-01", "2023-12-31"), "7 june we met": one("2025-06-07", "2025-06-07"),

		"this may help": none, "This may be wrong": none, "this may, however, fail": none, "this may or may not work": none, "THIS MAY HELP": none, "This May Help You Sleep": none, "the last may be wrong": none,
		"why this march was long": none, "the last march of the penguins": none, "this august body": none, "this mar the view": none, "you may": none, "march on": none, "may": none, "mar": none, "sun and sat": none, "the second one": none, "a second ago": none,
		"may last year was cold": one("2025-01-01", "2025-12-31"), "the battery may last year after year": one("2025-01-01", "2025-12-31"), "In May last year we moved": may, "may of last year": one("2025-01-01", "2025-12-31"), "march last year": one("2025-01-01", "2025-12-31"), "two and a half years ago": none,
		"the week before last Christmas": none, "the week before last Friday": one("2026-03-13", "2026-03-13"), "the end of 2000 lines": none, "last weekends": none, "half a day ago": none, "half of last": none,
		"step 2 may fail": none, "these 3 may differ": none, "port 22 may be open": none, "they march 5 miles a day": none, "in 2000 lines of code": none, "after 2000 requests": none, "in 2048 tokens": none,
		"in março": none, "7 maying": none, "in marseille": none,

		"三天前说了什么": one("2026-03-17", "2026-03-17"), "三天前天气怎么样": one("2026-03-17", "2026-03-17"), "两年前年底": one("2024-01-01", "2024-12-31"), "前天天气": one("2026-03-18", "2026-03-18"),
		"做了两周前端": none, "做了2周前端": none, "两周前后端一起": none, "3日前後": none, "以前天天吃": none, "目前年龄": none, "从前年轻": none, "如今年轻人": none, "今年轻松一点": one("2026-01-01", "2026-12-31"), "如今天气": none,
		"过去年代的事": none, "去年的事": one("2025-01-01", "2025-12-31"), "近年来年轻人": none, "来年再说": one("2027-01-01", "2027-12-31"), "文明年代": none, "他说明天来": one("2026-03-21", "2026-03-21"),
		"四月": none, "四月是你的谎言": none, "四月は君の嘘": none, "人间四月天": none, "在四月天里": none, "五月天的歌": none, "去年五月天演唱会": one("2025-01-01", "2025-12-31"), "去年五月天气": one("2025-05-01", "2025-05-31"), "住在五月广场": none,
		"二月河做了什么": none, "林四月去了哪里": none, "林四月份": one("2025-04-01", "2025-04-30"), "十月革命": none, "怀胎十月": none, "十月怀胎": none, "二月红做了什么": none, "七月流火": none, "三月三": none, "三个月做了什么": none, "几月做了什么": none,
		"农历四月做了什么": none, "农历4月做了什么": none, "阴历十月份": none, "第3月做了什么": none, "历时3月": none, "13月做了什么": none, "一月一次": none, "两月前": none, "五月花号": none, "本月份额": one("2026-03-01", "2026-03-31"),
		"1434年3月に何をした": none, "同年10月に何が": none, "07年10月份买的": none, "2017年2至3月，": one("2017-01-01", "2017-12-31"), "5、6月份": none, "2006年4月と10月に何が": one("2006-04-01", "2006-04-30"), "旧暦で5月に何をした": none,
		"7月に入ると東北はどうなる": none, "5月上旬には雨が": none, "8月上旬くらいまで": none, "7月底交": none, "四月初我去了哪里": one("2025-04-01", "2025-04-30"), "1996年2月至4月，": one("1996-02-01", "1996-04-30"),
		"3月のライオン": none, "五月雨": none, "五月病になった": none, "4月": none, "版本10月": none, "去年初次见面": one("2025-01-01", "2025-12-31"), "去年初三毕业": one("2025-01-01", "2025-12-31"), "去年初めて行った": one("2025-01-01", "2025-12-31"),
		"去年底薪": one("2025-01-01", "2025-12-31"), "上半年前": none, "大半年前": none, "半年前端": none, "半年前天气": one("2025-09-01", "2025-09-30"), "一年半": none, "半天前": none, "下半年": none,
		"接近三年": none, "附近两周": none, "近三年": one("2023-03-20", "2026-03-20"),
		"这月亮真圆": none, "来月经": none, "登上月球": none, "上月的事": lastMonth, "完成上月报告": lastMonth, "添加上周数据": lastWeek,
		"上周一起吃饭": lastWeek, "上周一直在下雨": lastWeek, "上周一下子": lastWeek, "上周一下午开会": one("2026-03-09", "2026-03-09"), "上周一开会": one("2026-03-09", "2026-03-09"),
		"上周三个人": lastWeek, "上周三回来": one("2026-03-11", "2026-03-11"), "上周日程": lastWeek, "上周日吃饭": one("2026-03-15", "2026-03-15"), "上周二手车": lastWeek,
		"这周边有什么": none, "本周刊": none, "上礼拜堂": none, "今日头条": none, "明日方舟": none, "今日の予定": one("2026-03-20", "2026-03-20"), "先週刊行": none, "今週の予定": one("2026-03-16", "2026-03-22"),
	} {
		if diff := cmp.Diff(querylang.Parse(text, today).When, want, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("dates of %q (-got +want):\n%s", text, diff)
		}
	}
	// Where a date is asked for, the bare name of a month is one.
	for _, value := range []string{"may", "mar", "march"} {
		if got := querylang.Parse("on:"+value, today); len(got.Filters) != 1 {
			t.Errorf("on:%s is no filter: %+v", value, got)
		}
	}
}
