package main

import (
	"cmp"
	"slices"
	"sync"
)

// exact keeps the nearest of all vectors to each question, measured in double
// precision. It is the truth that recall is counted against.
type exact struct {
	questions [][]float32
	limit     int
	nearest   [][]near // of each question, best first
}

// near is a vector by its number.
type near struct {
	number int
	cosine float64
}

func newExact(questions [][]float32, limit int) *exact {
	return &exact{questions, limit, make([][]near, len(questions))}
}

// add looks at vectors of unit length, numbered from first.
func (e *exact) add(first int, vectors [][]float32) {
	var all sync.WaitGroup
	for q := range e.questions {
		all.Go(func() { e.nearest[q] = e.merge(e.nearest[q], e.questions[q], first, vectors) })
	}
	all.Wait()
}

func (e *exact) merge(best []near, question []float32, first int, vectors [][]float32) []near {
	least := -2.0
	if len(best) == e.limit {
		least = best[len(best)-1].cosine
	}
	for i, v := range vectors {
		var dot float64
		for j, x := range v {
			dot += float64(x) * float64(question[j])
		}
		if dot > least {
			best = append(best, near{first + i, dot})
		}
	}
	slices.SortFunc(best, func(a, b near) int { return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.number, b.number)) })
	return best[:min(len(best), e.limit)]
}

// recall returns which share of the first k that are right is among the first k
// that were found, over all questions.
func (e *exact) recall(found [][]int, k int) float64 {
	right, all := 0, 0
	for q, best := range e.nearest {
		for _, n := range best[:min(k, len(best))] {
			all++
			if slices.Contains(found[q][:min(k, len(found[q]))], n.number) {
				right++
			}
		}
	}
	return float64(right) / float64(all)
}
