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
	starts    []int32   // where the chunks of each document begin, and where all end
	documents []int32   // the document of each chunk
	damping   []float64 // K1 times how long each chunk is among all
	long      []float64 // the same of each document among all
	idle      sync.Pool // of *Ranking
}

// Collect describes an index: how many chunks each document has, and how many
// terms the body of each chunk, one document after the other. It panics when
// they are not as many as the documents have, or more than 2³¹-1.
func (p BM25) Collect(chunks, lengths []int32) *Collection {
	c := &Collection{
		model:     p,
		starts:    make([]int32, len(chunks)+1),
		documents: make([]int32, len(lengths)),
		damping:   make([]float64, len(lengths)),
		long:      make([]float64, len(chunks)),
	}
	terms, at := 0, 0
	for d, n := range chunks {
		if n < 0 || int(n) > len(lengths)-at {
			panic(fmt.Sprintf("rank: document %d has %d chunks, where %d are left", d, n, len(lengths)-at))
		}
		for i := at; i < at+int(n); i++ {
			c.documents[i] = int32(d)
			c.long[d] += float64(lengths[i])
		}
		terms += int(c.long[d])
		at += int(n)
		c.starts[d+1] = int32(at)
	}
	if at != len(lengths) {
		panic(fmt.Sprintf("rank: %d chunks are of no document", len(lengths)-at))
	}
	for i, n := range lengths {
		c.damping[i] = p.damp(float64(n), float64(terms)/float64(len(lengths)))
	}
	for d, n := range c.long {
		c.long[d] = p.damp(n, float64(terms)/float64(len(c.long)))
	}
	return c
}

// Chunks returns how many chunks there are: positions go from 0 to below it.
func (c *Collection) Chunks() int { return len(c.documents) }

// lightShare is for how many chunks there may be one that holds a light term.
const lightShare = 8

// Common reports whether a term that n chunks hold says too little to count,
// were it a light one: more than one in eight holds it.
func (c *Collection) Common(n int) bool { return n*lightShare > len(c.documents) }

// Documents returns how many documents there are.
func (c *Collection) Documents() int { return len(c.long) }

// Range returns where the chunks of a document stand: from start to below end.
func (c *Collection) Range(document int) (start, end int) {
	return int(c.starts[document]), int(c.starts[document+1])
}
