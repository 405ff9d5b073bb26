// Package chunk cuts texts into the pieces that are indexed and embedded.
//
// A piece is a range of the file's own lines, so that it can be shown, cited
// and opened where it stands. Markdown is cut along its structure: a piece
// belongs to one section, keeps blocks whole if they fit, and never exceeds its
// limit. Conversations are cut into windows of turns, shelves into windows of
// entries, logs between entries, and source code between functions
// (docs/design/chunking.md).
package chunk

import (
	"math"
	"path"
	"strings"
)

// DefaultMaxTokens is the default limit of a piece.
const DefaultMaxTokens = 400

// minTokens is the smallest limit that is used. A smaller one could not hold a
// character of every script.
const minTokens = 8

// Options say how finely to cut. The zero value means pieces of up to
// DefaultMaxTokens without overlap.
type Options struct {
	// MaxTokens limits a piece, as counted by [Tokens]. 0 means
	// DefaultMaxTokens. A limit below 8 counts as 8.
	MaxTokens int
	// OverlapTokens is how much of the end of a piece, in whole lines, is
	// repeated at the start of the next one in the same section. It counts up to
	// half of MaxTokens.
	OverlapTokens int
	// Entries makes each entry of a top-level list a piece of its own, as is
	// right for curated files. Entries have no overlap.
	Entries bool
	// Shelf cuts a top-level list that is larger than a piece into windows of a few
	// entries, as is right for a file that statements are added to. A list that fits
	// stays whole.
	Shelf bool
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
	// Title is from the front matter, else the first heading of level 1, else
	// "".
	Title  string
	Meta   Meta
	Pieces []Piece // in the order of the file; nil if the file has only white space
	// FrontMatter is the lines of the front matter, without the end of the last.
	FrontMatter string
	// Cut says, for people, what of title, headings and names is left out or
	// shortened, because it is too large or broken. The pieces have all lines.
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
	// Heading is the path of headings above the piece, from the top down to its
	// own section's. It does not include the note's title.
	Heading []string
	// Assistant says that the piece holds only what an assistant or its tools
	// said in a talk with a user.
	Assistant bool
	// Text is the lines as in the file, with their line ends except the last.
	// When a line is too long for one piece, several pieces name that line and
	// each has a part of it.
	Text string
}

// File cuts a file by its extension: source code by function, a .log file by
// entry, anything else as Markdown. It also cuts text that does not match the
// extension.
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

// Stub returns what stands for a note without pieces: its front matter, or else
// an empty piece on the first line.
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
	if len(text) > math.MaxInt32 { // the outline's offsets have 32 bits
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
