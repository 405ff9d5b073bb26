package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// link says what stands between a label and a value.
type link int

const (
	linkNone   link = iota // other words
	linkWeak               // nothing, a comma, a bracket or the end of a line
	linkStrong             // a word or a sign that gives the value: "is", "=", 是, は
)

// labelled looks for the value of the label at a position and reports whether
// the term is a label there.
func (f *finder) labelled(t *term, at int) bool {
	l := f.labels[t.rule]
	end := at + t.length
	if f.taken(at) || !startsName(f.text, at) || byteBefore(f.text, at) == '$' {
		return false
	}
	name := isAlnum(f.text[end-1]) // written in letters of names
	if name {
		var ok bool
		if end, ok = f.nameEnd(end); !ok {
			return false
		}
	}
	if l.class != classWord && l.class != classPhrase && f.words["before"].ends(strings.TrimRight(lineBefore(f.text, at, 40), " \t_-.\"'`")) > 0 {
		return false
	}
	if f.words["after"].starts(window(f.text, end, 48)) {
		return true
	}
	w := walk{finder: f, label: l, start: at, from: end}
	w.skipClosing()
	if c := byteAt(f.text, w.from); c == '@' || c == '}' || f.inAddress(at) {
		return true // a name for the value, in an address or in a template
	}
	n := len(f.found)
	if !w.column() && !w.forward() {
		w.backward()
	}
	return len(f.found) > n || l.class != classLogin
}

// startsName reports whether a label in letters may begin at a position: at the
// border of a word or of a part of a name, as in clientSecret.
func startsName(text string, at int) bool {
	if at == 0 || !isLetter(text[at]) || !isLetter(text[at-1]) {
		return true
	}
	return isUpper(text[at]) && isLower(text[at-1])
}

// nameEnd returns where the name ends whose label ends at a position. Only a few
// words may follow the label in it: a password_hash is no password.
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

// walk goes from a label to its value.
type walk struct {
	*finder
	label label
	start int // of the label
	from  int // the end of the label, with quotes and marks of Markdown
	shape string

	line, lineFrom int // where the token on a line that follows begins, and where the line before it ends
}

// skipClosing passes over what closes round a label: quotes, marks of Markdown.
func (w *walk) skipClosing() {
	for w.from < len(w.text) {
		r, size := utf8.DecodeRuneInString(w.text[w.from:])
		if !strings.ContainsRune("\"'`*”’」』])_", r) {
			return
		}
		w.from += size
	}
}

// The walk ends after so many bytes and tokens without a value.
const (
	reach     = 150
	maxTokens = 18
	maxOther  = 30 // Chinese and Japanese characters
)

// forward looks for values behind the label, in its sentence or on the next line.
func (w *walk) forward() bool {
	found := 0
	limit := min(len(w.text), w.from+reach)
	lineStart := false // the token is the first of a line that follows the label's
	other := 0         // characters that are in no token
	for i, tokens := w.from, 0; i < limit && tokens < maxTokens; {
		r, size := utf8.DecodeRuneInString(w.text[i:])
		switch {
		case r == '\n':
			next := w.nextLine(i)
			if next < 0 || lineStart && found == 0 {
				return found > 0
			}
			w.line, w.lineFrom = next, i
			i, lineStart = next, true
			continue
		case unicode.IsSpace(r):
			i += size
			continue
		case sentenceEnd(w.text[i:], r, size):
			return found > 0
		case r == '(' || r == '（' || r == '[':
			i = max(i+size, w.bracket(i, size))
			continue
		}
		v := w.value(i)
		if end := w.wordsAt(i); end > i && found == 0 {
			w.add(i, end, w.label.kind)
			return true
		}
		if v.end == i { // no value begins here
			i += size
			if other++; other > maxOther {
				return found > 0
			}
			continue
		}
		if v.connects {
			i = v.next
			continue
		}
		tokens++
		if w.accept(&v, found) {
			w.add(v.start, v.end, w.label.kind)
			w.group()
			found++
			if !w.many(found) {
				return true
			}
			limit, tokens = min(len(w.text), v.end+reach/2), 0
			lineStart = false
			i = v.next
			continue
		}
		if found == 0 && (lineStart || w.settled(&v)) {
			return false
		}
		if w.label.class == classLogin || w.label.class == classWord {
			if start, end, ok := w.joined(&v); ok {
				w.add(start, end, Password)
				return true
			}
		}
		i = v.next
	}
	return found > 0
}

// group joins a value with the one before when a blank alone is between them:
// codes are written in groups.
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

// many reports whether more values may follow the ones that were found.
func (w *walk) many(found int) bool {
	if found >= 40 {
		return false
	}
	switch w.label.class {
	case classCode, classNeed:
		return true
	case classWord, classToken, classKey:
		return strings.HasSuffix(fold(strings.TrimRight(w.text[w.start:w.from], "\"'`*”’」』])_")), "s")
	}
	return false
}

// settled reports whether a token that is no value is all that the label gets,
// as in `"password": null, "name": "Ana-99"`.
func (w *walk) settled(v *value) bool {
	direct := strings.Trim(w.text[w.from:v.start], ":=>\"'` \t\n：") == ""
	return direct && w.label.class != classLogin && !strings.HasPrefix(strings.TrimLeft(w.text[v.end:min(len(w.text), v.end+8)], " "), "/") &&
		!strings.ContainsAny(w.text[v.start:v.end], "([（") && w.linkOf(v) == linkStrong
}

// nextLine returns where the text goes on when the line with the label is over
// at a position: at the only token of the next line. -1 when it does not.
func (w *walk) nextLine(at int) int {
	if strings.HasSuffix(strings.TrimRight(w.text[w.start:at], " \t\r"), "=") || strings.IndexByte(",({[\\", byteBefore(w.text, at)) >= 0 {
		return -1
	}
	rest := w.text[at+1:]
	line := window(rest, 0, reach)
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

// bullet returns the length of the mark of a list item.
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

// sentenceEnd reports whether a sentence ends with the character at the start
// of text.
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

// bracket returns the end of the brackets that open at a position, when what is
// in them is not the value; 0 when it may be.
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

// value is a token that may be a value.
type value struct {
	start, end int
	next       int // where the text goes on
	quoted     bool
	connects   bool // it only links
	from       int  // where what stands before it ends: at an opening quote, if there is one
	given      bool // by a column
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
	// What only links: "=", "->", ":", and what a sign of that sort starts.
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

// cutsAt reports whether a value ends at a sign inside of it: in the query of
// an address and in a list of settings.
func (w *walk) cutsAt(at int, raw string, n int) bool {
	if raw[n] == ';' {
		return n == len(raw)-1 || isLetter(raw[n+1])
	}
	before := byteBefore(w.text, w.start)
	return (before == '?' || before == '&' || before == '_') && byteBefore(w.text, at) == '=' || strings.Contains(raw[n:], "=")
}

// trimValue takes from a token what belongs to the sentence.
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
	return isHan(r) || r >= 0x3040 && r <= 0x30ff || r >= 0xac00 && r <= 0xd7af || r >= 0x20000 && r <= 0x3ffff
}

// hanValue returns a few Chinese characters with digits behind them that
// follow what gives the value: 海上生明月99.
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

// linkOf says how a value is linked to the label.
func (w *walk) linkOf(v *value) link {
	if v.given {
		return linkStrong
	}
	return w.linkTo(v.from)
}

// linkTo says what stands between the label and a position.
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
	case gap == "" || gap[0] == '\n':
		return linkWeak
	case strings.HasSuffix(gap, "="):
		// "=" that is written close to another name belongs to that.
		if name := strings.TrimRight(gap, "=:"); name != "" && isAlnum(name[len(name)-1]) && strings.ContainsAny(name, " \"'") {
			return linkNone
		}
		return linkStrong
	case w.words["connect"].ends(gap) > 0, w.label.class == classLogin && w.words["login connect"].ends(gap) > 0, strings.HasSuffix(gap, " /"):
		return linkStrong
	case strings.TrimSpace(gap) == "-" || strings.TrimSpace(gap) == "–" || strings.TrimSpace(gap) == "—":
		return linkStrong
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

// joined looks for a password behind a name: "ana:Kettle#221".
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

// lineBefore returns up to size bytes of the line before a position.
func lineBefore(text string, at, size int) string {
	start := max(0, at-size)
	for start < at && !utf8.RuneStart(text[start]) {
		start++
	}
	text = text[start:at]
	return text[strings.LastIndexByte(text, '\n')+1:]
}
