package rank_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir/internal/rank"
)

// corpus of four chunks in three documents, all of average length.
func place(chunk int64) rank.Place {
	return rank.Place{Document: min(chunk, 3), Length: 10, DocumentLength: 20}
}

var corpus = rank.Corpus{Chunks: 4, Documents: 3, ChunkLength: 10, DocumentLength: 20}

func TestRankByHand(t *testing.T) {
	p := rank.BM25{K1: 1.2, B: .75}
	idf := func(n int) float64 { return math.Log(1 + (4-float64(n)+.5)/(float64(n)+.5)) }
	got := p.Rank(corpus, []rank.QueryTerm{
		{Weight: 1, Occurrences: []rank.Occurrence{{Chunk: 1, Count: 1}, {Chunk: 2, Count: 3}}},
		{Weight: 2, Occurrences: []rank.Occurrence{{Chunk: 4, Count: 1}}},
	}, place)
	bound := 2.2 * (idf(2) + 2*idf(1))
	want := []rank.Scored{
		{Chunk: 4, Score: 2 * idf(1) / bound},
		{Chunk: 2, Score: idf(2) * 3 * 2.2 / (3 + 1.2) / bound},
		{Chunk: 1, Score: idf(2) / bound},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("ranking differs (-want +got):\n%s", diff)
	}
}

func TestRankEdges(t *testing.T) {
	p := rank.DefaultBM25
	if got := p.Rank(corpus, nil, place); got != nil {
		t.Errorf("no terms: got %v, want nothing", got)
	}
	if got := p.Rank(corpus, []rank.QueryTerm{{Weight: 1}}, place); len(got) != 0 {
		t.Errorf("term that no chunk holds: got %v, want nothing", got)
	}
	everywhere := []rank.Occurrence{{1, 1}, {2, 1}, {3, 1}, {4, 1}}
	got := p.Rank(corpus, []rank.QueryTerm{{Weight: 1, Occurrences: everywhere}}, place)
	if len(got) != 4 || !(got[3].Score > 0) {
		t.Errorf("term in every chunk: got %v, want four positive scores", got)
	}
	for i, s := range got[1:] {
		if prev := got[i]; s.Score > prev.Score || s.Score == prev.Score && s.Chunk < prev.Chunk {
			t.Errorf("order: %v before %v", prev, s)
		}
	}
}

// A long chunk must beat neither a short one with the same count nor leave (0, 1).
func TestRankBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + rng.IntN(50)
		var terms []rank.QueryTerm
		for range 1 + rng.IntN(6) {
			term := rank.QueryTerm{Weight: .25 + rng.Float64()*4}
			for c := range n {
				if rng.IntN(3) == 0 {
					term.Occurrences = append(term.Occurrences, rank.Occurrence{Chunk: int64(c), Count: float64(1+rng.IntN(400)) / 4})
				}
			}
			terms = append(terms, term)
		}
		at := func(c int64) rank.Place {
			return rank.Place{Document: c / 3, Length: float64(1 + c*7%40), DocumentLength: float64(1 + c*11%90)}
		}
		for _, s := range rank.DefaultBM25.Rank(rank.Corpus{Chunks: n, Documents: n/3 + 1, ChunkLength: 20, DocumentLength: 45}, terms, at) {
			if !(s.Score > 0 && s.Score <= 1) {
				t.Fatalf("score %v of chunk %d is not in (0, 1]", s.Score, s.Chunk)
			}
		}
	}
}

// The same index built in another order must give the same bits.
func TestRankIgnoresOrderOfOccurrences(t *testing.T) {
	occ := []rank.Occurrence{{1, 1.5}, {2, 1.25}, {3, 4.75}, {4, 2.5}}
	a := rank.DefaultBM25.Rank(corpus, []rank.QueryTerm{{Weight: 1.3, Occurrences: occ}}, place)
	for range 20 {
		rand.Shuffle(len(occ), func(i, j int) { occ[i], occ[j] = occ[j], occ[i] })
		b := rank.DefaultBM25.Rank(corpus, []rank.QueryTerm{{Weight: 1.3, Occurrences: occ}}, place)
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatalf("scores depend on the order (-first +now):\n%s", diff)
		}
	}
}

func BenchmarkRank(b *testing.B) {
	const chunks = 6600
	var terms []rank.QueryTerm
	rng := rand.New(rand.NewPCG(3, 4))
	for _, df := range []int{20, 60, 150, 300, 500, 900} {
		var t rank.QueryTerm
		t.Weight = 1
		for _, c := range rng.Perm(chunks)[:df] {
			t.Occurrences = append(t.Occurrences, rank.Occurrence{Chunk: int64(c), Count: 1})
		}
		terms = append(terms, t)
	}
	at := func(c int64) rank.Place { return rank.Place{Document: c / 18, Length: 90, DocumentLength: 1600} }
	c := rank.Corpus{Chunks: chunks, Documents: chunks / 18, ChunkLength: 90, DocumentLength: 1600}
	for b.Loop() {
		rank.DefaultBM25.Rank(c, terms, at)
	}
}
