package indexing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
)

// pieces cuts a document into pieces, each of which becomes a chunk. It also
// returns the labels that the entries of each piece give it, or nil where no
// entry gives any.
//
// A superseded entry shares a piece with the entry that holds in its place.
// When that entry stands elsewhere, the superseded one gets a piece of its own,
// which searches recognise by its label.
func (x *Indexer) pieces(doc memoir.Document) (note chunk.Note, facts []memoir.Labels) {
	note, facts = x.parts(doc)
	if doc.Kind != memoir.KindSession && (layout.Private(string(doc.ID)) || entry.HasPrivate(doc.Text)) {
		facts = private(facts)
	}
	return note, facts
}

// parts does what pieces does, without marking what is private.
func (x *Indexer) parts(doc memoir.Document) (note chunk.Note, facts []memoir.Labels) {
	opts := x.chunking
	if doc.Kind == memoir.KindSession { // the lines of a session are speech, not entries
		note = chunk.Markdown(chunk.Shortened(doc.Text), opts)
		return note, make([]memoir.Labels, len(note.Pieces))
	}
	opts.Entries, opts.Shelf = layout.Curated(string(doc.ID)), x.shelf(doc.ID)
	plain, held, alone := entry.History(doc.Text)
	text := chunk.Shortened(plain)
	note = chunk.File(string(doc.ID), text, opts)
	note.Pieces = together(note.Pieces, held, text)
	facts = make([]memoir.Labels, len(note.Pieces))
	if len(held) == 0 {
		return note, facts
	}
	day, log := layout.Date(string(doc.ID))
	for i, p := range note.Pieces {
		facts[i] = factsOf(p, note.Pieces, held, alone, !log)
	}
	for _, h := range held {
		lines, ok := alone[h.StartLine]
		if !ok {
			continue
		}
		if h.Fields.Get(entry.Observed) == "" && log {
			h.Fields = h.Fields.With(entry.Field{Key: entry.Observed, Value: day.Format(time.DateOnly)})
		}
		before := func(p chunk.Piece) bool { return p.StartLine >= h.StartLine }
		at := cmp.Or(slices.IndexFunc(note.Pieces, before)+1, len(note.Pieces)+1) - 1
		for i, p := range own(lines, h, note.Title, opts) {
			note.Pieces = slices.Insert(note.Pieces, at+i, p)
			facts = slices.Insert(facts, at+i, formerly(h, p))
		}
	}
	return note, facts
}

// shelf reports whether a document is a file that the entries of a type are written to.
func (x *Indexer) shelf(id memoir.DocID) bool {
	typ := x.shelves.Type(string(id))
	return typ != "" && typ != layout.Journal
}

// private marks all pieces of a note as private, because the lines shown round
// an answer may be those of any piece.
func private(facts []memoir.Labels) []memoir.Labels {
	for i := range facts {
		facts[i] = append(slices.Clone(facts[i]), memoir.LabelPrivate)
	}
	return facts
}

// own cuts the lines of an entry that an entry elsewhere has superseded.
func own(lines string, h entry.Held, title string, opts chunk.Options) []chunk.Piece {
	heading := h.Heading
	if len(heading) > 0 && heading[0] == title {
		heading = heading[1:]
	}
	pieces := chunk.Markdown(chunk.Shortened(lines), opts).Pieces
	for i := range pieces {
		pieces[i].StartLine += h.StartLine - 1
		pieces[i].EndLine += h.StartLine - 1
		pieces[i].Heading = heading
	}
	return pieces
}

// together joins the pieces of a superseded entry and of the entry that holds
// in its place.
func together(pieces []chunk.Piece, held []entry.Held, text string) []chunk.Piece {
	var lines []string
	for _, h := range held {
		if h.Next == 0 {
			continue
		}
		first := slices.IndexFunc(pieces, func(p chunk.Piece) bool { return p.EndLine >= h.StartLine })
		last := slices.IndexFunc(pieces, func(p chunk.Piece) bool { return p.EndLine >= h.Next })
		if first < 0 || last <= first || pieces[first].StartLine > h.StartLine {
			continue
		}
		if lines == nil {
			lines = strings.SplitAfter(text, "\n")
		}
		p := pieces[first]
		p.EndLine = pieces[last].EndLine
		p.Text = strings.TrimRight(strings.Join(lines[p.StartLine-1:p.EndLine], ""), "\r\n")
		pieces = slices.Replace(pieces, first, last+1, p)
	}
	return pieces
}

// factsOf returns what the entries of a piece say of themselves, as labels. Of an entry that
// no piece holds as a whole, each part says since when it holds and when it was told. The
// entries are standing when the document's date does not tell since when they hold.
func factsOf(p chunk.Piece, all []chunk.Piece, held []entry.Held, alone map[int]string, standing bool) (facts memoir.Labels) {
	first, told := "", memoir.Labels(nil)
	for _, h := range held {
		if h.EndLine < p.StartLine || h.StartLine > p.EndLine {
			continue
		}
		holds := func(p chunk.Piece) bool { return h.StartLine >= p.StartLine && h.EndLine <= p.EndLine }
		if _, apart := alone[h.StartLine]; apart || !holds(p) && slices.ContainsFunc(all, holds) {
			continue
		}
		if id := h.Fields.Get(entry.ID); id != "" && h.Fields.Get(entry.Replaces) != "" {
			facts = append(facts, memoir.KeyLabel(memoir.KeyEntry, id))
		}
		facts = append(facts, updates(h)...)
		if day := h.Fields.Get(entry.Observed); day != "" && (first == "" || day < first) {
			first = day
		}
		told = append(told, toldOn(h, p)...)
	}
	if first != "" && standing {
		facts = append(append(facts, memoir.KeyLabel(memoir.KeyFrom, first), memoir.LabelStanding), told...)
	}
	return facts
}

// toldOn returns labels of the days on which an entry was told, first and last, with its lines
// in a piece, counted from 0. Many pieces then bear the same labels, wherever they stand.
func toldOn(h entry.Held, p chunk.Piece) (facts memoir.Labels) {
	first, last := max(h.StartLine, p.StartLine)-p.StartLine, min(h.EndLine, p.EndLine)-p.StartLine
	for _, key := range []string{entry.Observed, entry.Last} {
		day := h.Fields.Get(key)
		if _, err := time.Parse(time.DateOnly, day); err == nil {
			facts = append(facts, memoir.KeyLabel(memoir.KeyTold, fmt.Sprintf("%s:%d-%d", day, first, last)))
		}
	}
	return facts
}

// maxUpdates bounds the checks of one entry, because a note may come from anywhere.
const maxUpdates = 3

// updates returns labels with the checks of the entries and lines that an entry may update.
func updates(h entry.Held) (facts memoir.Labels) {
	checks := strings.Fields(h.Fields.Get(entry.Updates))
	for _, check := range checks[:min(len(checks), maxUpdates)] {
		facts = append(facts, memoir.KeyLabel(memoir.KeyUpdates, check))
	}
	return facts
}

// formerly returns the labels of a piece of a superseded entry.
func formerly(h entry.Held, p chunk.Piece) memoir.Labels {
	facts := memoir.Labels{memoir.LabelSuperseded}
	for _, f := range [][2]string{{memoir.KeyBy, entry.By}, {memoir.KeyFrom, entry.Observed}, {memoir.KeyUntil, entry.Until}} {
		if value := h.Fields.Get(f[1]); value != "" {
			facts = append(facts, memoir.KeyLabel(f[0], value))
		}
	}
	if id := h.Fields.Get(entry.ID); id != "" && h.Fields.Get(entry.Replaces) != "" {
		facts = append(facts, memoir.KeyLabel(memoir.KeyEntry, id))
	}
	facts = append(facts, updates(h)...)
	if h.Fields.Get(entry.Observed) != "" {
		facts = append(append(facts, memoir.LabelStanding), toldOn(h, p)...)
	}
	return facts
}
