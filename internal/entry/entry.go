// Package entry reads and changes the entries of Markdown notes. An entry is a list item
// or a paragraph as a person would write it. What memoir knows of it stands beside it, in
// comments that every Markdown viewer hides.
//
// A note without any comment is as good as one that memoir wrote. A function that changes
// a text returns a new text. It keeps every byte that it was not asked to change: front
// matter, line ends, unknown comments and fields.
package entry

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/memoir-ai/memoir/internal/blocks"
)

// An Entry is a list item with everything below it, or a paragraph or a quotation of a
// note.
type Entry struct {
	Start, End int // its bytes in the text: whole lines, without the line end of the last one
	// StartLine and EndLine are the lines, counted from 1, both inclusive.
	StartLine, EndLine int
	Item               bool     // it is a list item
	Heading            []string // the headings above it, from the top down
	Text               string   // its words, without marker, indentation, comments, and the escapes that Item wrote
	Fields             Fields   // what its comments say
	// Private says that the entry is only for private sessions. Its comment, a heading above
	// it, or the note itself says so.
	Private bool
}

// maxDepth is how deep lists and quotations are parsed. The time to parse a line grows
// with the depth.
const maxDepth = 16

// Parse returns the entries of a note, in their order. Headings, code, tables, rules,
// front matter and comments that stand alone are no entries.
func Parse(src string) []Entry {
	r := &reader{src: src, line: 1, private: privateNote(src)}
	r.blocks(blocksOf(src))
	return r.all()
}

// parse finds the blocks of a note after its front matter. It does not read inline
// markup.
func parse(src string) (root ast.Node, body int) {
	body = frontMatter(src)
	return markdown().Parse(text.NewReader([]byte(src[body:]))), body
}

// markdown knows the blocks of CommonMark and no inline markup.
var markdown = sync.OnceValue(func() parser.Parser { return blocks.Parser(maxDepth) })

// reader collects the entries of one note.
type reader struct {
	src     string
	entries []Entry
	path    []heading
	above   Fields // the fields of a comment that stands alone above the next entry
	private bool   // the note is private as a whole
	hidden  bool   // something in it is private
	html    int    // the level of the private heading in HTML above, 0 for none

	at, line int // a byte, and the number of the line that begins there
}

type heading struct {
	level   int
	text    string
	private bool // what stands below it is private
}

// The kinds of blocks.
const (
	otherBlock = iota
	itemBlock
	quoteBlock
	paragraphBlock
	headingBlock
	htmlBlock
)

// block is a top-level block or an item of a top-level list.
type block struct {
	start int     // of its first line
	kind  int     // one of the constants
	title heading // of a headingBlock
}

// topLevel returns the blocks below the root.
func topLevel(src string, root ast.Node, body int) []block {
	var all []block
	add := func(n ast.Node) {
		at := lineStart(src, body, position(n))
		if at >= 0 && (len(all) == 0 || at > all[len(all)-1].start) {
			all = append(all, blockOf(src[body:], at, n))
		}
	}
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() != ast.KindList {
			add(n)
			continue
		}
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			add(item)
		}
	}
	return all
}

func blockOf(body string, start int, n ast.Node) block {
	b := block{start: start}
	switch n.Kind() {
	case ast.KindListItem:
		b.kind = itemBlock
	case ast.KindBlockquote:
		b.kind = quoteBlock
	case ast.KindParagraph:
		b.kind = paragraphBlock
	case ast.KindHTMLBlock:
		b.kind = htmlBlock
	case ast.KindHeading:
		var title []string
		for i := range n.Lines().Len() {
			l := n.Lines().At(i)
			title = append(title, strings.Fields(body[l.Start:l.Stop])...)
		}
		b.kind, b.title = headingBlock, newHeading(n.(*ast.Heading).Level, strings.Join(title, " "))
	}
	return b
}

// blocks reads the blocks that reach to the end of the note.
func (r *reader) blocks(all []block) { r.read(all, len(r.src)) }

// read reads blocks that end at a byte. A block reaches to the start of the next one.
func (r *reader) read(all []block, end int) {
	last := end
	for i, b := range all {
		end := last
		if i+1 < len(all) {
			end = all[i+1].start
		}
		r.block(b, own(b.kind, strings.TrimRight(r.src[b.start:end], " \t\r\n")))
	}
}

// own returns the lines that belong to a list item or a quotation. They end at a blank
// line after which no line is indented or quoted. Text after that has no block of its
// own, as the targets of links have none.
func own(kind int, lines string) string {
	if kind != itemBlock && kind != quoteBlock {
		return lines
	}
	blank := false
	for at := 0; at < len(lines); {
		line, next := cutLine(lines, at)
		switch {
		case strings.TrimSpace(line) == "":
			blank = true
		case blank && line[0] != ' ' && line[0] != '\t' && line[0] != '>':
			return strings.TrimRight(lines[:at], " \t\r\n")
		default:
			blank = false
		}
		at = next
	}
	return lines
}

// all returns the entries that were read, which are private when the note is.
func (r *reader) all() []Entry {
	for i := range r.entries {
		r.entries[i].Private = r.entries[i].Private || r.private
	}
	return r.entries
}

// ofNext reports whether the fields of a comment that stands alone are those of the entry below.
func ofNext(fields Fields) bool { return fields.Get(Observed) != "" || fields.Get(Status) != "" }

// block reads one block with its lines.
func (r *reader) block(b block, lines string) {
	above := r.above
	r.above = nil
	switch b.kind {
	case headingBlock:
		r.heading(b.title)
		return
	case htmlBlock:
		if fields, rest := comments(lines); rest == "" && ofNext(fields) {
			r.above = fields // as in OpenClaw's USER.md
		} else {
			r.private = r.private || saysPrivate(lines) // it may mean what is above it or below: in doubt all
			r.htmlTitles(htmlTitles(lines))
		}
		return
	case otherBlock:
		return
	}
	if b.kind == paragraphBlock && (isTable(lines) || isLinkTargets(lines)) {
		return
	}
	e := Entry{
		Start: b.start, End: b.start + len(lines), Item: b.kind == itemBlock, Heading: r.headings(),
		Private: r.below() || above.private() || marked(lines),
	}
	fields, rest := comments(lines)
	e.Text = words(rest, e.Item)
	if a, b := above.Get(ID), fields.Get(ID); a != "" && b != "" && a != b {
		above = nil // it is another entry's, which has gone
	}
	e.Fields = append(above, fields...)
	if e.Text == "" || len(e.Text) == 1 && strings.Contains("-*+", e.Text) && len(e.Fields) == 0 {
		return // only a marker
	}
	e.StartLine = r.lineOf(e.Start)
	e.EndLine = r.lineOf(e.End)
	r.entries = append(r.entries, e)
}

func (r *reader) heading(h heading) {
	for len(r.path) > 0 && r.path[len(r.path)-1].level >= h.level {
		r.path = r.path[:len(r.path)-1]
	}
	r.path = append(r.path, h)
	r.hidden = r.hidden || h.private
	if r.html >= h.level {
		r.html = 0
	}
}

// htmlTitles reads headings in HTML, which are headings for what is private alone.
func (r *reader) htmlTitles(all []heading) {
	for _, h := range all {
		if r.html >= h.level {
			r.html = 0
		}
		if h.private && r.html == 0 {
			r.html = h.level
		}
		r.hidden = r.hidden || h.private
	}
}

// below reports whether what stands here is below a private heading.
func (r *reader) below() bool {
	return r.html > 0 || slices.ContainsFunc(r.path, func(h heading) bool { return h.private })
}

func (r *reader) headings() []string {
	var path []string
	for _, h := range r.path {
		if h.text != "" {
			path = append(path, h.text)
		}
	}
	return path
}

// lineOf returns the number of the line that holds a byte. The caller asks for bytes in
// rising order.
func (r *reader) lineOf(at int) int {
	r.line += strings.Count(r.src[r.at:at], "\n")
	r.at = at
	return r.line
}

// position returns where a block begins in the body, or -1 when the parser does not say.
func position(n ast.Node) int {
	for ; n != nil && n.Type() == ast.TypeBlock; n = n.FirstChild() {
		if p := n.Pos(); p >= 0 {
			return p
		}
		if l := n.Lines(); l != nil && l.Len() > 0 {
			return l.At(0).Start
		}
	}
	return -1
}

// lineStart returns where the line begins that holds a byte of the body. The result
// counts from the start of the text.
func lineStart(src string, body, pos int) int {
	if pos < 0 {
		return -1
	}
	end := min(body+pos, len(src))
	return body + strings.LastIndexByte(src[body:end], '\n') + 1
}

// isTable reports whether the second line of a paragraph is the rule of a table:
// |---|:-:|.
func isTable(lines string) bool {
	_, rest, _ := strings.Cut(lines, "\n")
	second, _, _ := strings.Cut(rest, "\n")
	return strings.Contains(second, "|") && strings.Contains(second, "-") && strings.Trim(second, "|:- \t\r") == ""
}

// isLinkTargets reports whether every line of a paragraph is the target of a link that
// stands elsewhere: [name]: https://example.org.
func isLinkTargets(lines string) bool {
	for line := range strings.Lines(lines) {
		name, _, ok := strings.Cut(strings.TrimSpace(line), "]: ")
		if !ok || !strings.HasPrefix(name, "[") || strings.Contains(name[1:], "[") {
			return false
		}
	}
	return true
}

// frontMatter returns where the text after the front matter begins. A byte order mark may
// stand before it.
func frontMatter(src string) int {
	if _, _, body := blocks.Front(src); body > 0 {
		return body
	}
	return len(src) - len(strings.TrimPrefix(src, "\ufeff"))
}

// cutLine returns the line that begins at a byte, with its line end, and where the next
// line begins.
func cutLine(src string, at int) (line string, next int) {
	if i := strings.IndexByte(src[at:], '\n'); i >= 0 {
		return src[at : at+i+1], at + i + 1
	}
	return src[at:], len(src)
}

// words returns the words of a block. It removes the marker of a list item, the
// indentation that belongs to the item, and the escapes that [Item] writes.
func words(lines string, item bool) string {
	var out []string
	width := 0
	for i, line := range strings.Split(lines, "\n") {
		line = strings.TrimRight(line, " \t\r")
		switch {
		case i == 0 && item:
			line, width = trimMarker(line)
		default:
			line = trimIndent(line, width)
		}
		out = append(out, unescape(line))
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

// trimMarker returns what stands behind the marker of a list item ("- ", "12. "), and the
// width of indentation and marker together.
func trimMarker(line string) (rest string, width int) {
	rest = strings.TrimLeft(line, " \t")
	switch i := bytes.IndexAny([]byte(rest), "-*+.)"); {
	case i == 0, i > 0 && strings.Trim(rest[:i], "0123456789") == "":
		rest = rest[i+1:]
	}
	rest = strings.TrimLeft(rest, " \t")
	return rest, len(line) - len(rest)
}

// trimIndent removes up to width blanks from the start of a line.
func trimIndent(line string, width int) string {
	for ; width > 0 && line != "" && (line[0] == ' ' || line[0] == '\t'); width-- {
		line = line[1:]
	}
	return line
}

// Bare reports whether a note has nothing but front matter and headings.
func Bare(src string) bool {
	for line := range strings.Lines(src[frontMatter(src):]) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}
