package rank

// A Counted is a term of a query, with the number of chunks and documents that
// hold it among all that are ranked together.
type Counted struct {
	Weight float64 // a term whose weight is not above 0 does not count
	Role   Role
	Light  bool // such a term does not count when it is common, as [Collection.Common] says
	Spread
}

// A Held is how often a chunk, and its document, hold each term of a query, in
// the order of the terms. Occurrences are weighted by field.
type Held struct {
	Length, DocumentLength int // terms in the chunk's body, and in the bodies of all chunks of its document
	Chunk, Document        []float32
}

// Score returns the score of each chunk, 0 for one that no term finds, and the highest
// BM25 that the query could reach. From the
// figures alone it computes exactly, to the last bit, what a [Ranking] of the
// whole collection gives.
func (p BM25) Score(all Totals, terms []Counted, texts []Held) (scores []float64, reach float64) {
	chunks, whole := make([]float64, len(texts)), make([]float64, len(texts))
	damping, long := make([]float64, len(texts)), make([]float64, len(texts))
	for i, x := range texts {
		damping[i] = p.damp(float64(x.Length), float64(all.Terms)/float64(all.Chunks))
		long[i] = p.damp(float64(x.DocumentLength), float64(all.Terms)/float64(all.Documents))
	}
	saturated := p.K1 + 1
	for _, supports := range []bool{false, true} {
		for at, t := range terms {
			if !(t.Weight > 0) || (t.Role == Supports) != supports || t.Light && Common(t.Chunks, all.Chunks) {
				continue
			}
			idf := InverseFrequency(t.Chunks, all.Chunks)
			if t.Role != Alternative {
				reach += t.Weight * idf * saturated
			}
			scale := t.Weight * idf
			for i, x := range texts {
				if c := float64(x.Chunk[at]); c > 0 && (!supports || chunks[i] > 0) {
					chunks[i] += scale * (c * saturated / (c + damping[i]))
				}
			}
			scale = t.Weight * min(idf, InverseFrequency(t.Documents, all.Documents))
			for i, x := range texts {
				if c := float64(x.Document[at]); c > 0 && (!supports || whole[i] > 0) {
					whole[i] += scale * (c * saturated / (c + long[i]))
				}
			}
		}
	}
	for i := range chunks {
		if chunks[i] > 0 {
			chunks[i] = min(((1-p.Parent)*chunks[i]+p.Parent*whole[i])/reach, 1)
		}
	}
	return chunks, reach
}
