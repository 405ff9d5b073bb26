package rank

import (
	"cmp"
	"math"
	"slices"
)

// BM25 ranks chunks by the terms that they hold (Robertson and Zaragoza, "The
// Probabilistic Relevance Framework: BM25 and Beyond", 2009), with counts
// weighted by field as in BM25F and the score of the whole document mixed in.
// The inverse document frequency is the variant that never turns negative,
// ln(1 + (N-n+.5)/(n+.5)), so a term that most chunks hold still counts.
type BM25 struct {
	K1     float64 // saturation of repeated terms
	B      float64 // how much length counts, 0 to 1
	Parent float64 // weight of the document's own score, 0 to 1; the chunk's is 1-Parent
}

// DefaultBM25 holds the values chosen by measurement; docs/quality.md has the figures.
var DefaultBM25 = BM25{K1: 0.9, B: 0.75, Parent: 0.4}

// FieldWeights says how much one occurrence in each field of a chunk counts:
// title, heading path, date, body. They are multiples of 1/4, so that sums of
// them are exact and do not depend on the order of the occurrences.
var FieldWeights = [4]float64{1, 1.25, 1, 1}

// Corpus describes the whole index.
type Corpus struct {
	Chunks         int
	Documents      int
	ChunkLength    float64 // average, in terms
	DocumentLength float64 // average, in terms
}

// An Occurrence is one chunk that holds a term.
type Occurrence struct {
	Chunk int64
	Count float64 // > 0, weighted by field
}

// A QueryTerm is one term of a query with the chunks that hold it.
type QueryTerm struct {
	Weight      float64      // > 0
	Occurrences []Occurrence // distinct chunks, any order
}

// A Place says where a chunk stands and how long chunk and document are, in terms.
type Place struct {
	Document       int64
	Length         float64
	DocumentLength float64
}

// A Scored is a chunk with its score.
type Scored struct {
	Chunk int64
	Score float64
}

// Rank scores every chunk that holds a term. place is called for each such
// chunk once. Scores lie in (0, 1): the sum of the terms' scores as a share of
// what a chunk full of every term would get. The order is by score, highest
// first, then by chunk.
func (p BM25) Rank(corpus Corpus, terms []QueryTerm, place func(chunk int64) Place) []Scored {
	s := scorer{BM25: p, corpus: corpus, places: map[int64]Place{}, chunks: map[int64]float64{}, documents: map[int64]float64{}}
	var bound float64
	for _, t := range terms {
		bound += s.add(t, place)
	}
	if bound == 0 {
		return nil
	}
	out := make([]Scored, 0, len(s.chunks))
	for chunk, score := range s.chunks {
		total := (1-p.Parent)*score + p.Parent*s.documents[s.places[chunk].Document]
		out = append(out, Scored{chunk, min(total/bound, 1)})
	}
	slices.SortFunc(out, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Chunk, b.Chunk))
	})
	return out
}

type scorer struct {
	BM25
	corpus    Corpus
	places    map[int64]Place
	chunks    map[int64]float64 // score by chunk
	documents map[int64]float64 // score by document
}

// add adds the scores of one term and returns the highest score that the term could give.
func (s *scorer) add(t QueryTerm, place func(int64) Place) float64 {
	idf := s.idf(len(t.Occurrences), s.corpus.Chunks)
	counts := map[int64]float64{}
	for _, o := range t.Occurrences {
		pl, ok := s.places[o.Chunk]
		if !ok {
			pl = place(o.Chunk)
			s.places[o.Chunk] = pl
		}
		counts[pl.Document] += o.Count
		s.chunks[o.Chunk] += t.Weight * idf * s.saturate(o.Count, pl.Length, s.corpus.ChunkLength)
	}
	if s.Parent > 0 {
		lengths := map[int64]float64{}
		for _, o := range t.Occurrences {
			pl := s.places[o.Chunk]
			lengths[pl.Document] = pl.DocumentLength
		}
		didf := s.idf(len(counts), s.corpus.Documents)
		for d, c := range counts {
			s.documents[d] += t.Weight * min(idf, didf) * s.saturate(c, lengths[d], s.corpus.DocumentLength)
		}
	}
	return t.Weight * idf * (s.K1 + 1)
}

func (s *scorer) idf(n, total int) float64 {
	return math.Log(1 + (float64(max(total-n, 0))+.5)/(float64(n)+.5))
}

func (s *scorer) saturate(count, length, average float64) float64 {
	norm := 1.0
	if average > 0 {
		norm = 1 - s.B + s.B*length/average
	}
	return count * (s.K1 + 1) / (count + s.K1*norm)
}
