package secret

import (
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// before matches a value that stands before its label, up to the label: "use X as the",
// "X is your", "X 是你的".
var before = lazyregexp.New(`(?i)(?:^|[\s"'“‘「:：,，】\])）])(\d{3}[ -]\d{3}|[^\s"'“”‘’「」:：，】]{4,64})["'”’」*` + "`" + `]{0,3}\s*(?:\b(?:is|as|was|=)\s+(?:(?:the|a|an|my|your|our|his|her|their|new|old|current)\s+)?(?:[\w'’&.-]+\s+){0,3}|(?:是|为|為|即|作为|作為|当|當|做|当作|を|が)[^。！？，、\s]{0,12}|[(（][^()（）\s]{0,10})$`)

// backward looks for a value before the label.
func (w *walk) backward() bool {
	switch w.label.class {
	case classWord, classPhrase, classCode, classNeed, classToken, classKey, classLock:
	default:
		return false
	}
	line := lineBefore(w.text, w.start, 110)
	if !strings.ContainsAny(line, "0123456789&@#!") || !links(line) {
		return false
	}
	m := before().FindStringSubmatchIndex(line)
	if m == nil || !w.closes() {
		return false
	}
	at := w.start - len(line)
	v := value{start: at + m[2], end: at + m[3]}
	v.end = v.start + len(trimValue(w.text[v.start:v.end]))
	for v.start < v.end && !valueRune(firstRune(w.text[v.start:v.end])) {
		_, size := cutRune(w.text[v.start:v.end])
		v.start += size
	}
	text := w.text[v.start:v.end]
	x := mixture(text)
	if strings.IndexFunc(text, func(r rune) bool { return !valueRune(r) && r != ' ' }) >= 0 {
		return false
	}
	if x.length < 4 || w.placeholder(text) || w.ordinary(text) || w.taken(v.start) || w.inAddress(v.start) || strings.Contains(text, "://") {
		return false
	}
	ok := false
	switch w.label.class {
	case classWord, classPhrase:
		ok = x.mixed() && x.length >= 5 && !product(x)
	case classCode, classNeed:
		ok = (x.number() && x.digits >= 4 || x.mixed() && x.digits >= 4) && w.ownCode(line[m[3]:])
	case classToken, classKey:
		ok = x.random()
	}
	if ok {
		w.add(v.start, v.end, w.label.kind)
	}
	return ok
}

// links reports whether a line may give a value before its label. It is a quick check, so
// that the expression runs on few lines.
func links(line string) bool {
	for _, word := range []string{" is ", " as ", " was ", "= "} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return strings.ContainsAny(line, "是为為即作当當做をが(（")
}

// ownCode reports whether the words between say that a bare "code" is somebody's own or
// belongs to a place.
func (w *walk) ownCode(between string) bool {
	return w.label.class == classCode || w.words["places"].within(between) || w.words["places"].within(window(w.text, w.from, 40))
}

// closes reports whether the clause ends behind the label, or goes on to say what the
// value is for.
func (w *walk) closes() bool {
	rest := strings.TrimLeft(w.text[w.from:min(len(w.text), w.from+24)], " \t")
	if rest == "" || strings.IndexByte(".,;!?)\n\r", rest[0]) >= 0 || !isAlnum(rest[0]) {
		return true
	}
	word := rest
	if i := strings.IndexAny(rest, " \t.,\n"); i >= 0 {
		word = rest[:i]
	}
	switch strings.ToLower(word) {
	case "for", "of", "to", "on", "at", "in", "and", "when", "if", "until", "now", "from", "there":
		return true
	}
	return false
}

// pair looks for an account and a password with " / " between them: "Spotify: greta.h /
// Lavendel1951". at is the position of the " / ".
func (f *finder) pair(at int) int {
	line := lineBefore(f.text, at, 80)
	i := strings.LastIndexAny(line, " \t")
	name := line[i+1:]
	before := strings.TrimRight(line[:i+1], " \t")
	given := strings.HasSuffix(before, ":") || strings.HasSuffix(before, "->") || strings.HasSuffix(before, "→") || strings.HasSuffix(before, "：")
	if len(name) < 2 || !given || !strings.ContainsAny(name, "._@") && !f.words["account"].within(before) || f.ordinary(name) && !strings.Contains(name, "@") && !strings.Contains(name, ".") {
		return at
	}
	start := at + len(" / ")
	token := window(f.text, start, 64)
	if i := strings.IndexAny(token, " \t\r\"'`|，。；、"); i >= 0 {
		token = token[:i]
	}
	token = trimValue(token)
	m := mixture(token)
	if m.length < 7 || !m.mixed() || m.lower == 0 || m.digits < 2 && m.strong == 0 || m.other > 0 || product(m) || f.placeholder(token) || f.ordinary(token) || paths().MatchString(token) || f.taken(start) {
		return at
	}
	return f.add(start, start+len(token), Password)
}

func cutRune(text string) (string, int) {
	for i := range text {
		if i > 0 {
			return text[i:], i
		}
	}
	return "", len(text)
}

var ruler = lazyregexp.New(`^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*$`)

// column looks for values in the column below a label that stands in the first row of a
// Markdown table.
func (w *walk) column() bool {
	start := strings.LastIndexByte(w.text[max(0, w.start-400):w.start], '\n') + 1 + max(0, w.start-400)
	head := window(w.text, start, 1000)
	if !strings.Contains(head, "|") || start+len(head) >= len(w.text) {
		return false
	}
	at := start + len(head) + 1
	rule := window(w.text, at, 1000)
	if !ruler().MatchString(strings.TrimRight(rule, "\r")) {
		return false
	}
	column := strings.Count(w.text[start:w.start], "|")
	if !strings.HasPrefix(strings.TrimLeft(head, " \t"), "|") {
		column++
	}
	found := false
	at += len(rule) + 1
	const columns, rows = 30, 500
	if column > columns {
		return false
	}
	for n := 0; n < rows && at < len(w.text); n++ {
		row := window(w.text, at, 2000)
		if !strings.Contains(row, "|") || ruler().MatchString(row) {
			break
		}
		found = w.cell(at, row, column) || found
		at += len(row) + 1
	}
	return found
}

// cell adds the value in one cell of a row. The first cell is number 1.
func (w *walk) cell(at int, row string, column int) bool {
	i := 0
	if strings.HasPrefix(strings.TrimLeft(row, " \t"), "|") {
		i = strings.IndexByte(row, '|') + 1
	}
	for ; column > 1; column-- {
		n := strings.IndexByte(row[i:], '|')
		if n < 0 {
			return false
		}
		i += n + 1
	}
	end := len(row)
	if n := strings.IndexByte(row[i:], '|'); n >= 0 {
		end = i + n
	}
	text := row[i:end]
	start := at + i + len(text) - len(strings.TrimLeft(text, " \t`*\""))
	text = strings.Trim(text, " \t\r`*\"")
	v := value{start: start, end: start + len(text), from: start, given: true}
	if m := mixture(text); m.number() && m.digits < 4 || w.label.class == classLogin || !w.accept(&v) {
		return false
	}
	w.add(v.start, v.end, w.label.kind)
	return true
}
