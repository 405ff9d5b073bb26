package eval

import (
	"github.com/memoir-ai/memoir"
)

// A Place is where the answer to a question about one's own notes stands: a
// note, or some lines of it.
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

// Places holds the expected places of each question, by the question's id.
type Places map[string][]Place

// Passages returns a passage for each expected place of which a hit shows lines.
// If there is none, it returns one for the hit's note.
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
