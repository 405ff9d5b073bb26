package search

import (
	"slices"
	"sync"
)

// How many past searches the adaptive threshold considers, and how many it
// needs.
const (
	maxRecent = 64
	minRecent = 8
)

// recentScores are the best scores of the last searches, oldest first.
type recentScores struct {
	mu     sync.Mutex // guards the fields below
	scores []float64
}

// add records a score and returns the median of the earlier ones, or 0 while
// there are too few.
func (r *recentScores) add(score float64) (median float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.scores) >= minRecent {
		median = slices.Sorted(slices.Values(r.scores))[len(r.scores)/2]
	}
	if len(r.scores) == maxRecent {
		r.scores = slices.Delete(r.scores, 0, 1)
	}
	r.scores = append(r.scores, score)
	return median
}

// setThreshold raises the minimum score to a share of what the best hit of a
// search usually has, if that is wanted. It leaves alone a list of what passes
// a filter, which has no scores to compare.
func (s *search) setThreshold(all []*candidate) {
	share := s.searcher.cfg.Ranking.Signals.AdaptiveThreshold
	if share > 0 && s.asked.text != "" && len(all) > 0 && all[0].score > 0 {
		s.query.MinScore = max(s.query.MinScore, round(share*s.searcher.recent.add(all[0].score)))
	}
}
