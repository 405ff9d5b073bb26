package analyze

import (
	"strings"
	"time"
)

// DateWords spells a day in the ways in which people ask for it, in English,
// Chinese and Japanese: "2026-03-02 2 March 2026 Mar 2nd Monday 2026年3月2日 星期一
// 周一 月曜日". Indexed with the text of the day, it makes "2 March" and "3月2日" find
// it. The day is that of t's own location.
func DateWords(t time.Time) string {
	day := t.Format("2")
	weekdays := [...][2]string{{"日", "日"}, {"一", "月"}, {"二", "火"}, {"三", "水"}, {"四", "木"}, {"五", "金"}, {"六", "土"}}
	w := weekdays[t.Weekday()]
	return strings.Join([]string{
		t.Format("2006-01-02 2 January 2006 Jan"),
		day + ordinal(t.Day()),
		t.Format("Monday 2006年1月2日"),
		"星期" + w[0], "周" + w[0], w[1] + "曜日",
	}, " ")
}

func ordinal(day int) string {
	if day/10 == 1 {
		return "th"
	}
	switch day % 10 {
	case 1:
		return "st"
	case 2:
		return "nd"
	case 3:
		return "rd"
	}
	return "th"
}
