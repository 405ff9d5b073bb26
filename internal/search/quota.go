package search

import "github.com/memoir-ai/memoir"

// A quota says how much of the ordered candidates an answer takes. It takes
// them from the first on, until they come from as many notes as were asked for,
// or until it has as many passages as an answer of that many notes may have. A
// larger number of notes takes more of the same order.
type quota struct {
	notes, passages, taken int
	seen                   map[note]bool
}

func (s *search) quota() *quota { return quotaOf(s.query.Limit) }

func quotaOf(notes int) *quota {
	return &quota{notes: notes, passages: notes * memoir.PassagesPerNote, seen: make(map[note]bool, notes)}
}

// full reports whether the answer has all that it may have.
func (q *quota) full() bool { return len(q.seen) >= q.notes || q.taken >= q.passages }

// take counts a chunk that the answer takes.
func (q *quota) take(id memoir.ChunkID) {
	q.taken++
	q.seen[noteOf(id)] = true
}

// inAnswer returns how many of the first candidates make up an answer of that
// many notes.
func inAnswer(all []*candidate, notes int) int {
	q := quotaOf(notes)
	for _, f := range all {
		if q.full() {
			break
		}
		q.take(f.ChunkID)
	}
	return q.taken
}
