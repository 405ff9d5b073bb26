package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// value is a token that may be the value of a label.
type value struct {
	start, end int
	next       int // where the text goes on
	quoted     bool
	connects   bool // it only links a label to a value
	from       int  // where the text before it ends: at its opening quote, if there is one
	given      bool // a column of a table gives it
}

// value returns the token at a position; its end is its start when there is none.
func (w *walk) value(at int) value {
	v := value{start: at, end: at, from: at}
	r, size := utf8.DecodeRuneInString(w.text[at:])
	if closing := closingQuote(r); closing != 0 {
		inner := window(w.text, at+size, 90)
		if i := strings.IndexRune(inner, closing); i > 0 {
			v.start, v.end, v.quoted = at+size, at+size+i, true
			v.next = v.end + utf8.RuneLen(closing)
		}
		return v
	}
	if !valueRune(r) {
		if isHan(r) {
			return w.hanValue(at)
		}
		return v
	}
	end := at
	for end < len(w.text) && end-at < 400 {
		r, size := utf8.DecodeRuneInString(w.text[end:])
		if !valueRune(r) || r == ')' && !strings.Contains(w.text[at:end], "(") || r == ']' && !strings.Contains(w.text[at:end], "[") {
			break
		}
		end += size
	}
	if end == at {
		return v
	}
	v.end, v.next = end, end
	// Some tokens only link: "=", "->", ":", and tokens that begin with such a sign.
	raw := w.text[at:end]
	if strings.Trim(raw, "*_") == "" {
		v.connects = true
		return v
	}
	if n := len(raw) - len(strings.TrimLeft(raw, ":=>～~–—-")); n > 0 && (n == len(raw) || strings.ContainsAny(raw[:n], ":=>")) {
		v.end, v.next, v.connects = at+n, at+n, true
		return v
	}
	if n := strings.IndexAny(raw, "&;"); n > 0 && w.cutsAt(at, raw, n) {
		v.end = at + n
	}
	v.end = at + len(trimValue(w.text[at:v.end]))
	if n := numberLength(w.text[at:min(len(w.text), at+80)]); at+n > v.end || n > 0 && at+n == end {
		v.end = at + n
	}
	v.next = max(v.end, at+1)
	return v
}

// cutsAt reports whether a value ends at a sign inside the token, as in the query of an
// address and in a list of settings.
func (w *walk) cutsAt(at int, raw string, n int) bool {
	if raw[n] == ';' {
		return n == len(raw)-1 || isLetter(raw[n+1])
	}
	before := byteBefore(w.text, w.start)
	return (before == '?' || before == '&' || before == '_') && byteBefore(w.text, at) == '=' || strings.Contains(raw[n:], "=")
}

// trimValue removes from a token the characters that belong to the sentence.
func trimValue(v string) string {
	trimmed := strings.TrimRight(v, ".,;:'’)]}>")
	if n := len(trimmed); n < len(v) && v[n] == ')' && strings.Count(trimmed, "(") > strings.Count(trimmed, ")") {
		return v[:n+1]
	}
	return trimmed
}

func closingQuote(r rune) rune {
	switch r {
	case '"', '\'', '`':
		return r
	case '“':
		return '”'
	case '‘':
		return '’'
	case '「':
		return '」'
	case '『':
		return '』'
	case '«':
		return '»'
	}
	return 0
}

// valueRune reports whether a character may stand in a value without quotes.
func valueRune(r rune) bool {
	switch {
	case r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r):
		return false
	case r < utf8.RuneSelf:
		return r != '"' && r != '`' && r != '|'
	case '０' <= r && r <= '９' || 'Ａ' <= r && r <= 'Ｚ' || 'ａ' <= r && r <= 'ｚ':
		return true
	case r >= 0x2010 && r <= 0x206f || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef:
		return false
	}
	return unicode.IsLetter(r) && !isCJK(r) || r == '–' || r == '€' || r == '£'
}

func isHan(r rune) bool { return r >= 0x3400 && r <= 0x9fff }

func isCJK(r rune) bool {
	return isHan(r) || r >= 0x1100 && r <= 0x11ff || r >= 0x3040 && r <= 0x30ff || r >= 0xac00 && r <= 0xd7af || r >= 0x20000 && r <= 0x3ffff
}

// hanValue returns a few Chinese characters with digits behind them, where they follow a
// word or sign that gives the value: 海上生明月99.
func (w *walk) hanValue(at int) value {
	v := value{start: at, end: at, from: at}
	end, n := at, 0
	for n <= 10 && end < len(w.text) {
		r, size := utf8.DecodeRuneInString(w.text[end:])
		if !isHan(r) {
			break
		}
		end += size
		n++
	}
	digits := end
	for digits < len(w.text) && digits-end < 12 && isDigit(w.text[digits]) {
		digits++
	}
	if n < 2 || n > 10 || digits-end < 2 && (w.label.class != classPhrase || digits > end || n < 3 || n > 8) {
		return v
	}
	next, _ := utf8.DecodeRuneInString(w.text[digits:])
	if digits < len(w.text) && !unicode.IsPunct(next) && !unicode.IsSpace(next) || w.linkTo(at) != linkStrong {
		return v
	}
	v.end, v.next = digits, digits
	return v
}

// numberLength returns the length of the number at the start of text that is written in
// groups: "771 056", "38-14-02", "4071#". It returns 0 for anything else.
func numberLength(text string) int {
	i := 0
	for i < len(text) && (text[i] == '#' || text[i] == '*') {
		i++
	}
	first, group, end := 0, 0, 0
	sep := byte(0)
	for i < len(text) {
		start := i
		for i < len(text) && isDigit(text[i]) {
			i++
		}
		group = i - start
		if group == 0 || group > 8 && sep != 0 {
			break
		}
		if sep == ' ' && (group != first || group < 3) {
			break
		}
		if first == 0 {
			first = group
		}
		end = i
		if i+1 >= len(text) || text[i] != '-' && text[i] != ' ' || sep != 0 && text[i] != sep || !isDigit(text[i+1]) {
			break
		}
		sep = text[i]
		i++
	}
	if end == 0 {
		return 0
	}
	for end < len(text) && (text[end] == '#' || text[end] == '*') {
		end++
	}
	if end < len(text) && (isLetter(text[end]) || strings.IndexByte("_@/:=+&%", text[end]) >= 0) {
		return 0
	}
	if r := firstRune(text[end:]); end+1 < len(text) && (r == '.' || r == ',') && isDigit(text[end+1]) {
		return 0
	}
	return end
}
