package rank

import (
	"fmt"
	"sync"
)

// A Collection is what [BM25] has to know of the chunks of an index. A chunk is
// known by its position in it: documents stand one after the other, each with
// its chunks in order. It does not change, and many goroutines may use it.
type Collection struct {
	model     BM25
	all       Totals    // of what is ranked together
	starts    []int32   // where the chunks of each document begin, and where all end
	documents []int32   // the document of each chunk
	damping   []float64 // K1 times how long each chunk is among all
	long      []float64 // the same of each document among all
	idle      sync.Pool // of *Ranking
}

// Totals count the texts that are ranked together, by which each is judged: those of
// a collection, or of several that are one.
type Totals struct {
	Documents, Chunks int
	Terms             int // of the bodies of all chunks
}

// Add adds those of another collection.
func (t *Totals) Add(other Totals) {
	t.Documents, t.Chunks, t.Terms = t.Documents+other.Documents, t.Chunks+other.Chunks, t.Terms+other.Terms
}

// Collect describes an index: how many chunks each document has, and how many
// terms the body of each chunk, one document after the other. It panics when
// they are not as many as the documents have, or more than 2³¹-1.
func (p BM25) Collect(chunks, lengths []int32) *Collection {
	terms := 0
	for _, n := range lengths {
		terms += int(n)
	}
	return p.CollectAmong(chunks, lengths, Totals{len(chunks), len(lengths), terms})
}

// CollectAmong is Collect for an index that is ranked together with others: totals are
// of all of them.
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

// Totals returns what the chunks are judged by.
func (c *Collection) Totals() Totals { return c.all }

// Chunks returns how many chunks there are: positions go from 0 to below it.
func (c *Collection) Chunks() int { return len(c.documents) }

// lightShare is for how many chunks there may be one that holds a light term.
const lightShare = 8

// Common reports whether a term that n chunks hold says too little to count,
// were it a light one: more than one in eight of all holds it.
func (c *Collection) Common(n int) bool { return Common(n, c.all.Chunks) }

// Common reports whether a light term that n of so many chunks hold does not count.
func Common(n, chunks int) bool { return n*lightShare > chunks }

// A Spread says how many chunks hold a term, and of how many documents.
type Spread struct{ Chunks, Documents int }

// Spread counts the chunks that hold a term: each once, in any order, though those of
// a document stand together.
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

// Range returns where the chunks of a document stand: from start to below end.
func (c *Collection) Range(document int) (start, end int) {
	return int(c.starts[document]), int(c.starts[document+1])
}
