package rank_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir/internal/rank"
)

// query is terms with their postings.
type query []struct {
	weight   float64
	postings []rank.Posting
}

func ranking(c *rank.Collection, q query) *rank.Ranking {
	r := c.Rank()
	for _, t := range q {
		r.Add(t.weight, t.postings)
	}
	return r
}

func byPosition(a, b int) bool { return a < b }

func TestRankingByHand(t *testing.T) {
	p := rank.BM25{K1: 1.2, B: .75}
	c := p.Collect([]int32{2, 0, 1, 1}, []int32{10, 10, 10, 10})
	idf := func(n int) float64 { return math.Log(1 + (4-float64(n)+.5)/(float64(n)+.5)) }
	r := ranking(c, query{{1, []rank.Posting{{0, 1}, {1, 3}}}, {2, []rank.Posting{{3, 1}}}})
	bound := 2.2 * (idf(2) + 2*idf(1))
	want := []rank.Scored{
		{3, 2 * idf(1) / bound},
		{1, idf(2) * 3 * 2.2 / (3 + 1.2) / bound},
		{0, idf(2) / bound},
	}
	if diff := gocmp.Diff(r.Top(9, nil, byPosition), want, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("ranking (-got +want):\n%s", diff)
	}
	if got := r.Score(2); got != 0 {
		t.Errorf("a chunk without a term: got %v, want 0", got)
	}
	if diff := gocmp.Diff(r.Among([]int{0, 2, 1}, 9, byPosition), want[1:], cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("ranking of some (-got +want):\n%s", diff)
	}
	if diff := gocmp.Diff(r.Top(1, func(i int) bool { return i != 3 }, byPosition), want[1:2], cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("the best of those that pass (-got +want):\n%s", diff)
	}
	for _, limit := range []int{0, -1} {
		if got := r.Top(limit, nil, byPosition); len(got) != 0 {
			t.Errorf("the best %d: got %v", limit, got)
		}
	}
}

func TestRankingEdges(t *testing.T) {
	if got := rank.DefaultBM25.Collect(nil, nil).Rank().Top(5, nil, byPosition); len(got) != 0 {
		t.Errorf("an empty index: got %v", got)
	}
	c := rank.DefaultBM25.Collect([]int32{2, 2}, []int32{0, 0, 0, 0})
	if got := ranking(c, query{{1, nil}}).Top(5, nil, byPosition); len(got) != 0 {
		t.Errorf("a term that no chunk holds: got %v", got)
	}
	got := ranking(c, query{{1, []rank.Posting{{0, 1}, {1, 1}, {2, 1}, {3, 1}}}}).Top(5, nil, func(a, b int) bool { return a > b })
	if len(got) != 4 || got[0].Chunk != 3 || got[3].Chunk != 0 || !(got[0].Score > 0) || got[0].Score != got[3].Score {
		t.Errorf("a term in every chunk: got %v, want four equal positive scores, the last chunk first", got)
	}
}

// What is released is as new.
func TestRankingAgain(t *testing.T) {
	c := rank.DefaultBM25.Collect([]int32{2, 1}, []int32{3, 4, 5})
	q := query{{1, []rank.Posting{{0, 1}, {2, 2}}}, {.5, []rank.Posting{{1, 1}}}}
	want := ranking(c, q).Top(9, nil, byPosition)
	for range 5 {
		r := ranking(c, q)
		if diff := gocmp.Diff(r.Top(9, nil, byPosition), want); diff != "" {
			t.Fatalf("again (-got +want):\n%s", diff)
		}
		r.Release()
	}
}

// The whole is what the formula says, computed without any haste.
func TestRankingFormula(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		p := rank.BM25{K1: rng.Float64() * 2, B: rng.Float64(), Parent: rng.Float64()}
		chunks := make([]int32, 1+rng.IntN(12))
		var lengths []int32
		for d := range chunks {
			chunks[d] = rng.Int32N(6)
			for range chunks[d] {
				lengths = append(lengths, rng.Int32N(40))
			}
		}
		var q query
		for range 1 + rng.IntN(6) {
			q = append(q, query{{.25 + rng.Float64()*4, nil}}...)
			for i := range lengths {
				if rng.IntN(3) == 0 {
					q[len(q)-1].postings = append(q[len(q)-1].postings, rank.Posting{int32(i), float32(1+rng.IntN(400)) / 4})
				}
			}
		}
		want := slowly(p, chunks, lengths, q)
		c := p.Collect(chunks, lengths)
		if diff := gocmp.Diff(ranking(c, q).Top(len(lengths), nil, byPosition), want, cmpopts.EquateApprox(1e-12, 0), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("ranking (-got +want):\n%s", diff)
		}
		for _, s := range want {
			if !(s.Score > 0 && s.Score <= 1) {
				t.Fatalf("score %v of chunk %d is not in (0, 1]", s.Score, s.Chunk)
			}
		}
		// Fewer are the head of more, in whatever order the postings come.
		for _, t := range q {
			rng.Shuffle(len(t.postings), func(i, j int) { t.postings[i], t.postings[j] = t.postings[j], t.postings[i] })
		}
		exact := ranking(c, q).Top(len(lengths), nil, byPosition)
		for limit := range len(exact) {
			if diff := gocmp.Diff(ranking(c, q).Top(limit, nil, byPosition), exact[:limit], cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("the best %d (-got +want):\n%s", limit, diff)
			}
		}
	}
}

func slowly(p rank.BM25, chunks, lengths []int32, q query) []rank.Scored {
	var document []int
	total, size := 0.0, make([]float64, len(chunks))
	for d, n := range chunks {
		for range n {
			size[d] += float64(lengths[len(document)])
			document = append(document, d)
		}
		total += size[d]
	}
	idf := func(n, of int) float64 { return math.Log(1 + (float64(of-n)+.5)/(float64(n)+.5)) }
	saturate := func(count, length, average float64) float64 {
		norm := 1.0
		if average > 0 {
			norm = 1 - p.B + p.B*length/average
		}
		return count * (p.K1 + 1) / (count + p.K1*norm)
	}
	bound, scores, whole := 0.0, map[int]float64{}, map[int]float64{}
	for _, t := range q {
		counts := map[int]float64{}
		for _, o := range t.postings {
			counts[document[o.Chunk]] += float64(o.Count)
		}
		rare, rareDocument := idf(len(t.postings), len(lengths)), idf(len(counts), len(chunks))
		for _, o := range t.postings {
			scores[int(o.Chunk)] += t.weight * rare * saturate(float64(o.Count), float64(lengths[o.Chunk]), total/float64(len(lengths)))
		}
		for d, n := range counts {
			whole[d] += t.weight * min(rare, rareDocument) * saturate(n, size[d], total/float64(len(chunks)))
		}
		bound += t.weight * rare * (p.K1 + 1)
	}
	var out []rank.Scored
	for i, s := range scores {
		out = append(out, rank.Scored{Chunk: i, Score: min(((1-p.Parent)*s+p.Parent*whole[document[i]])/bound, 1)})
	}
	slices.SortFunc(out, func(a, b rank.Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Chunk, b.Chunk))
	})
	return out
}

func BenchmarkRanking(b *testing.B) {
	for _, size := range []struct {
		name   string
		chunks int
	}{{"6k", 6_600}, {"100k", 100_000}, {"1M", 1_000_000}} {
		chunks, lengths := make([]int32, size.chunks/10), make([]int32, size.chunks)
		for d := range chunks {
			chunks[d] = 10
		}
		for i := range lengths {
			lengths[i] = 90
		}
		rng := rand.New(rand.NewPCG(3, 4))
		var q query
		for _, share := range []float64{.003, .01, .02, .05, .1, .15} {
			q = append(q, query{{1, nil}}...)
			for i := range lengths {
				if rng.Float64() < share {
					q[len(q)-1].postings = append(q[len(q)-1].postings, rank.Posting{int32(i), 1 + float32(rng.IntN(2))})
				}
			}
		}
		b.Run(size.name, func(b *testing.B) {
			c := rank.DefaultBM25.Collect(chunks, lengths)
			for b.Loop() {
				r := ranking(c, q)
				r.Top(50, nil, byPosition)
				r.Release()
			}
		})
	}
}
