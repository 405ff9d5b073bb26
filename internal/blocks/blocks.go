// Package blocks knows the blocks of Markdown: how they are parsed, where front matter
// ends, and which lines begin and end a block of code.
package blocks

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Parser returns a parser of the blocks of CommonMark, without inline markup. Lists and
// quotations are followed to a depth; what lies deeper is lines to the one that holds
// it, for parsing takes time and memory in proportion to the depth at every line. It is
// safe for concurrent use.
func Parser(depth int) parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(shallow{parser.NewListParser(), depth}, 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(shallow{parser.NewBlockquoteParser(), depth}, 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	))
}

// shallow is a parser of blocks that hold blocks. It opens none deeper than depth.
type shallow struct {
	parser.BlockParser
	depth int
}

// Open begins a block inside parent.
func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		depth++
	}
	if depth > s.depth {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// Line returns the line at offset i without white space at its end, and the offset of
// the next one.
func Line(src string, i int) (line string, next int) {
	next = len(src)
	if n := strings.IndexByte(src[i:], '\n'); n >= 0 {
		next = i + n + 1
	}
	return strings.TrimRight(src[i:next], " \t\r\n"), next
}

// Fence returns the marks with which a line begins a block of code, "" when it begins
// none.
func Fence(line string) string {
	line = strings.TrimLeft(line, " \t")
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 && (mark == "~" || !strings.Contains(line[n:], "`")) {
			return line[:n]
		}
	}
	return ""
}

// Closes reports whether a line ends the block of code that a fence began.
func Closes(line, fence string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= len(fence) && strings.Trim(line, fence[:1]) == ""
}

// Code follows the lines of a text and knows which stand in a block of code.
type Code struct{ fence string }

// Next reports of the next line whether it is code, and whether it begins or ends a
// block of it.
func (c *Code) Next(line string) (code, edge bool) {
	switch {
	case c.fence != "" && Closes(line, c.fence):
		c.fence = ""
		return false, true
	case c.fence != "":
		return true, false
	}
	c.fence = Fence(line)
	return false, c.fence != ""
}

// Open returns the marks that began the block of code that the next line stands in, ""
// for none.
func (c *Code) Open() string { return c.fence }
