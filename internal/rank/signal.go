package rank

import "math"

// Raise increases a score by a share of itself, which shrinks as the score
// nears 1: score · (1 + gain·(1-score)). For a gain from 0 to 1 the result lies
// in [0, 1], grows with the score, and is at most 1+gain times the score.
func Raise(score, gain float64) float64 { return score + score*(1-score)*gain }

// Proximity is how near a day is: 1 at a distance of 0 days, falling evenly to 0
// at the end of the window.
func Proximity(days, window float64) float64 {
	if days <= 0 {
		return 1
	}
	return max(0, 1-days/window)
}

// Decay is what is left at an age: half of what is above the floor is lost with
// each half-life. What is of the future is as new as what is of today.
func Decay(days, halfLife, floor float64) float64 {
	return floor + (1-floor)*math.Exp2(-max(0, days)/halfLife)
}

// Frequency maps a count to [0, 1]: each further one says less, and ten say all.
func Frequency(n int) float64 {
	if n <= 0 {
		return 0
	}
	return min(1, math.Log1p(float64(n))/math.Log1p(10))
}

// Diversify is maximal marginal relevance (Carbonell and Goldstein, 1998) in a
// form that keeps scores: of what is left, it takes n times the item whose
// score · (1 - (1-lambda)·s) is the highest, where s is its similarity in [0, 1]
// to the most similar item taken before. Scores are in descending order; of
// equal items the first is taken. It returns what was taken, and the scores with
// which it was: they descend, too, because what is taken only ever lowers the rest.
func Diversify(scores []float64, lambda float64, n int, similarity func(i, j int) float64) (taken []int, adjusted []float64) {
	n = min(n, len(scores))
	bound := append([]float64(nil), scores...) // no item's value is higher
	seen := make([]int, len(scores))           // how many of the taken the bound knows; -1: taken itself
	for len(taken) < n {
		best := -1
		for i, b := range bound {
			if best >= 0 && scores[i] <= bound[best] {
				break // the rest scores less still
			}
			if seen[i] >= 0 && (best < 0 || b > bound[best]) {
				best = i
			}
		}
		if seen[best] == len(taken) {
			seen[best] = -1
			taken, adjusted = append(taken, best), append(adjusted, bound[best])
			continue
		}
		for ; seen[best] < len(taken); seen[best]++ {
			s := similarity(best, taken[seen[best]])
			bound[best] = min(bound[best], scores[best]*(1-(1-lambda)*s))
		}
	}
	return taken, adjusted
}

// Jaccard is the share of the words of either set that both have; two empty
// sets share nothing.
func Jaccard(a, b map[string]bool) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
