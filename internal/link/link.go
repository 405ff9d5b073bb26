// Package link finds the links in a piece of Markdown that lead to other notes:
// inline and reference links to local targets, and wiki links.
package link

import (
	"html"
	"net/url"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A Link is one link, in the order of the text.
type Link struct {
	// Target is where the link leads, without escapes, query and fragment: a
	// path with slashes, or the name that a wiki link gives. It is valid UTF-8
	// and not empty.
	Target string
	// Label is the text that a reader sees; a wiki link without one of its own
	// shows its target.
	Label string
}

const (
	// maxPiece is how many bytes of a text are read. Text made to be slow
	// takes time that grows with the square of its length.
	maxPiece = 8 << 10
	// maxWiki is the longest wiki link, in bytes. A longer one is text.
	maxWiki = 1024
)

// Find returns the links of a chunk's text. It ignores code, images, anchors
// within the note, and targets with a scheme or a host (https:, mailto:, //).
//
// The text is a piece of a note. Definitions of reference links elsewhere in
// the note are not known. Indented lines are not code, because they belong to a
// list that began earlier. Only the first 8 KiB are read.
func Find(piece string) []Link {
	if !strings.Contains(piece, "](") && !strings.Contains(piece, "[[") && !strings.Contains(piece, "]:") {
		return nil
	}
	source := []byte(strings.ToValidUTF8(piece[:min(len(piece), maxPiece)], ""))
	var links []Link
	// The error is the visitor's, which returns none.
	_ = ast.Walk(markdown().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image:
			return ast.WalkSkipChildren, nil
		case *ast.Link:
			if target := local(string(n.Destination)); target != "" {
				links = append(links, Link{target, label(n, source)})
			}
			return ast.WalkSkipChildren, nil
		case *wikiLink:
			if n.Target != "" {
				links = append(links, n.Link)
			}
		}
		return ast.WalkContinue, nil
	})
	return links
}

// markdown is CommonMark with wiki links and without indented code. It is safe
// for concurrent use.
var markdown = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(wikiParser{}, 150),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500),
		),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
})

// wikiLink is a wiki link in the tree. A link within the note has no target.
type wikiLink struct {
	ast.BaseInline
	Link
}

var wikiKind = ast.NewNodeKind("WikiLink")

func (*wikiLink) Kind() ast.NodeKind              { return wikiKind }
func (n *wikiLink) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// wikiParser reads [[Target#Heading|Label]]. An embedded note, ![[Target]],
// counts as an image.
type wikiParser struct{}

func (wikiParser) Trigger() []byte { return []byte{'!', '['} }

func (wikiParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	rest, embedded := strings.CutPrefix(string(line[:min(len(line), maxWiki)]), "!")
	rest, ok := strings.CutPrefix(rest, "[[")
	n := strings.IndexAny(rest, "[]\n")
	if !ok || n <= 0 || !strings.HasPrefix(rest[n:], "]]") {
		return nil
	}
	block.Advance(n + len("[[]]"))
	if embedded {
		block.Advance(1)
		return new(wikiLink)
	}
	target, shown, _ := strings.Cut(rest[:n], "|")
	target = strings.TrimSuffix(target, `\`) // in a table the bar is escaped
	target, _, _ = strings.Cut(target, "#")
	l := Link{clean(target), clean(shown)}
	if l.Label == "" {
		l.Label = l.Target
	}
	return &wikiLink{Link: l}
}

// label returns the text of a link that a reader sees.
func label(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(util.UnescapePunctuations(t.Value(source)))
			if t.SoftLineBreak() || t.HardLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return clean(b.String())
}

// local returns the path that a target names, or "" when it leads elsewhere.
func local(target string) string {
	target = html.UnescapeString(string(util.UnescapePunctuations([]byte(target))))
	target = strings.ReplaceAll(target, `\`, "/")
	if strings.HasPrefix(target, "//") || hasScheme(target) {
		return ""
	}
	if n := strings.IndexAny(target, "?#"); n >= 0 {
		target = target[:n]
	}
	if decoded, err := url.PathUnescape(target); err == nil {
		target = strings.ToValidUTF8(decoded, "")
	}
	return clean(target)
}

// hasScheme reports whether a target begins with a scheme as in RFC 3986.
func hasScheme(target string) bool {
	for i := range len(target) {
		switch c := target[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return i > 0 && c == ':'
		}
	}
	return false
}

// clean makes a name of a text: without control characters, and with one blank
// between words.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
