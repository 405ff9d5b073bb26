package search

import "github.com/memoir-ai/memoir"

// A quota is how much of an order an answer takes: passages from the first on, until
// they are of as many notes as are asked for, or there are as many passages as an
// answer of that many notes may have. More notes take more of the same order.
type quota struct {
	notes, passages, taken int
	seen                   map[note]bool
}

func (s *search) quota() *quota { return quotaOf(s.query.Limit) }

func quotaOf(notes int) *quota {
	return &quota{notes: notes, passages: notes * memoir.PassagesPerNote, seen: make(map[note]bool, notes)}
}

// full reports whether the answer has all that it takes.
func (q *quota) full() bool { return len(q.seen) >= q.notes || q.taken >= q.passages }

// take counts a passage.
func (q *quota) take(id memoir.ChunkID) {
	q.taken++
	q.seen[noteOf(id)] = true
}

// inAnswer returns how many of the first candidates are an answer of so many notes.
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
