package analyze

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// months has the names of each month, folded.
var months = sync.OnceValue(func() [][]string { return rows("months") })

// units has the folded names of each unit, by each of its names.
var units = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, names := range rows("units") {
		for _, n := range names {
			all[n] = names
		}
	}
	return all
})

// rows returns the folded words of each line of a list.
func rows(name string) (all [][]string) {
	for line := range strings.Lines(list(name)) {
		if words := strings.Fields(fold(line).text); len(words) > 0 {
			var names []string
			for _, w := range words {
				if !slices.Contains(names, w) {
					names = append(names, w)
				}
			}
			all = append(all, names)
		}
	}
	return all
}

// The forms of numbers in folded text.
var (
	clockPattern   = lazyregexp.New(`(下午|晚上|午后|傍晚|上午|早上|凌晨|午前|早晨)?(?:\b|^)(\d{1,2})(?:(?::|\.|h| ?uhr | ?[点时])(\d{2})(?:分)?|([点时])(半)?|( ?uhr\b)|(h\b)|)( ?[ap]\.?m\b\.?)?`)
	amountPattern  = lazyregexp.New(`\d{1,3}(?:[,.' ]\d{3})+(?:[.,]\d{1,2})?\b|\d+(?:[.,]\d+)?`)
	scalePattern   = lazyregexp.New(`^ ?(k|thousand|tausend|mil|m|million|millionen|millions|millones|mio|万|千)(?:[^a-z]|$)`)
	currencyBefore = lazyregexp.New(`(?:[$€£¥]|\b(?:usd|eur|gbp|chf)) ?$`)
	currencyAfter  = lazyregexp.New(`^ ?(?:[$€£元块円]|(?:usd|eur|gbp|chf|euros?|dollars?|pounds?|franken)\b)`)
	measurePattern = lazyregexp.New(`(\d+(?:[.,]\d+)?)( ?°? ?)(\p{L}+)`)
	namedPattern   = lazyregexp.New(`(?:^|[^\p{L}\d_])([a-z]{1,16})([ _-]| ?#|)(\d[\d.]*\d|\d)(?:[^\p{L}\d_]|$)`)
	hexPattern     = lazyregexp.New(`(?:^|[^\w.-])(0x)?([0-9a-f]{6,16})\b`)
)

// numbers adds the numbers of a folded text in other ways of writing.
func (v *variants) numbers(text string) {
	v.clocks(text)
	v.amounts(text)
	v.measures(text)
	v.named(text)
	for _, m := range hexPattern().FindAllStringSubmatch(text, -1) {
		switch number := m[2]; {
		case m[1] != "":
			v.add(number)
		case strings.ContainsAny(number, "0123456789"):
			v.add("0x" + number)
		}
	}
}

// clocks adds times of day: 15:00 for 3pm, 3点 and 15 Uhr.
func (v *variants) clocks(text string) {
	for _, m := range clockPattern().FindAllStringSubmatch(text, -1) {
		hour, _ := strconv.Atoi(m[2])
		minute, _ := strconv.Atoi(m[3])
		half, part, mark := m[5] != "", m[1], strings.Trim(m[8], " .")
		if m[3]+m[4]+m[6]+m[7]+mark == "" || hour > 24 || minute > 59 {
			continue
		}
		if half {
			minute = 30
		}
		switch late := strings.HasPrefix(mark, "p") || strings.Contains("下午 晚上 午后 傍晚", part) && part != ""; {
		case late && hour < 12:
			hour += 12
		case strings.HasPrefix(mark, "a") && hour == 12:
			hour = 0
		}
		v.clock(hour, minute)
	}
}

func (v *variants) clock(hour, minute int) {
	h, two, half := strconv.Itoa(hour), pad(hour), strconv.Itoa((hour+11)%12+1)
	mark := "am"
	if hour%24 >= 12 {
		mark = "pm"
	}
	mm := pad(minute)
	for _, t := range []string{two + ":" + mm, h + ":" + mm, half + ":" + mm, half + ":" + mm + mark, h + "h" + mm, two + "h" + mm, h + "." + mm, two + "." + mm} {
		v.addTime(t)
	}
	if minute == 0 {
		for _, t := range []string{half + mark, h + "h", h + "点", half + "点", h + "时", half + "时"} {
			v.addTime(t)
		}
		for _, t := range []string{half + " " + mark, half + " " + mark[:1] + ".m", h + " uhr", h + " h"} {
			v.addTime(t)
		}
		return
	}
	m := strconv.Itoa(minute)
	for _, t := range []string{h + " uhr " + mm, h + "点" + mm + "分", half + "点" + mm + "分", h + "时" + mm + "分", half + "时" + mm + "分", h + "点" + mm, half + "点" + mm} {
		v.addTime(t)
		if m != mm {
			v.addTime(strings.Replace(t, mm, m, 1))
		}
	}
	if minute == 30 {
		v.addTime(h + "点半")
		v.addTime(half + "点半")
		v.addTime(h + "时半")
		v.addTime(half + "时半")
	}
}

func pad(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// leastGrouped is the least number that is written in groups of three digits.
const leastGrouped = 1000

// amounts adds numbers with and without marks between thousands: 1200 for 1,200, 1.200
// and 1.2k; and decimals with the other mark.
func (v *variants) amounts(text string) {
	for _, at := range amountPattern().FindAllStringIndex(text, -1) {
		if at[0] > 0 && strings.IndexByte(".,:/-_#", text[at[0]-1]) >= 0 || at[1] < len(text) && strings.IndexByte(":/-_", text[at[1]]) >= 0 {
			continue // a part of something longer
		}
		if at[0] > 0 && alnum(text[at[0]-1]) {
			continue
		}
		whole, fraction := parseAmount(text[at[0]:at[1]])
		v.itself(text[at[0]:at[1]])
		if m := scalePattern().FindStringSubmatch(text[at[1]:]); m != nil {
			v.itself(text[at[0]:at[1]] + strings.TrimRight(m[0], " .,;?!"))
			whole, fraction = scaled(whole, fraction, m[1])
		}
		v.amount(whole, fraction, priced(text[:at[0]], text[at[1]:]))
	}
}

// priced reports whether a currency stands beside a number.
func priced(before, after string) bool {
	return currencyBefore().MatchString(before) || currencyAfter().MatchString(after)
}

// parseAmount returns the digits of a number before and behind its decimal mark.
func parseAmount(number string) (whole, fraction string) {
	last := strings.LastIndexAny(number, ".,' ")
	if last >= 0 && len(number)-last-1 != 3 {
		number, fraction = number[:last], number[last+1:]
	}
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, number), fraction
}

// scaled multiplies a number by a scale that is written behind it.
func scaled(whole, fraction, scale string) (string, string) {
	zeros := 6
	switch scale {
	case "k", "thousand", "tausend", "mil", "千":
		zeros = 3
	case "万":
		zeros = 4
	}
	if len(fraction) > zeros || len(whole) > 6 {
		return whole, fraction
	}
	return whole + fraction + strings.Repeat("0", zeros-len(fraction)), ""
}

func (v *variants) amount(whole, fraction string, priced bool) {
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || len(whole) > 12 || len(whole) > 1 && whole[0] == '0' {
		return
	}
	if fraction != "" {
		v.add(whole + "." + fraction)
		v.add(whole + "," + fraction)
		if strings.Trim(fraction, "0") == "" {
			v.add(whole)
		}
	}
	if n < leastGrouped {
		if fraction == "" && priced {
			v.add(whole + ".00")
			v.add(whole + ",00")
		}
		return
	}
	if fraction == "" && !priced && len(whole) == 4 && (whole[:2] == "19" || whole[:2] == "20") {
		return // a year
	}
	v.add(whole)
	for _, mark := range []string{",", ".", " "} {
		v.add(grouped(whole, mark))
	}
	short := func(zeros int, scales ...string) {
		rest := strings.TrimRight(whole, "0")
		if len(whole) <= zeros || len(rest) > len(whole)-zeros+1 {
			return
		}
		number := whole[:len(whole)-zeros]
		if len(rest) > len(number) {
			number += "." + whole[len(number):len(number)+1]
		}
		for _, scale := range scales {
			v.add(number + scale)
		}
	}
	short(3, "k", " k", " tausend", " thousand", "千")
	short(6, "m", " m", " million", " millionen", " mio", " millions", " millones")
	short(4, "万")
}

// grouped writes a number with a mark between thousands.
func grouped(whole, mark string) string {
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + mark + whole[i:]
	}
	return whole
}

// measures adds a number with each name of its unit.
func (v *variants) measures(text string) {
	for _, m := range measurePattern().FindAllStringSubmatch(text, -1) {
		unit := m[3]
		names := units()[unit]
		if names == nil {
			if r, n := utf8Rune(unit); r > 0x2e80 {
				for i := n; i <= len(unit) && names == nil; i += n { // 公里 of 公里的路线
					names = units()[unit[:i]]
				}
			}
		}
		if names != nil {
			v.itself(m[0])
		}
		for _, name := range names {
			if r, _ := utf8Rune(name); r > 0x2e80 {
				v.add(m[1] + name)
				continue
			}
			if len(name) <= 4 {
				v.add(m[1] + name)
			}
			v.add(m[1] + " " + name)
		}
	}
}

// named adds a word with a number behind it, written as one, with a hyphen, and apart.
func (v *variants) named(text string) {
	for _, m := range namedPattern().FindAllStringSubmatch(text, -1) {
		word, number := m[1], m[3]
		if stopWord(word) || len(word) > 12 {
			continue
		}
		v.itself(word + m[2] + number)
		for _, mark := range []string{"", "-", "_", " "} {
			if mark != m[2] {
				v.add(word + mark + number)
			}
		}
		if word == "version" {
			v.add("v" + number)
		}
	}
}
