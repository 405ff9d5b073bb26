package chunk

import (
	"cmp"
	"iter"
	"slices"
)

// outline is the block structure of a note.
type outline struct {
	text        string
	body        int          // offset where the parsed part of text begins
	nodes       []node       // in order, each before its children
	words       []words      // of the headings among them, in order
	transcripts []transcript // talks with an assistant, in order
	cut         []string     // what is left out or changed, each once
}

// kind says what a block of Markdown is.
type kind uint8

const (
	plain kind = iota // not Markdown
	paragraph
	heading
	list
	item
	quotation
	fence
	indented
	markup // HTML
	rule   // and what else there may be
)

// node is a block of Markdown. It reaches up to the next node that is not
// deeper. A note has a node for every few bytes, so nodes are small.
type node struct {
	start int32 // -1: unknown
	kind  kind
	form  form
	depth uint8
	level uint8 // of a heading
}

// words are where in the text those of a heading stand.
type words struct{ node, from, to int32 }

// block is a block of Markdown, or another part that is set apart. It is a
// range of text from the start of a line to the start of the next block.
type block struct {
	start, end int
	kind       kind
	form       form
	node       int32 // its place in the outline, if it is Markdown
}

// form says more about a block than its node does.
type form uint8

const (
	table form = 1 + iota // of a paragraph: that it is a table
	entry                 // of a log
	code                  // a function, a type, or what stands between them
)

// section is the text under one heading, or before the first.
type section struct {
	path   []string
	blocks []block // the first is the heading, if there is one
	headed bool
}

// top yields the blocks that are in no other block.
func (o *outline) top() iter.Seq[block] { return o.blocks(0, 0, o.body, len(o.text)) }

// content yields the blocks that b consists of.
func (o *outline) content(b block) iter.Seq[block] {
	return o.blocks(int(b.node)+1, o.nodes[b.node].depth+1, b.start, b.end)
}

// blocks yields the blocks of a depth from a node on. Together they cover
// text[start:end]. A block whose place is unknown belongs to the previous one.
func (o *outline) blocks(from int, depth uint8, start, end int) iter.Seq[block] {
	return func(yield func(block) bool) {
		b := block{start: -1}
		for i := from; i < len(o.nodes) && o.nodes[i].depth >= depth; i++ {
			n := &o.nodes[i]
			at := int(n.start)
			switch {
			case n.depth > depth:
				continue
			case b.start < 0:
				at = start
			case at <= b.start || at >= end:
				continue
			default:
				b.end = at
				if !yield(b) {
					return
				}
			}
			b = block{start: at, kind: n.kind, form: n.form, node: int32(i)}
		}
		if b.start >= 0 {
			b.end = end
			yield(b)
		}
	}
}

// heading returns the level and the text of a heading, or level 0 for another
// block.
func (o *outline) heading(b block) (level int, title string) {
	if b.kind != heading {
		return 0, ""
	}
	level = int(o.nodes[b.node].level)
	i, ok := slices.BinarySearchFunc(o.words, b.node, func(w words, node int32) int { return cmp.Compare(w.node, node) })
	if !ok {
		return level, ""
	}
	title, whole := shortLine(o.text[o.words[i].from:o.words[i].to], maxHeading)
	if !whole {
		o.note("a heading is too long and cut")
	}
	return level, title
}

// note records what is left out.
func (o *outline) note(what string) {
	if !slices.Contains(o.cut, what) {
		o.cut = append(o.cut, what)
	}
}

// firstTitle returns the text of the first heading of level 1.
func (o *outline) firstTitle() string {
	for b := range o.top() {
		if level, title := o.heading(b); level == 1 {
			return title
		}
	}
	return ""
}

// sections yields the blocks by heading. The heading that is the note's title
// is in the text and not in the paths. Headings within an assistant's answer
// reach to the next turn.
func (o *outline) sections(title string) iter.Seq[section] {
	return func(yield func(section) bool) {
		h := headings{title: title}
		s := section{}
		for b := range o.top() {
			if level, name := o.heading(b); level > 0 {
				if len(s.blocks) > 0 && !yield(s) {
					return
				}
				h.enter(level, name)
				s = section{o.path(&h), []block{b}, true}
				continue
			}
			if at, level := o.turnIn(b); at >= 0 && h.above(level+1) < len(h.open) {
				if at > b.start {
					s.blocks = append(s.blocks, block{start: b.start, end: at, kind: b.kind, node: b.node})
					b.start = at
				}
				if len(s.blocks) > 0 && !yield(s) {
					return
				}
				h.open = h.open[:h.above(level+1)] // the headings of an answer end with it
				s = section{path: o.path(&h)}
			}
			s.blocks = append(s.blocks, b)
		}
		if len(s.blocks) > 0 {
			yield(s)
		}
	}
}

func (o *outline) path(h *headings) []string {
	path, whole := h.path()
	if !whole {
		o.note("a heading path is too long and cut")
	}
	return path
}

// nests reports whether a block consists of blocks that may be separated.
func (o *outline) nests(b block) bool {
	next := int(b.node) + 1
	return holds(b.kind) && next < len(o.nodes) && o.nodes[next].depth > o.nodes[b.node].depth
}

// solid reports whether the parts of a block lose their meaning when it is cut.
func solid(b block) bool {
	return b.form != 0 || b.kind == fence || b.kind == indented || b.kind == markup
}
