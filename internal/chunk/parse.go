package chunk

import (
	"bytes"
	"sort"
	"strings"
	"sync"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/memoir-ai/memoir/internal/blocks"
)

// Bounds of parsing (docs/design/chunking.md).
const (
	// windowBytes is how much is parsed at once. A tree takes hundreds of bytes
	// for each block, and a block may be two bytes long.
	windowBytes = 32 << 10
	// maxDepth is how deep lists and quotations are followed. Anything deeper
	// counts as lines of the block that contains it. At every line, parsing
	// takes time and memory in proportion to the depth.
	maxDepth = 32
	// maxBlank is how many blank lines in a row are parsed. More would mean the
	// same.
	maxBlank = 4
)

// markdown knows the blocks of CommonMark and no inline markup.
var markdown = sync.OnceValue(func() parser.Parser { return blocks.Parser(maxDepth) })

// parse finds the blocks of src[body:], window bytes at a time. It ignores
// inline markup.
func parse(src string, body, window int) *outline {
	o := &outline{text: src, body: body}
	r := windows{outline: o, size: window, at: body}
	for r.at < len(src) {
		r.read()
	}
	if len(o.nodes) == 0 && body < len(src) {
		o.nodes = []node{{start: int32(body), kind: paragraph}}
	}
	o.transcripts = o.findTranscripts()
	return o
}

// windows reads the blocks of a text window by window. A window ends before its
// last block, with which the next window begins. If a single block fills the
// window, the block is cut. A list continues in the next window, and a fence or
// a comment ends where it does. Anything else ends with the window, or before
// the last block inside it, and the rest is read as if it stood at the margin.
type windows struct {
	*outline
	size  int
	at    int  // where the next window begins
	strip int  // columns of indentation to remove, because a block that was cut contains the lines
	open  kind // kind of the block that continues in it; plain for none
}

// view is a window as it is parsed: without the stripped indentation, and
// without most of many blank lines in a row.
type view struct {
	text []byte
	end  int   // in the whole text
	left bool  // the next line is indented less than what is stripped
	gaps []gap // ascending
}

// gap says that everything from an offset of a view on stands later in the
// text, by shift bytes.
type gap struct{ from, shift int }

// offset returns the place in the text of an offset in the view.
func (v *view) offset(i int) int {
	n := sort.Search(len(v.gaps), func(n int) bool { return v.gaps[n].from > i })
	return i + v.gaps[n-1].shift
}

func (r *windows) view() view {
	v := view{end: len(r.text), gaps: []gap{{0, r.at}}}
	if r.size < len(r.text)-r.at {
		_, v.end = blocks.Line(r.text, r.at+r.size)
	}
	v.text = make([]byte, 0, v.end-r.at)
	blank := 0
	for i := r.at; i < v.end; {
		line, next := blocks.Line(r.text, i)
		first := 0
		if strings.TrimLeft(line, " \t") == "" {
			if blank++; blank > maxBlank {
				i = next
				continue
			}
		} else if blank = 0; r.strip > 0 {
			if indentation(line) < r.strip {
				v.end, v.left = i, true
				break
			}
			first = leading(line, r.strip)
		}
		if shift := i + first - len(v.text); shift != v.gaps[len(v.gaps)-1].shift {
			v.gaps = append(v.gaps, gap{len(v.text), shift})
		}
		v.text = append(v.text, r.text[i+first:next]...)
		i = next
	}
	return v
}

// leading returns how many bytes of white space fill at most that many columns.
func leading(line string, columns int) int {
	for i := range len(line) {
		switch line[i] {
		case ' ':
			columns--
		case '\t':
			columns -= 4
		default:
			return i
		}
		if columns < 0 {
			return i
		}
	}
	return len(line)
}

// border is where a window ends, and how to read the next one.
type border struct {
	leave ast.Node // the block with which the next one begins; nil: what follows the window
	next  int      // where it begins
	strip int
	open  kind
}

// read parses one window, keeps what later cutting needs of its blocks, and
// finds where the next window begins.
func (r *windows) read() {
	v := r.view()
	doc := markdown().Parse(text.NewReader(v.text))
	first, last := doc.FirstChild(), doc.LastChild()
	c := border{next: v.end, strip: r.strip}
	switch {
	case v.left && v.end-r.at > r.size/2:
		c.strip = indentation(r.text[v.end:])
	case v.left: // otherwise a window might be one line
		c.strip = 0
	case first == nil || v.end == len(r.text):
	case first != last:
		c.leave, c.next = last, r.lineOf(&v, last)
	default:
		c = r.within(&v, first)
	}
	if c.next <= r.at && !v.left { // the place of the block is unknown
		c = border{next: v.end, strip: r.strip}
	}
	if first != nil && kindOf(first) == r.open && !(r.open == paragraph && r.lineOf(&v, first) > r.at) {
		if r.open == list {
			r.siblings(&v, first.FirstChild(), c.leave, r.at, 1)
		}
		first = first.NextSibling()
	}
	r.siblings(&v, first, c.leave, r.at, 0)
	r.at, r.strip, r.open = c.next, c.strip, c.open
}

// within cuts a block that fills a window: before its last inner block, the
// outermost of those that begin in the second half of the window.
func (r *windows) within(v *view, block ast.Node) border {
	n, at := block, r.at
	for holds(kindOf(n)) && n.LastChild() != nil && at <= r.at+r.size/2 {
		n = n.LastChild()
		at = max(at, r.lineOf(v, n))
	}
	switch {
	case at <= r.at:
	case n.Parent() == block && kindOf(block) == list:
		return border{n, at, r.strip, list}
	default:
		return border{n, at, indentation(r.text[at:]), plain}
	}
	c := border{next: v.end, strip: r.strip}
	switch k := kindOf(n); {
	case k == fence:
		c.next = r.after(v, closingFence(v.text[max(n.Pos(), 0):]))
	case k == markup:
		c.next = r.after(v, closingMarkup(n.(*ast.HTMLBlock).HTMLBlockType))
	case n == block && (k == paragraph || k == indented):
		c.open = k
	}
	if n != block {
		c.strip = indentation(r.text[c.next:])
	}
	return c
}

// after returns the end of the first line that closes a block which fills a
// window: the last line of the window, or one after it.
func (r *windows) after(v *view, closes func(line string) bool) int {
	for i := strings.LastIndexByte(r.text[:v.end-1], '\n') + 1; i < len(r.text); {
		line, next := blocks.Line(r.text, i)
		if closes(line) {
			return max(next, v.end)
		}
		i = next
	}
	return len(r.text)
}

func closingFence(opening []byte) func(string) bool {
	opening = opening[max(bytes.IndexAny(opening, "`~"), 0):]
	n := 1
	for n < len(opening) && opening[n] == opening[0] {
		n++
	}
	mark := string(opening[:n])
	return func(line string) bool {
		rest, ok := strings.CutPrefix(strings.TrimLeft(line, " \t>"), mark)
		return ok && strings.Trim(rest, mark[:1]) == ""
	}
}

var closingTag = lazyregexp.New(`(?i)</(script|pre|style|textarea)>`)

func closingMarkup(t ast.HTMLBlockType) func(string) bool {
	switch t {
	case ast.HTMLBlockType1:
		return closingTag().MatchString
	case ast.HTMLBlockType2:
		return func(line string) bool { return strings.Contains(line, "-->") }
	case ast.HTMLBlockType3:
		return func(line string) bool { return strings.Contains(line, "?>") }
	case ast.HTMLBlockType4:
		return func(line string) bool { return strings.Contains(line, ">") }
	case ast.HTMLBlockType5:
		return func(line string) bool { return strings.Contains(line, "]]>") }
	}
	return func(line string) bool { return strings.TrimLeft(line, " \t") == "" }
}

// siblings keeps a block and those behind it, up to the one that is left for the
// next window. The first begins where the block round it does.
func (r *windows) siblings(v *view, c, leave ast.Node, start int, depth uint8) (left bool) {
	for ; c != nil; c = c.NextSibling() {
		if c == leave {
			return true
		}
		at := r.lineOf(v, c)
		if c.PreviousSibling() == nil {
			at = start
		}
		n := node{start: int32(at), kind: kindOf(c), depth: depth}
		switch n.kind {
		case heading:
			r.markHeading(v, &n, c.(*ast.Heading))
		case paragraph:
			if rows := r.table(v, c); rows > at {
				r.nodes = append(r.nodes, n)
				n.start, n.form = int32(rows), table
			} else if rows >= 0 {
				n.form = table
			}
		}
		r.nodes = append(r.nodes, n)
		if holds(n.kind) && r.siblings(v, c.FirstChild(), leave, at, depth+1) {
			return true
		}
	}
	return false
}

// markHeading notes the level of a heading that is the next node, and where its words
// stand. Lines above a row of dashes that are too long for one are text: somebody
// pasted a log there.
func (r *windows) markHeading(v *view, n *node, h *ast.Heading) {
	n.level = uint8(h.Level)
	lines := h.Lines()
	if lines.Len() == 0 || lines.At(lines.Len()-1).Stop <= lines.At(0).Start {
		return
	}
	from, to := v.offset(lines.At(0).Start), v.offset(lines.At(lines.Len()-1).Stop-1)+1
	if to-from > maxHeading && !strings.Contains(r.text[n.start:from], "#") {
		n.kind, n.level = paragraph, 0
		r.note("the text above a row of dashes is too long for a heading")
		return
	}
	r.words = append(r.words, words{int32(len(r.nodes)), int32(from), int32(to)})
}

// table returns where in a paragraph a table begins, -1 when there is none.
// Tables are an extension of Markdown that has no block of its own here.
func (r *windows) table(v *view, n ast.Node) int {
	lines := n.Lines()
	for i := 1; i < lines.Len(); i++ {
		if l := lines.At(i); delimiterRow(string(v.text[l.Start:l.Stop])) {
			return r.lineStart(v.offset(lines.At(i - 1).Start))
		}
	}
	return -1
}

// delimiterRow reports whether a line is the second one of a table: |---|:-:|.
func delimiterRow(line string) bool {
	return strings.Trim(line, "|:- \t\r\n") == "" && strings.Contains(line, "|") && strings.Contains(line, "-")
}

// lineOf returns where in the text the line begins that a block begins in, -1
// when neither it nor the first blocks inside it know.
func (r *windows) lineOf(v *view, n ast.Node) int {
	for ; n != nil && n.Type() == ast.TypeBlock; n = n.FirstChild() {
		if p := n.Pos(); p >= 0 {
			return r.lineStart(v.offset(p))
		}
		if l := n.Lines(); l != nil && l.Len() > 0 {
			return r.lineStart(v.offset(l.At(0).Start))
		}
	}
	return -1
}

// lineStart returns where the line begins that holds text[i].
func (r *windows) lineStart(i int) int {
	i = min(i, len(r.text))
	return r.body + strings.LastIndexByte(r.text[r.body:i], '\n') + 1
}

func kindOf(n ast.Node) kind {
	switch n.Kind() {
	case ast.KindParagraph:
		return paragraph
	case ast.KindHeading:
		return heading
	case ast.KindList:
		return list
	case ast.KindListItem:
		return item
	case ast.KindBlockquote:
		return quotation
	case ast.KindFencedCodeBlock:
		return fence
	case ast.KindCodeBlock:
		return indented
	case ast.KindHTMLBlock:
		return markup
	}
	return rule
}

// holds reports whether blocks of a kind consist of blocks.
func holds(k kind) bool { return k == list || k == item || k == quotation }
