package search

import (
	"cmp"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/rank"
)

// scrapShare is the share of what the words say for a scrap from which on they say
// as much for a passage with text: a scrap is short, so its words weigh more
// (docs/design/chunking.md).
const scrapShare = .3

// placeScraps moves chunks that say nothing behind those that answer better: each
// chunk with text that holds the same words of the query or is confident. A scrap
// with words of the query stands before the rest, which are only near in meaning. It
// expects the candidates in order and orders them anew.
func (s *search) placeScraps(all []*candidate) {
	if !slices.ContainsFunc(all, isScrap) {
		return
	}
	r := s.rivals(all)
	last := 1.0
	for _, f := range all {
		if !isScrap(f) {
			continue
		}
		below, above := r.around(scrapShare * f.share)
		score := f.score
		if score <= above {
			score = above + (1-above)*score
		}
		last = max(min(score, last, below-1e-6), 1e-6)
		f.setScore(explain.SignalScrap, 1, last)
	}
	sortFound(all)
}

// isScrap reports whether a candidate that was found says nothing.
func isScrap(f *candidate) bool { return f.score != 0 && f.Labels.Has(memoir.LabelScrap) }

// rivals are the scores of the chunks with text, for finding a scrap's place among them.
type rivals struct {
	confident float64   // the lowest score of the confident; 1 when none is
	shares    []float64 // what the words say for the others, the largest first
	lowest    []float64 // lowest[i] is the lowest score of those up to i
	highest   []float64 // highest[i] is the highest score of those from i on
}

// rivals returns those of the candidates.
func (s *search) rivals(all []*candidate) rivals {
	r := rivals{confident: 1}
	var others []*candidate
	for _, f := range all {
		switch {
		case f.score == 0 || isScrap(f):
		case s.odds(f) >= rank.Confident:
			r.confident = min(r.confident, f.score)
		default:
			others = append(others, f)
		}
	}
	slices.SortFunc(others, func(a, b *candidate) int { return cmp.Compare(b.share, a.share) })
	for _, f := range others {
		r.shares, r.lowest, r.highest = append(r.shares, f.share), append(r.lowest, f.score), append(r.highest, f.score)
	}
	for i := 1; i < len(others); i++ {
		r.lowest[i] = min(r.lowest[i], r.lowest[i-1])
		j := len(others) - 1 - i
		r.highest[j] = max(r.highest[j], r.highest[j+1])
	}
	return r
}

// around returns the lowest score of the chunks that are confident or for which the
// words say at least share, 1 when there are none, and the highest of the rest, or 0.
func (r rivals) around(share float64) (below, above float64) {
	below = r.confident
	i, _ := slices.BinarySearchFunc(r.shares, share, func(have, want float64) int {
		if have >= want {
			return -1
		}
		return 1
	})
	if i > 0 {
		below = min(below, r.lowest[i-1])
	}
	if i < len(r.highest) {
		above = r.highest[i]
	}
	return below, above
}
