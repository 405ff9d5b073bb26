package querylang

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// A pattern is one way of writing days. When several patterns match at the same place,
// the first one counts.
type pattern struct {
	form      func() *regexp.Regexp // compiled when a text may match for the first time
	needs     []string              // every match holds one of these words, which are quicker to look for
	days      func(c calendar, m []string) (Range, bool)
	yearless  bool // the year is left to the calendar
	valueOnly bool // too short to count as a date in a sentence
	// pair says that a match is a range. One that is no range of days, because it is
	// backwards or in the future, holds no date either.
	pair bool
}

// These are parts of the forms.
const (
	monthForm   = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`
	dayForm     = `(\d{1,2})(?:st|nd|rd|th)?`
	weekdayForm = `(monday|tuesday|wednesday|thursday|friday|saturday|sunday)`
	yearForm    = `(\d{4}|(?:last|this|next) year)`
	countForm   = `(\d{1,4}|half an?|an?|one|two|couple of|three|few|four|five|six|seven|eight|nine|ten|eleven|twelve)`
	unitForm    = `(day|week|month|year)s?`
	hanNumber   = `(\d{1,2}|[一二三四五六七八九十]{1,3})`
	hanCount    = `(\d{1,3}|[一二两兩三几幾数四五六七八九十]{1,3}|半)`
	hanUnit     = `(天|日|周间|週間|周|週|星期|个星期|個星期|礼拜|个月|個月|か月|ヶ月|カ月|ヵ月|箇月|年)`
	hanYear     = `(\d{4}年|[一二三四五六七八九〇零]{4}年|大前年|前年|一昨年|去年|昨年|今年|本年|明年|再来年|来年)`
	zhWhich     = `上上|上|这|這|本|下下|下`
	jaWhich     = `先々|先|今|再来|来`
	hanWeekday  = `(?:周|週|星期|礼拜|禮拜)`
)

var (
	digits     = []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}
	years      = append([]string{"year"}, digits...)
	monthNames = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
)

// patterns returns the ways of writing days, in all languages.
var patterns = sync.OnceValue(func() []pattern { return slices.Concat(pairs, dates, romance, german, korean) })

// dates are the ways of writing one day, week, month or year, or a time until now.
var dates = []pattern{
	{form: lazyregexp.New(`(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})`), needs: digits, days: func(c calendar, m []string) (Range, bool) { return c.day(m[0], m[1], m[2]) }},
	{form: lazyregexp.New(dayForm + `(?: of)? ` + monthForm + `\.?,? ` + yearForm), needs: digits, days: func(c calendar, m []string) (Range, bool) { return c.day(m[2], m[1], m[0]) }},
	{form: lazyregexp.New(monthForm + `\.? ` + dayForm + `,? ` + yearForm), needs: digits, days: func(c calendar, m []string) (Range, bool) { return c.day(m[2], m[0], m[1]) }},
	{form: lazyregexp.New(hanYear + `[的の]? ?` + hanNumber + `月 ?` + hanNumber + `(?:日|号|號)`), needs: []string{"年"}, days: func(c calendar, m []string) (Range, bool) { return c.day(m[0], m[1], m[2]) }},
	{form: lazyregexp.New(monthForm + `\.?,? (?:of )?` + yearForm), needs: years, days: func(c calendar, m []string) (Range, bool) { return c.month(m[1], m[0]) }},
	{form: lazyregexp.New(hanYear + `[的の]? ?` + hanNumber + `月份?`), needs: []string{"年"}, days: func(c calendar, m []string) (Range, bool) { return c.month(m[0], m[1]) }},
	{form: lazyregexp.New(`(?:(end)|beginning|start) of ` + yearForm), needs: years, days: func(c calendar, m []string) (Range, bool) { return c.partOfYear(m[1], m[0] != "") }},
	{form: lazyregexp.New(hanYear + `[的の]?年?(?:(底|末)|初め?)`), needs: []string{"年"}, days: func(c calendar, m []string) (Range, bool) { return c.partOfYear(m[0], m[1] != "") }},
	{yearless: true, form: lazyregexp.New(dayForm + `(?: of)? ` + monthForm), needs: digits, days: func(c calendar, m []string) (Range, bool) { return c.day("", m[1], m[0]) }},
	{yearless: true, form: lazyregexp.New(monthForm + `\.? ` + dayForm), needs: digits, days: func(c calendar, m []string) (Range, bool) { return c.day("", m[0], m[1]) }},
	{yearless: true, form: lazyregexp.New(hanNumber + `月 ?` + hanNumber + `(?:日|号|號)`), needs: []string{"月"}, days: func(c calendar, m []string) (Range, bool) { return c.day("", m[0], m[1]) }},
	{yearless: true, form: lazyregexp.New(hanNumber + `月份?`), needs: []string{"月"}, days: func(c calendar, m []string) (Range, bool) { return c.month("", m[0]) }},
	{form: lazyregexp.New(`(\d{4})[-/](\d{2})`), needs: digits, days: func(c calendar, m []string) (Range, bool) { return c.month(m[0], m[1]) }},
	{yearless: true, form: lazyregexp.New(`(in|during|since|last|this|until|before|after|from|between) ` + monthForm), needs: monthNames, days: monthNamed},
	{form: lazyregexp.New(`(?:in|during|since|until|before|after|from|between) (?:the year )?(\d{4})`), needs: digits, days: func(c calendar, m []string) (Range, bool) { return c.year(m[0]) }},
	{form: lazyregexp.New(hanYear), needs: []string{"年"}, days: func(c calendar, m []string) (Range, bool) { return c.year(m[0]) }},

	{form: lazyregexp.New(`(the day before yesterday|yesterday|today|tomorrow)`), needs: []string{"day", "tomorrow"}, days: func(c calendar, m []string) (Range, bool) { return c.ago(daysAgo[m[0]]), true }},
	{form: lazyregexp.New(`(大前天|前天|昨天|昨日|今天|今日|明天|明日|一昨日|おととい|きのう)`), needs: []string{"天", "日", "おととい", "きのう"}, days: func(c calendar, m []string) (Range, bool) { return c.ago(daysAgo[m[0]]), true }},
	{form: lazyregexp.New(`(last|previous|this|next|on) ` + weekdayForm), needs: []string{"day"}, days: weekdayNamed},
	{form: lazyregexp.New(countForm + ` ` + weekdayForm + `s? ago`), needs: []string{"ago"}, days: func(c calendar, m []string) (Range, bool) { return c.lastNamed(m[1], number(m[0])), number(m[0]) > 0 }},
	{form: lazyregexp.New(`(` + zhWhich + `)(?:个|個)?` + hanWeekday + `([一二三四五六日天])`), needs: []string{"周", "週", "星期", "拜"}, days: weekdayOf},
	{form: lazyregexp.New(`(` + jaWhich + `)週の?([月火水木金土日])曜日?`), needs: []string{"週"}, days: weekdayOf},
	{form: lazyregexp.New(`(` + zhWhich + `|` + jaWhich + `)(?:个|個)?月[的の]?` + hanNumber + `(?:日|号|號)`), needs: []string{"月"}, days: dayNamed},
	{form: lazyregexp.New(`(last|previous|this|current|next) (weekend|week|month|year)`), needs: []string{"week", "month", "year"}, days: unitNamed},
	{form: lazyregexp.New(`the (weekend|week|month|year) before last`), needs: []string{"before last"}, days: func(c calendar, m []string) (Range, bool) { return c.unit(m[0], 2), true }},
	{form: lazyregexp.New(`(` + zhWhich + `|` + jaWhich + `)(?:一)?(?:个|個)?(周末|週末|週の週末|周|週|星期|礼拜|禮拜|月)`), needs: []string{"周", "週", "星期", "拜", "月"}, days: unitNamed},
	{form: lazyregexp.New(`(?:last|past|previous) ` + countForm + ` ` + unitForm), needs: []string{"last", "past", "previous"}, days: lately},
	{form: lazyregexp.New(`past ()` + unitForm), needs: []string{"last", "past", "previous"}, days: lately},
	{form: lazyregexp.New(`(?:最近|近|过去|過去|ここ|この)(?:的)? ?` + hanCount + ` ?` + hanUnit), needs: []string{"近", "去", "過", "ここ", "この"}, days: lately},
	{form: lazyregexp.New(countForm + ` ` + unitForm + ` ago`), needs: []string{"ago"}, days: before},
	{form: lazyregexp.New(hanCount + ` ?` + hanUnit + `(?:之前|以前|前)`), needs: []string{"前"}, days: before},

	{valueOnly: true, form: lazyregexp.New(`(\d{4})`), needs: digits, days: func(c calendar, m []string) (Range, bool) { return c.year(m[0]) }},
	{valueOnly: true, form: lazyregexp.New(`(\d{4})(\d{2})(\d{2})`), needs: digits, days: func(c calendar, m []string) (Range, bool) { return c.day(m[0], m[1], m[2]) }},
	{valueOnly: true, form: lazyregexp.New(`(\d{4})[-/.](\d{1,2})`), needs: digits, days: func(c calendar, m []string) (Range, bool) { return c.month(m[0], m[1]) }},
	{valueOnly: true, form: lazyregexp.New(`()` + weekdayForm), needs: []string{"day"}, days: weekdayNamed},
	{valueOnly: true, form: lazyregexp.New(monthForm), needs: monthNames, days: func(c calendar, m []string) (Range, bool) { return c.month("", m[0]) }},
	{valueOnly: true, form: lazyregexp.New(`()(?:` + hanWeekday + `([一二三四五六日天])|([月火水木金土日])曜日?)`), needs: []string{"周", "週", "星期", "拜", "曜"}, days: weekdayNamed},
	{valueOnly: true, form: lazyregexp.New(`(\d{1,4})([dwmy])`), needs: digits, days: before},
}

// daysAgo, unitsAgo and units say what the words mean.
var (
	daysAgo = map[string]int{
		"the day before yesterday": 2, "yesterday": 1, "today": 0, "tomorrow": -1,
		"大前天": 3, "前天": 2, "昨天": 1, "昨日": 1, "今天": 0, "今日": 0, "明天": -1, "明日": -1, "一昨日": 2, "おととい": 2, "きのう": 1,
	}
	unitsAgo = map[string]int{
		"last": 1, "previous": 1, "this": 0, "current": 0, "next": -1,
		"上上": 2, "上": 1, "这": 0, "這": 0, "本": 0, "下": -1, "下下": -2, "先々": 2, "先": 1, "今": 0, "来": -1, "再来": -2,
		"last year": 1, "this year": 0, "next year": -1,
		"大前年": 3, "前年": 2, "一昨年": 2, "去年": 1, "昨年": 1, "今年": 0, "本年": 0, "明年": -1, "来年": -1, "再来年": -2,
	}
	units = map[string]string{
		"d": "day", "w": "week", "m": "month", "y": "year", "天": "day", "日": "day", "周": "week", "週": "week", "周间": "week", "週間": "week",
		"星期": "week", "礼拜": "week", "禮拜": "week", "个星期": "week", "個星期": "week", "月": "month", "年": "year",
		"周末": "weekend", "週末": "weekend", "週の週末": "weekend",
	}
	// halves says what half a unit is. Half a day is no time that a note has.
	halves = map[string]struct {
		n    int
		unit string
	}{"year": {6, "month"}, "month": {2, "week"}}
	weekdays = map[string]time.Weekday{
		"monday": time.Monday, "tuesday": time.Tuesday, "wednesday": time.Wednesday, "thursday": time.Thursday,
		"friday": time.Friday, "saturday": time.Saturday, "sunday": time.Sunday,
		"一": time.Monday, "二": time.Tuesday, "三": time.Wednesday, "四": time.Thursday, "五": time.Friday, "六": time.Saturday, "天": time.Sunday,
		"月": time.Monday, "火": time.Tuesday, "水": time.Wednesday, "木": time.Thursday, "金": time.Friday, "土": time.Saturday, "日": time.Sunday,
	}
)

// unitOf returns day, week, month or year, whichever a word means.
func unitOf(s string) string {
	if u, ok := units[s]; ok {
		return u
	}
	if strings.HasSuffix(s, "月") {
		return "month"
	}
	return s
}

// monthOf reads the name or number of a month; 0 for anything else.
func monthOf(s string) time.Month {
	if len(s) >= 3 && s[0] >= 'a' && s[0] <= 'z' {
		return time.Month(slices.Index(monthNames, s[:3]) + 1)
	}
	return time.Month(number(s))
}

// yearOf reads a year that a note may be from: 2026, 二〇二六年, last year, 去年.
func (c calendar) yearOf(s string) (int, bool) {
	y := year(strings.TrimSuffix(s, "年"))
	if ago, ok := unitsAgo[s]; ok {
		y = c.today.Year() - ago
	}
	return y, y >= 1900 && y <= 2100
}

// day returns a day. Without a year it is the last such day up to today.
func (c calendar) day(y, m, d string) (Range, bool) {
	month, dd := monthOf(m), number(d)
	yy, ok := c.yearOf(y)
	if y == "" {
		yy, ok = c.today.Year(), true
		if midnight(yy, month, dd).After(c.today) {
			yy--
		}
	}
	t := midnight(yy, month, dd)
	return Range{t, t}, ok && t.Month() == month && t.Day() == dd
}

// month returns a month. Without a year it is the last month of that name, which may be
// the current one.
func (c calendar) month(y, m string) (Range, bool) {
	month := monthOf(m)
	yy, ok := c.yearOf(y)
	if y == "" {
		yy, ok = c.today.Year(), true
		if month > c.today.Month() {
			yy--
		}
	}
	first := midnight(yy, month, 1)
	return Range{first, first.AddDate(0, 1, -1)}, ok && month >= 1 && month <= 12
}

func (c calendar) year(y string) (Range, bool) {
	yy, ok := c.yearOf(y)
	return Range{midnight(yy, 1, 1), midnight(yy, 12, 31)}, ok
}

// partOfYear returns the first two months of a year, or the last two.
func (c calendar) partOfYear(y string, last bool) (Range, bool) {
	yy, ok := c.yearOf(y)
	if last {
		return Range{midnight(yy, 11, 1), midnight(yy, 12, 31)}, ok
	}
	return Range{midnight(yy, 1, 1), midnight(yy, 3, 0)}, ok
}

// ago returns the day that is days before today.
func (c calendar) ago(days int) Range {
	t := c.today.AddDate(0, 0, -days)
	return Range{t, t}
}

// unit returns a week, weekend, month or year: the current one, or the one so many before
// it. A week begins on Monday, and a weekend is its Saturday and Sunday.
func (c calendar) unit(unit string, ago int) Range {
	switch unit {
	case "week":
		monday := c.today.AddDate(0, 0, -(int(c.today.Weekday())+6)%7-7*ago)
		return Range{monday, monday.AddDate(0, 0, 6)}
	case "weekend":
		week := c.unit("week", ago)
		return Range{week.From.AddDate(0, 0, 5), week.To}
	case "month":
		first := midnight(c.today.Year(), c.today.Month(), 1).AddDate(0, -ago, 0)
		return Range{first, first.AddDate(0, 1, -1)}
	}
	y := c.today.Year() - ago
	return Range{midnight(y, 1, 1), midnight(y, 12, 31)}
}

// back returns the day that is n units before today.
func (c calendar) back(unit string, n int) time.Time {
	switch unit {
	case "day":
		return c.today.AddDate(0, 0, -n)
	case "week":
		return c.today.AddDate(0, 0, -7*n)
	case "year":
		n *= 12
	}
	// Count the months first: there is no 31st of February.
	first := midnight(c.today.Year(), c.today.Month()-time.Month(n), 1)
	return first.AddDate(0, 0, min(c.today.Day(), first.AddDate(0, 1, -1).Day())-1)
}

func unitNamed(c calendar, m []string) (Range, bool) {
	return c.unit(unitOf(m[1]), unitsAgo[m[0]]), true
}

// monthNamed returns the last month of a name. "Last May" is not the current month.
func monthNamed(c calendar, m []string) (Range, bool) {
	y := ""
	if m[0] == "last" && monthOf(m[1]) == c.today.Month() {
		y = "last year"
	}
	return c.month(y, m[1])
}

// dayNamed returns a day of the month that a word names: 上个月5号.
func dayNamed(c calendar, m []string) (Range, bool) {
	month := c.unit("month", unitsAgo[m[0]]).From
	return c.day(month.Format("2006"), month.Format("1"), m[1])
}

// weekdayNamed returns the day that the name of a weekday means. It is the last one before
// today. With "this" it is in this week, and with "next" in the next one. The name is the
// last of m that is not empty.
func weekdayNamed(c calendar, m []string) (Range, bool) {
	name := cmp.Or(m[len(m)-1], m[1])
	switch m[0] {
	case "this":
		return weekdayIn(c.unit("week", 0), name), true
	case "next":
		return weekdayIn(c.unit("week", -1), name), true
	}
	return c.lastNamed(name, 1), true
}

// lastNamed returns the nth day before today that is a certain day of the week.
func (c calendar) lastNamed(weekday string, n int) Range {
	back := (int(c.today.Weekday())-int(weekdays[weekday])+6)%7 + 1
	return c.ago(back + 7*(n-1))
}

func weekdayOf(c calendar, m []string) (Range, bool) {
	return weekdayIn(c.unit("week", unitsAgo[m[0]]), m[1]), true
}

func weekdayIn(week Range, name string) Range {
	t := week.From.AddDate(0, 0, (int(weekdays[name])+6)%7)
	return Range{t, t}
}

// amount reads how many units are meant: 2 and week for 两周, 6 and month for 半年. It
// returns 0 for what is not to be counted.
func amount(count, unit string) (int, string) {
	unit = unitOf(unit)
	if count == "半" || strings.HasPrefix(count, "half") {
		return halves[unit].n, halves[unit].unit
	}
	return number(count), unit
}

// lately returns the time from so many units ago until today.
func lately(c calendar, m []string) (Range, bool) {
	n, unit := amount(cmp.Or(m[0], "1"), m[1])
	return Range{c.back(unit, n), c.today}, n > 0
}

// before returns the time about so many units ago: the day, or the whole week, month or
// year.
func before(c calendar, m []string) (Range, bool) {
	n, unit := amount(m[0], m[1])
	t := c.back(unit, n)
	if unit == "day" {
		return Range{t, t}, n > 0
	}
	return calendar{today: t}.unit(unit, 0), n > 0
}
