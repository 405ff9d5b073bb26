package querylang

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// Days returns the days that a text names, if the whole text is a date: 2026-03,
// yesterday, 上周三, 先週. today is a time in the user's own location. A time of RFC 3339
// names the day that it is there.
func Days(text string, today time.Time) (Range, bool) { return newCalendar(today).value(text) }

// A Range is a range of days. From and To are midnights in UTC, and both days belong to
// it. A zero time leaves that end open.
type Range struct{ From, To time.Time }

// calendar resolves dates relative to a day.
type calendar struct {
	today time.Time
	place *time.Location // of the user; nil where no time of day is read
}

func newCalendar(today time.Time) calendar {
	y, m, d := today.Date()
	return calendar{midnight(y, m, d), today.Location()}
}

func midnight(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// maxDated is how many bytes of a text are searched for dates.
const maxDated = 1024

// match is a date found in a text.
type match struct {
	start, end int
	days       Range
	pair       bool // a range that is written as one
	void       bool // it has the form of a range and is none
	// within returns the days that the date names by another calendar. It is nil for a
	// date with a year.
	within func(calendar) (Range, bool)
}

// find returns the days that the dates in a text name, in order. rest is the text in the
// form that plain returns, with a blank in the place of each date, and only its first
// maxDated bytes. It keeps a date that only begins or ends the time that is meant.
func (c calendar) find(text string) (days []Range, rest string) {
	sentence := newSentence(text[:min(len(text), maxDated)])
	text = sentence.text
	left := []byte(text)
	for _, m := range joined(text, c.matches(sentence)) {
		days = append(days, m.days)
		if !opens(text, m.start, m.end) {
			copy(left[m.start:m.end], strings.Repeat(" ", m.end-m.start))
		}
	}
	return days, plain(string(left))
}

// matches returns the dates in a text, in the order of the patterns.
func (c calendar) matches(sentence sentence) (found []match) {
	text := sentence.text
	look := newQuickLook(text)
	var taken []bool
	for _, p := range patterns() {
		if p.valueOnly || !look.sees(p.needs) {
			continue
		}
		if taken == nil {
			taken = make([]bool, len(text)+1)
		}
		for _, at := range p.form().FindAllStringSubmatchIndex(text, -1) {
			start, end := at[0], at[1]
			if taken[start] || taken[end-1] || !sentence.means(start, end) || p.pair && !sentence.pairMeans(start, end) {
				continue
			}
			m := p.match(c, groups(text, at))
			m.void = m.void || p.pair && sentence.pairHolds(start, end)
			if m.void && !p.pair {
				continue
			}
			m.start, m.end = start, end
			found = append(found, m)
			for i := start; i < end; i++ {
				taken[i] = true
			}
		}
	}
	return found
}

// match returns the date that the groups of a match make.
func (p pattern) match(c calendar, groups []string) match {
	days, ok := p.days(c, groups)
	m := match{days: days, pair: p.pair, void: !ok}
	if p.yearless {
		m.within = func(c calendar) (Range, bool) { return p.days(c, groups) }
	}
	return m
}

// value returns the days that a text names, if the whole text is a date.
func (c calendar) value(text string) (Range, bool) {
	if len(text) > maxDated {
		return Range{}, false
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		y, m, d := at.In(c.place).Date()
		return Range{midnight(y, m, d), midnight(y, m, d)}, true
	}
	text = plain(text)
	if m, ok := c.single(text); ok {
		return m.days, true
	}
	return c.rangeValue(text)
}

// single returns the date that a whole text is, in the form that plain returns.
func (c calendar) single(text string) (match, bool) {
	look := newQuickLook(text)
	for _, p := range patterns() {
		if !look.sees(p.needs) {
			continue
		}
		for _, at := range p.form().FindAllStringSubmatchIndex(text, -1) {
			if at[0] == 0 && at[1] == len(text) {
				if m := p.match(c, groups(text, at)); !m.void {
					return m, true
				}
			}
		}
	}
	return match{}, false
}

func groups(text string, at []int) []string {
	out := make([]string, 0, len(at)/2-1)
	for i := 2; i < len(at); i += 2 {
		s := ""
		if at[i] >= 0 {
			s = text[at[i]:at[i+1]]
		}
		out = append(out, s)
	}
	return out
}

// plain returns a text in the form that patterns match: small letters, plain characters
// instead of full-width ones, single blanks.
func plain(text string) string { return spaced(text, unicode.ToLower) }

// A quickLook tells quickly that a text holds none of some words, by the bytes that it
// has.
type quickLook struct {
	text  string
	bytes [256]bool
}

func newQuickLook(text string) *quickLook {
	l := &quickLook{text: text}
	for i := range len(text) {
		l.bytes[text[i]] = true
	}
	return l
}

// sees reports whether the text holds one of the words, none of which is empty.
func (l *quickLook) sees(words []string) bool {
	for _, w := range words {
		if l.bytes[w[0]] && l.bytes[w[len(w)-1]] && strings.Contains(l.text, w) {
			return true
		}
	}
	return false
}

// spaced returns a text with plain characters instead of full-width ones and with single
// blanks. It passes every character through mapped.
func spaced(text string, mapped func(rune) rune) string {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		r, w := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, w = utf8.DecodeRuneInString(text[i:])
		}
		i += w
		switch {
		case unicode.IsSpace(r) || r == utf8.RuneError && w == 1:
			if n := len(out); n > 0 && out[n-1] != ' ' {
				out = append(out, ' ')
			}
			continue
		case r >= '！' && r <= '～':
			r -= '！' - '!'
		}
		out = utf8.AppendRune(out, mapped(r))
	}
	return string(bytes.TrimSuffix(out, []byte(" ")))
}

// between matches what makes one range of the dates on both sides of it.
var between = lazyregexp.New(`^ ?(?:to|through|till|until|-|–|—|~|〜|～|到|至|から) ?$`)

// joined returns the dates in the order of the text. Two with a joining word between them
// become one range. It ends in the year after it begins, unless it names another.
func joined(text string, found []match) []match {
	for i := 1; i < len(found); i++ { // there are few, and nearly in order
		for k := i; k > 0 && found[k].start < found[k-1].start; k-- {
			found[k], found[k-1] = found[k-1], found[k]
		}
	}
	var out []match
	for i, m := range found {
		if i > 0 && len(out) > 0 {
			last := found[i-1]
			gap := text[last.end:m.start]
			both := gap == " and " && (strings.HasPrefix(text[last.start:], "between ") || strings.HasSuffix(text[:last.start], "between "))
			if both || between().MatchString(gap) {
				if days, ok := last.to(m); ok {
					whole := &out[len(out)-1]
					if whole.pair {
						days.From = whole.days.From
					}
					whole.days, whole.end, whole.pair = days, m.end, true
					continue
				}
			}
		}
		if !m.void {
			out = append(out, m)
		}
	}
	for i := range out {
		if out[i].pair {
			out[i].whole(text)
		}
	}
	return out
}

// to returns the days from one date to another. ok is false where these are not in order,
// or where one is a range.
func (m match) to(last match) (days Range, ok bool) {
	from := m.days.From
	if m.within != nil && last.within == nil { // 1 October to 7 October 2025
		if days, ok := m.within(calendar{today: last.days.To}); ok {
			from = days.From
		}
	}
	if last.within != nil && last.days.To.Before(from) { // it has begun, and ends after today
		if days, ok := last.within(calendar{today: from.AddDate(1, 0, -1)}); ok && days.To.Year() == from.Year() {
			last.days = days
		}
	}
	if m.pair || last.pair || last.days.To.Before(from) {
		return Range{}, false
	}
	days = Range{from, last.endAfter(from)}
	// 12 October to 2 October is backwards, and 28 December to 3 January is not.
	backwards := m.within != nil && last.within != nil && days.From.Year() < days.To.Year() && days.To.Sub(days.From) > halfAYear
	return days, !backwards
}

// endAfter returns the last day of a date that ends a range.
func (m match) endAfter(from time.Time) time.Time {
	if m.within != nil {
		if days, ok := m.within(calendar{today: from.AddDate(1, 0, -1)}); ok && days.To.Before(m.days.To) && !days.To.Before(from) {
			return days.To
		}
	}
	return m.days.To
}

// number reads digits, or a word for a small number; 0 for anything else.
func number(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	if n, ok := numerals[s]; ok {
		return n
	}
	tens, ones, ok := strings.Cut(s, "十")
	if !ok {
		return 0
	}
	n := 10
	if tens != "" {
		n *= numerals[tens]
	}
	return n + numerals[ones]
}

// year reads a year such as 2026 or 二〇二六.
func year(s string) int {
	n := 0
	for _, r := range s {
		d := numerals[string(r)]
		if r >= '0' && r <= '9' {
			d = int(r - '0')
		}
		n = 10*n + d
	}
	return n
}

var numerals = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "couple of": 2, "three": 3, "few": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
	"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"〇": 0, "零": 0, "一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "几": 3, "幾": 3, "数": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
}
