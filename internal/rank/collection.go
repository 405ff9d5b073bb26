package rank

import (
	"fmt"
	"sync"
)

// A Collection is what [BM25] needs to know of the chunks of an index. It
// identifies a chunk by its position: documents come one after the other, each
// with its chunks in order. A Collection never changes and is safe for
// concurrent use.
type Collection struct {
	model     BM25
	all       Totals    // of everything that is ranked together
	starts    []int32   // position of each document's first chunk, and the end of the last
	documents []int32   // the document of each chunk
	damping   []float64 // for each chunk, K1 times its length factor
	long      []float64 // the same for each document
	idle      sync.Pool // of *Ranking
}

// Totals count the texts that are ranked together, of one collection or of
// several. The scores depend on these counts.
type Totals struct {
	Documents, Chunks int
	Terms             int // in the bodies of all chunks
}

// Add adds the counts of another collection.
func (t *Totals) Add(other Totals) {
	t.Documents, t.Chunks, t.Terms = t.Documents+other.Documents, t.Chunks+other.Chunks, t.Terms+other.Terms
}

// Collect describes an index. chunks is the number of chunks of each document,
// and lengths the number of terms in the body of each chunk, one document after
// the other. Collect panics when lengths does not match chunks, or when there
// are more than 2³¹-1 chunks.
func (p BM25) Collect(chunks, lengths []int32) *Collection {
	terms := 0
	for _, n := range lengths {
		terms += int(n)
	}
	return p.CollectAmong(chunks, lengths, Totals{len(chunks), len(lengths), terms})
}

// CollectAmong does what Collect does for an index that is ranked together with
// others. totals count all of them.
func (p BM25) CollectAmong(chunks, lengths []int32, totals Totals) *Collection {
	c := &Collection{
		model:     p,
		all:       totals,
		starts:    make([]int32, len(chunks)+1),
		documents: make([]int32, len(lengths)),
		damping:   make([]float64, len(lengths)),
		long:      make([]float64, len(chunks)),
	}
	at := 0
	for d, n := range chunks {
		if n < 0 || int(n) > len(lengths)-at {
			panic(fmt.Sprintf("rank: document %d has %d chunks, where %d are left", d, n, len(lengths)-at))
		}
		for i := at; i < at+int(n); i++ {
			c.documents[i] = int32(d)
			c.long[d] += float64(lengths[i])
		}
		at += int(n)
		c.starts[d+1] = int32(at)
	}
	if at != len(lengths) {
		panic(fmt.Sprintf("rank: %d chunks are of no document", len(lengths)-at))
	}
	for i, n := range lengths {
		c.damping[i] = p.damp(float64(n), float64(totals.Terms)/float64(totals.Chunks))
	}
	for d, n := range c.long {
		c.long[d] = p.damp(n, float64(totals.Terms)/float64(totals.Documents))
	}
	return c
}

// Totals returns the counts on which the scores depend.
func (c *Collection) Totals() Totals { return c.all }

// Chunks returns the number of chunks. Positions are below it.
func (c *Collection) Chunks() int { return len(c.documents) }

// lightShare is the inverse of the share of chunks that may hold a light term.
const lightShare = 8

// Common reports whether a light term that n chunks hold says too little to
// count, because that is more than one chunk in eight.
func (c *Collection) Common(n int) bool { return Common(n, c.all.Chunks) }

// Common reports whether a light term does not count that n of so many chunks
// hold.
func Common(n, chunks int) bool { return n*lightShare > chunks }

// A Spread says how many chunks and documents hold a term.
type Spread struct{ Chunks, Documents int }

// Spread counts the chunks and documents that hold a term. The postings have
// each chunk once, and the chunks of a document together; otherwise they come
// in any order.
func (c *Collection) Spread(postings []Posting) Spread {
	s, last := Spread{Chunks: len(postings)}, int32(-1)
	for _, p := range postings {
		if d := c.documents[p.Chunk]; d != last {
			s.Documents, last = s.Documents+1, d
		}
	}
	return s
}

// Documents returns how many documents there are.
func (c *Collection) Documents() int { return len(c.long) }

// Range returns the positions of a document's chunks: from start to before end.
func (c *Collection) Range(document int) (start, end int) {
	return int(c.starts[document]), int(c.starts[document+1])
}
