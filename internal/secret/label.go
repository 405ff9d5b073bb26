package secret

import (
	"strings"
	"unicode/utf8"
)

// link says what stands between a label and a value.
type link int

const (
	linkNone   link = iota // other words
	linkWeak               // nothing, a comma, a bracket or the end of a line
	linkStrong             // a word or a sign that gives the value: "is", "=", 是, は
)

// labelled looks for the value of the label at a position. It reports whether the term is
// a label there.
func (f *finder) labelled(t *term, at int) bool {
	l := f.labels[t.rule]
	end := at + t.length
	if f.taken(at) || !startsName(f.text, at) || byteBefore(f.text, at) == '$' {
		return false
	}
	name := isAlnum(f.text[end-1]) // the label is written in letters that names have
	if name {
		var ok bool
		if end, ok = f.nameEnd(end); !ok {
			return false
		}
	}
	if l.class != classWord && l.class != classPhrase && f.words["before"].ends(strings.TrimRight(lineBefore(f.text, at, 40), " \t_-.\"'`")) > 0 {
		return false
	}
	w := walk{finder: f, label: l, start: at, from: end}
	w.skipClosing()
	if w.framed() {
		return true
	}
	if f.words["after"].starts(window(f.text, end, 48)) > 0 {
		return true
	}
	if c := byteAt(f.text, w.from); c == '@' || c == '}' || f.inAddress(at) {
		return true // a name for the value, as in an address or in a template
	}
	n := len(f.found)
	if !w.column() && !w.forward() {
		w.backward()
	}
	return len(f.found) > n || l.class != classLogin
}

// startsName reports whether a label in letters may begin at a position. It may begin
// where a word begins, and where a part of a name does, as in clientSecret.
func startsName(text string, at int) bool {
	if at == 0 || !isLetter(text[at]) || !isLetter(text[at-1]) {
		return true
	}
	return isUpper(text[at]) && isLower(text[at-1])
}

// nameEnd returns where the name ends that contains the label ending at a position. Only
// a few words may follow the label inside the name: a password_hash is no password.
func (f *finder) nameEnd(end int) (int, bool) {
	text := f.text
	if byteAt(text, end) == '(' {
		return end, false // a function
	}
	if c := byteAt(text, end); (c == 's' || c == 'S') && !isLetter(byteAt(text, end+1)) {
		end++
	}
	if isLower(byteAt(text, end)) || isUpper(byteAt(text, end)) && isUpper(text[end-1]) && !isUpper(byteAt(text, end+1)) && isLower(byteAt(text, end+1)) {
		return end, false
	}
	for end < len(text) {
		start := end
		if c := text[end]; c == '_' || c == '-' {
			start++
		}
		stop := start
		for stop < len(text) && stop-start < 16 && isAlnum(text[stop]) && (stop == start || start > end || !isUpper(text[stop])) {
			stop++
		}
		if stop == start {
			break
		}
		if !f.words["name end"].has(text[start:stop]) && strings.Trim(text[start:stop], "0123456789") != "" {
			return end, false
		}
		end = stop
	}
	return end, true
}

// lineBefore returns up to size bytes of the line before a position.
func lineBefore(text string, at, size int) string {
	start := max(0, at-size)
	for start < at && !utf8.RuneStart(text[start]) {
		start++
	}
	text = text[start:at]
	return text[strings.LastIndexByte(text, '\n')+1:]
}
