package entry

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"golang.org/x/text/unicode/norm"

	"github.com/memoir-ai/memoir/internal/blocks"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// HasPrivate reports whether something in a note is only for private sessions: its front
// matter, a comment in it, or a heading says so. What stands below the heading does not
// matter, nor in which block the comment stands.
func HasPrivate(src string) bool {
	if !namesPrivate(src) && !mayTitle(src[frontMatter(src):]) {
		return false
	}
	r := &reader{src: src, line: 1, private: privateNote(src)}
	r.blocks(blocksOf(src))
	return r.private || r.hidden || saysPrivate(src) ||
		slices.ContainsFunc(r.entries, func(e Entry) bool { return e.Private })
}

// The word that makes private, as a name and at the start of a heading, in English and in Chinese.
const (
	private = "private"
	secret  = "私密"
)

// no are the values with which a field called private does not make private. All others
// do: who gives it a value of another language wants something hidden.
var no = []string{"false", "no", "off", "0", "n", "f", "否"}

// makesPrivate reports whether a field of a comment or of front matter makes private.
func makesPrivate(name, value string) bool {
	is := func(word string) bool { return strings.EqualFold(value, word) }
	switch name = strings.ToLower(strings.TrimSpace(name)); name {
	case private, secret:
		return !slices.ContainsFunc(no, is)
	case "scope":
		return is(private) || is(secret) || is("true")
	case "visibility":
		return is(private) || is(secret)
	}
	return false
}

// private reports whether one of the fields makes private.
func (f Fields) private() bool {
	return slices.ContainsFunc(f, func(field Field) bool { return makesPrivate(field.Key, field.Value) })
}

// privateNote reports whether the front matter of a note makes it private. Front matter
// that cannot be read does when it has the word.
func privateNote(src string) bool {
	front := blocks.ReadFront(src)
	for name, value := range front.Values {
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		for _, v := range list {
			if makesPrivate(name, strings.TrimSpace(fmt.Sprint(v))) {
				return true
			}
		}
	}
	return namesPrivate(front.Broken)
}

// saysPrivate reports whether a comment in a text makes private, wherever it stands and
// whether or not it ends.
func saysPrivate(text string) bool {
	for {
		_, rest, ok := strings.Cut(text, opening)
		if !ok {
			return false
		}
		inside, after, _ := strings.Cut(rest, closing)
		ends := func(r rune) bool { return strings.ContainsRune("|\r\n,;<", r) }
		for part := range strings.FieldsFuncSeq(inside, ends) {
			name, value, _ := strings.Cut(separators.Replace(part), ":")
			name, value = strings.Trim(name, marksOfWords), strings.Trim(value, marksOfWords)
			if makesPrivate(name, value) {
				return true
			}
		}
		text = after
	}
}

// separators are what stands between a name and its value.
var separators = strings.NewReplacer("=", ":", "：", ":")

// marksOfWords may stand round a name or a value.
const marksOfWords = " \t\"'!->"

// newHeading returns a heading. It is private if it begins with the word, whatever stands
// before or behind that, or if a comment in it says so.
func newHeading(level int, title string) heading {
	return heading{level, title, titlesPrivate(title) || namesPrivate(title) && saysPrivate(title)}
}

// titlesPrivate reports whether a title begins with the word, as it is written or as a
// viewer shows it. A mark of Markdown may stand in the word or end it: both count.
func titlesPrivate(title string) bool {
	if !hasLetters(title) {
		return false
	}
	shown := plainForm(markup().ReplaceAllString(title, ""))
	forms := []string{title, plainForm(title), shown, strings.ReplaceAll(shown, "_", "")}
	return slices.ContainsFunc(forms, beginsPrivate().MatchString)
}

// beginsPrivate matches a title that begins with the word, marks of Markdown, HTML, numbers
// and pictures before it aside, and one mark such as "a", "A1", "IV" or "App.".
var beginsPrivate = lazyregexp.New(`(?i)^(?:<[^>]*>|:[\w+-]+:|\PL)*(?:(?:\pL|[ivxlcdm]+|[\pL\pN]{1,4}[.):])\PL+)?` +
	`(?:private(?:[^\pL\pN]|$)|私密)`)

// markup matches what a viewer does not show of a title: tags, the targets of links, and
// signs. The sign _ may be part of a word.
var markup = lazyregexp.New("<[^>]*>|\\]\\([^)]*\\)|\\]\\[[^\\]]*\\]|[][*`~\\\\]")

// plainForm returns a text in lower case, with entities and characters of other widths and fonts
// as the usual ones, and without characters that are not seen.
func plainForm(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) ||
			unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(html.UnescapeString(text)))
}

// hasLetters reports whether the plain form of a text has the letters of the word in their
// order, whatever stands between them.
func hasLetters(text string) bool {
	text = plainForm(text)
	return inOrder(text, private) || inOrder(text, secret)
}

func inOrder(text, word string) bool {
	for _, letter := range word {
		_, rest, ok := strings.Cut(text, string(letter))
		if !ok {
			return false
		}
		text = rest
	}
	return true
}

// mayTitle reports whether a text may have a heading that a viewer shows as the word. It
// may be wrong where there is none. It has to be fast, as namesPrivate has.
func mayTitle(src string) bool {
	for at := 0; ; at++ {
		next := strings.IndexByte(src[at:], '<')
		if next < 0 {
			break
		}
		if at += next; at+2 < len(src) && src[at+1]|0x20 == 'h' && '1' <= src[at+2] && src[at+2] <= '6' {
			return true
		}
	}
	paragraph := 0
	for at := 0; at < len(src); {
		line, next := cutLine(src, at)
		switch rest := strings.Trim(line, "> \t\r\n"); {
		case rest == "":
			paragraph = next
		case strings.Contains(rest, "#") && hasLetters(rest):
			return true
		case strings.Trim(rest, "-= \t>") == "": // it underlines what stands above it
			if hasLetters(src[paragraph:at]) {
				return true
			}
			paragraph = next // each line is looked at once
		}
		at = next
	}
	return false
}

// htmlTitles returns the headings in a block of HTML.
func htmlTitles(lines string) (all []heading) {
	for _, m := range htmlTitle().FindAllStringSubmatch(lines, -1) {
		all = append(all, newHeading(int(m[1][0]-'0'), strings.Join(strings.Fields(m[2]), " ")))
	}
	return all
}

var htmlTitle = lazyregexp.New(`(?is)<h([1-6])(?:[\s/][^>]*)?>(.*?)(?:</h[1-6]|$)`)

// marked reports whether an entry makes itself private, by a comment or by a heading in it.
func marked(lines string) bool {
	if !namesPrivate(lines) && !mayTitle(lines) {
		return false
	}
	if saysPrivate(lines) {
		return true
	}
	found := false
	root := markdown().Parse(text.NewReader([]byte(lines)))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case !entering:
		case n.Kind() == ast.KindHeading:
			found = found || blockOf(lines, 0, n).title.private
		case n.Kind() == ast.KindHTMLBlock:
			all := htmlTitles(string(n.Lines().Value([]byte(lines))))
			found = found || slices.ContainsFunc(all, func(h heading) bool { return h.private })
		}
		return ast.WalkContinue, nil
	})
	return found
}

// namesPrivate reports whether a text contains the word, in letters of either case, or in
// Chinese. It has to be fast: it looks at every note that is indexed, and few have the word.
func namesPrivate(src string) bool {
	if strings.Contains(src, secret) {
		return true
	}
	const at = 3 // the v is the rarest of its letters
	for i := at; i < len(src); i++ {
		next := strings.IndexAny(src[i:], "vV")
		if next < 0 {
			return false
		}
		if i += next; i-at+len(private) <= len(src) && strings.EqualFold(src[i-at:i-at+len(private)], private) {
			return true
		}
	}
	return false
}
