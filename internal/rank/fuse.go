package rank

// Fusion names a way to compute one score from a text score and a vector score.
type Fusion string

// The fusions. Convex is the default.
const (
	// Convex is the weighted mean of both scores (Bruch, Gai and Ingber, "An
	// Analysis of Fusion Functions for Hybrid Retrieval", 2023). Both scores are
	// computed for every candidate, whichever list it comes from.
	Convex Fusion = "convex"
	// WeightedSum is OpenClaw's: a weighted sum in which a list that did not
	// return the candidate counts 0.
	WeightedSum Fusion = "weighted-sum"
	// RRF is reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009) with
	// the constant 60. It is scaled so that a candidate which is first in both
	// lists gets 1.
	RRF Fusion = "rrf"
)

// rankConstant damps the head of the lists in [RRF].
const rankConstant = 60

// A Candidate is what both lists say of one chunk.
type Candidate struct {
	Text, Vector         float64 // scores in [0, 1]
	TextRank, VectorRank int     // place in each list from 1; 0: not in it
}

// Weights are the shares of the lists; they add up to 1.
type Weights struct{ Text, Vector float64 }

// Normalize scales weights to a sum of 1. If both are 0 or one is negative,
// each becomes one half.
func (w Weights) Normalize() Weights {
	sum := w.Text + w.Vector
	if w.Text < 0 || w.Vector < 0 || !(sum > 0) {
		return Weights{.5, .5}
	}
	return Weights{w.Text / sum, w.Vector / sum}
}

// Score returns the fused score in [0, 1].
func (f Fusion) Score(w Weights, c Candidate) float64 {
	switch f {
	case RRF:
		return (rankConstant + 1) * (w.Text*reciprocal(c.TextRank) + w.Vector*reciprocal(c.VectorRank))
	case WeightedSum:
		if c.TextRank == 0 {
			c.Text = 0
		}
		if c.VectorRank == 0 {
			c.Vector = 0
		}
	}
	return w.Text*c.Text + w.Vector*c.Vector
}

func reciprocal(rank int) float64 {
	if rank == 0 {
		return 0
	}
	return 1 / float64(rankConstant+rank)
}
