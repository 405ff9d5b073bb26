package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/rank"
)

// figures are what odds are worth on a set, in the order of [heads].
type figures [6]float64

// heads says what figures are: how well right first hits are told from those of
// foreign questions; how many of each are confident; how far the relevance is from
// the share of right ones (expected calibration error in ten bins); how far it
// would be by chance, if it were exact; how far it is when the share of right ones
// of the set is known.
const heads = "    AUROC    right  foreign      ECE by chance    share"

func (f figures) String() (line string) {
	for _, x := range f {
		line += fmt.Sprintf(" %8.3f", x)
	}
	return line
}

// draws is how often the answers of exact odds are drawn.
const draws = 100

// measure measures odds on the first hits of a set.
func measure(found []first, odds rank.Odds) figures {
	p := relevance(found, odds)
	var high, low []float64
	truth := make([]bool, len(found))
	for i, f := range found {
		if truth[i] = f.right; f.right {
			high = append(high, p[i])
		} else if f.foreign {
			low = append(low, p[i])
		}
	}
	random, drawn, chance := rand.New(rand.NewPCG(1, 2)), make([]bool, len(p)), 0.0
	for range draws {
		for i := range p {
			drawn[i] = random.Float64() < p[i]
		}
		chance += calibrationError(p, drawn) / draws
	}
	return figures{auroc(high, low), confident(high, rank.Confident), confident(low, rank.Confident),
		calibrationError(p, truth), chance, calibrationError(relevance(found, shifted(found, odds)), truth)}
}

func relevance(found []first, odds rank.Odds) []float64 {
	p := make([]float64, len(found))
	for i, f := range found {
		p[i] = min(max(odds.Relevance(f.evidence), f.least), f.most)
	}
	return p
}

// shifted returns odds whose mean relevance is the share of right hits.
func shifted(found []first, odds rank.Odds) rank.Odds {
	low, high := odds.Bias-20, odds.Bias+20
	for range 50 {
		odds.Bias = (low + high) / 2
		over := 0.0
		for i, p := range relevance(found, odds) {
			over += p
			if found[i].right {
				over--
			}
		}
		if over > 0 {
			high = odds.Bias
		} else {
			low = odds.Bias
		}
	}
	return odds
}

// bins are how far relevance and truth are apart, by tenths of relevance.
type bins [10]float64

func (b *bins) add(p float64, right bool, weight float64) {
	at := &b[min(9, int(p*10))]
	*at += p * weight
	if right {
		*at -= weight
	}
}

func (b *bins) sum() (sum float64) {
	for _, x := range b {
		sum += math.Abs(x)
	}
	return sum
}

func calibrationError(p []float64, right []bool) float64 {
	var b bins
	for i := range p {
		b.add(p[i], right[i], 1/float64(len(p)))
	}
	return b.sum()
}

// confident is the share of a list that reaches a border.
func confident(list []float64, border float64) float64 {
	n := 0
	for _, p := range list {
		if p >= border {
			n++
		}
	}
	return float64(n) / float64(len(list))
}

// A held set is one with the relevance that odds give its first hits which were
// fitted without it.
type held struct {
	name  string
	found []first
	p     []float64
}

// hold leaves each of some sets out, and of the others those that are named.
func hold(sets, of []*subset, mode memoir.Mode, without ...string) (all []held) {
	for _, s := range of {
		odds := fit(sets, mode, append(slices.Clone(without), s.Name)...)
		all = append(all, held{s.Name, s.found[mode], relevance(s.found[mode], odds)})
	}
	return all
}

// shares returns the mean share of right first hits, and that of foreign questions,
// at or above a border.
func shares(all []held, border float64) (right, foreign float64) {
	for _, h := range all {
		var high, low []float64
		for i, f := range h.found {
			if f.right {
				high = append(high, h.p[i])
			} else if f.foreign {
				low = append(low, h.p[i])
			}
		}
		right += confident(high, border) / float64(len(all))
		foreign += confident(low, border) / float64(len(all))
	}
	return right, foreign
}

// summarize prints means and spreads over the sets of a size that have foreign
// questions, the calibration error of all their questions together, where each set
// counts as much as another, and what other borders would do.
func summarize(sets []*subset, mode memoir.Mode, documents, beside int) {
	var of []*subset
	var each []figures
	for _, s := range sets {
		if s.documents == documents && s.beside == beside && slices.ContainsFunc(s.found[mode], func(f first) bool { return f.foreign }) {
			of, each = append(of, s), append(each, measure(s.found[mode], fit(sets, mode, s.Name)))
		}
	}
	mean, spread := meanOf(each)
	all := hold(sets, of, mode)
	var together bins
	for _, h := range all {
		for i, p := range h.p {
			together.add(p, h.found[i].right, 1/float64(len(h.p)*len(all)))
		}
	}
	fmt.Printf("%-22s%s\n%-22s%s\nECE of all together %.3f\n", fmt.Sprintf("mean, %d, %d", documents, beside), mean, "spread", spread, together.sum())
	for border := 25; border <= 45; border += 5 {
		right, foreign := shares(all, float64(border)/100)
		fmt.Printf("border .%d: right %.3f, foreign %.3f\n", border, right, foreign)
	}
	nested(sets, of, all, mode)
}

func meanOf(each []figures) (mean, spread figures) {
	n := float64(len(each))
	for i := range mean {
		for _, f := range each {
			mean[i] += f[i] / n
		}
		for _, f := range each {
			spread[i] += (f[i] - mean[i]) * (f[i] - mean[i]) / (n - 1)
		}
		spread[i] = math.Sqrt(spread[i])
	}
	return mean, spread
}

// wanted is how many foreign questions may have a confident hit.
const wanted = .03

// nested chooses for each set the border at which the others, each left out, too,
// have as few confident foreign questions as is wanted, and measures it there.
func nested(sets, of []*subset, all []held, mode memoir.Mode) {
	var right, foreign float64
	for i, s := range of {
		others := hold(sets, slices.Delete(slices.Clone(of), i, i+1), mode, s.Name)
		border := 20
		for ; border < 90; border++ {
			if _, f := shares(others, float64(border)/100); f <= wanted {
				break
			}
		}
		r, f := shares(all[i:i+1], float64(border)/100)
		fmt.Printf("%-22s border .%d by the others: right %.3f, foreign %.3f\n", s.Name, border, r, f)
		right, foreign = right+r/float64(len(of)), foreign+f/float64(len(of))
	}
	fmt.Printf("mean at those borders: right %.3f, foreign %.3f\n", right, foreign)
}
