package rank

import (
	"cmp"
	"slices"
)

// A Posting is one chunk that holds a term.
type Posting struct {
	Chunk int32   // its position in the collection
	Count float32 // > 0, occurrences weighted by field
}

// A Ranking holds the [BM25] scores of all chunks of a collection for one
// query, as a share of what a chunk full of every term would get. First terms
// are added one by one; then it can be asked any number of times. It is for one
// goroutine at a time.
type Ranking struct {
	*Collection
	bound  float64   // the highest possible sum of scores
	chunks []float64 // by position: sum of the scores of the terms
	whole  []float64 // by document: the same, with the document as one text
	counts []float64 // by document: counts of the term that is being added
	held   []int32   // documents that hold any term, each once
	holds  []int32   // documents that hold the term that is being added
}

// Rank returns a ranking without terms. [Ranking.Release] gives its memory back.
func (c *Collection) Rank() *Ranking {
	if r, ok := c.idle.Get().(*Ranking); ok {
		return r
	}
	return &Ranking{
		Collection: c,
		chunks:     make([]float64, len(c.documents)),
		whole:      make([]float64, len(c.long)),
		counts:     make([]float64, len(c.long)),
	}
}

// Release gives the memory back. The ranking must not be used any more.
func (r *Ranking) Release() {
	for _, d := range r.held {
		clear(r.chunks[r.starts[d]:r.starts[d+1]])
		r.whole[d] = 0
	}
	r.bound, r.held = 0, r.held[:0]
	r.idle.Put(r)
}

// A Role is how a term of the query takes part in a ranking.
type Role int

// The roles.
const (
	Finds Role = iota
	// Supports is the role of a term that finds nothing by itself. It only adds
	// to chunks and documents that hold a term added before.
	Supports
	// Alternative is the role of a term that stands for other terms of the
	// query. It finds chunks as they do, but does not raise the highest score
	// that a chunk could get.
	Alternative
)

// Add adds the scores of a term of the query. postings are all chunks that hold
// it, each once, in any order; ascending runs are fastest. The weight is above
// 0. Equal queries give equal bits when their terms are added in the same
// order.
func (r *Ranking) Add(weight float64, postings []Posting) { r.add(Finds, weight, postings, nil) }

// AddAs does what [Ranking.Add] does for a term of another role.
func (r *Ranking) AddAs(role Role, weight float64, postings []Posting) {
	r.add(role, weight, postings, nil)
}

// AddAmong does what [Ranking.AddAs] does for a collection that is ranked
// together with others. spread is that of the term in all of them.
func (r *Ranking) AddAmong(role Role, weight float64, postings []Posting, spread Spread) {
	r.add(role, weight, postings, &spread)
}

// add adds the scores of a term. Without a spread, it counts that of the
// postings.
func (r *Ranking) add(role Role, weight float64, postings []Posting, spread *Spread) {
	among := len(postings)
	if spread != nil {
		among = spread.Chunks
	}
	idf := InverseFrequency(among, r.all.Chunks)
	saturated := r.model.K1 + 1
	if role != Alternative {
		r.bound += weight * idf * saturated
	}
	supports := role == Supports
	scale := weight * idf
	chunks := r.chunks
	damping, documents := r.damping[:len(chunks)], r.documents[:len(chunks)]
	document, count := int32(-1), 0.0
	for _, p := range postings {
		c := float64(p.Count)
		if !supports || chunks[p.Chunk] > 0 {
			chunks[p.Chunk] += scale * (c * saturated / (c + damping[p.Chunk]))
		}
		if d := documents[p.Chunk]; d != document {
			r.count(document, count)
			document, count = d, 0
		}
		count += c
	}
	r.count(document, count)
	if among = len(r.holds); spread != nil {
		among = spread.Documents
	}
	scale = weight * min(idf, InverseFrequency(among, r.all.Documents))
	for _, d := range r.holds {
		c := r.counts[d]
		r.counts[d] = 0
		if r.whole[d] == 0 {
			if supports {
				continue
			}
			r.held = append(r.held, d)
		}
		r.whole[d] += scale * (c * saturated / (c + r.long[d]))
	}
	r.holds = r.holds[:0]
}

func (r *Ranking) count(document int32, n float64) {
	if n == 0 {
		return
	}
	if r.counts[document] == 0 {
		r.holds = append(r.holds, document)
	}
	r.counts[document] += n
}

// Reach returns the highest BM25 that the query could reach, of which scores are shares.
func (r *Ranking) Reach() float64 { return r.bound }

// Score returns the score of the chunk at a position: above 0 and at most 1, or
// 0 if the chunk holds none of the terms.
func (r *Ranking) Score(chunk int) float64 {
	if r.chunks[chunk] == 0 {
		return 0
	}
	return r.score(r.chunks[chunk], r.whole[r.documents[chunk]])
}

func (r *Ranking) score(chunk, document float64) float64 {
	return min(((1-r.model.Parent)*chunk+r.model.Parent*document)/r.bound, 1)
}

// Top returns at most limit of the best chunks, highest score first. keep says
// which chunks may be returned; nil means all. before orders chunks of equal
// scores.
func (r *Ranking) Top(limit int, keep func(chunk int) bool, before func(a, b int) bool) []Scored {
	t := newTop(limit, keep, before)
	own := 1 - r.model.Parent
	for _, d := range r.held {
		whole, start := r.whole[d], int(r.starts[d])
		// Most chunks cannot reach the top, and are skipped without a division.
		// The margin is far wider than any rounding error, so no chunk is lost.
		needed := t.floor()*r.bound*(1-1e-9) - r.model.Parent*whole
		for i, sum := range r.chunks[start:r.starts[d+1]] {
			if own*sum >= needed && sum > 0 {
				t.offer(start+i, r.score(sum, whole))
			}
		}
	}
	return t.sorted()
}

// Among does what Top does for the given chunks only.
func (r *Ranking) Among(chunks []int, limit int, before func(a, b int) bool) []Scored {
	t := newTop(limit, nil, before)
	for _, i := range chunks {
		if s := r.Score(i); s > 0 {
			t.offer(i, s)
		}
	}
	return t.sorted()
}

// A Scored is a chunk, by its position, and its score.
type Scored struct {
	Chunk int
	Score float64
}

// top keeps the best of the chunks that it is offered, as a heap with the worst
// of them at its root.
type top struct {
	limit  int
	keep   func(int) bool
	before func(a, b int) bool
	heap   []Scored
}

func newTop(limit int, keep func(int) bool, before func(a, b int) bool) *top {
	return &top{limit: max(limit, 0), keep: keep, before: before}
}

// compare orders the better of two before the other.
func (t *top) compare(a, b Scored) int {
	switch {
	case a.Score != b.Score:
		return cmp.Compare(b.Score, a.Score)
	case a.Chunk == b.Chunk:
		return 0
	case t.before(a.Chunk, b.Chunk):
		return -1
	}
	return 1
}

// floor returns the score below which top takes no chunk any more.
func (t *top) floor() float64 {
	if len(t.heap) == 0 || len(t.heap) < t.limit {
		return 0
	}
	return t.heap[0].Score
}

func (t *top) offer(chunk int, score float64) {
	s := Scored{chunk, score}
	full := len(t.heap) == t.limit
	if full && (t.limit == 0 || score < t.heap[0].Score || t.compare(s, t.heap[0]) > 0) || t.keep != nil && !t.keep(chunk) {
		return
	}
	if !full {
		t.heap = append(t.heap, s)
		t.up(len(t.heap) - 1)
		return
	}
	t.heap[0] = s
	t.down()
}

func (t *top) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if t.compare(t.heap[i], t.heap[parent]) <= 0 {
			return
		}
		t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
		i = parent
	}
}

func (t *top) down() {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(t.heap) {
			return
		}
		if child+1 < len(t.heap) && t.compare(t.heap[child+1], t.heap[child]) > 0 {
			child++
		}
		if t.compare(t.heap[child], t.heap[i]) <= 0 {
			return
		}
		t.heap[i], t.heap[child] = t.heap[child], t.heap[i]
		i = child
	}
}

func (t *top) sorted() []Scored {
	slices.SortFunc(t.heap, t.compare)
	return t.heap
}
