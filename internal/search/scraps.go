package search

import (
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
	last, moved := 1.0, false
	for _, f := range all {
		if f.score == 0 || !f.Labels.Has(memoir.LabelScrap) {
			continue
		}
		below, above := last, 0.0 // the scores between which it stands
		for _, o := range all {
			switch {
			case o.score == 0 || o.Labels.Has(memoir.LabelScrap):
			case o.share >= scrapShare*f.share || s.odds(o) >= rank.Confident:
				below = min(below, o.score)
			default:
				above = max(above, o.score)
			}
		}
		score := f.score
		if score <= above {
			score = above + (1-above)*score
		}
		last = max(min(score, below-1e-6), 1e-6)
		f.setScore(explain.SignalScrap, 1, last)
		moved = true
	}
	if moved {
		sortFound(all)
	}
}
