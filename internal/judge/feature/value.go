package feature

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Value is a number, a time or a name with digits that a text states, in one
// form for all ways of writing it.
type Value struct {
	Kind   Kind
	Number float64
	Text   string // of a Literal
}

// Kind says what a value is.
type Kind byte

// The kinds of values. A clock counts to 12, as people do.
const (
	Number Kind = iota + 1
	Clock
	Weekday
	Month
	Literal
)

const maxValues = 64

// values returns the distinct values in a folded text, in order of kind and size.
func values(text string) (found []Value) {
	for _, v := range valuesIn(text) {
		if !slices.Contains(found, v.Value) {
			found = append(found, v.Value)
		}
		if len(found) == maxValues {
			break
		}
	}
	slices.SortFunc(found, func(a, b Value) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Number, b.Number), cmp.Compare(a.Text, b.Text))
	})
	return found
}

// written is a value with how many bytes it takes in a text.
type written struct {
	Value
	width int
}

// valuesIn yields the values in a folded text, by where they begin.
func valuesIn(text string) iter.Seq2[int, written] {
	return func(yield func(int, written) bool) {
		s := valueScanner{text: text}
		for s.i < len(text) {
			v, width := s.value()
			if v.Kind != 0 && width > 0 && !yield(s.i, written{v, width}) {
				return
			}
			if width == 0 {
				_, width = utf8.DecodeRuneInString(text[s.i:])
			}
			s.i += width
		}
	}
}

type valueScanner struct {
	text string
	i    int
}

// value reads the value at the scanner's place; width 0 means that there is
// none.
func (s *valueScanner) value() (v Value, width int) {
	rest := s.text[s.i:]
	if c := rest[0]; c < utf8.RuneSelf {
		if s.i > 0 && (latin(s.text[s.i-1]) || digit(s.text[s.i-1])) {
			return v, 0
		}
		switch {
		case latin(c):
			return s.word(rest)
		case digit(c):
			return s.digits(rest)
		}
		return v, 0
	}
	if v, width = hanWeekday(rest); width > 0 {
		return v, width
	}
	return s.hanNumber(rest)
}

// hanWeekday reads 周三, 星期天, 水曜.
func hanWeekday(rest string) (Value, int) {
	for _, p := range [...]string{"周", "星期", "礼拜"} {
		if after, ok := strings.CutPrefix(rest, p); ok {
			r, width := utf8.DecodeRuneInString(after)
			if day := strings.IndexRune("一二三四五六日", r); day >= 0 && r != utf8.RuneError {
				return Value{Kind: Weekday, Number: float64(day/3 + 1)}, len(p) + width
			}
			if r == '天' {
				return Value{Kind: Weekday, Number: 7}, len(p) + width
			}
		}
	}
	r, width := utf8.DecodeRuneInString(rest)
	if day := strings.IndexRune("月火水木金土日", r); day >= 0 && r != utf8.RuneError && strings.HasPrefix(rest[width:], "曜") {
		return Value{Kind: Weekday, Number: float64(day/3 + 1)}, width + len("曜")
	}
	return Value{}, 0
}

var weekdays = map[string]float64{
	"mon": 1, "monday": 1, "mondays": 1, "tue": 2, "tues": 2, "tuesday": 2, "tuesdays": 2, "wed": 3, "weds": 3, "wednesday": 3, "wednesdays": 3,
	"thu": 4, "thur": 4, "thurs": 4, "thursday": 4, "thursdays": 4, "fri": 5, "friday": 5, "fridays": 5, "saturday": 6, "saturdays": 6, "sunday": 7, "sundays": 7,
}

var months = map[string]float64{
	"jan": 1, "january": 1, "feb": 2, "february": 2, "mar": 3, "march": 3, "apr": 4, "april": 4, "may": 5, "jun": 6, "june": 6, "jul": 7, "july": 7,
	"aug": 8, "august": 8, "sep": 9, "sept": 9, "september": 9, "oct": 10, "october": 10, "nov": 11, "november": 11, "dec": 12, "december": 12,
}

var numberWords = map[string]float64{
	"zero": 0, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30,
	"forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "half": .5, "once": 1, "twice": 2, "single": 1, "double": 2,
	"third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "dozen": 12, "hundred": 100, "thousand": 1000,
}

// word reads a Latin word, and further words that belong to it.
func (s *valueScanner) word(rest string) (v Value, width int) {
	word := rest[:wordEnd(rest)]
	if day, ok := weekdays[word]; ok {
		return Value{Kind: Weekday, Number: day}, len(word)
	}
	if month, ok := months[word]; ok && (word != "may" && word != "mar" || s.inDate(rest[len(word):])) {
		return Value{Kind: Month, Number: month}, len(word)
	}
	if clock, w := clockWords(rest); w > 0 {
		return clock, w
	}
	if n, ok := numberWords[word]; ok {
		return s.numberWords(rest, n, len(word))
	}
	return literal(rest)
}

// inDate reports whether a month can stand at this place: beside a number or
// after a preposition.
func (s *valueScanner) inDate(after string) bool {
	if after = strings.TrimLeft(after, " ."); after != "" && digit(after[0]) {
		return true
	}
	before := strings.TrimRight(s.text[:s.i], " ")
	if before == "" {
		return false
	}
	if last := before[len(before)-1]; digit(last) || strings.HasSuffix(before, "th") || strings.HasSuffix(before, "st") {
		return true
	}
	switch before[strings.LastIndexByte(before, ' ')+1:] {
	case "in", "of", "since", "until", "till", "by", "next", "last", "early", "late", "from", "to", "through", "each", "every", "for":
		return true
	}
	return false
}

// clockWords reads half past nine, quarter to ten.
func clockWords(rest string) (Value, int) {
	for _, p := range [...]struct {
		words string
		add   float64
	}{{"half past ", .5}, {"quarter past ", .25}, {"quarter to ", -.25}} {
		after, ok := strings.CutPrefix(rest, p.words)
		if !ok {
			continue
		}
		word := after[:wordEnd(after)]
		n, ok := numberWords[word]
		if word == "one" {
			n, ok = 1, true
		}
		if word == "" && after != "" && digit(after[0]) {
			k := 0
			for k < len(after) && k < 2 && digit(after[k]) {
				k++
			}
			word = after[:k]
			n, _ = strconv.ParseFloat(word, 64)
			ok = true
		}
		if ok && n <= 12 {
			return Value{Kind: Clock, Number: hour(n + p.add)}, len(p.words) + len(word)
		}
	}
	return Value{}, 0
}

func hour(h float64) float64 {
	for h >= 12 {
		h -= 12
	}
	return float64(int(h*1000+.5)) / 1000
}

// numberWords reads the rest of a number after its first word: forty-five, two
// hundred.
func (s *valueScanner) numberWords(rest string, n float64, width int) (Value, int) {
	for width < len(rest) && (rest[width] == ' ' || rest[width] == '-') {
		word := rest[width+1:]
		word = word[:wordEnd(word)]
		next, ok := numberWords[word]
		switch {
		case ok && next >= 100 && n >= 1:
			n *= next
		case ok && n >= 20 && next >= 1 && next < 10 && int(n)%10 == 0:
			n += next
		case word == "one" && n >= 20 && int(n)%10 == 0:
			n++
		default:
			return Value{Kind: Number, Number: n}, width
		}
		width += 1 + len(word)
	}
	return Value{Kind: Number, Number: n}, width
}

func wordEnd(s string) int {
	i := 0
	for i < len(s) && latin(s[i]) {
		i++
	}
	return i
}

// literal reads a name that holds digits, dots, slashes or an at sign.
func literal(rest string) (Value, int) {
	end := 0
	for end < len(rest) && (latin(rest[end]) || digit(rest[end]) || strings.IndexByte("-_./@:#+", rest[end]) >= 0) {
		end++
	}
	word := strings.TrimRight(rest[:end], ".-_/:#+@")
	inner := strings.ContainsAny(word, "/@") || strings.ContainsFunc(word, unicode.IsDigit)
	if !inner && strings.ContainsRune(word, '.') {
		inner = true
	}
	if inner && len(word) > 1 {
		return Value{Kind: Literal, Text: word}, len(word)
	}
	return Value{}, wordEnd(rest)
}

// digits reads a value that begins with a digit: 9:30, 5 pm, 1,250.50, 2.4.0,
// 18k. Han numbers such as 三 are read by hanNumber.
func (s *valueScanner) digits(rest string) (Value, int) {
	end, dots := 0, 0
	for end < len(rest) {
		c := rest[end]
		follows := end+1 < len(rest) && digit(rest[end+1])
		switch {
		case digit(c):
		case c == ',' && follows && thousands(rest[end+1:]):
		case c == '.' && follows:
			dots++
		default:
			goto done
		}
		end++
	}
done:
	number := strings.ReplaceAll(rest[:end], ",", "")
	after := rest[end:]
	if dots > 1 {
		return Value{Kind: Literal, Text: number}, end
	}
	if v, width := clockDigits(number, dots, after); width > 0 {
		return v, end + width - 1
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || n > 1e15 {
		return Value{Kind: Literal, Text: number}, end
	}
	return scaled(n, after, end)
}

// thousands reports whether exactly three digits follow.
func thousands(s string) bool {
	return len(s) >= 3 && digit(s[0]) && digit(s[1]) && digit(s[2]) && (len(s) == 3 || !digit(s[3]))
}

// clockDigits reads the rest of a clock time after its first number. The width
// is one more than that of the rest; 0 means that it is not a clock time.
func clockDigits(number string, dots int, after string) (Value, int) {
	h, err := strconv.ParseFloat(number, 64)
	if err != nil || h >= 25 {
		return Value{}, 0
	}
	if dots == 0 && len(after) >= 3 && after[0] == ':' && digit(after[1]) && digit(after[2]) && (len(after) == 3 || !digit(after[3])) {
		if m := float64(after[1]-'0')*10 + float64(after[2]-'0'); m < 60 {
			return Value{Kind: Clock, Number: hour(h + m/60)}, 1 + 3 + ampm(after[3:])
		}
	}
	if width := ampm(after); width > 0 {
		whole := float64(int(h))
		return Value{Kind: Clock, Number: hour(whole + (h-whole)*100/60)}, 1 + width
	}
	for _, unit := range [...]string{"点", "时"} {
		if rest, ok := strings.CutPrefix(after, unit); ok && dots == 0 {
			if quarter, w, ok := hanMinutes(rest); ok {
				return Value{Kind: Clock, Number: hour(h + quarter)}, 1 + len(unit) + w
			}
		}
	}
	return Value{}, 0
}

// ampm returns the width of am or pm with a blank before it.
func ampm(s string) int {
	trimmed := strings.TrimPrefix(s, " ")
	if word := trimmed[:wordEnd(trimmed)]; word == "am" || word == "pm" {
		return len(s) - len(trimmed) + 2
	}
	return 0
}

// scaled reads the unit behind a number.
func scaled(n float64, after string, end int) (Value, int) {
	unit := strings.TrimPrefix(after, " ")
	blank := len(after) - len(unit)
	for _, u := range [...]struct {
		unit string
		by   float64
	}{{"万", 1e4}, {"千", 1e3}, {"亿", 1e8}, {"k", 1e3}, {"w", 1e4}} {
		if next, ok := strings.CutPrefix(unit, u.unit); ok && (next == "" || !latin(next[0]) && !digit(next[0]) || u.by > 1e4) {
			if u.unit == "w" && blank > 0 {
				continue
			}
			return Value{Kind: Number, Number: n * u.by}, end + blank + len(u.unit)
		}
	}
	if strings.HasPrefix(unit, "月") && !strings.HasPrefix(unit, "月曜") && n >= 1 && n <= 12 {
		return Value{Kind: Month, Number: n}, end + blank + len("月")
	}
	return Value{Kind: Number, Number: n}, end + wordEnd(after)
}

var hanDigit = map[rune]float64{'零': 0, '〇': 0, '一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9}

var hanUnit = map[rune]float64{'十': 10, '百': 100, '千': 1000, '万': 1e4, '亿': 1e8}

// hanRun returns the width of a number in Han characters.
func hanRun(s string) (width, characters int) {
	for _, r := range s {
		_, d := hanDigit[r]
		_, u := hanUnit[r]
		if !d && !u || characters == 12 {
			break
		}
		width += utf8.RuneLen(r)
		characters++
	}
	return width, characters
}

// hanValue reads 三万八, 二〇二六, 一百二十.
func hanValue(s string) float64 {
	if !strings.ContainsAny(s, "十百千万亿") {
		n := 0.0
		for _, r := range s {
			n = n*10 + hanDigit[r]
		}
		return n
	}
	var total, section, digit float64
	last := 1.0
	for _, r := range s {
		unit, ok := hanUnit[r]
		switch {
		case !ok:
			digit = hanDigit[r]
			continue
		case unit >= 1e4:
			total += (section + digit) * unit
			section = 0
		case digit == 0:
			section += unit
		default:
			section += digit * unit
		}
		digit, last = 0, unit
	}
	if digit > 0 && last > 10 {
		digit *= last / 10
	}
	return total + section + digit
}

// hanNumber reads a number in Han characters with what makes it a clock or a month.
func (s *valueScanner) hanNumber(rest string) (Value, int) {
	width, characters := hanRun(rest)
	if width == 0 {
		return Value{}, 0
	}
	n, after := hanValue(rest[:width]), rest[width:]
	for _, unit := range [...]string{"点", "时"} {
		if behind, ok := strings.CutPrefix(after, unit); ok && n <= 24 {
			if quarter, w, ok := hanMinutes(behind); ok {
				return Value{Kind: Clock, Number: hour(n + quarter)}, width + len(unit) + w
			}
		}
	}
	if strings.HasPrefix(after, "月") && !strings.HasPrefix(after, "月曜") && n >= 1 && n <= 12 {
		return Value{Kind: Month, Number: n}, width + len("月")
	}
	if characters == 1 {
		next, _ := utf8.DecodeRuneInString(after)
		if !unicode.Is(unicode.Han, next) || strings.ContainsRune("直起般定样些下边面旦点会", next) {
			return Value{}, width
		}
	}
	return Value{Kind: Number, Number: n}, width
}

// hanMinutes reads what follows 点: the part of an hour and its width. ok is
// false when what follows shows that no clock time was meant.
func hanMinutes(s string) (part float64, width int, ok bool) {
	for _, not := range [...]string{"几", "多", "钱", "少", "间", "候", "了", "儿", "心"} {
		if strings.HasPrefix(s, not) {
			return 0, 0, false
		}
	}
	for _, q := range [...]struct {
		word string
		part float64
	}{{"半", .5}, {"一刻", .25}, {"三刻", .75}, {"整", 0}} {
		if strings.HasPrefix(s, q.word) {
			return q.part, len(q.word), true
		}
	}
	if w, _ := hanRun(s); w > 0 {
		if n := hanValue(s[:w]); n < 60 {
			return n / 60, w + len(s[w:]) - len(strings.TrimPrefix(s[w:], "分")), true
		}
	}
	w := 0
	for w < len(s) && w < 2 && digit(s[w]) {
		w++
	}
	if n, err := strconv.ParseFloat(s[:w], 64); err == nil && n < 60 {
		return n / 60, w + len(s[w:]) - len(strings.TrimPrefix(s[w:], "分")), true
	}
	return 0, 0, true
}
