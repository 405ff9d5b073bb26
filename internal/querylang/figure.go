package querylang

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A class is what a number of a text is, as far as it tells itself and by what stands beside it.
type class uint

const (
	bareClass  class = 1 << iota
	codeClass        // of many digits, or of letters and digits
	shortClass       // of a few of them, such as a number plate
	wordClass        // in characters, with nothing beside it that says what it is
	moneyClass
	sizeClass // with a unit
	dayClass
	yearClass
	clockClass
	versionClass
	ipClass
)

// A token is a run of Latin letters and digits, with what joins them.
type token struct {
	text, small     string // as it is written, and in small letters
	from, to        int
	digits, letters int
	capital, upper  bool // begins with a capital letter; is of capital letters alone
	asked           bool // the question has it, too
}

// joins reports whether a character may stand within a token.
func joins(r rune) bool {
	switch r {
	case '-', '.', '/', ':', '·', ',', '\'', '’', '_', '+':
		return true
	}
	return false
}

func inToken(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return unicode.IsDigit(r) || unicode.Is(unicode.Latin, r)
}

// tokensOf returns the tokens of a text.
func tokensOf(text string) []token {
	all := make([]token, 0, len(text)/5+1) // in English, about
	for i := 0; i < len(text); {
		r, w := utf8.DecodeRuneInString(text[i:])
		if inToken(r) {
			t := tokenAt(text, i)
			all = append(all, t)
			w = t.to - i
		}
		i += w
	}
	return all
}

// tokenAt returns the token that begins at a place.
func tokenAt(text string, from int) token {
	t := token{from: from, to: from, upper: true}
	for t.to < len(text) {
		r, w := utf8.DecodeRuneInString(text[t.to:])
		if joins(r) {
			if next, _ := utf8.DecodeRuneInString(text[t.to+w:]); !inToken(next) {
				break
			}
		} else if !inToken(r) {
			break
		}
		switch {
		case unicode.IsDigit(r):
			t.digits++
		case unicode.IsLetter(r):
			t.capital = t.capital || t.to == from && unicode.IsUpper(r)
			t.upper = t.upper && unicode.IsUpper(r)
			t.letters++
		}
		t.to += w
	}
	t.text = text[from:t.to]
	t.small = strings.ToLower(t.text)
	t.upper = t.upper && t.letters > 0
	return t
}

// A figure is a token with digits, and what stands beside it.
type figure struct {
	token
	number, tail  string // the number in it, and the letters behind that: 64gb
	before, after *token // with nothing but blanks between; nil: none
	rest          string // of the text behind it
	sign, follows rune   // the characters before and behind it
	run           int    // digits in it and in the figures beside it: 02 97 86 11 18
}

func figureAt(text string, tokens []token, i int) figure {
	f := figure{token: tokens[i], rest: strings.TrimLeft(text[tokens[i].to:], " ")}
	f.number, f.tail = splitTail(f.small)
	if i > 0 && strings.Trim(text[tokens[i-1].to:f.from], " ") == "" {
		f.before = &tokens[i-1]
	}
	if i+1 < len(tokens) && strings.Trim(text[f.to:tokens[i+1].from], " ") == "" {
		f.after = &tokens[i+1]
	}
	f.sign, _ = utf8.DecodeLastRuneInString(strings.TrimRight(text[:f.from], " "))
	f.follows, _ = utf8.DecodeRuneInString(f.rest)
	f.run = f.digits
	for j := i + 1; j < len(tokens) && tokens[j].digits > 0 && joinsRun(text[tokens[j-1].to:tokens[j].from]); j++ {
		f.run += tokens[j].digits
	}
	for j := i - 1; j >= 0 && tokens[j].digits > 0 && joinsRun(text[tokens[j].to:tokens[j+1].from]); j-- {
		f.run += tokens[j].digits
	}
	return f
}

// joinsRun reports whether figures with this between them may be one number.
func joinsRun(between string) bool { return strings.Trim(between, " ()/") == "" }

// splitTail splits letters at the end from a number; the number is empty where the letters
// stand elsewhere.
func splitTail(text string) (number, tail string) {
	end := strings.IndexFunc(text, unicode.IsLetter)
	if end < 0 {
		end = len(text)
	}
	if strings.Trim(text[:end], "0123456789.,") != "" || text[end:] != strings.Trim(text[end:], "0123456789") {
		return "", ""
	}
	return text[:end], text[end:]
}

// beside reports whether a word of a list stands before a number or, or such a part, behind it.
func (f *figure) beside(k *thingWords, list string, before bool) bool {
	switch {
	case f.number == "":
		return false
	case f.tail != "":
		return k.words[list][f.tail]
	case f.after != nil && k.words[list][f.after.small], before && f.before != nil && k.words[list][f.before.small]:
		return true
	}
	return hasPrefix(k.parts[list], f.rest)
}

const moneySigns = "€$£¥₩₹₽"

// class tells what the figure is.
func (f *figure) class(k *thingWords) class {
	bare := f.number != "" && f.tail == ""
	switch {
	case strings.ContainsRune(moneySigns, f.sign), strings.ContainsRune(moneySigns, f.follows), f.beside(k, "money", true):
		return moneyClass
	case f.beside(k, "unit", false), bare && (strings.ContainsRune("%°×", f.follows) || f.sign == '×'),
		bare && (f.after != nil && (f.after.small == "x" || f.after.small == "by") || f.before != nil && f.before.small == "x"):
		return sizeClass
	case isClock(f.small), f.beside(k, "clock", false) && !hasPrefix(k.parts["span"], f.rest):
		return clockClass
	case isDay(f.small), slices.Contains([]string{"st", "nd", "rd", "th"}, f.tail), bare && f.inMonth(k):
		return dayClass
	case f.isYear():
		return yearClass
	}
	return f.code()
}

// inMonth reports whether a number stands beside the name of a month.
func (f *figure) inMonth(k *thingWords) bool {
	if f.before != nil && k.words["month"][f.before.small] || f.after != nil && k.words["month"][f.after.small] || hasPrefix(k.parts["month"], f.rest) {
		return true
	}
	next := tokensOf(firstBytes(f.rest, 40))
	if strings.HasPrefix(f.rest, ".") && len(next) > 0 {
		return k.words["month"][next[0].small] // 29. Mai
	}
	return len(next) > 1 && next[0].small == "de" && k.words["month"][next[1].small] // 29 de mayo
}

func firstBytes(text string, n int) string { return text[:min(n, len(text))] }

// isYear reports whether a figure is a year and stands beside no other part of a code: 2050 of
// DE44 2050 0550.
func (f *figure) isYear() bool {
	return len(f.small) == 4 && f.digits == 4 && (f.small[:2] == "19" || f.small[:2] == "20") && f.run == f.digits && (f.after == nil || !f.after.upper)
}

// mostOfShort is how many digits a short code has, mostOfLetters how many letters stand before
// or behind it, and longRun how many digits figures side by side have that are one code.
const (
	mostOfShort   = 4
	mostOfLetters = 5
	longRun       = 6
)

// code tells what a figure is that is no amount of anything.
func (f *figure) code() class {
	dots := strings.Count(f.small, ".")
	digitsAndDots := f.digits+dots == len(f.small)
	switch {
	case dots == 3 && digitsAndDots && f.digits <= 12:
		return ipClass | versionClass
	case dots > 1 && digitsAndDots && f.digits < 9, f.small[0] == 'v' && dots > 0:
		return versionClass
	case f.letters > 1 && f.digits > 1 && f.digits <= mostOfShort && len(f.small) > mostOfLetters:
		return codeClass | shortClass
	case f.letters > 0 && f.digits <= mostOfShort:
		return shortClass
	case f.letters > 0, f.digits > mostOfShort && !thousands(f.small):
		return codeClass
	case f.before != nil && f.before.upper && len(f.before.small) <= mostOfLetters, f.after != nil && f.after.upper && len(f.after.small) < mostOfLetters:
		return shortClass
	case f.run >= longRun:
		return codeClass
	case dots == 1:
		return bareClass | versionClass
	}
	return bareClass
}

func hasPrefix(parts []string, text string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.HasPrefix(text, p) })
}

func allDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// isClock reports whether a token is a time of day: 21:40.
func isClock(text string) bool {
	hour, minute, ok := strings.Cut(text, ":")
	return ok && hour != "" && len(hour) <= 2 && len(minute) >= 2 && allDigits(hour) && allDigits(minute[:2])
}

// isDay reports whether a token is a day in digits: 2026-03-04, 4/3, 4.3.2026.
func isDay(text string) bool {
	for _, mark := range []string{"-", "/", "."} {
		parts := strings.Split(text, mark)
		if len(parts) < 2 || len(parts) > 3 || slices.ContainsFunc(parts, func(p string) bool { return p == "" || len(p) > 4 || !allDigits(p) }) || len(parts[1]) > 2 {
			continue
		}
		if len(parts) == 3 && (len(parts[0]) == 4 || len(parts[2]) == 4) || mark == "/" && len(parts[0]) <= 2 {
			return true
		}
	}
	return false
}

// thousands reports whether a number is written in groups of three, perhaps with a fraction:
// 250,000 or 1.250,50.
func thousands(text string) bool {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",.'’", r) })
	if len(parts) < 2 || len(parts[0]) > 3 {
		return false
	}
	last := len(parts) - 1
	return !slices.ContainsFunc(parts[:last], func(p string) bool { return !allDigits(p) }) && allDigits(parts[last]) && len(parts[last]) <= 3 &&
		!slices.ContainsFunc(parts[1:last], func(p string) bool { return len(p) != 3 })
}

// eastDigits are the characters of Chinese and Japanese numbers.
const eastDigits = "一二三四五六七八九十百千万两兩半〇零"

// eastClasses tells what the numbers are that a text has in such characters, and the question
// does not.
func (k *thingWords) eastClasses(question, text string) (all class) {
	for {
		at := indexEastDigit(text)
		if at < 0 {
			return all
		}
		after := strings.TrimLeft(text[at:], eastDigits)
		if !strings.Contains(question, text[at:len(text)-len(after)]) {
			all |= k.besideEast(strings.TrimLeft(after, " "))
		}
		text = after
	}
}

func indexEastDigit(text string) int {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf && utf8.RuneStart(text[i]) {
			if r, _ := utf8.DecodeRuneInString(text[i:]); strings.ContainsRune(eastDigits, r) {
				return i
			}
		}
	}
	return -1
}

// besideEast tells what such a number is, by what follows it.
func (k *thingWords) besideEast(rest string) class {
	switch {
	case hasPrefix(k.parts["money"], rest):
		return moneyClass
	case hasPrefix(k.parts["unit"], rest):
		return sizeClass
	case hasPrefix(k.parts["clock"], rest) && !hasPrefix(k.parts["span"], rest):
		return clockClass
	case hasPrefix(k.parts["month"], rest), hasPrefix([]string{"号", "號"}, rest):
		return dayClass
	case strings.HasPrefix(rest, "年"):
		return yearClass
	}
	return wordClass
}
