package entry

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/memoir-ai/memoir/internal/blocks"
)

// A Placed is an item that is to be put into a note: where, as what, and which lines it
// then has.
type Placed struct {
	At                 int    // the byte of the note that Text goes before
	Text               string // the item with the line ends that keep it apart
	StartLine, EndLine int    // the lines of the item, counted from 1, both inclusive
}

// In returns the note with the item.
func (p Placed) In(src string) string { return src[:p.At] + p.Text + src[p.At:] }

// Place returns where a new item goes in a note. What stands under a heading of the user's
// belongs to that heading, which may say whose it is, or that it is private or over. So a
// new item goes before the first of them, after what stands there already. Only the title
// of the note is for every entry: the heading that the note begins with, when memoir gives
// the note that title, or when no other is of the first level and the front matter names
// none.
func (was *Reading) Place(src, item, title string) Placed {
	at := was.openEnd(src, title)
	p := Placed{At: at, Text: was.addition(src[:at], item, lineEnd(src))}
	p.EndLine = strings.Count(p.Text, "\n")
	if at < len(src) {
		p.EndLine += strings.Count(src[:at], "\n")
		if next, _ := cutLine(src, at); strings.TrimSpace(next) != "" {
			p.Text += lineEnd(src) // nothing runs on into what follows
		}
	} else {
		p.EndLine += was.Lines(src)
	}
	p.StartLine = p.EndLine - strings.Count(item, "\n")
	return p
}

// Open reports whether an entry of a note stands where [Reading.Place] puts new ones.
func (was *Reading) Open(src string, e Entry, title string) bool {
	return e.Start < was.openEnd(src, title)
}

// openEnd returns where the part of a note ends that new items go to.
func (was *Reading) openEnd(src, title string) int {
	all := was.untilSection(src)
	top := 0
	for top < len(all) && all[top].kind == htmlBlock {
		top++
	}
	if top < len(all) && !isTitle(src, all, top, title) {
		top--
	}
	for i := top + 1; i < len(all); i++ {
		if all[i].kind == headingBlock {
			return endAbove(src, all[top+1:i+1])
		}
	}
	return len(src)
}

// untilSection returns the blocks of a note. Of one that memoir writes, and that has no
// heading but in its first line, only that line is looked at, and what was added to it.
func (was *Reading) untilSection(src string) []block {
	if was.begins(src) && eachSimple(src, was.at, func(block) {}) {
		body := frontMatter(src)
		body += len(src[body:]) - len(strings.TrimLeft(src[body:], " \r\n"))
		if _, next := cutLine(src, body); !strings.Contains(src[next-1:], "\n#") {
			src = src[:next]
		}
	}
	return blocksOf(src)
}

// isTitle reports whether a block, which has only comments before it, is the title of its
// note. A heading that makes private is none: what is told is not private for that.
func isTitle(src string, all []block, at int, title string) bool {
	h := all[at].title
	switch {
	case all[at].kind != headingBlock || h.private:
		return false
	case sameWords(h.text, title):
		return true
	}
	for name, value := range blocks.ReadFront(src).Values {
		if given, _ := value.(string); strings.EqualFold(name, "title") && given != "" && !sameWords(h.text, given) {
			return false
		}
	}
	for i, b := range all {
		if i != at && b.kind == headingBlock && b.title.level == 1 {
			return false
		}
	}
	return h.level == 1
}

// sameWords reports whether two titles differ in nothing but case and the form of accents.
func sameWords(a, b string) bool { return strings.EqualFold(norm.NFC.String(a), norm.NFC.String(b)) }

// endAbove returns where the lines end that stand above the last of some blocks, a heading.
// A comment that touches the heading and a rule above it belong to the heading.
func endAbove(src string, all []block) int {
	last := len(all) - 1
	at := all[last].start
	for i := last - 1; i >= 0; i-- {
		between := src[all[i].start:at]
		words := strings.TrimSpace(between)
		touches := strings.Count(between, "\n") == strings.Count(words, "\n")+1
		comment := all[i].kind == htmlBlock && touches
		rule := all[i].kind == otherBlock && i > 0 && words != "" && isRule(words)
		if !comment && !rule {
			break
		}
		at = all[i].start
	}
	bom := len(src) - len(strings.TrimPrefix(src, "\ufeff"))
	words := max(bom, len(strings.TrimRight(src[:at], " \t\r\n")))
	if words == bom {
		return bom
	}
	_, next := cutLine(src, words)
	return next
}
