package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsDate reports whether a text is only a day or a time, perhaps with a day of
// the week, like the titles of day logs: "2026-03-02 (Monday)".
func IsDate(text string) bool {
	dated := false
	for {
		text = strings.TrimLeft(text, " \t,.;()（）·-–—")
		if text == "" {
			return dated
		}
		if n := stamp(text); n > 0 {
			text, dated = text[n:], true
			continue
		}
		n := weekday(text)
		if n == 0 {
			return false
		}
		text = text[n:]
	}
}

// weekday returns the length of the day of the week with which s begins, 0 for
// none.
func weekday(s string) int {
	n := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	if n < 0 {
		n = len(s)
	}
	switch strings.ToLower(s[:n]) {
	case "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
		"mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun",
		"星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日", "星期天",
		"周一", "周二", "周三", "周四", "周五", "周六", "周日", "周天",
		"月曜日", "火曜日", "水曜日", "木曜日", "金曜日", "土曜日", "日曜日":
		return n
	}
	return 0
}

// stamp returns the length of the time stamp with which s begins, with brackets
// and emphasis, 0 for none. It knows dates in numbers, English and Chinese
// months, times, both together, and a time zone after them. It may accept
// impossible days.
func stamp(s string) int {
	c := scanner{s: s}
	opened := c.skip("*_[(【<")
	date := c.date()
	if date {
		mark := c.at
		if c.skip(" ,T:\t_-") == 0 || !c.time() {
			c.at = mark
		}
	} else if !c.time() {
		return 0
	}
	if opened > 0 {
		c.skip("*_])】>:：")
	}
	if next, _ := utf8.DecodeRuneInString(s[c.at:]); c.at < len(s) && next < 0x2e80 && (unicode.IsLetter(next) || unicode.IsDigit(next) || next == '/') {
		return 0
	}
	return c.at
}

// scanner reads a line from the left.
type scanner struct {
	s  string
	at int
}

// skip skips any of the characters and returns how many bytes they have.
func (c *scanner) skip(chars string) int {
	n := len(c.s[c.at:]) - len(strings.TrimLeft(c.s[c.at:], chars))
	c.at += n
	return n
}

// digits skips between least and most digits, or none.
func (c *scanner) digits(least, most int) bool {
	n := 0
	for c.at+n < len(c.s) && c.s[c.at+n] >= '0' && c.s[c.at+n] <= '9' {
		n++
	}
	if n < least || n > most {
		return false
	}
	c.at += n
	return true
}

// one skips one of the texts.
func (c *scanner) one(texts ...string) bool {
	for _, t := range texts {
		if strings.HasPrefix(c.s[c.at:], t) {
			c.at += len(t)
			return true
		}
	}
	return false
}

// try calls read, and goes back if that returns false.
func (c *scanner) try(read func() bool) bool {
	mark := c.at
	if read() {
		return true
	}
	c.at = mark
	return false
}

func (c *scanner) date() bool {
	return c.try(func() bool { // 2026-03-02
		return c.digits(4, 4) && c.one("-", "/", ".") && c.digits(1, 2) && c.one("-", "/", ".") && c.digits(1, 2)
	}) || c.try(func() bool { // 2026年3月2日, 3月2日
		c.try(func() bool { return c.digits(4, 4) && c.one("年") })
		return c.digits(1, 2) && c.one("月") && c.digits(1, 2) && c.one("日", "号")
	}) || c.try(func() bool { // 3/2/26
		return c.digits(1, 2) && c.one("/", ".", "-") && c.digits(1, 2) && c.one("/", ".", "-") && (c.digits(4, 4) || c.digits(2, 2))
	}) || c.try(func() bool { // 2 Mar 2026, 02/Mar/2026
		return c.digits(1, 2) && c.one(" ", "/", "-") && c.month() && c.year()
	}) || c.try(func() bool { // Mar  2, 2026
		return c.month() && c.skip(" ") > 0 && c.digits(1, 2) && c.year()
	})
}

// year skips a year if there is one.
func (c *scanner) year() bool {
	c.try(func() bool {
		return c.one(", ", " ", "/", "-") && c.digits(4, 4) && (c.at == len(c.s) || c.s[c.at] != ':')
	})
	return true
}

func (c *scanner) month() bool {
	n := 0
	for c.at+n < len(c.s) && (c.s[c.at+n]|0x20 >= 'a' && c.s[c.at+n]|0x20 <= 'z') {
		n++
	}
	word := strings.ToLower(c.s[c.at : c.at+n])
	for _, m := range []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"} {
		if word == m || word == m[:3] {
			c.at += n
			return true
		}
	}
	return false
}

func (c *scanner) time() bool {
	return c.try(func() bool {
		if !c.digits(1, 2) || !c.one(":", "：", "时", "點", "点") || !c.digits(2, 2) {
			return false
		}
		c.one("分")
		if c.try(func() bool { return c.one(":") && c.digits(2, 2) }) {
			c.try(func() bool { return c.one(".", ",") && c.digits(1, 9) })
		}
		c.try(func() bool { c.skip(" \u202f"); return c.one("AM", "PM", "am", "pm", "a.m.", "p.m.") })
		if !c.one("Z") {
			c.try(func() bool {
				c.skip(" ")
				return c.one("+", "-") && c.digits(2, 4) && (!c.one(":") || c.digits(2, 2))
			})
		}
		return true
	})
}
