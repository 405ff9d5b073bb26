// Package chunk cuts texts into the pieces that are indexed and embedded.
//
// A piece is a range of the file's own lines, so that whatever is found can be
// shown, cited and opened where it stands. Markdown is cut along its structure:
// a piece belongs to one section, keeps blocks whole where they fit, and never
// exceeds its limit. Conversations are cut into windows of turns, logs between
// entries, and source code between functions (docs/design/chunking.md).
package chunk

import (
	"math"
	"path"
	"strings"
)

// DefaultMaxTokens is the limit of a piece when Options names none.
const DefaultMaxTokens = 400

// minTokens is the least limit that is honoured: less cannot hold a character
// of every script.
const minTokens = 8

// Options say how finely to cut. The zero value means pieces of up to
// DefaultMaxTokens without overlap.
type Options struct {
	// MaxTokens limits a piece, as [Tokens] counts; 0 is DefaultMaxTokens, and
	// at least 8 are allowed.
	MaxTokens int
	// OverlapTokens is up to how much of the end of a piece, in whole lines, is
	// repeated at the start of the next one of the same section. At most half
	// of MaxTokens is honoured.
	OverlapTokens int
	// Entries makes each entry of a list that stands at the top level a piece
	// of its own, as curated files want it. Entries share no overlap.
	Entries bool
}

func (o Options) normal() Options {
	if o.MaxTokens <= 0 {
		o.MaxTokens = DefaultMaxTokens
	}
	o.MaxTokens = max(o.MaxTokens, minTokens)
	o.OverlapTokens = min(max(o.OverlapTokens, 0), o.MaxTokens/2)
	return o
}

// A Note is a Markdown file, cut.
type Note struct {
	// Title is the front matter's, else the first heading of level 1, else "".
	Title  string
	Meta   Meta
	Pieces []Piece // in the order of the file; nil when there is only white space
	// FrontMatter is the lines of the front matter, without the end of the last.
	FrontMatter string
	// Cut says, for people, what is left out of title, headings and names or taken
	// otherwise than it was meant, for being too large or broken. The lines are all
	// in the pieces.
	Cut []string
}

// Meta is what the front matter says.
type Meta struct {
	Title   string
	Date    string // as written
	Tags    []string
	Aliases []string
	Type    string
	// Raw holds every field as YAML or TOML decodes it; nil without front matter.
	Raw map[string]any
}

// A Piece is a range of a file's lines.
type Piece struct {
	StartLine int // 1-based, in the file as given, front matter included
	EndLine   int // 1-based, inclusive
	// Heading is the path of headings above the piece from the top down, its
	// own section's last. The note's title is left out.
	Heading []string
	// Assistant says that the piece holds nothing but what an assistant said in a
	// talk with a user, or its tools.
	Assistant bool
	// Text is the lines as the file has them, line ends included except the
	// last. Of a line too long for one piece, it is a part: then several pieces
	// name that line.
	Text string
}

// File cuts a file as its name's ending asks for: source code along its
// functions, a .log file along its entries, anything else as Markdown. Text that
// is not what the ending says is cut all the same.
func File(name, text string, opts Options) Note {
	ending := strings.ToLower(path.Ext(name))
	o := &outline{text: text}
	switch p := newPacker(o, opts.normal()); {
	case isCode(ending):
		p.program(ending)
		return Note{Pieces: p.pieces, Cut: o.cut}
	case ending == ".log":
		return Note{Pieces: p.plain(), Cut: o.cut}
	}
	return Markdown(text, opts)
}

// Stub returns what stands for a note without pieces: its front matter, else an
// empty piece on the first line.
func (n Note) Stub(opts Options) []Piece {
	text := shortened(n.FrontMatter, 0)
	if pieces := newPacker(&outline{text: text}, opts.normal()).plain(); len(pieces) > 0 {
		return pieces
	}
	return []Piece{{StartLine: 1, EndLine: 1}}
}

// Markdown cuts a note. It accepts any text, valid Markdown or not; front
// matter that is not valid is text. HTML comments stay in the text.
func Markdown(text string, opts Options) Note { return markdownNote(text, opts, windowBytes) }

func markdownNote(text string, opts Options, window int) Note {
	if len(text) > math.MaxInt32 { // the outline counts so far
		return Note{Pieces: newPacker(&outline{text: text}, opts.normal()).plain()}
	}
	front := readFrontMatter(text)
	o := parse(text, front.end, window)
	note := Note{Title: front.meta.Title, Meta: front.meta, FrontMatter: strings.TrimRight(text[:front.end], "\r\n")}
	if note.Title == "" {
		note.Title = o.firstTitle()
	}
	p := newPacker(o, opts.normal())
	for s := range o.sections(note.Title) {
		p.section(s)
	}
	p.flush()
	note.Pieces, note.Cut = p.pieces, append(front.cut, o.cut...)
	return note
}
