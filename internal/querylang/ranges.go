package querylang

import (
	"strconv"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// These are parts of the forms of ranges.
const (
	toForm    = `(?: ?[-–—~〜] ?| (?:to|through|till|until) )`
	hanTo     = ` ?(?:到|至|から|[-–—~〜]) ?`
	ofTheYear = `(?:,? (?:of )?` + yearForm + `)?`
	aDay      = `(?:the )?` + dayForm
	hanDays   = hanNumber + `(?:日|号|號)?` + hanTo + hanNumber + `(?:日|号|號)`
	slashed   = `(\d{1,2})/(\d{1,2})`
)

// pairs are ways of writing ranges of which one end says less than a date: 1 to 7 October,
// Oct 1-7, 10月1日到7日, from March to May. Ranges between two dates are joined.
var pairs = []pattern{
	{pair: true, form: lazyregexp.New(`between ` + aDay + ` and ` + aDay + `(?: of)? ` + monthForm + `\.?` + ofTheYear), needs: digits, days: func(c calendar, m []string) (Range, bool) { return c.daysOf(m[3], m[2], m[0], m[1]) }},
	{pair: true, form: lazyregexp.New(aDay + toForm + aDay + `(?: of)? ` + monthForm + `\.?` + ofTheYear), needs: digits, days: func(c calendar, m []string) (Range, bool) { return c.daysOf(m[3], m[2], m[0], m[1]) }},
	{pair: true, form: lazyregexp.New(`between ` + monthForm + `\.? ` + aDay + ` and ` + aDay + ofTheYear), needs: digits, days: func(c calendar, m []string) (Range, bool) { return c.daysOf(m[3], m[0], m[1], m[2]) }},
	{pair: true, form: lazyregexp.New(monthForm + `\.? ` + aDay + toForm + aDay + ofTheYear), needs: digits, days: func(c calendar, m []string) (Range, bool) { return c.daysOf(m[3], m[0], m[1], m[2]) }},
	{pair: true, form: lazyregexp.New(`between ` + monthForm + ` and ` + monthForm + ofTheYear), needs: monthNames, days: func(c calendar, m []string) (Range, bool) { return c.monthsOf(m[2], m[0], m[1]) }},
	{pair: true, form: lazyregexp.New(`from ` + monthForm + toForm + monthForm + ofTheYear), needs: monthNames, days: func(c calendar, m []string) (Range, bool) { return c.monthsOf(m[2], m[0], m[1]) }},
	{pair: true, form: lazyregexp.New(monthForm + toForm + monthForm + `,? (?:of )?` + yearForm), needs: years, days: func(c calendar, m []string) (Range, bool) { return c.monthsOf(m[2], m[0], m[1]) }},
	{pair: true, form: lazyregexp.New(`(?:` + hanYear + `[的の]? ?)?` + hanNumber + `月 ?` + hanDays), needs: []string{"月"}, days: func(c calendar, m []string) (Range, bool) { return c.daysOf(m[0], m[1], m[2], m[3]) }},
	{pair: true, form: lazyregexp.New(`(` + zhWhich + `|` + jaWhich + `)(?:个|個)?月[的の]?` + hanDays), needs: []string{"月"}, days: func(c calendar, m []string) (Range, bool) {
		month := c.unit("month", unitsAgo[m[0]]).From
		return c.daysOf(month.Format("2006"), month.Format("1"), m[1], m[2])
	}},
	{pair: true, form: lazyregexp.New(`(` + zhWhich + `)(?:个|個)?` + hanWeekday + `([一二三四五六日天])` + hanTo + hanWeekday + `([一二三四五六日天])`), needs: []string{"周", "週", "星期", "拜"}, days: func(c calendar, m []string) (Range, bool) {
		week := c.unit("week", unitsAgo[m[0]])
		first, last := weekdayIn(week, m[1]), weekdayIn(week, m[2])
		return Range{first.From, last.To}, first.From.Before(last.To) && !first.From.After(c.today)
	}},
	{pair: true, form: lazyregexp.New(slashed + `(?:` + hanTo + `|` + toForm + `)` + slashed), needs: []string{"/"}, days: func(c calendar, m []string) (Range, bool) {
		if max(number(m[0]), number(m[2])) > 12 {
			m = []string{m[1], m[0], m[3], m[2]} // British
		}
		if max(number(m[1]), number(m[3])) <= 12 { // which is meant cannot be told, and it may be fractions
			return Range{}, false
		}
		return c.slashes(m[0], m[1], m[2], m[3])
	}},
}

// daysOf returns the days of a month from one to another. Without a year it is the last
// such month whose first of these days is not after today. A range that ends before it
// begins, or begins after today, is none.
func (c calendar) daysOf(y, month, from, to string) (Range, bool) {
	first, ok := c.day(y, month, from)
	last, valid := c.day(strconv.Itoa(first.From.Year()), month, to)
	return Range{first.From, last.To}, ok && valid && first.From.Before(last.To) && !first.From.After(c.today)
}

// monthsOf returns the months from one to another, as daysOf does. From December to
// February is a winter: a year is that of its end, and without one it is the last winter.
// It is none where another one has begun since, or where it has more than half a year.
func (c calendar) monthsOf(y, from, to string) (Range, bool) {
	first, ok := c.month(y, from)
	last, valid := c.month(strconv.Itoa(first.From.Year()), to)
	if ok && last.To.Before(first.From) {
		latest := first
		last, valid = c.month(y, to)
		first, ok = c.month(strconv.Itoa(last.From.Year()-1), from)
		ok = ok && last.To.Sub(first.From) < halfAYear && (y != "" || first == latest)
	}
	return Range{first.From, last.To}, ok && valid && first.To.Before(last.From) && !first.From.After(c.today)
}

// slashes returns the days between two that are written with slashes and without a year.
func (c calendar) slashes(month, day, toMonth, toDay string) (Range, bool) {
	first, ok := c.day("", month, day)
	last, valid := c.day(strconv.Itoa(first.From.Year()), toMonth, toDay)
	return Range{first.From, last.To}, ok && valid && first.From.Before(last.To)
}

// halfAYear is how long a range may be whose first month comes after its last one.
const halfAYear = 183 * 24 * time.Hour

var (
	// monthLast matches a range that ends with a word that is no month alone: 3 to 9 may.
	monthLast = lazyregexp.New(`\d[a-z]* (?:of )?(?:may|march|mar)$`)
	// monthVerb matches a range that begins with a word that is no month alone: may 3-5.
	monthVerb = lazyregexp.New(`^(?:may|march|mar)\.? \d[^,]*\d[a-z]*$`)
	// numbersOf matches what stands before numbers that are no days: chapter 3 to 5.
	numbersOf = lazyregexp.New(`\b(?:chapters?|sections?|pages?|pp?\.?|lines?|versions?|steps?|figures?|tables?|rows?|columns?|episodes?|levels?|verses?) $`)
	// countsOn matches what comes after a number that is no day: Oct 1 to 7 pm, 7:30.
	countsOn = lazyregexp.New(`^(?: ?\d|[:/.]\d| ?(?:am|pm|a\.m|p\.m|o'clock|h)\b)`)
	// pairEnds matches what belongs to a range and stands after it.
	pairEnds = lazyregexp.New(`^ ?(?:まで|之间|之間|期间|期間|の間)`)
	// pairBegins matches what belongs to a range and stands before it.
	pairBegins = lazyregexp.New(`(?:[从從自] ?|\b(?:from|between) )$`)
)

// pairMeans reports whether what has the form of a range is one. Numbers that go on are no
// days, and 3 to 9 may be other things.
func (s sentence) pairMeans(start, end int) bool {
	match, rest := s.text[start:end], s.text[end:]
	if match[len(match)-1] >= 0x80 { // から7日間 is for seven days
		return !strings.HasPrefix(rest, "間") || !strings.Contains(match, "から")
	}
	if monthLast().MatchString(match) {
		return dayIsOver().MatchString(rest) || s.capital(start+strings.LastIndexByte(match, ' ')+1)
	}
	return !measures().MatchString(rest) && !countsOn().MatchString(rest)
}

// pairHolds reports whether what has the form of a range, and is none, holds no date
// either: chapter 3 to 5 sept, may 3-5 workers help.
func (s sentence) pairHolds(start, end int) bool {
	match, rest, before := s.text[start:end], s.text[end:], s.text[:start]
	if numbersOf().MatchString(before) {
		return match[0] >= '0' && match[0] <= '9'
	}
	if !monthVerb().MatchString(match) || inYear().MatchString(match) {
		return false
	}
	return !dayIsOver().MatchString(rest) && !ofTime().MatchString(before) && !(s.capital(start) && (start > 0 || goesOn().MatchString(rest)))
}

// whole adds the words before and after a range that belong to it.
func (m *match) whole(text string) {
	m.end += len(pairEnds().FindString(text[m.end:]))
	m.start -= len(pairBegins().FindString(text[:m.start]))
}

// betweenValues matches what stands between both ends of a range that is a value.
var betweenValues = lazyregexp.New(`\.\.| ?[-–—~〜到至] ?| ?から ?| (?:to|through|till|until|and) `)

// rangeValue returns the days from one date to another, if that is the whole text: 3 March
// to 5 April, 10月28日到11月3日, 2026-10-01..2026-10-07.
func (c calendar) rangeValue(text string) (Range, bool) {
	text = strings.TrimSuffix(text, "まで")
	for _, word := range []string{"between ", "from ", "从", "從"} {
		text = strings.TrimPrefix(text, word)
	}
	if m, ok := c.single(strings.TrimSpace(text)); ok && m.pair { // from 3 to 9 March
		return m.days, true
	}
	for _, at := range betweenValues().FindAllStringIndex(text, -1) {
		first, ok := c.single(text[:at[0]])
		last, valid := c.single(text[at[1]:])
		if ok && valid {
			if days, ok := first.to(last); ok {
				return days, true
			}
		}
	}
	return Range{}, false
}
