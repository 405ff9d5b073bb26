package entry

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/memoir-ai/memoir/internal/blocks"
)

// Item returns a text as a list item with its fields. Every line ends in "\n" except the
// last. The text stays one entry, whatever it holds: marks that would begin a heading or
// a comment are escaped, further lines are indented, and an open block of code is closed.
// If the lines would still end the item, the text becomes one line. With openclaw, fields
// that OpenClaw reads are written in comments of the form it wants.
func Item(text string, fields Fields, openclaw bool) string {
	text = lineEnds.Replace(strings.ToValidUTF8(text, "\ufffd"))
	out := item(text, fields, openclaw)
	if got := Parse(out); len(got) != 1 || got[0].End != len(out) {
		out = item(strings.Join(strings.Fields(text), " "), fields, openclaw) // its lines would read as something else
	}
	return out
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "")

func item(text string, fields Fields, openclaw bool) string {
	lines := strings.Split(strings.Trim(text, " \t\n"), "\n")
	lines[0] = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(lines[0], "- "), "* "), " \t")
	var code blocks.Code
	for i, line := range lines {
		line = strings.TrimRight(line, " \t")
		if inside, edge := code.Next(line); !inside && !edge {
			line = escape(line)
		}
		if i > 0 && line != "" {
			line = "  " + line
		}
		lines[i] = line
	}
	last := strings.TrimSpace(lines[len(lines)-1])
	if fence := code.Open(); fence != "" {
		lines = append(lines, "  "+fence)
		last = fence
	}
	out := "- " + strings.Join(lines, "\n")
	comment := format(fields, openclaw)
	switch {
	case comment == "":
		return out
	case blocks.Fence(last) != "":
		return out + "\n  " + comment
	}
	return out + " " + comment
}

// escape keeps a line from being read as a heading, a rule or a comment.
func escape(line string) string {
	line = strings.ReplaceAll(line, opening, "&lt;!--")
	words := strings.TrimLeft(line, " \t")
	if words == "" {
		return line
	}
	heading := strings.TrimLeft(words, "#")
	isHeading := heading != words && len(words)-len(heading) <= 6 && (heading == "" || heading[0] == ' ' || heading[0] == '\t')
	if isHeading || isRule(words) {
		return line[:len(line)-len(words)] + `\` + words
	}
	return line
}

var blanks = strings.NewReplacer(" ", "", "\t", "")

// isRule reports whether a line is a rule, or would turn the line above it into a
// heading.
func isRule(words string) bool {
	if strings.IndexByte("=-*_", words[0]) < 0 {
		return false
	}
	marks := blanks.Replace(words)
	return strings.Trim(marks, "=") == "" || strings.Trim(marks, "-") == "" ||
		len(marks) >= 3 && (strings.Trim(marks, "*") == "" || strings.Trim(marks, "_") == "")
}

// unescape undoes escape.
func unescape(line string) string {
	line = strings.ReplaceAll(line, "&lt;!--", opening)
	words := strings.TrimLeft(line, " \t")
	if rest, ok := strings.CutPrefix(words, `\`); ok && escape(rest) != rest {
		return line[:len(line)-len(words)] + rest
	}
	return line
}

// Addition returns the bytes to append to a note in order to add an item to it. They are
// also right when somebody else appends to the note in the meantime.
func Addition(src, item string) string { return (*Reading)(nil).Addition(src, item) }

// Addition returns what [Addition] does. Of a note to which something was added since the
// reading, only that is looked at.
func (was *Reading) Addition(src, item string) string { return was.addition(src, item, lineEnd(src)) }

func (was *Reading) addition(src, item, end string) string {
	src = strings.TrimPrefix(src, "\ufeff") // it is no line of its own
	before := ""
	if src != "" && !strings.HasSuffix(src, "\n") {
		before = "\n"
	}
	if last, mark := was.lastBlock(src); last != nil {
		if mark != "" {
			before += mark + "\n"
		}
		if last.kind != itemBlock {
			before += "\n"
		}
	} else if strings.TrimSpace(src) != "" {
		before += "\n"
	}
	if last := strings.TrimRight(src, "\r\n"); strings.Count(src[len(last):], "\n") > 1 && strings.HasPrefix(before, "\n") {
		before = before[1:] // there is a blank line already
	}
	return strings.ReplaceAll(before+item+"\n", "\n", end)
}

// lastBlock returns the last block of a note, or nil where it has none. mark is what has
// to close the block if it would otherwise run to the end of any longer note. A list has
// the kind of its items.
func (was *Reading) lastBlock(src string) (last *block, mark string) {
	body := 0
	if was.begins(src) {
		body = was.at
	} else {
		body = frontMatter(src)
	}
	var end block
	found := false
	if eachSimple(src, body, func(b block) { end, found = b, true }) {
		if !found {
			return nil, ""
		}
		return &end, ""
	}
	root, body := parse(src)
	n := root.LastChild()
	if n == nil {
		return nil, ""
	}
	if n.Kind() == ast.KindList {
		return &block{kind: itemBlock}, ""
	}
	return &block{kind: otherBlock}, unclosed(n, src[body:])
}

// unclosed returns what closes a block of code or a comment that is still open at the end
// of the note.
func unclosed(last ast.Node, body string) string {
	switch n := last.(type) {
	case *ast.FencedCodeBlock:
		at := position(n)
		if at < 0 {
			return ""
		}
		first, next := cutLine(body, strings.LastIndexByte(body[:at], '\n')+1)
		fence := blocks.Fence(first)
		for fence != "" && next < len(body) {
			var line string
			line, next = cutLine(body, next)
			if code := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t"); !code && blocks.Closes(line, fence) {
				return ""
			}
		}
		return fence
	case *ast.HTMLBlock:
		if at := position(n); at >= 0 {
			return unclosedHTML(n.HTMLBlockType, strings.ToLower(strings.TrimLeft(body[at:], " \t\r\n")))
		}
	}
	return ""
}

// unclosedHTML returns what closes a block of HTML that does not end at a blank line
// (https://spec.commonmark.org/0.31.2/#html-blocks). It returns "" when the block is
// closed.
func unclosedHTML(kind ast.HTMLBlockType, block string) string {
	end := ""
	switch kind {
	case ast.HTMLBlockType1:
		for _, tag := range []string{"script", "pre", "style", "textarea"} {
			if strings.Contains(block, "</"+tag+">") {
				return "" // any of them closes the block
			}
			if strings.HasPrefix(block, "<"+tag) {
				end = "</" + tag + ">"
			}
		}
	case ast.HTMLBlockType2:
		end = closing
	case ast.HTMLBlockType3:
		end = "?>"
	case ast.HTMLBlockType4:
		end = ">"
	case ast.HTMLBlockType5:
		end = "]]>"
	}
	if strings.Contains(block, end) {
		return ""
	}
	return end
}

// InsertAfter returns the note with an item inserted in the lines after an entry. After an
// item it gets the indentation of that: items further in would stand below it otherwise.
func InsertAfter(src string, e Entry, item string) string {
	if line := src[e.Start:e.End]; e.Item {
		item = indented(item, line[:len(line)-len(strings.TrimLeft(line, " \t"))])
	}
	item = strings.ReplaceAll(item, "\n", lineEnd(src))
	between := lineEnd(src)
	if !e.Item {
		between += between
	}
	return src[:e.End] + between + item + src[e.End:]
}

// indented returns an item with its lines moved in.
func indented(item, by string) string {
	if by == "" {
		return item
	}
	lines := strings.Split(item, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = by + line
		}
	}
	return strings.Join(lines, "\n")
}

// Remove returns the note without an entry and the comment above it. The blank line after the entry goes, too, if
// a blank line or nothing stands before it.
func Remove(src string, e Entry) string {
	before, after := src[:above(src, e)], src[e.End:]
	rest, next := cutLine(after, 0)
	if strings.TrimSpace(rest) == "" {
		after = after[next:]
	}
	if blank, n := cutLine(after, 0); after != "" && strings.TrimSpace(blank) == "" && (before == "" || endsBlank(before)) {
		after = after[n:]
	}
	return before + after
}

// above returns where the comment begins that stands alone above an entry and is its own,
// or where the entry begins.
func above(src string, e Entry) int {
	start := strings.LastIndex(src[:e.Start], opening)
	if start < 0 || strings.TrimSpace(src[strings.LastIndexByte(src[:start], '\n')+1:start]) != "" {
		return e.Start
	}
	fields, rest := comments(strings.TrimRight(src[start:e.Start], " \t\r\n"))
	if rest != "" || !ofNext(fields) || len(fields) > len(e.Fields) || !slices.Equal(fields, e.Fields[:len(fields)]) {
		return e.Start
	}
	return strings.LastIndexByte(src[:start], '\n') + 1
}

// endsBlank reports whether the last line of a text is blank.
func endsBlank(text string) bool {
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]) == ""
}

// Set returns the note with some fields of an entry changed. A key that the entry's
// comments already have gets its value there. A new key is added to the comment with the
// id, or to a new comment. An empty value removes the field.
func Set(src string, e Entry, fields Fields, openclaw bool) string {
	lines := src[e.Start:e.End]
	for _, f := range fields {
		lines = set(lines, f, lineEnd(src), openclaw)
	}
	return src[:e.Start] + lines + src[e.End:]
}

func set(lines string, f Field, end string, openclaw bool) string {
	found, rest := trailing(lines)
	at, own := -1, -1
	for i, c := range found {
		if c.fields.Get(f.Key) != "" {
			at = i
			break
		}
		if c.fields.Get(ID) != "" {
			own = i
		}
	}
	switch {
	case at >= 0:
		c := found[at]
		var changed Fields
		for _, old := range c.fields {
			if old.Key == f.Key {
				old.Value = f.Value
			}
			if old.Value != "" {
				changed = append(changed, old)
			}
		}
		if len(changed) == 0 {
			return strings.TrimRight(lines[:c.start], " \t") + lines[c.end:]
		}
		return lines[:c.start] + format(changed, false) + lines[c.end:]
	case f.Value == "":
		return lines
	case own >= 0 && !(openclaw && alone[f.Key]):
		c := found[own]
		return lines[:c.start] + format(append(c.fields, f), false) + lines[c.end:]
	}
	comment := format(Fields{f}, openclaw)
	last := lines[:rest]
	last = strings.TrimSpace(last[strings.LastIndexByte(last, '\n')+1:])
	if len(found) == 0 && blocks.Fence(last) != "" {
		return lines + end + "  " + comment
	}
	return lines + " " + comment
}

// lineEnd returns the line end of a note, which is that of its first line.
func lineEnd(src string) string {
	if i := strings.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
