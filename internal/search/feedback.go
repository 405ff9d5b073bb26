package search

import (
	"cmp"
	"context"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/order"
)

// Bounds of pseudo-relevance feedback (docs/design/signals.md).
const (
	feedbackPassages = 5  // chunks that words are learned from
	feedbackTerms    = 10 // terms that are learned
	feedbackHolders  = 2  // chunks that must hold a word
)

// learn is pseudo-relevance feedback in the manner of RM3 (Abdul-Jaleel et al.,
// "UMass at TREC 2004", 2004). It assumes that words which several of the first
// chunks share belong to the subject of the query, and gives them a share of
// the query's weight.
func (s *search) learn(ctx context.Context) error {
	first, err := s.gather(ctx, feedbackPassages, func(distinct []*candidate, unseen frontier) bool {
		return unseen.fused == 0 || len(distinct) >= feedbackPassages && distinct[feedbackPassages-1].score > unseen.fused
	})
	if err != nil || s.noWords {
		return err
	}
	first = collapse(first) // a text that stands in two places would support itself
	first = first[:min(len(first), feedbackPassages)]
	if err := s.readTexts(ctx, first); err != nil {
		return err
	}
	s.textScale = 0 // other words have another best match
	s.learned = learned(first, s.terms, s.searcher.cfg.Ranking.Signals.FeedbackWeight)
	return nil
}

// learned returns the terms that the query lacks and that most of the chunks
// hold, weighted by the scores of the chunks. The weights of these terms add up
// to the given share of all weights.
func learned(chunks []*candidate, query []analyze.Term, share float64) []memoir.Term {
	asked := make(map[string]bool, len(query))
	total := 0.0
	for _, t := range query {
		asked[t.Text] = true
		total += t.Weight
	}
	type shared struct {
		memoir.Term
		holders int
	}
	byText := map[string]*shared{}
	for _, p := range chunks {
		for _, t := range analyze.Query(p.chunk.Text) {
			if t.Kind == analyze.Character {
				continue
			}
			c := byText[t.Text]
			if c == nil {
				c = &shared{Term: memoir.Term{Text: t.Text}}
				byText[t.Text] = c
			}
			c.holders++
			c.Weight += p.score * t.Weight
		}
	}
	var best []memoir.Term
	for _, c := range byText {
		if c.holders >= feedbackHolders && !asked[c.Text] && c.Weight > 0 {
			best = append(best, c.Term)
		}
	}
	order.By(best, func(a, b memoir.Term) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Text, b.Text))
	})
	best = best[:min(len(best), feedbackTerms)]
	sum := 0.0
	for _, t := range best {
		sum += t.Weight
	}
	for i := range best {
		best[i].Weight *= share / (1 - share) * total / sum
	}
	return best
}
