package analyze

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

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

// The forms of a number with what follows it, in folded text.
var (
	clockPattern  = lazyregexp.New(`^(\d{1,2})(?:(?::|\.|h| ?uhr | ?[点时])(\d\d)分?|([点时])(半)?|( ?uhr\b)|(h\b))?( ?[ap]\.?m\b\.?)?`)
	amountPattern = lazyregexp.New(`^(?:\d{1,3}(?:[,.' ]\d{3})+(?:[.,]\d{1,2})?\b|\d+(?:[.,]\d+)?)`)
	scalePattern  = lazyregexp.New(`^ ?(k|thousand|tausend|mil|m|million|millionen|millions|millones|mio|万|千)(?:[^a-z]|$)`)
	pricedPattern = lazyregexp.New(`^ ?(?:[$€£元块円]|(?:usd|eur|gbp|chf|euros?|dollars?|pounds?|franken)\b)`)
	unitPattern   = lazyregexp.New(`^( ?°? ?)([a-z]+|\p{L}+)`)
	numberPattern = lazyregexp.New(`^\d[\d.]*`)
	hexPattern    = lazyregexp.New(`(?:^|[^\w.-])(0x)?([0-9a-f]{6,16})\b`)
)

// Bounds of the numbers of a query: how many are looked at, and how much round each.
const (
	maxNumbers  = 8
	maxBefore   = 24
	maxBehind   = 40
	leastHex    = 6
	longestName = 12 // letters of a word with a number
)

// numbers adds the numbers of a folded text in other ways of writing.
func (v *variants) numbers(text string) {
	hex := 0 // hexadecimal digits in a row
	for i, seen := 0, 0; i < len(text) && seen < maxNumbers; i++ {
		if c := text[i]; digit(c) || 'a' <= c && c <= 'f' {
			hex++
		} else {
			hex = 0
		}
		if hex == leastHex {
			v.hexadecimal(text)
		}
		if !digit(text[i]) || i > 0 && (digit(text[i-1]) || i > 1 && strings.IndexByte(".,:'", text[i-1]) >= 0 && digit(text[i-2])) {
			continue
		}
		seen++
		before, number := text[max(0, i-maxBefore):i], text[i:min(len(text), i+maxBehind)]
		v.named(before, number)
		if n := len(before); n > 0 && (alnum(before[n-1]) || strings.IndexByte("-_/.:#", before[n-1]) >= 0) {
			continue // a part of something longer
		}
		v.time(before, number)
		v.number(before, number)
	}
}

// goesOn reports whether a number is a part of something longer, by what follows it.
func goesOn(rest string) bool {
	return rest != "" && (strings.IndexByte("/-_", rest[0]) >= 0 || strings.IndexByte(".,:", rest[0]) >= 0 && len(rest) > 1 && digit(rest[1]))
}

// hexadecimal adds a hexadecimal number with 0x for one without, and the other way round.
func (v *variants) hexadecimal(text string) {
	for _, m := range hexPattern().FindAllStringSubmatch(text, maxNumbers) {
		switch number := m[2]; {
		case m[1] != "":
			v.add(number)
		case strings.ContainsAny(number, "0123456789"):
			v.add("0x" + number)
		}
	}
}

// Parts of a day before a time in Chinese and Japanese, folded.
var (
	lateParts  = []string{"下午", "晚上", "午后", "傍晚"}
	earlyParts = []string{"上午", "早上", "凌晨", "午前", "早晨"}
)

// time adds a time of day: 15:00 for 3pm, 3点 and 15 Uhr.
func (v *variants) time(before, number string) {
	m := clockPattern().FindStringSubmatch(number)
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[2])
	mark := strings.Trim(m[7], " .")
	ends := func(parts []string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.HasSuffix(before, p) })
	}
	if len(m[0]) == len(m[1]) || hour > 24 || minute > 59 || goesOn(number[len(m[0]):]) {
		return
	}
	if m[4] != "" {
		minute = 30
	}
	switch late := strings.HasPrefix(mark, "p") || ends(lateParts); {
	case late && hour < 12:
		hour += 12
	case (strings.HasPrefix(mark, "a") || ends(earlyParts)) && hour == 12:
		hour = 0
	}
	v.clock(hour, minute)
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

// number adds a number with and without marks between thousands, 1200 for 1,200, 1.200
// and 1.2k, with the other mark before decimals, and with the other names of its unit.
func (v *variants) number(before, text string) {
	own := amountPattern().FindString(text)
	rest := text[len(own):]
	if goesOn(rest) || rest != "" && rest[0] == ':' {
		return
	}
	v.itself(own)
	whole, fraction := parseAmount(own)
	if m := scalePattern().FindStringSubmatch(rest); m != nil {
		v.itself(own + strings.TrimRight(m[0], " .,;?!"))
		whole, fraction = scaled(whole, fraction, m[1])
	}
	v.amount(whole, fraction, pricedPattern().MatchString(rest) || currencyAt(before))
	v.measure(own, rest)
}

// currencyAt reports whether a text ends with a currency.
func currencyAt(text string) bool {
	text = strings.TrimSuffix(text, " ")
	return slices.ContainsFunc([]string{"$", "€", "£", "¥", "usd", "eur", "gbp", "chf"}, func(c string) bool { return strings.HasSuffix(text, c) })
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
	for _, mark := range []string{",", "."} {
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

// measure adds a number with each name of its unit.
func (v *variants) measure(number, rest string) {
	m := unitPattern().FindStringSubmatch(rest)
	if m == nil {
		return
	}
	unit := m[2]
	names := units()[unit]
	if r, n := utf8.DecodeRuneInString(unit); names == nil && classify(r) == run {
		for end := n; end <= len(unit) && names == nil; end += n { // 公里 of 公里的路线
			names = units()[unit[:min(end, len(unit))]]
		}
	}
	if names == nil {
		return
	}
	v.itself(number + m[0])
	for _, name := range names {
		together := number + name
		if r, _ := utf8.DecodeRuneInString(name); classify(r) == run {
			v.add(together)
			continue
		}
		if len(name) <= longestSymbol {
			v.add(together)
		}
		v.add(number + " " + name)
	}
}

// longestSymbol is how long a unit is at most that is written without a blank behind its
// number.
const longestSymbol = 4

// named adds a word with a number behind it, written as one, with a hyphen, and apart.
func (v *variants) named(before, number string) {
	digits := numberPattern().FindString(number)
	if rest := number[len(digits):]; rest != "" && (alnum(rest[0]) || classify(firstRune(rest)) == letter || goesOn(rest)) {
		return
	}
	number = strings.TrimRight(digits, ".")
	mark := ""
	switch n := len(before); {
	case strings.HasSuffix(before, " #"):
		mark = " #"
	case n > 0 && strings.IndexByte(" _-#", before[n-1]) >= 0:
		mark = before[n-1:]
	}
	word := strings.TrimSuffix(before, mark)
	start := len(word)
	for start > 0 && word[start-1] >= 'a' && word[start-1] <= 'z' {
		start--
	}
	joined := start > 0 && (word[start-1] == '_' || digit(word[start-1]) || word[start-1] >= utf8.RuneSelf && classify(lastRune(word[:start])) == letter)
	if word = word[start:]; word == "" || joined || len(word) > longestName || stopWord(word) || word == "v" {
		return
	}
	v.itself(word + mark + number)
	for _, other := range []string{"", "-", "_", " "} {
		if other != mark {
			v.add(word + other + number)
		}
	}
	if word == "version" {
		v.add("v" + number)
	}
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}
