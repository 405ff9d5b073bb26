package secret

import (
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// framed looks for the value that a format gives the label: the cell behind it in the row of a
// table, the content of an element or an attribute of XML, a block of YAML, the definition in
// a list. What the format gives counts only when it looks like no word.
func (w *walk) framed() bool {
	switch w.label.class {
	case classLogin, classOpens, classLock, classCookie, classNeed:
		return false
	}
	for i, frame := range []func() (start, end int){w.rowCell, w.element, w.attribute, w.block} {
		start, end := frame()
		// A table of settings has names in the cells beside the names of keys.
		if i == 0 && (w.made() && w.label.kind != Code && w.label.kind != PIN || w.inCode()) {
			if cell := strings.Trim(w.text[start:end], " \t`*"); !mixture(cell).random() {
				continue
			}
		}
		if end > start && w.give(start, end) {
			return true
		}
	}
	return false
}

// give adds the value that a format gives, without the blanks and marks at its ends.
func (w *walk) give(start, end int) bool {
	text := w.text[start:end]
	bare := strings.TrimLeft(text, " \t\r\n`*\"'")
	start += len(text) - len(bare)
	bare = strings.TrimRight(bare, " \t\r\n`*\"'")
	v := value{start: start, end: start + len(bare), from: start, given: true}
	m := mixture(bare)
	switch {
	case strings.ContainsAny(bare, "\r\n<"):
		return false
	case m.number() && (m.digits < 4 || m.digits < 6 && w.label.kind == Password): // a count, or a year
		return false
	case !m.number() && !m.mixed() && !m.random() || !w.accept(&v):
		return false
	}
	w.add(v.start, v.end, w.label.kind)
	w.values++
	return true
}

// rowCell returns the cell behind one that ends with the label: "| password | X |".
func (w *walk) rowCell() (start, end int) {
	before := lineBefore(w.text, w.start, 40)
	if i := strings.LastIndexByte(before, '|'); i < 0 || strings.ContainsAny(before[i:], ".,;:()") {
		return 0, 0
	}
	rest := window(w.text, w.from, 300)
	label, cell, ok := strings.Cut(rest, "|")
	if !ok || strings.Trim(label, " \t:：*") != "" {
		return 0, 0
	}
	start = w.from + len(label) + 1
	if i := strings.IndexByte(cell, '|'); i >= 0 {
		cell = cell[:i]
	}
	return start, start + len(cell)
}

// longestFrame bounds how far a format may put the value from its label.
const longestFrame = 300

// openTag matches the beginning of a tag up to a label in its name.
var openTag = lazyregexp.New(`<[\w.:-]*$`)

// element returns the content of an element whose name ends with the label:
// "<password>X</password>".
func (w *walk) element() (start, end int) {
	if !openTag().MatchString(lineBefore(w.text, w.start, 60)) {
		return 0, 0
	}
	return w.content()
}

// content returns what stands between the tag in which the label ends and the next tag, which
// closes it.
func (w *walk) content() (start, end int) {
	rest := w.text[w.from:min(len(w.text), w.from+longestFrame)]
	tag, inner, ok := strings.Cut(rest, ">")
	if !ok || strings.Contains(tag, "<") || strings.HasSuffix(tag, "/") {
		return 0, 0
	}
	start = w.from + len(tag) + 1
	if data, ok := strings.CutPrefix(inner, "<![CDATA["); ok {
		start += len(inner) - len(data)
		i := strings.Index(data, "]]>")
		return start, start + max(0, i)
	}
	return start, start + max(0, strings.Index(inner, "</"))
}

// namedBy matches the beginning of a tag up to an attribute whose value ends with the label.
var namedBy = lazyregexp.New(`<[\w.:-]+(?:\s[^<>]*)?\s[\w.:-]+=["'][\w.: -]*$`)

// valueIs matches the attribute of the same tag that gives the value.
var valueIs = lazyregexp.New(`(?i)^[^<>]*?\svalue=(?:"([^"<>]*)"|'([^'<>]*)')`)

// attribute returns the value of what an attribute of a tag names:
// `<add key="Password" value="X"/>`, `<property name="password">X</property>`.
func (w *walk) attribute() (start, end int) {
	if c := byteBefore(w.text, w.from); c != '"' && c != '\'' || !namedBy().MatchString(lineBefore(w.text, w.start, 200)) {
		return 0, 0
	}
	rest := w.text[w.from:min(len(w.text), w.from+longestFrame)]
	m := valueIs().FindStringSubmatchIndex(rest)
	switch {
	case m == nil:
		return w.content()
	case m[2] >= 0:
		return w.from + m[2], w.from + m[3]
	}
	return w.from + m[4], w.from + m[5]
}

// blockBegins matches what stands between a label and a block of YAML or a definition.
var blockBegins = lazyregexp.New(`^(?:[ \t]*:[ \t]*(?:![\w./:-]*[ \t]*)?[|>][+-]?\d?[ \t]*\r?\n[ \t]+|` +
	`[ \t]*\r?\n(?:[ \t]*\r?\n)?[ \t]{0,3}[:~][ \t]+)`)

// block returns the one line of a block of YAML ("password: !vault |"), or of the definition in
// a list ("Password", and ": X" on the next line).
func (w *walk) block() (start, end int) {
	rest := w.text[w.from:min(len(w.text), w.from+longestFrame)]
	begin := blockBegins().FindString(rest)
	if begin == "" {
		return 0, 0
	}
	line := window(w.text, w.from+len(begin), longestFrame)
	return w.from + len(begin), w.from + len(begin) + len(line)
}

// underneath returns the line below that of the label, and where the line above it ends. When
// the label is all that its line says, a blank line or a fence of code may come between. at is
// where the line of the label ends.
func (w *walk) underneath(at int) (line string, above int) {
	titled := !w.onNext && w.titled(at)
	for n := 0; ; n++ {
		line = window(w.text[at+1:], 0, reach)
		bare := strings.TrimSpace(line)
		gap := bare == "" || strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")
		if !gap || !titled || n == 2 || at+1+len(line) >= len(w.text) {
			return line, at
		}
		w.below = true
		at += len(line) + 1
	}
}

// titled reports whether the label is all that its line says, as in a heading or in bold, so
// that its value may stand below a blank line. at is where the line ends.
func (w *walk) titled(at int) bool {
	line := strings.TrimLeft(lineBefore(w.text, w.start, 60), " \t#>*_-")
	return len(strings.Fields(line)) <= 3 && !strings.ContainsAny(line, ".,;:!?()|") && strings.Trim(w.text[w.from:at], " \t\r:：*_#") == ""
}
