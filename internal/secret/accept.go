package secret

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// accept reports whether a token is the value of the label. Values without a form of
// their own are accepted nowhere else.
func (w *walk) accept(v *value) bool {
	text := w.text[v.start:v.end]
	m := mixture(text)
	switch {
	case m.length < 3 || m.length > 300 || w.taken(v.start):
		return false
	case v.quoted && w.quoted(v, m):
		return !w.placeholder(text)
	case strings.Contains(text, " ") && !m.number():
		return false
	case w.values > 0: // a list goes on with values of the same form
		if m.digits == 0 || form(text) != w.form {
			return false
		}
	case w.below && m.length < 8 && !(m.number() && w.made()), !w.fits(v, m):
		return false
	}
	// These look like a value and are something else.
	switch {
	case w.placeholder(text), strings.Contains(text, "://"), !v.quoted && w.inAddress(v.start), w.ordinary(text):
		return false
	case !m.random() && (paths().MatchString(text) || w.made() && dotted().MatchString(text)):
		return false
	case m.number() && w.counted(v, m):
		return false
	}
	w.form = form(text)
	return true
}

// made reports whether programs make the values of the label.
func (w *walk) made() bool {
	switch w.label.class {
	case classKey, classToken, classBare, classCode, classNeed, classCookie:
		return true
	}
	return false
}

// form returns a value with every letter and digit written as x.
func form(v string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return 'x'
		}
		return r
	}, v)
}

// plain reports whether words without digits are a password. They are when the text gives
// them outright, the clause ends behind them, and they do not describe a password. Dashes
// may join them.
func (w *walk) plain(v *value, m mix) bool {
	dashes := strings.Count(m.text, "-")
	if m.lower+m.upper+dashes != m.length || m.length < 5 || m.length > 32 || v.quoted || m.upper > 1 && m.lower > 0 || m.upper == 1 && !isUpper(m.text[0]) {
		return false
	}
	gap := strings.TrimRight(w.text[w.from:v.start], " \t")
	if strings.HasSuffix(gap, "=") || w.inCode() {
		return false
	}
	if !clauseEnds(w.text[v.end:]) {
		return false
	}
	for part := range strings.SplitSeq(m.text, "-") {
		if len(part) < 2 || w.words["ordinary"].has(part) || w.words["filler"].has(part) && dashes < 2 {
			return false
		}
	}
	return dashes >= 2 || !describes(m.text)
}

// describes reports whether a word ends as those do that say what something is like.
func describes(word string) bool {
	return slices.ContainsFunc(describing, func(suffix string) bool { return strings.HasSuffix(word, suffix) })
}

// beside reports whether the label stands behind an account and a word with a dash
// follows directly: "ssh pi@host, password raspberry-jam".
func (w *walk) beside(v *value) bool {
	if strings.TrimSpace(w.text[w.from:v.start]) != "" || !strings.Contains(w.text[v.start:v.end], "-") {
		return false
	}
	line := strings.TrimRight(lineBefore(w.text, w.start, 60), " \t")
	return w.words["account"].within(line) && strings.ContainsRune(",，/;、|", lastRune(line))
}

// wordsAt returns the end of the passphrase of several words that starts at a position.
// It returns the position itself if the text does not give a passphrase outright there.
// Sentences are told apart by words that passphrases rarely have.
func (w *walk) wordsAt(at int) int {
	least := 4
	switch w.label.class {
	case classPhrase:
		least = 3
	case classWord:
		if w.plural() {
			return at // a plural speaks of rules for passwords
		}
	case classToken:
		return w.letterGroups(at)
	default:
		return at
	}
	if !isLetter(w.text[at]) {
		return at
	}
	line := window(w.text, at, 160)
	end, n, filler := 0, 0, 0
	word, lead := "", false // the first word alone is ordinary, and the others describe nothing
	for {
		start := end
		for end < len(line) && (isLetter(line[end]) || isDigit(line[end])) {
			end++
		}
		word = line[start:end]
		switch {
		case n >= 2 && mixture(word).digits == len(word) && len(word) > 0:
		case w.words["ordinary"].has(word) || w.words["filler"].has(word):
			if filler++; filler > 1 || w.label.class != classPhrase {
				return at
			}
			lead = n == 0 && !w.words["filler"].has(word)
		case len(word) < 3:
			return at
		}
		lead = lead && (n == 0 || !describes(word))
		n++
		if end+1 < len(line) && line[end] == ' ' && isAlnum(line[end+1]) {
			end++
			continue
		}
		break
	}
	if filler == 1 && !isDigit(word[len(word)-1]) && (!lead || n < 4) {
		return at
	}
	if n < least || n > 24 || !clauseEnds(w.text[at+end:]) || w.inCode() || w.linkTo(at) != linkStrong {
		return at
	}
	return at + end
}

// letterGroups returns the end of four groups of four small letters. Some programs write
// passwords for other programs so.
func (w *walk) letterGroups(at int) int {
	const length = 4*4 + 3
	if len(w.text)-at < length || !clauseEnds(w.text[at+length:]) {
		return at
	}
	for i := range length {
		if c := w.text[at+i]; i%5 == 4 && c != ' ' || i%5 != 4 && !isLower(c) {
			return at
		}
	}
	if w.linkTo(at) == linkNone {
		return at
	}
	return at + length
}

// inCode reports whether the label is a name in a program or in settings.
func (w *walk) inCode() bool {
	switch byteBefore(w.text, w.start) {
	case '_', '.', '"', '\'', '-', '(', '$':
		return true
	}
	return w.start > 0 && isAlnum(w.text[w.start-1]) || strings.ContainsAny(w.text[w.start:w.from], "_\"'")
}

// clauseEnds reports whether a clause has ended where text begins.
func clauseEnds(text string) bool {
	text = strings.TrimLeft(text, " \t*`")
	return text == "" || strings.ContainsRune(".,;!)|\n\r。，；）」", firstRune(text))
}

// describing ends words that say what a password is like.
var describing = []string{"ed", "ing", "able", "ible", "ous", "ful", "less", "ive", "ly", "ic", "al", "ary", "tion", "sion", "ment", "ness", "ity", "ent", "ant", "en", "ish", "er", "est"}

// quoted reports whether a value in quotes counts by itself. Such a value may hold blanks
// and may be a word.
func (w *walk) quoted(v *value, m mix) bool {
	switch w.label.class {
	case classWord, classPhrase:
	case classShort:
		if m.digits == 0 || w.byText(w.from, v.start-1) {
			return false
		}
	default:
		return false
	}
	if w.linkOf(v) == linkNone || w.ordinary(m.text) || m.length > 64 || strings.ContainsAny(m.text, "<>{}$\\") {
		return false
	}
	blanks := strings.Count(m.text, " ")
	switch {
	case m.other >= 2: // Chinese characters
		return w.linkOf(v) == linkStrong && m.length >= 3 && (m.digits > 0 || w.label.class == classPhrase && m.length <= 16)
	case blanks > 0:
		return w.linkOf(v) == linkStrong && m.letters() > 0 && (m.digits > 0 || blanks >= 2 || w.label.class == classPhrase)
	case m.mixed() || m.number():
		return m.length >= 4
	}
	return w.linkOf(v) == linkStrong && m.length >= 5 && !strings.ContainsAny(m.text, "_.-/") && m.upper*m.lower == 0 && !isAlnum(byteBefore(w.text, w.start))
}

// byText reports whether letters stand between two positions.
func (w *walk) byText(from, to int) bool {
	for i := from; i < to; i++ {
		if isAlnum(w.text[i]) || w.text[i] >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// counted reports whether digits count something, measure something, or are a year.
func (w *walk) counted(v *value, m mix) bool {
	if w.words["units"].starts(window(w.text, v.end, 24)) > 0 {
		return true
	}
	r := firstRune(w.text[v.end:])
	if r == '%' || r == '/' && isDigit(byteAt(w.text, v.end+1)) || r == '年' || r == '月' {
		return true
	}
	before := byteBefore(w.text, v.start)
	return before == '$' || before == '+' || date(m.text) || m.text[0] == '#' && isDigit(m.text[len(m.text)-1])
}

// date reports whether groups of digits are a day: 2026-03-14.
func date(v string) bool {
	return len(v) >= 8 && (strings.HasPrefix(v, "19") || strings.HasPrefix(v, "20")) && len(v) == 10 && v[4] == '-' && v[7] == '-'
}

func year(v string) bool {
	return len(v) == 4 && (strings.HasPrefix(v, "19") || strings.HasPrefix(v, "20"))
}

// product reports whether a value is a word with a number of one or two digits, as in
// names of products: iPhone15.
func product(m mix) bool {
	trimmed := strings.TrimRight(m.text, "0123456789")
	return m.signs == 0 && m.digits <= 2 && len(m.text)-len(trimmed) == m.digits && m.length < 8
}

// placed reports whether the text near the label names a place that a code opens, or a
// place of a person's own.
func (w *walk) placed(v *value) bool {
	before := lineBefore(w.text, w.start, 48)
	if i := strings.LastIndexAny(before, ".!?;"); i >= 0 {
		before = before[i:]
	}
	return w.words["places"].within(before) || w.words["places"].within(w.text[w.from:v.start])
}

// inAddress reports whether a position lies in the address of a server or of a page,
// before its parameters.
func (f *finder) inAddress(at int) bool {
	before := lineBefore(f.text, at, 200)
	before = before[strings.LastIndexAny(before, " \t\"'<>()，。")+1:]
	i := strings.Index(before, "://")
	return i >= 0 && !strings.ContainsAny(before[i:], "?&=#")
}

// lastOf reports whether a term is among the last words of text.
func (l *words) lastOf(text string) bool {
	text = strings.TrimRight(text, " \t:=\"'`(：")
	for range 3 {
		if l.ends(text) > 0 {
			return true
		}
		i := strings.LastIndexAny(text, " \t:=：，")
		if i < 0 {
			return false
		}
		text = strings.TrimRight(text[:i], " \t:=\"'`(：")
	}
	return false
}

func firstRune(text string) rune { r, _ := utf8.DecodeRuneInString(text); return r }

func lastRune(text string) rune { r, _ := utf8.DecodeLastRuneInString(text); return r }
