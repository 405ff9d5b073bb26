package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// walk goes from a label to its value.
type walk struct {
	*finder
	label label
	start int // of the label
	from  int // the end of the label, with quotes and marks of Markdown

	limit  int    // where the walk ends
	tokens int    // since the label or the last value
	other  int    // characters since then that are in no token
	values int    // found
	passed bool   // a value was found that another takes the place of; from is where that one begins
	form   string // of the last value, as form writes it

	onNext         bool // the token is the first of a line after the label's
	below          bool // a blank line stands between the two
	line, lineFrom int  // where the token on such a line begins, and where the line before it ends
}

// skipClosing skips what closes round a label: quotes and marks of Markdown.
func (w *walk) skipClosing() {
	for w.from < len(w.text) {
		r, size := utf8.DecodeRuneInString(w.text[w.from:])
		if !strings.ContainsRune("\"'`*”’」』])_", r) {
			return
		}
		w.from += size
	}
}

// A walk ends when it has passed this many bytes, tokens or characters without a value.
const (
	reach     = 150
	maxTokens = 18
	maxOther  = 30 // Chinese and Japanese characters
)

// forward looks for values after the label, in its sentence or on the next lines.
func (w *walk) forward() bool {
	w.limit = min(len(w.text), w.from+reach)
	for at := w.from; at >= 0 && at < w.limit && w.tokens < maxTokens && w.other <= maxOther; {
		if next := w.pass(at); next != at {
			at = next
			continue
		}
		at = w.take(at)
	}
	return w.values > 0 || w.passed
}

// pass skips blanks, the end of a line and brackets, and returns where the text goes on.
// It returns the position itself when a token may begin there, and -1 when the text no
// longer speaks of the label.
func (w *walk) pass(at int) int {
	r, size := utf8.DecodeRuneInString(w.text[at:])
	switch {
	case r == '\n':
		next := w.nextLine(at)
		if next < 0 || w.onNext && w.values == 0 {
			return -1
		}
		w.line, w.lineFrom, w.onNext = next, at, true
		return next
	case unicode.IsSpace(r):
		return at + size
	case sentenceEnd(w.text[at:], r, size):
		return -1
	case r == '(' || r == '（' || r == '[':
		return max(at+size, w.bracket(at, size))
	}
	return at
}

// take looks at the token that begins at a position, and adds it if it is a value. It
// returns where the walk goes on, or -1 when the walk is over.
func (w *walk) take(at int) int {
	if end := w.wordsAt(at); end > at && w.values == 0 {
		w.add(at, end, w.label.kind)
		w.values++
		return -1
	}
	v := w.value(at)
	if v.end == at { // no token begins here
		w.other++
		_, size := utf8.DecodeRuneInString(w.text[at:])
		return at + size
	}
	if v.connects {
		return v.next
	}
	w.tokens++
	if w.accept(&v) {
		w.add(v.start, v.end, w.label.kind)
		if at := w.successor(&v); at > 0 && !w.passed {
			w.from, w.passed = at, true
			w.limit, w.tokens, w.onNext = min(len(w.text), at+reach/2), 0, false
			return at
		}
		w.group()
		w.values++
		if !w.many() {
			return -1
		}
		w.limit, w.tokens, w.onNext = min(len(w.text), v.end+reach/2), 0, false
		return v.next
	}
	if w.values == 0 && (w.onNext || w.settled(&v)) {
		return -1
	}
	if w.label.class == classLogin || w.label.class == classWord {
		if start, end, ok := w.joined(&v); ok {
			w.add(start, end, Password)
			w.values++
			return -1
		}
	}
	return v.next
}

// group joins a value with the one before it when only a blank stands between them. Codes
// are often written in groups.
func (w *walk) group() {
	n := len(w.found)
	if n < 2 || !w.made() {
		return
	}
	if a, b := &w.found[n-2], w.found[n-1]; a.End+1 == b.Start && w.text[a.End] == ' ' && a.Kind == b.Kind {
		a.End = b.End
		w.found = w.found[:n-1]
	}
}

// many reports whether more values may follow those found so far.
func (w *walk) many() bool {
	if w.values >= 40 {
		return false
	}
	switch w.label.class {
	case classCode, classNeed:
		return true
	case classWord, classToken, classKey:
		return w.plural()
	}
	return false
}

// plural reports whether the label is an English plural.
func (w *walk) plural() bool {
	return strings.HasSuffix(fold(strings.TrimRight(w.text[w.start:w.from], "\"'`*”’」』])_")), "s")
}

// settled reports whether a token that is no value ends the search for one, as null does
// in `"password": null, "name": "Ana-99"`.
func (w *walk) settled(v *value) bool {
	direct := strings.Trim(w.text[w.from:v.start], ":=>\"'` \t\n：") == ""
	return direct && w.label.class != classLogin && !strings.HasPrefix(strings.TrimLeft(w.text[v.end:min(len(w.text), v.end+8)], " "), "/") &&
		!strings.ContainsAny(w.text[v.start:v.end], "([（") && w.linkOf(v) == linkStrong
}

// nextLine is called where the line with the label ends. It returns where the next line
// gives the value, or -1 when that line says something else.
func (w *walk) nextLine(at int) int {
	if strings.HasSuffix(strings.TrimRight(w.text[w.start:at], " \t\r"), "=") || strings.IndexByte(",({[\\", byteBefore(w.text, at)) >= 0 {
		return -1
	}
	line, at := w.underneath(at)
	if strings.TrimSpace(line) == "" {
		return -1
	}
	start := at + 1 + len(line) - len(strings.TrimLeft(line, " \t>"))
	start += bullet(w.text[start:])
	body := strings.TrimRight(w.text[start:at+1+len(line)], " \t\r")
	if body == "" || strings.ContainsAny(body, " \t") && mixture(body).letters() > 0 && w.label.class != classPhrase {
		return -1
	}
	return start
}

// bullet returns the length of the list marker at the start of text.
func bullet(text string) int {
	n := 0
	for n < len(text) && n < 3 && isDigit(text[n]) {
		n++
	}
	switch {
	case n > 0 && n < len(text)-1 && (text[n] == '.' || text[n] == ')') && text[n+1] == ' ':
		return n + 2
	case n == 0 && len(text) > 1 && strings.IndexByte("-*+", text[0]) >= 0 && text[1] == ' ':
		return 2
	}
	return 0
}

// sentenceEnd reports whether the character at the start of text ends a sentence.
func sentenceEnd(text string, r rune, size int) bool {
	switch r {
	case '。', '！', '？', '；', '|':
		return true
	case '.', '!', '?', ';':
		next, _ := utf8.DecodeRuneInString(text[size:])
		return len(text) == size || unicode.IsSpace(next)
	}
	return false
}

// bracket returns the end of the brackets that open at a position, when the value is not
// inside them. It returns 0 when it may be.
func (w *walk) bracket(at, size int) int {
	inner := window(w.text, at+size, 60)
	i := strings.IndexAny(inner, ")）]")
	if i < 0 {
		return 0
	}
	_, closing := utf8.DecodeRuneInString(inner[i:])
	if !strings.ContainsAny(inner[:i], " \t") && mixture(inner[:i]).digits >= 3 {
		return 0
	}
	return at + size + i + closing
}

// linkOf returns the link between the label and a value.
func (w *walk) linkOf(v *value) link {
	if v.given {
		return linkStrong
	}
	return w.linkTo(v.from)
}

// linkTo returns the link between the label and a position.
func (w *walk) linkTo(at int) link {
	between := w.text[w.from:at]
	if at == w.line {
		between = w.text[w.from:w.lineFrom]
	}
	gap := strings.TrimRight(between, " \t\r\n\"'`“‘「『*([（")
	for range 3 {
		n := w.words["adverb"].ends(gap)
		if n == 0 {
			break
		}
		gap = strings.TrimRight(gap[:len(gap)-n], " \t")
	}
	switch {
	case gap == "" && w.passed:
		return linkStrong
	case gap == "" || gap[0] == '\n':
		return linkWeak
	case strings.HasSuffix(gap, "="):
		// An "=" that is written directly behind another name belongs to that name.
		if name := strings.TrimRight(gap, "=:"); name != "" && isAlnum(name[len(name)-1]) && strings.ContainsAny(name, " \"'") {
			return linkNone
		}
		return linkStrong
	case w.words["connect"].ends(gap) > 0, w.label.class == classLogin && w.words["login connect"].ends(gap) > 0, strings.HasSuffix(gap, " /"):
		return linkStrong
	case strings.TrimSpace(gap) == "-" || strings.TrimSpace(gap) == "–" || strings.TrimSpace(gap) == "—":
		return linkStrong
	case strings.HasSuffix(gap, "—") && !isAlnum(w.text[w.from-1]):
		return linkStrong // Russian and Chinese write a dash for "is"
	}
	switch r, _ := utf8.DecodeLastRuneInString(gap); r {
	case ',', '，', ')', '）', '、', ']':
		return linkWeak
	}
	if at == w.line || w.words["connect"].saidIn(gap) {
		return linkWeak
	}
	return linkNone
}

// joined looks for a password that a sign joins to a name: "ana:Kettle#221".
func (w *walk) joined(v *value) (start, end int, ok bool) {
	token := w.text[v.start:v.end]
	i := strings.IndexAny(token, ":/")
	if i <= 0 || v.quoted || strings.Contains(token, "://") || w.linkOf(v) == linkNone {
		return 0, 0, false
	}
	m := mixture(token[i+1:])
	if strings.ContainsAny(token[i+1:], ":") || mixture(token[:i]).letters() == 0 {
		return 0, 0, false
	}
	if token[i] == '/' && (strings.Count(token, "/") > 1 || m.strong == 0) {
		return 0, 0, false
	}
	if m.length < 5 || !m.mixed() || w.ordinary(m.text) || w.placeholder(m.text) || w.ordinary(token) {
		return 0, 0, false
	}
	return v.start + i + 1, v.end, true
}
