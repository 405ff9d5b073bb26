package wording

import (
	"strconv"
	"strings"
)

// A format is one of package fmt: what stands before, between and after its verbs.
type format struct {
	literals []string // one more than verbs
	verbs    []verb
	letters  int // bytes of all literals, without blanks around them, and one for each number
}

// A verb is one of a format. Its place counts from 1; 0 is the next one.
type verb struct {
	letter byte
	place  int
	list   bool // written with a plus
}

func scan(text string) (f format) {
	literal, from := "", 0
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		literal += text[from:i]
		v := verb{}
		for i++; i < len(text) && strings.IndexByte("+-# 0123456789.[]*", text[i]) >= 0; i++ {
			switch text[i] {
			case '+':
				v.list = true
			case '[':
				number, _, _ := strings.Cut(text[i+1:], "]")
				v.place, _ = strconv.Atoi(number)
			}
		}
		switch {
		case i == len(text):
		case text[i] == '%':
			literal += "%"
		default:
			v.letter = text[i]
			f.verbs = append(f.verbs, v)
			if v.letter == 'd' && v.place == 0 {
				f.letters++ // only a number fits
			}
			f.literals = append(f.literals, literal)
			literal = ""
		}
		from = min(i+1, len(text))
	}
	f.literals = append(f.literals, literal+text[from:])
	for _, l := range f.literals {
		f.letters += len(strings.TrimSpace(l))
	}
	return f
}

// match returns what of a sentence stands in the place of each verb. Where a literal is
// there several times, the first counts.
func (f format) match(sentence string) (values []string, ok bool) {
	rest, ok := strings.CutPrefix(sentence, f.literals[0])
	for i := 0; ok && i < len(f.verbs); i++ {
		next, value := f.literals[i+1], rest
		switch {
		case i == len(f.verbs)-1:
			value, ok = strings.CutSuffix(rest, next)
			rest = ""
		case f.verbs[i].letter == 'q':
			quoted, err := strconv.QuotedPrefix(rest)
			if ok = err == nil && strings.HasPrefix(rest[len(quoted):], next); ok {
				value, rest = quoted, rest[len(quoted)+len(next):]
			}
		case next == "":
			ok = false // two verbs side by side
		default:
			value, rest, ok = strings.Cut(rest, next)
		}
		ok = ok && f.verbs[i].takes(value)
		values = append(values, value)
	}
	return values, ok
}

// takes reports whether a verb can have written a value.
func (v verb) takes(value string) bool {
	switch v.letter {
	case 'd':
		return isNumber(value)
	case 'q':
		_, err := strconv.Unquote(value)
		return err == nil
	case 'f', 'g':
		_, err := strconv.ParseFloat(value, 64)
		return err == nil
	}
	return true
}

// isNumber reports whether a value is a whole number, which may have commas between
// thousands.
func isNumber(value string) bool {
	first, rest, thousands := strings.Cut(value, ",")
	_, err := strconv.Atoi(first)
	for thousands && err == nil {
		var group string
		group, rest, thousands = strings.Cut(rest, ",")
		if _, err = strconv.ParseUint(group, 10, 0); len(group) != 3 {
			return false
		}
	}
	return err == nil
}
