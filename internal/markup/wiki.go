package markup

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// plainHTML renders what is plain Markdown. It stands here, where the standard
// library's package of that name is not in the way.
var plainHTML = html.NewRenderer()

// wikiLink is [[target|label]] in the tree.
type wikiLink struct {
	ast.BaseInline
	target, label string
}

var wikiKind = ast.NewNodeKind("PageWikiLink")

// Kind implements [ast.Node].
func (*wikiLink) Kind() ast.NodeKind { return wikiKind }

// Dump implements [ast.Node].
func (n *wikiLink) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

type wikiParser struct{}

// Trigger implements [parser.InlineParser].
func (wikiParser) Trigger() []byte { return []byte{'['} }

// Parse implements [parser.InlineParser].
func (wikiParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	rest, ok := strings.CutPrefix(string(line[:min(len(line), maxWiki)]), "[[")
	n := strings.IndexAny(rest, "[]\n")
	if !ok || n <= 0 || !strings.HasPrefix(rest[n:], "]]") {
		return nil
	}
	block.Advance(n + len("[[]]"))
	target, label, named := strings.Cut(rest[:n], "|")
	target = strings.TrimSuffix(target, `\`) // in a table the bar is escaped
	if !named || strings.TrimSpace(label) == "" {
		label = target
	}
	target, _, _ = strings.Cut(target, "#")
	return &wikiLink{target: strings.Join(strings.Fields(target), " "), label: strings.TrimSpace(label)}
}
