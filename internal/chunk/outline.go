package chunk

import (
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxDepth is how deep lists and quotations are followed; what lies deeper is
// lines to the one that holds it.
const maxDepth = 64

// outline is the block structure of a note.
type outline struct {
	text        string
	body        int // offset where the parsed part of text begins
	blocks      []block
	transcripts []transcript // talks with an assistant, in order
}

// block is a block of Markdown, or what else is set apart, as a range of text
// that begins at a line's start and reaches to the start of the next block.
type block struct {
	start, end int
	node       ast.Node // nil: not Markdown
	form       form
}

// form says more of a block than its node does.
type form uint8

const (
	table form = 1 + iota // of a paragraph: that it is a table
	entry                 // of a log
	code                  // a function, a type, or what stands between them
)

// section is what stands under one heading, or before the first.
type section struct {
	path   []string
	blocks []block // the first is the heading, if there is one
	headed bool
}

// parse finds the top-level blocks of text[body:]. Inline markup is left alone.
func parse(src string, body int) *outline {
	p := parser.NewParser(parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(shallow{parser.NewListParser()}, 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	))
	o := &outline{text: src, body: body}
	doc := p.Parse(text.NewReader([]byte(src[body:])))
	o.blocks = o.children(doc, body, len(src))
	if len(o.blocks) == 0 && body < len(src) {
		o.blocks = []block{{start: body, end: len(src), node: ast.NewParagraph()}}
	}
	o.transcripts = o.findTranscripts()
	return o
}

// shallow is a parser of blocks that hold blocks. It opens none deeper than
// maxDepth: parsing takes time in proportion to the depth at every line.
type shallow struct{ parser.BlockParser }

// Open begins a block inside parent.
func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		depth++
	}
	if depth > maxDepth {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// children returns the blocks inside n, which together cover text[start:end].
// A block whose place is not known belongs to the one before it.
func (o *outline) children(n ast.Node, start, end int) []block {
	var blocks []block
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		at := o.lineStart(position(c))
		if len(blocks) == 0 {
			at = start
		} else if at <= blocks[len(blocks)-1].start || at >= end {
			continue
		} else {
			blocks[len(blocks)-1].end = at
		}
		blocks = append(blocks, block{start: at, end: end, node: c})
		if rows := o.table(c); rows > at && rows < end {
			blocks[len(blocks)-1].end = rows
			blocks = append(blocks, block{start: rows, end: end, node: c, form: table})
		} else if rows >= 0 {
			blocks[len(blocks)-1].form = table
		}
	}
	return blocks
}

// table returns where in a paragraph a table begins, -1 when there is none.
// Tables are an extension of Markdown that has no block of its own here.
func (o *outline) table(n ast.Node) int {
	if n.Kind() != ast.KindParagraph {
		return -1
	}
	lines := n.Lines()
	for i := 1; i < lines.Len(); i++ {
		if l := lines.At(i); delimiterRow(o.text[o.body+l.Start : o.body+l.Stop]) {
			return o.lineStart(lines.At(i - 1).Start)
		}
	}
	return -1
}

// delimiterRow reports whether a line is the second one of a table: |---|:-:|.
func delimiterRow(line string) bool {
	return strings.Trim(line, "|:- \t\r\n") == "" && strings.Contains(line, "|") && strings.Contains(line, "-")
}

// position returns the offset in the source where a block begins, -1 when
// neither it nor its first descendants know.
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

// lineStart returns the offset in the text of the line that holds the offset
// pos of the body.
func (o *outline) lineStart(pos int) int {
	if pos < 0 {
		return -1
	}
	end := min(o.body+pos, len(o.text))
	return o.body + strings.LastIndexByte(o.text[o.body:end], '\n') + 1
}

// heading returns the level and text of a block that is a heading, else 0.
func (o *outline) heading(b block) (level int, title string) {
	h, ok := b.node.(*ast.Heading)
	if !ok {
		return 0, ""
	}
	lines := h.Lines()
	words := make([]string, 0, 1)
	for i := range lines.Len() {
		l := lines.At(i)
		words = append(words, strings.Fields(o.text[o.body+l.Start:o.body+l.Stop])...)
	}
	return h.Level, strings.Join(words, " ")
}

// firstTitle returns the text of the first heading of level 1.
func (o *outline) firstTitle() string {
	for _, b := range o.blocks {
		if level, title := o.heading(b); level == 1 {
			return title
		}
	}
	return ""
}

// sections groups the blocks by heading. The heading that is the note's title
// is part of the text and not of the paths, and those in an assistant's answer
// reach to the next turn.
func (o *outline) sections(title string) []section {
	type step struct {
		level int
		title string
	}
	var path []step
	var out []section
	begin := func(keep int, blocks ...block) {
		s := section{blocks: blocks, headed: len(blocks) > 0}
		for _, p := range path[:keep] {
			if p.title != "" && !(p.level == 1 && p.title == title) {
				s.path = append(s.path, p.title)
			}
		}
		path, out = path[:keep], append(out, s)
	}
	above := func(level int) int { return sort.Search(len(path), func(i int) bool { return path[i].level >= level }) }
	for i, b := range o.blocks {
		if level, name := o.heading(b); level > 0 {
			path = append(path[:above(level)], step{level, name})
			begin(len(path), b)
			continue
		}
		if i == 0 {
			begin(0)
		}
		add := func(b block) { out[len(out)-1].blocks = append(out[len(out)-1].blocks, b) }
		if at, level := o.turnIn(b); at >= 0 && above(level+1) < len(path) {
			if at > b.start {
				add(block{start: b.start, end: at, node: b.node})
				b.start = at
			}
			begin(above(level + 1)) // the headings of an answer end with it
		}
		add(b)
	}
	return out
}

// nests reports whether a block consists of blocks that may be set apart.
func nests(b block) bool {
	if b.node == nil {
		return false
	}
	switch b.node.Kind() {
	case ast.KindList, ast.KindListItem, ast.KindBlockquote:
		return b.node.HasChildren()
	}
	return false
}

// solid reports whether cutting a block takes its parts their meaning.
func solid(b block) bool {
	if b.form != 0 {
		return true
	}
	if b.node == nil {
		return false
	}
	switch b.node.Kind() {
	case ast.KindFencedCodeBlock, ast.KindCodeBlock, ast.KindHTMLBlock:
		return true
	}
	return false
}
