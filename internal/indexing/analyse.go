package indexing

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/name"
)

// analyse cuts a document, analyses its chunks and finds its names. It returns
// what it leaves out, in words for people.
func (x *Indexer) analyse(doc memoir.Document) (out memoir.IndexedDocument, cut []string) {
	note, facts := x.pieces(doc)
	note.Title = cmp.Or(doc.Title, note.Title)
	talk := doc.Kind == memoir.KindSession
	stub := len(note.Pieces) == 0 && !talk // a session in which nothing was said needs no stub
	if stub {
		note.Pieces = note.Stub(x.chunking)
		facts = make([]memoir.Labels, len(note.Pieces))
	}
	date := dateOf(doc.ID, cmp.Or(doc.Date, note.Meta.Date))
	salience, labels := salienceOf(note.Meta.Raw), labelsOf(cmp.Or(name.Type(note.Meta.Type), x.shelves.Type(string(doc.ID))))
	var titleTerms, dateTerms, headingTerms []string
	for _, s := range slices.Concat([]string{note.Title, name.File(string(doc.ID))}, note.Meta.Aliases, note.Meta.Tags) {
		titleTerms = analyze.Document(titleTerms, s)
	}
	var day string
	if !date.IsZero() {
		day = date.Format(time.DateOnly)
		dateTerms = analyze.Document(nil, analyze.DateWords(date))
	}
	out = memoir.IndexedDocument{DocumentMeta: doc.DocumentMeta, Title: note.Title, Date: day, Salience: salience, Names: name.Of(string(doc.ID), note.Title, note.Meta.Aliases, note.Meta.Tags), Chunks: make([]memoir.IndexedChunk, 0, len(note.Pieces))}
	if id := name.Session(doc.Session); id != "" {
		out.Names = append(out.Names, id)
	}
	listed := !talk && (layout.IsLog(string(doc.ID)) || x.shelf(doc.ID))
	var terms []string // reused for each piece; what is kept is a copy of the right size
	for i, p := range note.Pieces {
		code := !stub && analyze.IsCode(p.Text)
		same := string(doc.ID) + "\n" + p.Text // a stub names its document, so no two are the same
		if !stub {
			same = sameness(p.Text, code, talk)
		}
		bare := !stub && scrap(p.Text)
		if bare {
			facts[i] = append(slices.Clone(facts[i]), memoir.LabelScrap)
		}
		if listed && !stub && listsEntries(p.Text) {
			facts[i] = append(slices.Clone(facts[i]), memoir.LabelEntries)
		}
		c := memoir.IndexedChunk{Chunk: memoir.Chunk{
			ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: doc.ID, Ordinal: i}, Kind: doc.Kind, Date: day, Salience: salience, Digest: digestOf(same)},
			StartLine: p.StartLine, EndLine: p.EndLine, Title: note.Title, Heading: p.Heading, Text: p.Text,
		}}
		c.Labels = labels.with(code, p.Assistant, slices.Concat(facts[i], scriptsOf(p.Text, c.EmbedText())))
		if !stub && !bare && !chunk.IsSessionHeader(p.Text) {
			c.EmbedHashes = c.HashEmbedTexts(empty)
		}
		if i == 0 || !slices.Equal(p.Heading, note.Pieces[i-1].Heading) {
			headingTerms = analyze.Document(nil, strings.Join(p.Heading, "\n"))
		}
		c.Terms[memoir.FieldTitle] = titleTerms
		c.Terms[memoir.FieldHeading] = headingTerms
		c.Terms[memoir.FieldDate] = dateTerms
		terms = analyze.Document(terms[:0], p.Text)
		c.Terms[memoir.FieldBody] = slices.Clone(terms)
		out.Chunks = append(out.Chunks, c)
	}
	return out, note.Cut
}

// sameness returns what is equal for passages that say the same.
func sameness(text string, code, talk bool) string {
	words := analyze.Canonical(text)
	switch {
	case code || words == "":
		return text // in code every character counts
	case talk:
		return analyze.Canonical(unspoken(text)) // what somebody says in a session may be what a note says
	}
	return words
}

// dateOf returns the day that a document is about: its front matter's, else
// its file name's, else the zero time.
func dateOf(id memoir.DocID, frontMatter string) time.Time {
	if day := strings.ReplaceAll(frontMatter, "/", "-"); len(day) >= len(time.DateOnly) {
		if t, err := time.Parse(time.DateOnly, day[:len(time.DateOnly)]); err == nil {
			return t
		}
	}
	t, _ := layout.Date(string(id))
	return t
}

// unspoken returns the lines of a session without the names of the speakers.
func unspoken(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if who, said, ok := strings.Cut(line, ": "); ok && !strings.Contains(who, " ") {
			line = said
		}
		b.WriteString(line)
	}
	return b.String()
}

// digestOf returns the [ChunkMeta.Digest] of a text.
func digestOf(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.LittleEndian.Uint64(sum[:])
}
