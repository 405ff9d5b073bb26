package search

import (
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/querylang"
)

const (
	// occasionPool is how many of the first chunks are compared by their days where the
	// last or the first time is asked for: what happens each week has 52 in a year.
	occasionPool = 50
	// asWell is the share of the best score, and of the best score by words alone, from
	// which on a chunk answers about as well as the best. It was measured
	// (docs/design/signals.md).
	asWell = .6
)

// pool returns how many of the first chunks are compared by their days.
func (s *search) pool() int {
	switch {
	case *s.searcher.cfg.Ranking.Signals.RecencyWeight == 0:
		return 0
	case s.asked.occasion != "":
		return occasionPool
	case s.asked.latest:
		return recencyPool
	}
	return 0
}

// preferOccasion lets those of the first chunks that answer about as well as the best
// change places: the newest comes first, or the oldest, as the query asks. Their scores
// stay where they were, in the order that they had. A chunk without a date, or with a date
// in the future, keeps its place.
func (s *search) preferOccasion(pool []*candidate) {
	score, share := 0.0, 0.0
	for _, f := range pool {
		score, share = max(score, f.score), max(share, f.share)
	}
	var places []int
	var scores []float64
	var chosen []*candidate
	for i, f := range pool {
		if day, ok := date(&f.ChunkMeta); ok && !day.After(s.today) && f.score >= asWell*score && f.share >= asWell*share {
			places, scores, chosen = append(places, i), append(scores, f.score), append(chosen, f)
		}
	}
	slices.SortStableFunc(chosen, func(a, b *candidate) int {
		if s.asked.occasion == querylang.First {
			return strings.Compare(a.Date, b.Date)
		}
		return strings.Compare(b.Date, a.Date)
	})
	for i, f := range chosen {
		pool[places[i]] = f
		f.setScore(explain.SignalRecency, 1, scores[i])
	}
}
