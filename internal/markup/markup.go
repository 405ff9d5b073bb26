// Package markup makes HTML of notes that somebody else may have written. Nothing of
// a note becomes an element, an attribute or an address but what Markdown says: raw
// HTML stays the text that it is, pictures are not loaded, and links lead to other
// notes, to http, https and mailto alone.
package markup

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/memoir-ai/memoir/internal/blocks"
)

// Options say what a note stands beside.
type Options struct {
	// Note returns the path of the note that a link's target names, as package link
	// reads targets; "" where it names none. nil: none does.
	Note func(target string) string
}

// What is read as Markdown at once, and how deep it may be nested. Parsing what is
// made to take long takes time with the square of its length; what is longer or
// deeper is shown as it is.
const (
	maxWhole = 512 << 10 // bytes
	maxPart  = 16 << 10  // bytes
	maxDepth = 40
	maxWiki  = 1024
)

// HTML returns the HTML of a note. Blocks have the line on which they begin, counted
// from 1, in the attribute data-line. Headings are one level lower than in the note,
// for the page has one above them.
func HTML(note string, opts Options) string {
	var out bytes.Buffer
	line, read := 1, 0
	note = strings.ToValidUTF8(note, "\ufffd")
	for part := range parts(note) {
		read += len(part)
		if len(part) > 2*maxPart || read > maxWhole || tooDeep(part) {
			fmt.Fprintf(&out, "<pre data-line=\"%d\">%s</pre>\n", line, html.EscapeString(part))
		} else {
			one(&out, part, line, opts)
		}
		line += strings.Count(part, "\n")
	}
	return out.String()
}

// parts cuts a long note before lines that begin something new.
func parts(note string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(note) > maxPart {
			var code blocks.Code
			end, blank := 0, false
			for line := range strings.Lines(note) {
				bare := strings.TrimRight(line, " \t\r\n")
				if end >= maxPart/2 && blank && code.Open() == "" && bare != "" && !strings.ContainsAny(bare[:1], " \t") {
					break
				}
				code.Next(bare)
				end, blank = end+len(line), bare == ""
			}
			if !yield(note[:end]) {
				return
			}
			note = note[end:]
		}
		if note != "" {
			yield(note)
		}
	}
}

// tooDeep reports whether a line begins with more marks of quotations and lists than
// somebody would write.
func tooDeep(part string) bool {
	for line := range strings.Lines(part) {
		marks := 0
		for i := range len(line) {
			c := line[i]
			if c == '>' || c == '-' || c == '*' || c == '+' || c == '.' || c == ')' {
				marks++
			} else if c != ' ' && c != '\t' && (c < '0' || c > '9') {
				break
			}
			if marks > maxDepth && strings.Trim(strings.TrimSpace(line), string(c)) != "" || marks > 8*maxDepth {
				return true
			}
		}
		if n := len(line) - len(strings.TrimLeft(line, " \t")); n > 16*maxDepth {
			return true
		}
	}
	return false
}

// one renders a part whose first line is the one of that number.
func one(out *bytes.Buffer, part string, first int, opts Options) {
	source := []byte(part)
	doc := markdown().Parser().Parse(text.NewReader(source))
	number(doc, source, first)
	w := &writer{opts: opts}
	r := renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(w, 100), util.Prioritized(markdownHTML{}, 1000)))
	if err := r.Render(out, source, doc); err != nil { // a Buffer takes everything
		panic(err)
	}
}

// markdown is GitHub's Markdown with wiki links. It is safe for concurrent use.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify, extension.TaskList),
		goldmark.WithParserOptions(parser.WithInlineParsers(util.Prioritized(wikiParser{}, 150))),
	)
})

// number gives blocks their lines, and headings their level.
func number(doc ast.Node, source []byte, first int) {
	starts := []int{0}
	for i, c := range source {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	lineAt := func(at int) int {
		i, found := slices.BinarySearch(starts, at)
		if !found {
			i--
		}
		return first + i
	}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() == ast.TypeDocument {
			return ast.WalkContinue, nil
		}
		if n.Type() == ast.TypeInline {
			return ast.WalkSkipChildren, nil
		}
		if h, ok := n.(*ast.Heading); ok {
			h.Level = min(h.Level+1, 6)
		}
		if at, ok := start(n); ok {
			line := lineAt(at)
			if _, fenced := n.(*ast.FencedCodeBlock); fenced {
				line--
			}
			n.SetAttributeString(lineAttribute, []byte(strconv.Itoa(max(line, first))))
		}
		return ast.WalkContinue, nil
	})
}

const lineAttribute = "data-line"

// start returns where a block begins, as far as it can be told.
func start(n ast.Node) (int, bool) {
	for n != nil {
		if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
			return n.Lines().At(0).Start, true
		}
		if t, ok := n.(*ast.Text); ok {
			return t.Segment.Start, true
		}
		n = n.FirstChild()
	}
	return 0, false
}

// writer renders what a note may not say as it likes.
type writer struct{ opts Options }

// RegisterFuncs implements [renderer.NodeRenderer].
func (w *writer) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindLink, w.link)
	reg.Register(ast.KindAutoLink, w.autoLink)
	reg.Register(ast.KindImage, w.image)
	reg.Register(wikiKind, w.wiki)
	reg.Register(ast.KindRawHTML, w.rawHTML)
	reg.Register(ast.KindHTMLBlock, w.htmlBlock)
	reg.Register(ast.KindCodeBlock, w.code)
	reg.Register(ast.KindFencedCodeBlock, w.code)
	reg.Register(extast.KindTaskCheckBox, w.box)
}

// open returns the beginning of a link, "" where there may be none.
func (w *writer) open(destination string) string {
	destination = html.UnescapeString(destination)
	u, err := url.Parse(destination)
	if err != nil {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Host == "" {
			return ""
		}
		return fmt.Sprintf(`<a href="%s" rel="noopener noreferrer nofollow" target="_blank">`, html.EscapeString(u.String()))
	case "mailto":
		return fmt.Sprintf(`<a href="%s" rel="noopener noreferrer nofollow">`, html.EscapeString(u.String()))
	case "":
		if u.Host != "" || u.Path == "" {
			return ""
		}
		return w.openNote(u.Path)
	}
	return ""
}

// openNote returns the beginning of a link to a note, "" where there is none.
func (w *writer) openNote(target string) string {
	if w.opts.Note == nil {
		return ""
	}
	to := w.opts.Note(target)
	if to == "" {
		return ""
	}
	return fmt.Sprintf(`<a href="%s">`, html.EscapeString(Address(to)))
}

// Address is where the page shows a note.
func Address(note string) string {
	elements := strings.Split(path.Clean(note), "/")
	for i, e := range elements {
		elements[i] = url.PathEscape(e)
	}
	return "#/notes/" + strings.Join(elements, "/")
}

func (w *writer) link(out util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	open := w.open(string(n.(*ast.Link).Destination))
	switch {
	case open == "": // its words stay
	case entering:
		_, _ = out.WriteString(open)
	default:
		_, _ = out.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func (w *writer) autoLink(out util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	a := n.(*ast.AutoLink)
	to, label := string(a.URL(source)), html.EscapeString(string(a.Label(source)))
	if a.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(to), "mailto:") {
		to = "mailto:" + to
	}
	if open := w.open(to); open != "" {
		label = open + label + "</a>"
	}
	_, _ = out.WriteString(label)
	return ast.WalkContinue, nil
}

// image shows a picture as what it is called, with a link to it.
func (w *writer) image(out util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	open := w.open(string(n.(*ast.Image).Destination))
	for up := n.Parent(); up != nil && up.Type() == ast.TypeInline; up = up.Parent() {
		if up.Kind() == ast.KindLink || up.Kind() == ast.KindImage {
			open = "" // a link holds no other
		}
	}
	switch {
	case entering:
		_, _ = out.WriteString(`<span class="image">` + open)
	case open != "":
		_, _ = out.WriteString("</a></span>")
	default:
		_, _ = out.WriteString("</span>")
	}
	return ast.WalkContinue, nil
}

func (w *writer) wiki(out util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		l := n.(*wikiLink)
		label := html.EscapeString(l.label)
		if open := w.openNote(l.target); open != "" {
			label = open + label + "</a>"
		}
		_, _ = out.WriteString(label)
	}
	return ast.WalkContinue, nil
}

func (w *writer) rawHTML(out util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = out.WriteString(`<code class="raw">` + html.EscapeString(string(n.(*ast.RawHTML).Segments.Value(source))) + "</code>")
	}
	return ast.WalkContinue, nil
}

func (w *writer) htmlBlock(out util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		b := n.(*ast.HTMLBlock)
		raw := string(b.Lines().Value(source))
		if b.HasClosure() {
			raw += string(b.ClosureLine.Value(source))
		}
		w.pre(out, n, "raw", raw)
	}
	return ast.WalkContinue, nil
}

func (w *writer) code(out util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.pre(out, n, "", string(n.Lines().Value(source)))
	}
	return ast.WalkContinue, nil
}

func (w *writer) pre(out util.BufWriter, n ast.Node, class, raw string) {
	_, _ = out.WriteString("<pre")
	if class != "" {
		_, _ = out.WriteString(` class="` + class + `"`)
	}
	if line, ok := n.AttributeString(lineAttribute); ok {
		_, _ = fmt.Fprintf(out, ` data-line="%s"`, line)
	}
	_, _ = out.WriteString("><code>" + html.EscapeString(raw) + "</code></pre>\n")
}

func (w *writer) box(out util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		box := "☐ "
		if n.(*extast.TaskCheckBox).IsChecked {
			box = "☑ "
		}
		_, _ = out.WriteString(box)
	}
	return ast.WalkContinue, nil
}

// markdownHTML is goldmark's own renderers, those of extensions included.
type markdownHTML struct{}

// RegisterFuncs implements [renderer.NodeRenderer].
func (markdownHTML) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	extension.NewTableHTMLRenderer(extension.WithTableCellAlignMethod(extension.TableCellAlignNone)).RegisterFuncs(reg)
	extension.NewStrikethroughHTMLRenderer().RegisterFuncs(reg)
	plainHTML.RegisterFuncs(reg)
}
