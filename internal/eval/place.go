package eval

import (
	"github.com/memoir-ai/memoir"
)

// A Place is what a question over own notes expects: a note, or lines of it.
type Place struct {
	Doc      memoir.DocID
	From, To int // 0, 0 is the whole note
}

// Name returns the place as its citation.
func (p Place) Name() string {
	if p.From == 0 {
		return string(p.Doc)
	}
	c := memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: p.Doc}}, StartLine: p.From, EndLine: p.To}
	return c.Citation()
}

// Places are those that each question expects, by its id.
type Places map[string][]Place

// Passages returns the places that a hit shows lines of, else its note.
func (all Places) Passages(q *Question, h memoir.Hit) []Passage {
	var found []Passage
	for _, want := range all[q.ID] {
		if want.Doc == h.Doc && (want.From == 0 || want.From <= h.EndLine && want.To >= h.StartLine) {
			found = append(found, PassageOf(want.Name(), h))
		}
	}
	if found == nil {
		found = append(found, PassageOf(string(h.Doc), h))
	}
	return found
}
