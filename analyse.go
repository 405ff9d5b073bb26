package memoir

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/layout"
)

// analyse cuts a document and analyses the pieces, and finds its names. It says,
// for people, what it leaves out.
func (e *Engine) analyse(doc Document) (out IndexedDocument, cut []string) {
	opts := e.chunking
	opts.Entries = layout.Curated(string(doc.ID))
	note := chunk.File(string(doc.ID), chunk.Shortened(doc.Text), opts)
	stub := len(note.Pieces) == 0
	if stub {
		note.Pieces = note.Stub(opts)
	}
	date := dateOf(doc.ID, note.Meta.Date)
	salience := salienceOf(note.Meta.Raw)
	var titleTerms, dateTerms, headingTerms []string
	for _, s := range slices.Concat([]string{note.Title, nameOf(doc.ID)}, note.Meta.Aliases, note.Meta.Tags) {
		titleTerms = analyze.Document(titleTerms, s)
	}
	var day string
	if !date.IsZero() {
		day = date.Format(time.DateOnly)
		dateTerms = analyze.Document(nil, analyze.DateWords(date))
	}
	out = IndexedDocument{doc.DocumentMeta, note.Title, day, salience, namesOf(doc.ID, note), make([]IndexedChunk, 0, len(note.Pieces))}
	var terms []string // of one piece: kept are copies of the size that they need
	for i, p := range note.Pieces {
		code, words := analyze.IsCode(p.Text), analyze.Canonical(p.Text)
		same := words
		switch {
		case stub: // it says who bears the name, and each is another
			code, same = false, string(doc.ID)+"\n"+p.Text
		case code || words == "":
			same = p.Text // every character counts
		}
		c := IndexedChunk{Chunk: Chunk{
			ChunkMeta: ChunkMeta{ChunkID{doc.ID, i}, doc.Kind, day, salience, code, p.Assistant, digestOf(same)},
			StartLine: p.StartLine, EndLine: p.EndLine, Title: note.Title, Heading: p.Heading, Text: p.Text,
		}}
		if words != "" && !stub && !chunk.IsSessionHeader(p.Text) { // or else it would be near to every question
			c.EmbedHash = HashText(c.EmbedText())
		}
		if i == 0 || !slices.Equal(p.Heading, note.Pieces[i-1].Heading) {
			headingTerms = analyze.Document(nil, strings.Join(p.Heading, "\n"))
		}
		c.Terms[FieldTitle] = titleTerms
		c.Terms[FieldHeading] = headingTerms
		c.Terms[FieldDate] = dateTerms
		terms = analyze.Document(terms[:0], p.Text)
		c.Terms[FieldBody] = slices.Clone(terms)
		out.Chunks = append(out.Chunks, c)
	}
	return out, note.Cut
}

// dateOf returns the day that a document is about: its front matter's, else
// its file name's, else the zero time.
func dateOf(id DocID, frontMatter string) time.Time {
	if day := strings.ReplaceAll(frontMatter, "/", "-"); len(day) >= len(time.DateOnly) {
		if t, err := time.Parse(time.DateOnly, day[:len(time.DateOnly)]); err == nil {
			return t
		}
	}
	t, _ := layout.Date(string(id))
	return t
}

// nameOf returns the file name without its ending.
func nameOf(id DocID) string {
	base := path.Base(string(id))
	return strings.TrimSuffix(base, path.Ext(base))
}
